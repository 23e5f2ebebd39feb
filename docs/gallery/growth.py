"""Which method learns from the fewest examples, and how near to the possible optimum does it come?"""

import numpy as np

from rankscope.feedback import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.example_sets import convergence, growth
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import growth_graph

FEW = slice(0, 2000)  # all 5,346 icons take a minute more
sample = icons()
items = Items.of(sample.features("edges")[FEW], scaling="l2")
names = ("pause", "crop", "lockopen", "alarm")
topics = {name: np.array([each == name for each in sample.class_of_item[FEW]]) for name in names}
methods = [METHODS.parse(name) for name in ("query-point", "parzen")]

# AP of the rest of the collection, examples taken out
growth_graph(growth(items, topics, methods, sizes=[1, 2, 4, 8], repeats=5)).save("growth.svg")

# mean efficiency: the same as a share of what the best of the methods learns from all labels
best = {name: baseline(items, target, methods, topic=name) for name, target in topics.items()}
ways = [
    convergence(method, items, target, best[name], sizes=[1, 2, 4, 8], repeats=3)
    for method in methods
    for name, target in topics.items()
]
growth_graph(ways).save("growth-efficiency.svg")
