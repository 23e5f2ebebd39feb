"""Estimates without complete ground truth: class size, recall and generality from judged samples."""

from rankscope.sampling.estimate import Estimated, EstimatedRange, estimate
from rankscope.sampling.sample_size import SampleSize, needed_sample, relative_deviation
from rankscope.sampling.satterthwaite import StratifiedTotal, stratified_total

__all__ = [
    "Estimated",
    "EstimatedRange",
    "SampleSize",
    "StratifiedTotal",
    "estimate",
    "needed_sample",
    "relative_deviation",
    "stratified_total",
]
