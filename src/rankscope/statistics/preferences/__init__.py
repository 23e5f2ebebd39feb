"""Which of two systems people prefer: side by side or interleaved, how much the place on the page decides, who wins."""
