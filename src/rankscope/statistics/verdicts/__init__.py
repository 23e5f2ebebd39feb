"""What may be said: the one decision procedure, ranks, groups, and the gate."""
