from .metrics import ALL as ALL
from .metrics import Mixture as Mixture
from .metrics import WeightedMetric as WeightedMetric
from .ranking import nearest_ranks as nearest_ranks
