"""Exact ranks of all relevant items, from vectors with class labels."""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
