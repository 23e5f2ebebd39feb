"""Explanations hold the values that Lucene's hold; the words are our own."""

from __future__ import annotations

from typing import Any

import pytest

from rankscope.engines.text.similarities import ALL, SIMILARITIES
from tests.engines.text.golden_files import golden_rows
from tests.engines.text.golden_index import golden_index

CONSTANTS = ("k1,", "b,", "mu")


def values_of(tree: dict[str, Any]) -> set[float]:
    return {tree["value"]}.union(*(values_of(each) for each in tree.get("details", [])))


@pytest.mark.parametrize("similarity", sorted({row["similarity"] for row in golden_rows("explain")}))
def test_an_explanation_holds_every_value_of_lucenes(similarity: str) -> None:
    index = golden_index("english")
    wrong = []
    for row in golden_rows("explain"):
        if row["similarity"] != similarity:
            continue
        found = [each.value for each in index.explain(row["query"], row["id"], similarity).walk()]
        missing = [
            value
            for value in values_of(row["explanation"])
            if not any(abs(value - each) <= 2e-6 * max(1, abs(value)) for each in found)
        ]
        if missing or abs(found[0] - row["explanation"]["value"]) > 2e-6 * max(1, found[0]):
            wrong.append((row["query"], row["id"], missing))
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in ALL if name != "bm25f"])
def test_an_explanation_gives_the_score(name: str) -> None:
    index, similarity = golden_index("english"), SIMILARITIES.parse(name)
    for query in ("fox quick", '"search engine"~3 engine^2', "informtion~ java", "+fox -dog (lazy java)", "comput*"):
        for document, score in index.search(query, similarity, limit=5):
            found = index.explain(query, document, similarity)
            assert found.value == pytest.approx(score, rel=1e-6), (query, document)


def test_a_document_that_does_not_match_scores_nothing() -> None:
    index = golden_index("english")
    found = index.explain("fox AND nosuchword", "h034")
    assert (found.value, found.text) == (0.0, "+body:fox +body:nosuchword does not match")


def test_an_explanation_is_printed_as_a_tree() -> None:
    shown = str(golden_index("english").explain("java^4 apache", "h002")).splitlines()
    assert shown[0] == "16.981491  (body:java)^4.0 body:apach: sum of"
    assert shown[1] == "  13.824326  body:java"
    assert "      4  b, boost" in shown
