"""How much of what can be learnt from the features has each method learnt from eight examples of each kind?"""

import numpy as np

from rankscope.feedback import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.example_sets import convergence
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import efficiency_graph

FEW = slice(0, 2000)  # all 5,346 icons take a minute more
sample = icons()
items = Items.of(sample.features("edges")[FEW], scaling="l2")
alarms = np.array([each == "alarm" for each in sample.class_of_item[FEW]])
methods = [METHODS.parse(name) for name in ("query-point", "nearest-neighbour", "parzen")]

best = baseline(items, alarms, methods, topic="alarm")  # approach II: the best of the methods compared
results = [convergence(each, items, alarms, best, sizes=[8]).efficiencies[0] for each in methods]
efficiency_graph(results).save("efficiency.svg")
efficiency_graph(results, corrected=True).save("efficiency-corrected.svg")  # 0 is a random order
