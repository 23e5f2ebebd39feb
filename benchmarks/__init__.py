"""Timed comparisons with peers: ratios in one run, never asserted on in tests."""
