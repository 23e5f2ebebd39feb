"""Term vectors of some documents: how often each has each of the terms that any of them has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader


@dataclass(frozen=True, eq=False)
class TermVectors:
    """One row for each document, one column for each term; terms stand in the order of code points."""

    terms: tuple[str, ...]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, reader: IndexReader, field: str, docs: Numbers, allowed: Numbers) -> TermVectors:
        """The vectors of some documents, of the terms of the field's vocabulary that are allowed.

        >>> from rankscope.engines.text import Index
        >>> reader = Index.build([{"id": "a", "body": "fox fox dog"}, {"id": "b", "body": "cat"}]).reader
        >>> found = TermVectors.of(reader, "body", np.array([1, 0]), np.array([True, True, True]))
        >>> found.terms, found.counts.tolist()
        (('cat', 'dog', 'fox'), [[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
        """
        row, code, count = reader.document_terms(field, docs)
        kept = allowed[code]
        present, column = np.unique(code[kept], return_inverse=True)
        counts = np.zeros((len(docs), len(present)))
        counts[row[kept], column] = count[kept]
        return cls(tuple(reader.vocabulary(field).terms.gather(present).to_list()), counts)
