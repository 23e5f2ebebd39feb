"""Growth: what is left of a system's quality in a larger collection, with a back-test on its own data."""
