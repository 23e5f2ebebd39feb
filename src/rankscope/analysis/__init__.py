"""What numbers of queries say: curves, statistics, comparisons, forecasts and samples.

In come ranks and scores per query; out come results with limits. Begin with `comparison/compare.py`,
`curves/curve.py` and `statistics/score_table.py`. Names load when they are used.
"""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
