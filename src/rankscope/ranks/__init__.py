"""From judgements and rankings to RelevantRanks: the one reduction, and the value in the middle."""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
