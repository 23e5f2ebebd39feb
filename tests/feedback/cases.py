"""Small collections that tests of feedback share."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.feedback.examples.items import Items
from rankscope.feedback.users.topics import Topics


def clusters(items: int = 240, features: int = 6, classes: int = 4, seed: int = 0) -> tuple[Items, Topics]:
    """Clouds of points that overlap, one class each."""
    chance = np.random.default_rng(seed)
    label = np.arange(items) % classes
    centre = chance.normal(size=(classes, features))
    matrix = centre[label] + chance.normal(size=(items, features))
    return Items.of(matrix), Topics.of({f"class {each}": label == each for each in range(classes)})


def digits(*wanted: int) -> tuple[Items, Topics]:
    """Scikit-learn's digits, divided by 16."""
    from sklearn.datasets import load_digits

    data: Any = load_digits()
    return Items.of(data.data / 16), Topics.of({str(each): data.target == each for each in wanted})
