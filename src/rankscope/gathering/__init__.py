"""Pages of the web into documents: named hosts only, slowly, and never to an address that must not be reached."""
