"""Two systems on the same queries: tests, corrections for many of them, effect sizes and power."""
