"""Whatever an engine sends is a page, or a failure that says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.engines.live.endpoint import DIALECTS, EngineFailure
from rankscope.engines.live.live_run import answer_table
from rankscope.engines.live.live_search import ArrivedRanking
from tests.needs import needed_module

needed_module("httpx", "gather")
NAMES = ["response", "docs", "numFound", "id", "score", "hits", "total", "value", "_id", "_score", "_source", "sort"]
NAMES += ["responseHeader", "QTime", "partialResults", "nextCursorMark", "_shards", "failed", "timed_out", "took"]
NAMES += ["error", "msg", "reason", "root_cause", "trace", "type"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.sampled_from(["a", "", "a b", "\ud800", "\x00", "1"])
)
VALUES = st.recursive(
    SCALARS, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(NAMES), each, max_size=4)
)
HIT = st.dictionaries(st.sampled_from(["id", "score", "_id", "_score", "_source", "sort"]), VALUES, max_size=4)
WHOLE = st.builds(
    lambda hits, rest: {**rest, "response": {"docs": hits, **rest}, "hits": {"hits": hits, **rest}},
    st.lists(HIT, max_size=3),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", DIALECTS)
@given(data=VALUES | WHOLE)
@example(data={"response": {"docs": [{"id": "a", "score": 10**400}]}})
@example(data={"hits": {"hits": [{"_id": "\ud800", "_score": 1.0}]}})
def test_an_answer_is_a_page_or_a_failure(kind: str, data: Any) -> None:
    dialect = DIALECTS[kind]
    assert isinstance(dialect.error_text(data), str)
    try:
        page = dialect.read_page(data, dialect.id_field)
    except EngineFailure as failure:
        page, reason = None, failure.reason
    if page is None:
        assert reason.isprintable()
    else:
        ranking = ArrivedRanking()
        ranking.add(page, 0.1, 0)
        assert answer_table(ranking.answer("1", 10)).height == len(set(page.ids))
