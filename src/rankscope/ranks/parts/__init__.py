"""The reduction in parts, for runs that do not fit into memory or are worked on elsewhere."""
