"""Read and check: judgements (Qrels), rankings (Run), vectors (Features), from files and from Python objects."""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
