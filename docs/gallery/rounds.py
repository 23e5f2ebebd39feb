"""What does each round of feedback bring, and does it help at all?"""

from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs.feedback import rounds_graph

FEW = slice(0, 2000)  # all 5,346 icons take a minute more
sample = icons()
items = Items.of(sample.features("edges")[FEW], scaling="l2")
label = list(sample.class_of_item[FEW])
large = sorted(set(label) - {""}, key=lambda name: (-label.count(name), name))[:7]
topics = Topics.of({name: [each == name for each in label] for name in large})
methods = [METHODS.parse(name) for name in ("query-point", "rocchio", "nearest-neighbour", "svm")]
setting = Experiment.of(items, topics, protocol=Protocol(scope=10, rounds=4))
results = study(StudyPlan.of(setting, methods, starts=5, controls=True), on="home")

# relevant items seen so far: what the user has in hand after each round
rounds_graph(results, "cumulative recall").save("rounds.svg")
# the whole session: what was shown in its place, then the rest as ranked last
rounds_graph(results, "AP", methods=["nearest-neighbour", "rocchio", "no-feedback"]).save("rounds-ap.svg")
