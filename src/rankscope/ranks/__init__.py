"""From judgements and rankings to RelevantRanks: the one reduction, and the value in the middle."""

from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

__all__ = ["Ragged", "RelevantRanks"]
