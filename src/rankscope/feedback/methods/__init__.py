"""Feedback methods, one file each; controls first, then from moving the query to learning a classifier.

Each is loaded when it is named.
>>> METHODS.parse("rocchio(gamma=0.25)").gamma, str(METHODS.parse("svm(C=10.0)"))
(0.25, 'svm')
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.feedback.methods.method import Method
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # in reading order; a new method adds its line here
    "rankscope.feedback.methods",
    {
        "no-feedback": "no_feedback:NoFeedback",
        "random": "random_ranking:RandomRanking",
        "all-labels": "all_labels:AllLabels",
        "ideal": "ideal:Ideal",
        "query-point": "query_point:QueryPoint",
        "rocchio": "rocchio:Rocchio",
        "mars": "mars:Mars",
        "mindreader": "mindreader:MindReader",
        "opt-rf": "opt_rf:OptRF",
        "wu-zhang": "wu_zhang:WuZhang",
        "one-class-svm": "one_class_svm:OneClassSVM",
        "svm": "svm:SVM",
        "active-svm": "active_svm:ActiveSVM",
        "biased-svm": "biased_svm:BiasedSVM",
        "retin": "retin:Retin",
        "nearest-neighbour": "nearest_neighbour:NearestNeighbour",
        "bayesian-query-shifting": "bayesian_query_shifting:BayesianQueryShifting",
        "stabilised-nearest-neighbour": "stabilised_nearest_neighbour:StabilisedNearestNeighbour",
        "parzen": "parzen:Parzen",
        "pichunter": "pichunter:PicHunter",
        "boosting": "boosting:Boosting",
        "aspects": "aspects:Aspects",
        "active-aspects": "aspects:ActiveAspects",
        "log-based-svm": "log_based_svm:LogBasedSVM",
        "kernel-updating": "kernel_updating:KernelUpdating",
        "semantic-space": "semantic_space:SemanticSpace",
        "semantic-network": "semantic_network:SemanticNetwork",
        "long-term-grouping": "long_term_grouping:LongTermGrouping",
        "ciocca-schettini": "ciocca_schettini:CioccaSchettini",
        "multi-class": "multi_class:MultiClass",
        "biased-discriminant": "biased_discriminant:BiasedDiscriminant",
        "semantic-manifold": "semantic_manifold:SemanticManifold",
        "semi-supervised-em": "semi_supervised_em:SemiSupervisedEM",
        "mean-version-space": "mean_version_space:MeanVersionSpace",
        "decision-tree": "decision_tree:DecisionTree",
        "picsom": "picsom:PicSOM",
        "viper": "viper:Viper",
        "average-qe": "average_qe:AverageQE",
        "alpha-qe": "alpha_qe:AlphaQE",
        "dba": "dba:DBA",
        "diffusion": "diffusion:Diffusion",
        "rm3": "rm3:RM3",
        "logistic-regression": "logistic_regression:LogisticRegression",
        "shrinkage-lda": "shrinkage_lda:ShrinkageLDA",
        "gaussian-process": "gaussian_process:GaussianProcess",
        "prototype": "prototype:Prototype",
        "centroid-difference": "centroid_difference:CentroidDifference",
        "text-rm3": "text_rm3:TextRM3",
        "text-rocchio": "text_rocchio:TextRocchio",
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
