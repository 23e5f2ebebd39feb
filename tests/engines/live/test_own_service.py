"""What our own service sends over HTTP is what `rankscope search` finds in the index, to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankscope
from rankscope.core.errors import InputError
from tests.needs import needed_module
from tests.workbench.projects import WORDS, small_index

needed_module("httpx", "gather")
needed_module("starlette", "web")
needed_module("uvicorn", "web")

KINDS = ("solr", "opensearch", "elasticsearch")
SIGNS = ["night AND fox", "NOT dog (cat) +snow", 'river? ston* "leaf wind"', "a/b fox~2 den^3", "dog dog dog cat"]
TOPICS = {str(place): f"{word} {other}" for place, (word, other) in enumerate(zip(WORDS, SIGNS * 2, strict=True))}


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    from rankscope.workbench.service import running, search_application

    with running(search_application({"small": small_index()})) as address:
        yield address


def engine(kind: str, address: str, name: str = "small") -> str:
    return f"{kind}:{address}/solr/{name}" if kind == "solr" else f"{kind}:{address}/{name}"


def both(index: Any, address: str, topics: Any, folder: Path, **choices: Any) -> tuple[bytes, bytes]:
    """The bytes of a run from the index, and of the same one over HTTP."""
    here, there = folder / "here" / "x.run", folder / "there" / "x.run"
    for each in (here, there):
        each.parent.mkdir(exist_ok=True)
    rankscope.search(index, topics=topics, output=here, **choices)
    rankscope.search(engine=address, topics=topics, output=there, depth=10_000, **choices)
    return here.read_bytes(), there.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("choices", [{}, {"field": "title"}], ids=str)
def test_a_run_over_http_has_the_same_bytes(kind: str, choices: dict[str, Any], served: str, tmp_path: Path) -> None:
    here, there = both(small_index(), engine(kind, served), TOPICS, tmp_path, **choices)
    assert here
    assert here == there


@pytest.mark.parametrize("kind", KINDS)
def test_queries_in_lucenes_language_have_the_same_bytes_too(kind: str, served: str, tmp_path: Path) -> None:
    topics = {"1": "+fox -dog", "2": 'title:fox^2 "night fox"~3', "3": "de? OR r*", "4": "[a TO f]"}
    here, there = both(small_index(), engine(kind, served), topics, tmp_path, syntax="lucene")
    assert here == there


@pytest.mark.parametrize("kind", KINDS)
def test_pages_together_are_the_whole_list(kind: str, served: str) -> None:
    run = rankscope.search(engine=engine(kind, served), topics={"1": "night"}, page_size=7)
    whole = rankscope.search(small_index(), topics={"1": "night"}).table()
    assert run.table().equals(whole)
    assert run.latency.requests == whole.height // 7 + 1


def test_deep_pages_come_in_the_order_of_ids(served: str) -> None:
    """By a cursor, as Solr has it."""
    run = rankscope.search(engine=engine("solr", served), topics={"1": "night"}, depth=20_000, page_size=7)
    whole = rankscope.search(small_index(), topics={"1": "night"}).table()
    assert run.table().equals(whole.sort("score", "item", descending=[True, False]))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_more_workers_than_the_service_has_turns_are_all_answered(kind: str, served: str) -> None:
    topics = {str(number): f"{WORDS[number % 10]} {WORDS[number % 7]}" for number in range(200)}
    run = rankscope.search(engine=engine(kind, served), topics=topics, workers=16)
    assert run.table().equals(rankscope.search(small_index(), topics=topics).table())


def test_what_the_service_refuses_is_said(served: str) -> None:
    with pytest.raises(InputError, match=r"HTTP 404 Not Found: no index 'smal' \(did you mean 'small'\?\)"):
        rankscope.search(engine=f"solr:{served}/solr/smal", topics=TOPICS)
    with pytest.raises(InputError, match=r"topic 9: HTTP 400 Bad Request: .*column 6"):
        rankscope.search(engine=f"solr:{served}/solr/small", topics={"9": "fox ("}, syntax="lucene")
    with pytest.raises(InputError, match=r"HTTP 400 Bad Request: \[search\] does not know \[search_after\]"):
        rankscope.search(engine=engine("opensearch", served), topics={"1": "night"}, depth=20_000, page_size=7)


@pytest.mark.thorough
def test_a_test_collection_over_http_has_the_same_bytes(tmp_path: Path) -> None:
    from rankscope.workbench.service import running, search_application
    from tests.data import data_folder

    folder = data_folder("text") / "cranfield"
    documents = rankscope.index(folder / "docs.jsonl.gz")
    with running(search_application({"c": documents})) as address:
        for kind in KINDS:
            here, there = both(documents, engine(kind, address, "c"), folder / "queries.tsv", tmp_path)
            assert here == there
