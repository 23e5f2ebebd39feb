"""Terms a few edits away: insert, delete, replace, or swap neighbours; all terms of one length at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.matching.time_limit import check_time
from rankscope.engines.text.query.nodes import Fuzzy

if TYPE_CHECKING:
    import polars as pl

MOST_TERMS: Final = 50


def similar_terms(reader: IndexReader, node: Fuzzy) -> dict[str, float]:
    """The most similar terms, at most 50, and how similar: 1, or 1 - edits/length of the shorter; never below 0."""
    edits: dict[str, int] = {}
    for _, columns in reader.columns(node.field):
        edits.update(_near(node, columns))
    length = len(node.text)
    similar = {term: _similarity(each, min(length, len(term))) for term, each in edits.items()}
    best = sorted(similar, key=lambda term: (-similar[term], term.encode()))[:MOST_TERMS]
    return {term: max(similar[term], 0.0) for term in best}


def _similarity(edits: int, shorter: int) -> float:
    return 1.0 if edits == 0 else float(np.float32(1) - np.float32(edits) / np.float32(shorter))


def _near(node: Fuzzy, columns: FieldColumns) -> Iterator[tuple[str, int]]:
    if node.edits == 0:
        if columns.terms.find(node.text) >= 0:
            yield node.text, 0
        return
    terms = columns.terms.series
    lengths = terms.str.len_chars().to_numpy()
    for length in range(max(1, len(node.text) - node.edits), len(node.text) + node.edits + 1):
        same = terms.filter(lengths == length)
        if not len(same):
            continue
        distance = edit_distances(node.text, same, length)
        near = distance <= node.edits
        yield from zip(same.filter(near), distance[near].tolist(), strict=True)


def edit_distances(word: str, terms: pl.Series, length: int) -> Numbers:
    """Edits from a word to each of the terms, which all have this length.

    >>> import polars as pl
    >>> edit_distances("roam", pl.Series(["foam", "raom", "room"]), 4).tolist()
    [1, 1, 1]
    """
    letters = np.frombuffer("".join(terms).encode("utf-32-le"), dtype=np.uint32).reshape(len(terms), length).T
    wanted = np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32)
    rows = [np.full(len(terms), place, dtype=np.int16) for place in range(length + 1)]
    before: list[Numbers] = []
    for place, letter in enumerate(wanted):
        check_time()
        new: list[Numbers] = [np.full(len(terms), place + 1, dtype=np.int16)]
        for other in range(length):
            changed = rows[other] + (letters[other] != letter)
            best = np.minimum(np.minimum(rows[other + 1], new[other]) + 1, changed)
            if place and other:
                swapped = (letters[other] == wanted[place - 1]) & (letters[other - 1] == letter)
                best = np.where(swapped, np.minimum(best, before[other - 1] + 1), best)
            new.append(best)
        before, rows = rows, new
    return rows[length]
