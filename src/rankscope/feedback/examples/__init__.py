"""What a method is told: items with their features, and the examples of many sessions at once."""
