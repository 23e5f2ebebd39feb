"""Everything over HTTP: the search service, and what the workbench is built on."""
