"""rankscope."""
