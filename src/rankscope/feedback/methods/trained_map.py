"""A self-organising map of a collection: a square of units, each with a model vector, that neighbours share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

EPOCHS = 20
TRAINED_ON = 5_000  # items, evenly spaced: more change the map little
AT_ONCE = 1 << 22  # distances in one block
LAST_RADIUS = 0.5


def trained_map(rows: NDArray[Any], side: int) -> FloatArray:
    """Model vectors of the units, row by row of the map: side² x features, by the batch rule from a plane.

    In each epoch every unit becomes the mean of all rows, weighted by exp(-d² / 2 r²), d the distance on the map from
    the unit that is nearest to the row; r falls from half the side to 1/2. No chance is involved.
    >>> trained_map(np.array([[0.0], [0.0], [4.0], [4.0]]), 2).round(1).ravel()
    array([0.1, 2. , 2. , 3.9])
    """
    chosen = rows[:: -(-len(rows) // TRAINED_ON)].astype(np.float64)
    models = _first_plane(chosen, side)
    place = np.arange(side)
    for radius in np.geomspace(max(side / 2, LAST_RADIUS), LAST_RADIUS, EPOCHS):
        along = np.exp(-np.square(place[:, None] - place) / (2 * radius**2))
        models = _next_models(chosen, models, np.kron(along, along))
    return models


def best_units(rows: NDArray[Any], models: FloatArray) -> IntArray:
    """The unit whose model is nearest to each row; of equal ones the first.

    >>> best_units(np.array([[0.1], [3.0]]), np.array([[0.0], [4.0]]))
    array([0, 1])
    """
    half = np.einsum("ij,ij->i", models, models) / 2
    step = max(1, AT_ONCE // len(models))
    parts = [
        np.argmin(half - rows[start : start + step].astype(np.float64) @ models.T, axis=1)
        for start in range(0, len(rows), step)
    ]
    return np.concatenate(parts).astype(np.int64)


def _first_plane(rows: FloatArray, side: int) -> FloatArray:
    """Units spread over the plane of the two widest directions, two standard deviations to each side."""
    mean = rows.mean(axis=0)
    spread, directions = np.linalg.eigh(np.atleast_2d(np.cov(rows.T, bias=True)))
    widest = directions[:, ::-1][:, :2] * np.sqrt(np.maximum(spread[::-1][:2], 0.0))
    largest = np.abs(widest).argmax(axis=0)
    widest = widest * np.where(widest[largest, np.arange(widest.shape[1])] < 0, -1.0, 1.0)
    along = np.linspace(-2, 2, side) if side > 1 else np.zeros(1)
    places = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)[:, : widest.shape[1]]
    return mean + places @ widest.T


def _next_models(rows: FloatArray, models: FloatArray, shared: FloatArray) -> FloatArray:
    """One epoch; a unit that nothing reaches keeps its model."""
    from scipy.sparse import csr_array

    unit = best_units(rows, models)
    members = csr_array((np.ones(len(rows)), (unit, np.arange(len(rows)))), shape=(len(models), len(rows)))
    weight = shared @ np.bincount(unit, minlength=len(models))
    total = shared @ (members @ rows)
    return np.where(weight[:, None] > 1e-12, total / np.maximum(weight, 1e-12)[:, None], models)
