"""Feedback methods, one file each; controls first, then from moving the query to learning a classifier."""

from __future__ import annotations

from rankscope.feedback.method import Method
from rankscope.feedback.methods.active_svm import ActiveSVM
from rankscope.feedback.methods.all_labels import AllLabels
from rankscope.feedback.methods.alpha_qe import AlphaQE
from rankscope.feedback.methods.aspects import Aspects
from rankscope.feedback.methods.average_qe import AverageQE
from rankscope.feedback.methods.bayesian_query_shifting import BayesianQueryShifting
from rankscope.feedback.methods.biased_svm import BiasedSVM
from rankscope.feedback.methods.boosting import Boosting
from rankscope.feedback.methods.centroid_difference import CentroidDifference
from rankscope.feedback.methods.dba import DBA
from rankscope.feedback.methods.diffusion import Diffusion
from rankscope.feedback.methods.gaussian_process import GaussianProcess
from rankscope.feedback.methods.ideal import Ideal
from rankscope.feedback.methods.log_based_svm import LogBasedSVM
from rankscope.feedback.methods.logistic_regression import LogisticRegression
from rankscope.feedback.methods.mars import Mars
from rankscope.feedback.methods.mindreader import MindReader
from rankscope.feedback.methods.nearest_neighbour import NearestNeighbour
from rankscope.feedback.methods.no_feedback import NoFeedback
from rankscope.feedback.methods.one_class_svm import OneClassSVM
from rankscope.feedback.methods.opt_rf import OptRF
from rankscope.feedback.methods.parzen import Parzen
from rankscope.feedback.methods.pichunter import PicHunter
from rankscope.feedback.methods.prototype import Prototype
from rankscope.feedback.methods.query_point import QueryPoint
from rankscope.feedback.methods.random_ranking import RandomRanking
from rankscope.feedback.methods.retin import Retin
from rankscope.feedback.methods.rm3 import RM3
from rankscope.feedback.methods.rocchio import Rocchio
from rankscope.feedback.methods.shrinkage_lda import ShrinkageLDA
from rankscope.feedback.methods.stabilised_nearest_neighbour import StabilisedNearestNeighbour
from rankscope.feedback.methods.svm import SVM
from rankscope.feedback.methods.wu_zhang import WuZhang
from rankscope.feedback.notation import parsed

CONTROLS: tuple[type[Method], ...] = (NoFeedback, RandomRanking, AllLabels, Ideal)  # go with every experiment

ALL: tuple[type[Method], ...] = (  # in reading order; a new method adds its import and its name here
    *CONTROLS,
    QueryPoint, Rocchio, Mars, MindReader, OptRF, WuZhang,
    OneClassSVM, SVM, ActiveSVM, BiasedSVM, Retin,
    NearestNeighbour, BayesianQueryShifting, StabilisedNearestNeighbour, Parzen,
    PicHunter, Boosting, Aspects, LogBasedSVM,
    AverageQE, AlphaQE, DBA, Diffusion, RM3,
    LogisticRegression, ShrinkageLDA, GaussianProcess, Prototype, CentroidDifference,
)  # fmt: skip


def by_name(text: str) -> Method:
    """A method from its name, with parameters in brackets where they differ from the defaults.

    >>> by_name("rocchio(gamma=0.25)").gamma, str(by_name("svm(C=10.0)"))
    (0.25, 'svm')
    """
    return parsed(text, ALL)


__all__ = [
    "ALL", "CONTROLS", "DBA", "RM3", "SVM", "ActiveSVM", "AllLabels", "AlphaQE", "Aspects", "AverageQE",
    "BayesianQueryShifting", "BiasedSVM", "Boosting", "CentroidDifference", "Diffusion", "GaussianProcess", "Ideal",
    "LogBasedSVM", "LogisticRegression", "Mars", "MindReader", "NearestNeighbour", "NoFeedback", "OneClassSVM", "OptRF",
    "Parzen", "PicHunter", "Prototype", "QueryPoint", "RandomRanking", "Retin", "Rocchio", "ShrinkageLDA",
    "StabilisedNearestNeighbour", "WuZhang", "by_name",
]  # fmt: skip
