"""Estimates without complete ground truth: class size, recall and generality from judged samples."""

from rankscope.sampling.estimate import Estimated, Range, estimate
from rankscope.sampling.sample_size import SampleSize, needed_sample, relative_deviation
from rankscope.sampling.satterthwaite import StratifiedTotal, stratified_total

__all__ = [
    "Estimated",
    "Range",
    "SampleSize",
    "StratifiedTotal",
    "estimate",
    "needed_sample",
    "relative_deviation",
    "stratified_total",
]
