"""The experiment: the loop over many sessions, its lists, results and what decides."""
