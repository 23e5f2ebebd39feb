"""Where uncertainty comes from: variance components of queries, classes, assessors, collections and seeds."""
