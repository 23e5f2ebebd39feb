"""Systems next to each other: comparisons, gates, suites, leaderboards and sequential looks."""
