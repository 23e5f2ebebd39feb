"""Pages of the web, gathered politely: what may be fetched, in which order, and what is kept."""
