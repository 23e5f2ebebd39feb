"""Fifty clients at once: every query is answered in the end, and none wrongly. A minute of it in make bench."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.serve import ROWS, Expected, ask_at_once
from tests.needs import needed_module
from tests.workbench.projects import WORDS, small_index

needed_module("uvicorn", "web")
from rankscope.workbench.service import ServiceLimits, running, search_application  # noqa: E402

QUERIES = [f"{one} {other}" for one in WORDS for other in WORDS] + [f'"{word} night"~4' for word in WORDS]


def expected() -> Expected:
    hits = {query: small_index().search(query, limit=ROWS) for query in QUERIES}
    return {query: list(zip(found.ids, found.scores, strict=True)) for query, found in hits.items()}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "limits",
    [ServiceLimits(wait_seconds=60.0), ServiceLimits(running=1, waiting=3, wait_seconds=0.01)],
    ids=["usual", "tight"],
)
def test_every_query_is_answered_in_the_end_and_none_wrongly(limits: ServiceLimits) -> None:
    with running(search_application({"docs": small_index()}, limits=limits)) as address:
        found = asyncio.run(ask_at_once(address, 1.0, 50, expected()))
    assert found["answered"] >= 50
    assert found["wrong"] == 0
    assert (found["retried"] > 0) == (limits.waiting < 50)
