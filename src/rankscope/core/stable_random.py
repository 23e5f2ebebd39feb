"""Numbers between 0 and 1 that look random and are the same on every machine: BLAKE2b of what they are about."""

from __future__ import annotations

import hashlib


def stable_random(*about: object) -> float:
    """A number from 0 up to 1 for these things, in this order.

    >>> stable_random(0, "ann", "q1", "a") == stable_random(0, "ann", "q1", "a") != stable_random(0, "bob", "q1", "a")
    True
    """
    text = "\0".join(map(str, about)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64
