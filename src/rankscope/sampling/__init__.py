"""Estimates without complete ground truth: class size, recall and generality from judged samples."""

from rankscope.sampling.estimate import Estimated, Range, estimate
from rankscope.sampling.sample_size import SampleSize, needed_sample, relative_deviation

__all__ = ["Estimated", "Range", "SampleSize", "estimate", "needed_sample", "relative_deviation"]
