"""How far a mean may be off: intervals of numbers and bands of curves."""
