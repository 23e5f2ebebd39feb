"""Scores or not: ranks in disguise are seen through, real scores never are taken for ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope.core.settings import Settings
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.kept_scores import scores_by_rank, why_no_scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import load_ranks, save_ranks

QUERIES, ITEMS = 12, 40
Score = Callable[[int, int], float]  # query and rank


def order(query: int) -> list[str]:
    return [f"d{item}" for item in np.random.default_rng(query).permutation(ITEMS + query).tolist()]


def relevant(query: int) -> set[str]:
    return {f"d{item}" for item in range(query, query + 4)}


QRELS = Qrels.of({f"q{query}": dict.fromkeys(relevant(query), 1) for query in range(QUERIES)})


def reduced(score: Score, digits: int = 9, **settings: str) -> RelevantRanks:
    run = {
        f"q{query}": {item: round(score(query, rank), digits) for rank, item in enumerate(order(query), start=1)}
        for query in range(QUERIES)
    }
    return reduce(QRELS, Run.of(run), Settings(**settings), keep_scores=True)  # type: ignore[arg-type]


RANKS: dict[str, tuple[Score, str]] = {
    "minus the rank": (lambda _, rank: -rank, "positions"),
    "from 0": (lambda _, rank: 1.0 - rank, "positions"),
    "a thousand minus the rank": (lambda _, rank: 1000.0 - rank, "positions"),
    "length minus rank": (lambda query, rank: ITEMS + query - rank, "positions"),
    "share of the list": (lambda query, rank: 1.0 - rank / (ITEMS + query), "positions"),
    "steps of another size": (lambda query, rank: 5.0 * query - 0.25 * rank * (query + 1), "positions"),
    "reciprocal": (lambda _, rank: 1.0 / rank, "reciprocal ranks"),
    "reciprocal plus 60": (lambda _, rank: 1.0 / (60 + rank), "reciprocal ranks"),
    "scaled reciprocal": (lambda query, rank: (query + 1) / (60 + rank), "reciprocal ranks"),
    "shifted reciprocal": (lambda query, rank: query + 1 / rank, "depend on the rank alone"),
    "logarithm": (lambda _, rank: 1.0 / np.log2(rank + 1.0), "depend on the rank alone"),
    "power": (lambda query, rank: (query + 1) * 0.9**rank, "depend on the rank alone"),
    "nothing": (lambda _, rank: 1.0, "are equal"),
}


@pytest.mark.parametrize("name", RANKS)
def test_a_function_of_the_rank_is_no_score(name: str) -> None:
    score, what = RANKS[name]
    assert what in why_no_scores(reduced(score))


@pytest.mark.parametrize("digits", [4, 6])
def test_written_with_few_digits_ranks_are_still_ranks(digits: int) -> None:
    assert "positions" in why_no_scores(reduced(RANKS["share of the list"][0], 6))
    assert why_no_scores(reduced(RANKS["reciprocal"][0], digits))


def normal(query: int, rank: int) -> float:
    return float(-np.sort(-np.random.default_rng(query + 100).normal(size=ITEMS + query))[rank - 1])


@pytest.mark.parametrize("digits", [9, 3, 1, 0])
def test_real_scores_are_scores_however_they_are_rounded(digits: int) -> None:
    assert why_no_scores(reduced(normal, digits)) == ""


def test_a_single_list_tells_positions_and_reciprocal_ranks() -> None:
    for name in ("minus the rank", "reciprocal plus 60"):
        assert why_no_scores(reduced(RANKS[name][0]).take(np.array([3])))
    assert why_no_scores(reduced(normal).take(np.array([3]))) == ""


def test_removed_items_leave_gaps_in_positions() -> None:
    score = RANKS["minus the rank"][0]
    run = {f"q{q}": {item: score(q, rank) for rank, item in enumerate(order(q), start=1)} for q in range(QUERIES)}
    junk = [(f"q{query}", order(query)[7]) for query in range(QUERIES)]
    ranks = reduce(QRELS, Run.of(run), junk=junk, keep_scores=True)
    assert why_no_scores(ranks) == "the scores are positions in the list"


LISTS = {f"q{query}": order(query) for query in range(QUERIES)}
ROWS = [(query, item, rank) for query, items in LISTS.items() for rank, item in enumerate(items, 1)]
FRAME = pl.DataFrame(ROWS, ["query", "item", "rank"], orient="row")


@pytest.mark.parametrize(
    "run",
    [
        lambda: Run.of(LISTS),
        lambda: Run.of(FRAME),
        lambda: Run.from_matrix([items[:ITEMS] for items in LISTS.values()], queries=list(LISTS)),
    ],
    ids=["lists", "rank column", "matrix"],
)
def test_an_order_has_no_scores_to_keep_but_its_items(run: Callable[[], Run], tmp_path: Path) -> None:
    ranks = reduce(QRELS, run(), keep_scores=True)
    save_ranks(ranks, tmp_path / "order.ranks.parquet")
    for each in (ranks, load_ranks(tmp_path / "order.ranks.parquet")):
        assert why_no_scores(each) == "the run gives an order, no scores"
        assert "score" not in each.judged
        assert each.distractors is not None
        assert set(each.distractors.columns) == {"lot"}


def test_files_of_earlier_versions_are_seen_through(tmp_path: Path) -> None:
    """They hold positions as scores and say nothing about it."""
    ranks = reduced(lambda _, rank: 1.0 - rank)
    assert ranks.distractors is not None
    old = replace(
        ranks, provenance={}, distractors=Ragged(ranks.distractors.offsets, {"score": ranks.distractors["score"]})
    )
    save_ranks(old, tmp_path / "old.ranks.parquet")
    loaded = load_ranks(tmp_path / "old.ranks.parquet")
    assert why_no_scores(loaded) == "the scores are positions in the list"
    assert why_no_scores(replace(loaded, distractors=None)) == "no scores were kept"


def test_an_order_from_elsewhere_makes_scores_useless() -> None:
    frame = FRAME.with_columns(score=pl.Series(np.random.default_rng(0).random(FRAME.height)))
    ranks = reduce(QRELS, Run.of(frame), Settings(ties="rank"), keep_scores=True)
    assert "do not fall from rank to rank" in why_no_scores(ranks)


def test_scores_by_rank_are_the_list() -> None:
    table = scores_by_rank(reduced(normal))
    for query in range(QUERIES):
        row = sorted(f"q{q}" for q in range(QUERIES)).index(f"q{query}")
        expected = [round(normal(query, rank), 9) for rank in range(1, ITEMS + query + 1)]
        last = max(rank for rank in range(1, ITEMS + query + 1) if order(query)[rank - 1] not in relevant(query))
        np.testing.assert_allclose(table[row, :last], expected[:last])
        assert np.isnan(table[row, len(expected) :]).all()
