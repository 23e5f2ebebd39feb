"""If the answer itself were one of the features, would the method find it?"""

import numpy as np

from rankscope.feedback import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.consistency import consistency
from rankscope.feedback.normalization.example_sets import ExampleSets
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import consistency_graph

sample = icons()
items = Items.of(sample.features("edges"), scaling="standardise")
crops = np.array([each == "crop" for each in sample.class_of_item])
methods = [METHODS.parse(name) for name in ("query-point", "nearest-neighbour", "wu-zhang")]

examples = ExampleSets.drawn(crops, repeats=5, largest=(10, 10)).of_size(10, 10)
results = consistency(methods, items, crops, examples, topic="crop")
consistency_graph(results).save("consistency.svg")
consistency_graph(results, against="gain").save("consistency-gain.svg")  # how strong must it be?
