"""From documents to terms: the transpose, and the vocabulary of all segments, against the postings themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.engines.text import Index, index_columns
from rankscope.engines.text.index_columns import DocumentTerms

WORDS = [f"w{number}" for number in range(40)]


def random_texts(count: int, seed: int) -> list[dict[str, str]]:
    chance = np.random.default_rng(seed)
    return [
        {"id": f"{seed}-{row}", "body": " ".join(chance.choice(WORDS, chance.integers(0, 30)))} for row in range(count)
    ]


def counted(index: Index) -> list[dict[str, int]]:
    """The terms of each document, from the postings of each term."""
    found: list[dict[str, int]] = [{} for _ in range(index.reader.count)]
    for term in WORDS:
        postings = index.reader.postings("body", term)
        for doc, count in zip(postings.docs.tolist(), postings.counts.tolist(), strict=True):
            found[doc][term] = count
    return found


def looked_up(index: Index) -> list[dict[str, int]]:
    """The same by the transpose, documents asked for from the last to the first."""
    docs = np.arange(index.reader.count)[::-1]
    terms = index.reader.vocabulary("body").terms.to_list()
    found: list[dict[str, int]] = [{} for _ in docs]
    for row, code, count in zip(*map(np.ndarray.tolist, index.reader.document_terms("body", docs)), strict=True):
        found[row][terms[code]] = count
    return found[::-1]


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_a_transpose_in_portions_is_the_same(at_once: int) -> None:
    columns = Index.build(random_texts(30, seed=1)).reader.segments[0].fields["body"]
    whole, parts = DocumentTerms.of(columns), DocumentTerms.of(columns, at_once)
    for name in ("starts", "codes", "counts"):
        assert getattr(whole, name).tolist() == getattr(parts, name).tolist()


def test_a_large_transpose_lies_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.build(random_texts(30, seed=1))
    monkeypatch.setattr(index_columns, "IN_MEMORY", 10)
    assert looked_up(index) == counted(index)
    assert isinstance(index.reader.segments[0].fields["body"].by_document.codes, np.memmap)


def test_terms_of_documents_in_several_segments_and_indexes(tmp_path: Path) -> None:
    first = Index.build(random_texts(20, seed=1), tmp_path / "a").add(random_texts(15, seed=2))
    Index.build([{"id": "x", "body": "w3 new w3"}, {"id": "y", "title": "no body"}], tmp_path / "b")
    assert len(first.reader.segments) == 2
    index = Index.open(tmp_path / "a", tmp_path / "b")
    assert looked_up(index) == [*counted(first), {"w3": 2, "new": 1}, {}]
    vocabulary = index.reader.vocabulary("body")
    assert vocabulary.terms.to_list() == sorted([*WORDS, "new"])
    for term, documents, occurrences in zip(
        vocabulary.terms, vocabulary.documents.tolist(), vocabulary.occurrences.tolist(), strict=True
    ):
        statistics = index.reader.term("body", term)
        assert (documents, occurrences) == (statistics.documents, statistics.occurrences)


def test_a_field_that_no_document_has_has_no_terms() -> None:
    reader = Index.build(random_texts(3, seed=1)).reader
    assert len(reader.vocabulary("title")) == 0
    assert [each.tolist() for each in reader.document_terms("title", np.arange(3))] == [[], [], []]
