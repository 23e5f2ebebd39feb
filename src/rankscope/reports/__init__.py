"""Results for people and programs: formats of output, texts in words, and pages; each is loaded when it is used."""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
