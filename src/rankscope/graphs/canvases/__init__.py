"""Where graphs are drawn: recorded for tests, as Vega-Lite, or in three dimensions by matplotlib."""
