"""The reduction as a function of tables."""

from __future__ import annotations

import polars as pl
import pytest

from rankscope.core.errors import InputError
from rankscope.ranks.reduction import reduce
from rankscope.ranks.storage import ranks_to_frame, reduce_rows

RUN = pl.DataFrame(
    {
        "query": [f"q{n % 5}" for n in range(60)],
        "item": [f"d{n // 5}" for n in range(60)],
        "score": [n % 7 for n in range(60)],
    }
)
QRELS = pl.DataFrame({"query": ["q0", "q0", "q3", "q9"], "item": ["d1", "d30", "d4", "d1"], "grade": [1, 2, 1, 1]})


def test_parts_of_whole_queries_give_the_rows_of_the_whole() -> None:
    whole = ranks_to_frame(reduce(QRELS, RUN, keep_scores=True)).filter("answered")
    parts = [reduce_rows(RUN.filter(pl.col("query") == f"q{n}"), QRELS, keep_scores=True) for n in range(5)]
    assert pl.concat(parts).sort("query").equals(whole)


def test_a_part_without_judged_queries_gives_no_rows() -> None:
    assert reduce_rows(RUN.filter(pl.col("query") == "q1"), QRELS).is_empty()


def test_bad_rows_are_an_error_with_their_numbers() -> None:
    with pytest.raises(InputError, match="row 2: score is empty"):
        reduce_rows(
            RUN.with_columns(pl.when(pl.int_range(60) == 1).then(None).otherwise("score").alias("score")), QRELS
        )
