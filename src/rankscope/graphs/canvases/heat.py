"""A surface seen from above: cells of a regular grid, each with the height at its middle."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.marks import SurfaceMark

CELLS = 40


def heat_cells(surface: SurfaceMark) -> list[dict[str, Any]]:
    """One cell for each column of the mesh and each step of y; where the surface does not reach there is none."""
    edges = np.linspace(float(np.nanmin(surface.y)), float(np.nanmax(surface.y)), CELLS + 1)
    middle = (edges[:-1] + edges[1:]) / 2
    column = surface.x[:, 0]
    sides = _sides(column)
    cells = []
    for row, (left, right) in enumerate(pairwise(sides)):
        heights = _heights(surface.y[row], surface.z[row], middle)
        for low, high, at, z in zip(edges[:-1], edges[1:], middle, heights, strict=True):
            if np.isfinite(z):
                cell = {"x": left, "x2": right, "y": low, "y2": high, "z": z, "middle": column[row], "centre": at}
                cells.append({name: round(float(value), 6) for name, value in cell.items()})
    return cells


def _sides(column: FloatArray) -> FloatArray:
    """The borders of the cells around each column."""
    if column.size == 1:
        return np.array([column[0] - 0.5, column[0] + 0.5])
    between = (column[:-1] + column[1:]) / 2
    return np.concatenate([[2 * column[0] - between[0]], between, [2 * column[-1] - between[-1]]])


def _heights(y: FloatArray, z: FloatArray, at: FloatArray) -> FloatArray:
    there = np.isfinite(y) & np.isfinite(z)
    if not there.any():
        return np.full(at.size, np.nan)
    order = np.argsort(y[there], kind="stable")
    return np.interp(at, y[there][order], z[there][order], left=np.nan, right=np.nan)
