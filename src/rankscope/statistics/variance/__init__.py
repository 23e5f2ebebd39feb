"""Several systems and classes at once: analyses of variance, comparisons of all means, mixed models."""
