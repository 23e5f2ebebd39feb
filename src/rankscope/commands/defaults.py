"""What is computed where nobody says what: the same in Python and on the command line."""

from __future__ import annotations

EVALUATE = ("AP", "nDCG@10", "P@10", "RR", "Rprec")
COMPARE = ("AP",)
GATE = ("AP",)
REPORT = ("AP", "nDCG@10", "P@10", "success@1", "RR", "Rprec")
SUITE = ("AP", "nDCG@10")
FORECAST = ("Rprec", "AP", "P@10", "R@10")
METHODS = ("query-point", "rocchio", "nearest-neighbour", "svm", "logistic-regression")
TEXT_METHODS = ("text-rm3", "text-rocchio", "query-point", "rocchio")
MIN_EFFECT = 0.01
