"""The version, in one place: the build, `--version` and every provenance record read it here."""

__version__ = "1.0.0"
