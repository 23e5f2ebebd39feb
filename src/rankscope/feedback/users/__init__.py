"""Who marks and what they look for: topics, starts, simulated users and real judges."""
