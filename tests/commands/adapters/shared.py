"""What the tests of adapters share: files that other libraries wrote, and random judgements and runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import rankscope
from tests.needs import needed_module

NEEDS: dict[str, Callable[[], Any]] = {  # packages that tests use, each of which skips aloud where it is missing
    "ranx": lambda: needed_module("ranx", "peers"),
    "ir_datasets": lambda: needed_module("ir_datasets", "datasets"),
    "pandas": lambda: needed_module("pandas", "pandas"),
    "sklearn": lambda: needed_module("sklearn", "feedback"),
    "langchain_core": lambda: needed_module("langchain_core", "peers"),
}
GOLDEN = Path(__file__).parent / "golden"
MEASURES = ["AP", "nDCG@5", "P@3", "RR"]

IDS = st.text("abcdé 7-", min_size=3, max_size=3).filter(lambda text: text.strip() == text)  # ranx compiles by width
QUERIES = st.one_of(st.lists(IDS, min_size=1, max_size=4, unique=True), st.just([1, 2, 30]))
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def problems(draw: st.DrawFn, distinct: bool = False) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Judgements and a run: ids with spaces or whole numbers, equal scores unless `distinct`, queries unanswered."""
    queries = draw(QUERIES)
    items = draw(st.one_of(st.lists(IDS, min_size=2, max_size=6, unique=True), st.just([500, 600, 700])))
    chosen = st.lists(st.sampled_from(items), unique=True)
    scores = NUMBERS if distinct else st.sampled_from([0.5, 1.0, 2.5])
    qrels = {query: {item: draw(st.integers(0, 2)) for item in draw(chosen)} | {items[0]: 1} for query in queries}
    run: dict[Any, Any] = {}
    for number, query in enumerate(queries):
        listed = draw(chosen) if number else items[:2]  # a run without any item is refused
        values = draw(st.lists(scores, min_size=len(listed), max_size=len(listed), unique=distinct))
        run[query] = dict(zip(listed, values, strict=True))
    return qrels, run


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text())


def example() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Judgements and two runs that the golden files were made from."""
    given = golden("input")
    return given["qrels"], given["first"], given["second"]


def values_of(qrels: Any, run: Any, **settings: Any) -> dict[str, list[tuple[str, float | None]]]:
    """Every value of every query, whatever order the queries have."""
    scores = rankscope.evaluate(qrels, run, MEASURES, **settings).to_polars()
    return {
        measure: sorted(scores.filter(measure=measure).select("query", "value").iter_rows()) for measure in MEASURES
    }
