"""Feedback methods by family; controls first, then from moving the query to learning a classifier.

Each is loaded when it is named.
>>> METHODS.parse("rocchio(gamma=0.25)").gamma, str(METHODS.parse("svm(C=10.0)"))
(0.25, 'svm')
"""

from __future__ import annotations

from typing import Any

from rankscope.core.catalogue import Later, later, load_attribute
from rankscope.core.notation import NamedCatalogue
from rankscope.feedback.methods.method import Method

ALL: dict[str, Later] = later(  # in reading order; a new method adds its line here
    "rankscope.feedback.methods",
    {
        "no-feedback": "controls:NoFeedback",
        "random": "controls:RandomRanking",
        "all-labels": "controls:AllLabels",
        "ideal": "controls:Ideal",
        "query-point": "query_movement:QueryPoint",
        "rocchio": "query_movement:Rocchio",
        "mars": "feature_weights:Mars",
        "mindreader": "feature_weights:MindReader",
        "opt-rf": "feature_weights:OptRF",
        "wu-zhang": "feature_weights:WuZhang",
        "one-class-svm": "kernel_methods:OneClassSVM",
        "svm": "kernel_methods:SVM",
        "active-svm": "active_learning:ActiveSVM",
        "biased-svm": "kernel_methods:BiasedSVM",
        "retin": "active_learning:Retin",
        "nearest-neighbour": "neighbours:NearestNeighbour",
        "bayesian-query-shifting": "query_movement:BayesianQueryShifting",
        "stabilised-nearest-neighbour": "neighbours:StabilisedNearestNeighbour",
        "parzen": "kernel_methods:Parzen",
        "pichunter": "active_learning:PicHunter",
        "boosting": "trees:Boosting",
        "aspects": "terms:Aspects",
        "active-aspects": "terms:ActiveAspects",
        "log-based-svm": "session_logs:LogBasedSVM",
        "kernel-updating": "session_logs:KernelUpdating",
        "semantic-space": "session_logs:SemanticSpace",
        "semantic-network": "session_logs:SemanticNetwork",
        "long-term-grouping": "session_logs:LongTermGrouping",
        "ciocca-schettini": "feature_weights:CioccaSchettini",
        "multi-class": "feature_weights:MultiClass",
        "biased-discriminant": "linear_models:BiasedDiscriminant",
        "semantic-manifold": "manifolds:SemanticManifold",
        "semi-supervised-em": "linear_models:SemiSupervisedEM",
        "mean-version-space": "active_learning:MeanVersionSpace",
        "decision-tree": "trees:DecisionTree",
        "picsom": "manifolds:PicSOM",
        "viper": "terms:Viper",
        "average-qe": "query_movement:AverageQE",
        "alpha-qe": "query_movement:AlphaQE",
        "dba": "query_movement:DBA",
        "diffusion": "neighbours:Diffusion",
        "rm3": "terms:RM3",
        "logistic-regression": "linear_models:LogisticRegression",
        "shrinkage-lda": "linear_models:ShrinkageLDA",
        "gaussian-process": "kernel_methods:GaussianProcess",
        "prototype": "query_movement:Prototype",
        "centroid-difference": "centroid_difference:CentroidDifference",
        "text-rm3": "text:TextRM3",
        "text-rocchio": "text:TextRocchio",
    },
)
METHODS: NamedCatalogue[Method] = NamedCatalogue(
    "feedback method", ALL, example="rocchio(gamma=0.25)", group="rankscope.feedback"
)
CONTROLS: tuple[str, ...] = ("no-feedback", "random", "all-labels", "ideal")  # go with every experiment


def control_methods() -> tuple[Method, ...]:
    """The controls, as they are usually."""
    return tuple(METHODS.parse(name) for name in CONTROLS)


def __getattr__(name: str) -> Any:
    """The class of a method by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "CONTROLS", "METHODS", "Method", "control_methods"]
