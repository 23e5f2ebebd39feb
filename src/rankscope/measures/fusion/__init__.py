"""One ranking of several: fusion by places, by scores, and learned."""
