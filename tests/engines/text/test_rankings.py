"""Every ranking of the golden files is that of Lucene: documents, order and scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rankscope.engines.text import Index
from tests.engines.text.golden_files import ANALYSER_NAMES, golden_rows, golden_statistics
from tests.engines.text.golden_index import difference, golden_documents, golden_index, options_of, ranking_of


def wrong_rankings(index: Index, analyser: str, similarity: str) -> Iterator[tuple[str, str]]:
    for row in golden_rows("queries"):
        answer = row["analyzers"][analyser]
        if "error" in answer:
            continue
        found = ranking_of(index.search(row["query"], similarity, limit=None, **options_of(row["settings"])))
        if "loose" in row:
            if set(found[0]) != set(answer[similarity][0]):
                yield row["query"], "other documents"
        elif said := difference(answer[similarity], found):
            yield row["query"], said


@pytest.mark.sampled(3)
@pytest.mark.parametrize("similarity", ["bm25", "classic"])
@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_rankings_are_those_of_lucene(analyser: str, similarity: str) -> None:
    assert list(wrong_rankings(golden_index(analyser), analyser, similarity)) == []


@pytest.mark.parametrize("similarity", sorted({row["similarity"] for row in golden_rows("similarities")}))
def test_similarities_score_as_those_of_lucene(similarity: str) -> None:
    index = golden_index("english")
    rows = [row for row in golden_rows("similarities") if row["similarity"] == similarity]
    found = {row["query"]: ranking_of(index.search(row["query"], similarity, limit=None)) for row in rows}
    assert {row["query"]: said for row in rows if (said := difference(row["hits"], found[row["query"]]))} == {}


def test_the_first_few_are_those_of_the_whole_ranking() -> None:
    index = golden_index("english")
    for row in golden_rows("queries"):
        if "error" not in row["analyzers"]["english"]:
            options = options_of(row["settings"])
            whole = index.search(row["query"], limit=None, **options)
            first = index.search(row["query"], limit=3, **options)
            assert ranking_of(first) == (whole.ids.to_list()[:3], whole.scores.tolist()[:3]), row["query"]
            assert first.total == len(whole)


@pytest.mark.thorough
@pytest.mark.parametrize("cuts", [(100, 200), (1, 2, 315)])
def test_several_indexes_rank_as_one(cuts: tuple[int, ...], tmp_path: Path) -> None:
    documents, edges = golden_documents(), [0, *cuts, 316]
    for number, (start, stop) in enumerate(pairwise(edges)):
        Index.build(documents[start:stop], tmp_path / f"part{number}", analyser="english")
    together = Index.open(*sorted(tmp_path.iterdir()))
    assert list(wrong_rankings(together, "english", "bm25")) == []


def golden_fields() -> list[tuple[str, str]]:
    return [(analyser, field) for analyser in ANALYSER_NAMES for field in ("title", "body", "date")]


@pytest.mark.parametrize(("analyser", "field"), golden_fields())
def test_statistics_are_those_of_lucene(analyser: str, field: str) -> None:
    expected: dict[str, Any] = golden_statistics()[analyser][field]
    reader = golden_index(analyser).reader
    (columns,) = [each for _, each in reader.columns(field)]
    statistics, terms = reader.field(field), columns.terms.series.to_list()
    assert len(terms) == expected["terms"]
    assert (statistics.documents, statistics.tokens) == (
        expected["documents_with_field"],
        expected["sum_total_term_freq"],
    )
    assert len(columns.docs) == expected["sum_doc_freq"]
    counts = {name: (found.documents, found.occurrences) for name in terms if (found := reader.term(field, name))}
    for key in ("top", "first", "last"):
        assert {name: counts[name] for name, *_ in expected[key]} == {name: (n, f) for name, n, f in expected[key]}
    assert [name for name, *_ in expected["first"]] == terms[:15]
    assert [name for name, *_ in expected["last"]] == terms[-15:]


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_positions_are_those_of_lucene(analyser: str) -> None:
    reader = golden_index(analyser).reader
    for term, expected in golden_statistics()[analyser]["postings_of_body"].items():
        found = reader.postings("body", term, positions=True)
        ids = reader.ids.gather(found.docs).to_list()
        assert [[name, places] for name, places in zip(ids, found.places(), strict=True)] == expected
