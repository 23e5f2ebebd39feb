"""What people do with a collection before they judge it: look around, ask for more of the same, search, teach."""
