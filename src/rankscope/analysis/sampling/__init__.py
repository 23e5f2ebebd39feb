"""Estimates without complete ground truth: class size, recall and generality from judged samples."""
