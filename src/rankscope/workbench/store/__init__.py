"""The journal of a project: append-only, on disk before it is acknowledged, and everything else rebuilt from it."""
