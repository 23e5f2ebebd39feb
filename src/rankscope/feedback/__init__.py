"""Relevance feedback: methods that learn what a user wants from examples, and what can be asked of them.

What only some studies need loads when it is named: how far feedback adapts to the one who gives it (`adaptation`), what
is left when users err (`resilience`), baselines in a file, results against another baseline (`recalibrated`), and the
documents of a text index as items (`TextItems`).
"""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
