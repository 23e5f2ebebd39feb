from .ragged import Ragged as Ragged
from .relevant_ranks import RelevantRanks as RelevantRanks
