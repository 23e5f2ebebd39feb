"""Tools for those who work on rankscope; not part of the package."""
