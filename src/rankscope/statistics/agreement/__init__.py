"""How far assessors agree: coefficients of two and of many, with intervals over queries, and the order of systems."""
