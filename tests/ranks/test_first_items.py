"""What stands first: the order in which ranks were counted, whatever decides between equal scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankscope.core.settings import Settings
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.item_ranks import first_items
from rankscope.ranks.reduction import reduce
from rankscope.reports.page.found_items import COUNT, lists_of_ranks

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "lost": {"z": 1}}
RUN = {"q1": {"x": 5.0, "b": 4.0, "a": 4.0, "y": 4.0, "c": 1.0}, "q2": {"n": 1.0}, "other": {"a": 1.0}}


def lists(**chosen: object) -> dict[str, list[tuple[str, float]]]:
    found = first_items(Qrels.of(QRELS), Run.of(RUN), 4, Settings(**chosen))  # type: ignore[arg-type]
    return {query: [(item.id, item.grade) for item in own] for query, own in found.items()}


@pytest.mark.parametrize(
    ("ties", "order"),
    [("trec_eval", "xyba"), ("ascending", "xaby"), ("given", "xbay")],
)
def test_ties_are_decided_as_for_the_ranks(ties: str, order: str) -> None:
    found = lists(ties=ties)
    assert "".join(item for item, _ in found["q1"]) == order
    ranks = reduce(QRELS, RUN, Settings(ties=ties))
    row = ranks.queries.index("q1")
    judged = dict(zip(ranks.judged.lists("rank")[row], ranks.judged.lists("grade")[row], strict=True))
    for place, (_, grade) in enumerate(found["q1"], start=1):
        assert judged.get(place, math.nan) == grade or (place not in judged and math.isnan(grade))


def test_queries_without_judgements_and_answers_have_no_list() -> None:
    assert set(lists()) == {"q1", "q2"}


def test_depth_and_judged_only_count() -> None:
    assert len(lists(depth=2)["q1"]) == 2
    assert [item for item, _ in lists(judged_only=True)["q1"]] == ["b", "a", "c"]


def test_junk_leaves_the_list() -> None:
    found = first_items(Qrels.of(QRELS), Run.of(RUN), 2, Settings(), junk=[("q1", "x")])
    assert [item.id for item in found["q1"]] == ["y", "b"]


def test_scattered_lines_are_gathered() -> None:
    query, item = ["q1", "q2", "q1", "q2"], ["a", "b", "c", "a"]
    run = Run.of((query, item, [1.0, 2.0, 3.0, 1.0]))
    found = first_items(Qrels.of(QRELS), run, 5)
    assert {name: [each.id for each in own] for name, own in found.items()} == {"q1": ["c", "a"], "q2": ["b", "a"]}


def test_ranks_alone_give_the_same_grades() -> None:
    chance = np.random.default_rng(3)
    qrels = {f"q{n}": {f"d{m}": int(chance.integers(0, 3)) for m in range(20)} for n in range(6)}
    run = {query: {f"d{m}": float(chance.integers(0, 9)) for m in range(40)} for query in qrels}
    known = lists_of_ranks(reduce(qrels, run))
    for query, own in first_items(Qrels.of(qrels), Run.of(run), COUNT).items():
        assert [str(item.grade) for item in own] == [str(item.grade) for item in known[query]]
