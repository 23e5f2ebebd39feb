"""Exact ranks of all relevant items, from vectors with class labels."""

from rankscope.engines.nearest.mixture import Mixture, WeightedMetric
from rankscope.engines.nearest.nearest import nearest_ranks
from rankscope.engines.nearest.spaces import ALL

__all__ = ["ALL", "Mixture", "WeightedMetric", "nearest_ranks"]
