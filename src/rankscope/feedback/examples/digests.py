"""Fingerprints of features and targets, so that a stored baseline is never used for other ones."""

from __future__ import annotations

import hashlib

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.feedback.examples.items import Items


def features_digest(items: Items) -> str:
    """SHA-256 of type, shape and values of the features as the methods see them, and of texts where there are any.

    >>> features_digest(Items.of([[0.0, 1.0]]))[:8]
    '4c56d06f'
    """
    return items.remember("digest", items.fingerprint)


def target_digest(target: BoolArray) -> str:
    """SHA-256 of the number of items and of those that are relevant."""
    result = hashlib.sha256(f"{target.size}\n".encode())
    result.update(np.packbits(target).data)
    return result.hexdigest()
