"""Latent semantic indexing: documents as short vectors, near each other where their words go together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.files import atomic
from rankscope.core.wording import how_many, setting_value
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.text_index import Index
from rankscope.inputs.features import JOINT
from rankscope.inputs.qrels import Qrels
from rankscope.version import __version__

USUAL = 100  # dimensions


def lsi_vectors(reader: IndexReader, field: str, dimensions: int = USUAL, seed: int = 0) -> FloatArray:
    """A vector for each document that is not deleted (Deerwester et al. 1990): the largest singular values and vectors.

    The matrix has (1 + ln tf) ln(N/n) in rows of length 1; a document without words is a row of zeros. The seed only
    says where the search for the vectors begins, and each has its largest number positive: equal input, equal output.
    """
    from scipy.sparse.linalg import svds

    matrix = weighted_matrix(reader, field)
    most = most_dimensions(reader, field)
    if not 1 <= dimensions <= most:
        there = f"{how_many(matrix.shape[0], 'documents')} with {how_many(matrix.shape[1], 'terms')}"
        limit = f"at most {most} dimensions" if most else "none at all"
        raise SettingError(f"{setting_value('lsi', dimensions)}: {there} allow {limit}")
    begin = np.random.default_rng(seed).standard_normal(min(matrix.shape))
    left, values, right = svds(matrix, k=dimensions, v0=begin)
    order = np.argsort(-values, kind="stable")
    largest = np.abs(right[order]).argmax(axis=1)
    signs = np.sign(right[order, largest])
    vectors: FloatArray = left[:, order] * (values[order] * np.where(signs == 0, 1.0, signs))
    return np.ascontiguousarray(vectors) + 0.0  # -0 and 0 are one value


def labels_of(ids: Sequence[str], qrels: Any) -> list[tuple[str, ...]]:
    """The queries that each document is relevant to, as its labels.

    >>> labels_of(["a", "b"], {"1": {"a": 1, "b": 0}, "2": {"a": 2, "x": 1}})
    [('1', '2'), ()]
    """
    good = Qrels.of(qrels).table.filter(pl.col("grade") > 0).group_by("item", maintain_order=True).agg("query")
    wanted = dict(good.iter_rows())
    return [tuple(wanted.get(each, ())) for each in ids]


def save_lsi(
    index: Index, path: str | Path, dimensions: int, field: str | None = None, seed: int = 0, qrels: Any = None
) -> tuple[int, int, int]:
    """Write the vectors of an index as features, with the ids of the documents: how many, of what length, how labelled.

    With judgements the queries that a document is relevant to are its labels, joined by `|`.
    """
    name = field or index.default_field
    reader = index.reader
    vectors = lsi_vectors(reader, name, dimensions, seed)
    ids = reader.live_ids.to_list()
    labels = [JOINT.join(each) for each in labels_of(ids, qrels)] if qrels is not None else [""] * len(ids)
    about = {"format": "rankscope.features", "version": 1, "settings": {"field": name, "seed": seed}}
    with atomic(path, "wb") as file:
        np.savez(
            file,
            features=vectors,
            labels=np.array(labels, dtype=np.str_),
            ids=np.array(ids, dtype=np.str_),
            descriptor=np.array(f"lsi({dimensions})"),
            metric=np.array("cosine"),
            about=np.array(json.dumps(about | {"versions": {"rankscope": __version__}}, sort_keys=True)),
        )
    return vectors.shape[0], vectors.shape[1], sum(map(bool, labels))


def most_dimensions(reader: IndexReader, field: str) -> int:
    """How many dimensions vectors can have: one less than documents, and than terms."""
    deleted = 0 if reader.deleted is None else int(reader.deleted.sum())
    return max(min(reader.count - deleted, len(reader.vocabulary(field))) - 1, 0)


def weighted_matrix(reader: IndexReader, field: str) -> Any:
    """Documents x terms, sparse: log frequencies times how rare a term is, in rows of length 1."""
    from scipy.sparse import csr_matrix, diags

    reader.need_field(field)
    docs = np.arange(reader.count) if reader.deleted is None else np.flatnonzero(~reader.deleted)
    row, code, count = reader.document_terms(field, docs)
    vocabulary = reader.vocabulary(field)
    rarity = np.log(reader.field(field).documents / np.maximum(vocabulary.documents, 1))
    weights = (1 + np.log(count.astype(np.float64))) * rarity[code]
    matrix = csr_matrix((weights, (row, code)), shape=(len(docs), len(vocabulary)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return diags(1 / np.where(lengths > 0, lengths, 1.0)) @ matrix
