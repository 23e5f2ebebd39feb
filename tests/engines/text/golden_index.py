"""The documents of the golden files as indexes, and rankings compared with those of Lucene."""

from __future__ import annotations

from functools import cache
from typing import Any

from rankscope.engines.text import Hits, Index
from tests.engines.text.golden_files import golden_rows

ROUNDING = 2e-6  # of the larger of 1 and the score
Ranking = tuple[list[str], list[float]]


def golden_documents() -> list[dict[str, str]]:
    """An empty field was not added to the document."""
    return [{name: text for name, text in row.items() if text} for row in golden_rows("documents")]


@cache
def golden_index(analyser: str) -> Index:
    return Index.build(golden_documents(), analyser=analyser)


def ranking_of(hits: Hits) -> Ranking:
    return hits.ids.to_list(), hits.scores.tolist()


def options_of(settings: dict[str, Any]) -> dict[str, Any]:
    return {"operator": settings.get("op", "OR"), "leading": settings.get("leading", False)}


def difference(expected: Ranking, found: Ranking) -> str:
    """What is not equal in two rankings; nothing where they differ by rounding alone."""
    wanted, got = dict(zip(*expected, strict=True)), dict(zip(*found, strict=True))
    if wanted.keys() != got.keys():
        return f"lacks {sorted(wanted.keys() - got.keys())}, has {sorted(got.keys() - wanted.keys())}"
    for name, score in wanted.items():
        if abs(score - got[name]) > ROUNDING * max(1, abs(score)):
            return f"{name}: {got[name]} in place of {score}"
    for first, second in zip(expected[0], found[0], strict=True):
        if first != second and abs(wanted[first] - wanted[second]) > ROUNDING * max(1, wanted[first]):
            return f"{second} in place of {first}"
    return ""
