"""Results in words and in tables of words: verdicts, comparisons, benchmarks, studies, the gate."""
