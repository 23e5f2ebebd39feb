"""Arrays per query or per group: what graphs draw, computed apart from drawing."""
