"""Ranks that are counted are those that the run gives, under every rule for ties."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.core.errors import InputError, SettingError
from rankscope.core.settings import SETTINGS, Settings
from rankscope.engines.text import Index
from rankscope.ranks.reduction import reduce
from rankscope.ranks.storage import ranks_to_frame

TIES = next(each for each in SETTINGS if each.name == "ties").choices
WORDS = ["fox", "dog", "cat", "den", "wood", "hill", "lake", "moon"]


@pytest.fixture(scope="module")
def index() -> Index:
    """Short texts of few words: very many equal scores; some documents are empty, and ids sort unlike the index."""
    dice = random.Random(4)
    texts = [" ".join(dice.choices(WORDS, k=dice.randrange(5))) for _ in range(300)]
    return Index.build([{"id": f"d{(number * 7) % 300}", "body": text} for number, text in enumerate(texts)])


TOPICS = {"1": "fox", "2": "dog cat", "3": "wood hill lake", "4": "nothing here", "5": "moon moon fox", "9": "den"}


def judgements() -> dict[str, dict[str, int]]:
    dice = random.Random(5)
    items = [f"d{number}" for number in range(320)]  # some are not in the index
    return {query: {item: dice.choice([-1, 0, 1, 2]) for item in dice.sample(items, 40)} for query in [*"123456"]}


def same(one: Any, other: Any) -> bool:
    left, right = (ranks_to_frame(each).drop("collection") for each in (one, other))
    return left.equals(right)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("similarity", ["bm25", "boolean", "lm-dirichlet(1)"])
@pytest.mark.parametrize("choice", [{}, {"depth": 20}, {"unmatched": "last"}], ids=str)
def test_counted_ranks_are_those_of_the_run(
    index: Index, ties: str, similarity: str, choice: dict[str, Any], tmp_path: Path
) -> None:
    settings = Settings(ties=ties, seed=3)
    run = index.run(TOPICS, similarity, name="x", **choice)
    counted = index.rank(TOPICS, judgements(), similarity, settings, keep_scores=True, name="x", **choice)
    assert same(counted, reduce(judgements(), run, settings, keep_scores=True))
    from rankscope.inputs.formats.registry import write_file

    write_file(run, tmp_path / "x.run")
    assert same(counted, reduce(judgements(), tmp_path / "x.run", settings, keep_scores=True))
    assert set(counted.collection.tolist()) == {300}


@pytest.mark.parametrize("query_item", ["kept", "removed", "kept_ignored", "counted"])
def test_junk_and_the_query_itself_leave_the_list(index: Index, query_item: str) -> None:
    settings = Settings(query_item=query_item)
    topics = {"d7": "fox", "d14": "dog cat"}
    qrels = {"d7": {"d7": 1, "d21": 1, "d28": 1}, "d14": {"d35": 1, "d42": 2}}
    junk = {"d14": [f"d{number}" for number in range(0, 300, 3)]}
    counted = index.rank(topics, qrels, settings=settings, junk=junk)
    assert same(counted, reduce(qrels, index.run(topics), settings, junk=junk))


def test_deleted_documents_are_not_there(tmp_path: Path) -> None:
    rows = [{"id": name, "body": "a fox"} for name in "abcd"]
    smaller = Index.build(rows, tmp_path / "index").add([], delete=["b"])
    for choice in ({}, {"unmatched": "last"}):
        ranks = smaller.rank({"1": "fox", "2": "dog"}, {"1": {"a": 1, "b": 1, "d": 1}, "2": {"c": 1}}, **choice)  # type: ignore[arg-type]
        assert ranks.judged.lists("rank")[0] == [1, 3]
        assert ranks.collection.tolist() == [3, 3]
        assert ranks.depth.tolist() == [3, 3 if choice else 0]


@pytest.mark.parametrize("most", [0, 3, 1000])
def test_few_scores_are_counted_and_many_sorted_with_the_same_result(
    index: Index, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankscope.engines.text.searching.COUNTED_AT_MOST", most)
    for ties in ("given", "trec_eval"):
        settings = Settings(ties=ties)
        assert same(
            index.rank(TOPICS, judgements(), settings=settings), reduce(judgements(), index.run(TOPICS), settings)
        )


def test_a_cut_keeps_equal_scores_together(index: Index) -> None:
    for depth in (1, 5, 40, 1000):
        for query, text in TOPICS.items():
            hits = index.search(text, limit=None, syntax="words")
            rows = index.run({query: text}, depth=depth).table() if len(hits) else None
            expected = hits.scores[hits.scores >= hits.scores[min(depth, len(hits)) - 1]] if len(hits) else ()
            assert (0 if rows is None else rows.height) == len(expected)


def test_unmatched_documents_stand_behind_all_others_as_one_group(index: Index) -> None:
    ranks = index.rank({"1": "fox"}, {"1": dict.fromkeys([f"d{n}" for n in range(300)], 1)}, unmatched="last")
    matching = len(index.search("fox", limit=None))
    assert ranks.depth.tolist() == [300]
    assert ranks.judged.lists("rank") == [list(range(1, 301))]
    assert (ranks.ties["start"][-1], ranks.ties["size"][-1]) == (matching + 1, 300 - matching)


def test_topics_that_match_nothing_are_not_answered(index: Index) -> None:
    ranks = index.rank({"1": "unicorn"}, {"1": {"d1": 1}, "2": {"d1": 1}})
    assert ranks.answered.tolist() == [False, False]
    assert rankscope.evaluate(ranks, measures="AP")["AP"] == 0.0


def test_what_cannot_be_is_refused(index: Index) -> None:
    with pytest.raises(InputError, match="no query of the run is judged"):
        index.rank({"1": "fox"}, {"other": {"d1": 1}})
    with pytest.raises(SettingError, match="leave depth out"):
        index.run({"1": "fox"}, depth=3, unmatched="last")
    with pytest.raises(SettingError, match="no field 'title'"):
        index.run({"1": "fox"}, field="title")
    with pytest.raises(SettingError, match="must be missing or last"):
        index.run({"1": "fox"}, unmatched="first")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="depth=0"):
        index.run({"1": "fox"}, depth=0)


def test_the_score_of_unmatched_documents_is_below_every_match() -> None:
    tiny = Index.build([{"id": "a", "body": "fox"}, {"id": "b", "body": "dog"}])
    run = tiny.run({"1": "fox"}, "lm-dirichlet(1000)", unmatched="last").table()
    assert np.diff(run["score"].to_numpy()).max() < 0
