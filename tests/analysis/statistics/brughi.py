"""The worked example of the statistics: two systems, classes of 5, 4 and 6 queries."""

from rankscope.analysis.statistics.score_table import ScoreTable

A = [0.30, 0.42, 0.25, 0.38, 0.35, 0.55, 0.61, 0.48, 0.52, 0.20, 0.15, 0.28, 0.22, 0.18, 0.25]
B = [0.36, 0.45, 0.33, 0.40, 0.41, 0.58, 0.70, 0.57, 0.60, 0.19, 0.17, 0.25, 0.26, 0.16, 0.24]
CLASSED = ScoreTable.make({"A": A, "B": B}, classes=list("aaaaabbbbcccccc"))
