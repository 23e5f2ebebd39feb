"""Pages that open offline, and tables and figures for a paper."""
