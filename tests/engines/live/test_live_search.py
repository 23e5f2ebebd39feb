"""Runs of engines over HTTP: whatever fails on the way, the run is the engine's ranking, or all failures are named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.live import endpoint, live_search
from rankscope.engines.live.live_run import LiveRun
from rankscope.engines.live.live_search import Gate
from tests.engines.live.engine_server import (
    Asked,
    Fault,
    Hits,
    cut_off,
    dripping,
    json_fault,
    reset,
    running,
)
from tests.needs import needed_module

needed_module("httpx", "gather")
KINDS = ("solr", "opensearch", "elasticsearch")
TOPICS = {str(number): f"topic {number}" for number in range(1, 8)}


def ranking(query: str) -> Hits:
    """Some documents for every query; scores with all digits that 32 bits have, two of them equal."""
    number = int(query.split()[-1])
    scores = np.sort(np.random.default_rng(number).random(5 * number, dtype=np.float32))[::-1].copy()
    scores[1] = scores[2]
    return [(f"d{number}-{place}", float(str(score))) for place, score in enumerate(scores)]


def expected(topics: Mapping[str, str] = TOPICS, depth: int = 1000) -> dict[str, list[tuple[str, float]]]:
    return {topic: list(ranking(text))[:depth] for topic, text in topics.items()}


def rows(run: Any) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for query, item, score in run.table().iter_rows():
        found.setdefault(query, []).append((item, score))
    return found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses of a hundredth of their length, and no credentials of whoever runs the tests."""
    monkeypatch.setattr(endpoint.EngineLimits.__init__, "__defaults__", (4, 5, 30, 0.005, 0.3))
    for name in ("USER", "PASSWORD", "API_KEY", "TOKEN"):
        monkeypatch.delenv(f"RANKSCOPE_ENGINE_{name}", raising=False)


def searched(engine: str, topics: Any = TOPICS, **choices: Any) -> LiveRun:
    return rankscope.search(engine=engine, topics=topics, **choices)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("choices", [{}, {"depth": 7}, {"page_size": 4}, {"page_size": 4, "depth": 10}], ids=str)
def test_the_run_is_the_ranking_of_the_engine_to_the_last_digit(
    kind: str, choices: dict[str, int], tmp_path: Path
) -> None:
    with running(ranking) as engine:
        run = searched(engine.addresses()[kind], output=tmp_path / "mine.run", **choices)
    found = rows(run)
    assert found == expected(depth=choices.get("depth", 1000))
    lines = (tmp_path / "mine.run").read_text().splitlines()
    assert lines[0] == f"1 Q0 d1-0 1 {ranking('1')[0][1]!r} mine"
    assert [line.split()[3] for line in lines if line.startswith("2 ")] == [
        str(rank) for rank in range(1, len(found["2"]) + 1)
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.latency.json", "mine.run"]
    assert run.oddities.tied == len(TOPICS)
    assert run.latency.topics == len(TOPICS)


def test_pages_are_asked_for_one_behind_the_other() -> None:
    with running(ranking) as engine:
        searched(engine.solr(), {"1": "topic 4"}, page_size=6, depth=15)
        assert [(each.start, each.size) for each in engine.asked] == [(0, 6), (6, 6), (12, 3)]
        assert all(each.body["fl"] == "id,score" and each.body["wt"] == "json" for each in engine.asked)
        engine.asked.clear()
        searched(engine.opensearch(), {"1": "topic 4"}, page_size=6)
        assert [(each.start, each.size) for each in engine.asked] == [(0, 6), (6, 6), (12, 6), (18, 6)]
        assert all(each.body["_source"] is False for each in engine.asked)


def deep_ranking(query: str) -> Hits:
    return [(f"d{place:05}", float(-(place // 7))) for place in range(10_500)]


@pytest.mark.parametrize("kind", KINDS)
def test_deep_rankings_follow_the_mark_of_the_last_document(kind: str) -> None:
    """Numbers of pages end at 10,000 documents."""
    with running(deep_ranking) as engine:
        run = searched(engine.addresses()[kind], {"1": "x"}, depth=10_200, page_size=5000)
    assert rows(run)["1"] == list(deep_ranking("x"))[:10_200]
    first, second, third = engine.asked
    if kind == "solr":
        assert [each.after for each in engine.asked] == ["*", "d04999", "d09999"]
        assert first.body["sort"] == "score desc, id asc"
        assert "start" not in second.body
    else:
        assert [each.after for each in engine.asked] == [None, [-714.0, "d04999"], [-1428.0, "d09999"]]
        assert third.body["sort"] == [{"_score": "desc"}, {"_id": "asc"}]
        assert third.body["track_scores"] is True
        assert "from" not in second.body


def test_a_cursor_that_does_not_move_ends_the_list() -> None:
    with running(lambda query: deep_ranking(query)[:30]) as engine:
        assert len(rows(searched(engine.solr(), {"1": "x"}, depth=20_000, page_size=10))["1"]) == 30


def test_a_short_page_of_many_matches_is_not_the_end() -> None:
    """Some engines give fewer than they are asked for."""
    with running(ranking) as engine:
        engine.rank = lambda query: ranking(query)
        original = engine.answer
        engine.answer = lambda asked: original(  # type: ignore[method-assign]
            Asked(**{**vars(asked), "size": min(asked.size, 3)})
        )
        assert rows(searched(engine.opensearch())) == expected()


FAULTS: dict[str, Fault] = {
    "500": json_fault(500, {"error": {"msg": "broken", "code": 500}}),
    "502 of a proxy": Fault(502, b"<html>Bad Gateway</html>"),
    "503": json_fault(503, {"error": "busy"}, Retry_After="0"),
    "429": json_fault(429, {"error": {"reason": "too many"}}, Retry_After="0"),
    "no JSON": Fault(200, b"one moment"),
    "truncated JSON": Fault(200, b'{"response": {"docs": [{"id": "a", '),
    "cut off": Fault(write=cut_off),
    "reset": Fault(write=reset),
    "partial": json_fault(200, {"responseHeader": {"partialResults": True}, "response": {"docs": []}}),
    "shards": json_fault(200, {"_shards": {"failed": 1}, "hits": {"hits": []}}),
    "timed out": json_fault(200, {"timed_out": True, "hits": {"hits": []}}),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda name: name.replace(" ", "-"))
def test_what_passes_is_asked_again(fault: str, tmp_path: Path) -> None:
    kind = {"partial": "solr", "shards": "opensearch", "timed out": "elasticsearch"}.get(fault, "solr")
    with running(ranking, lambda asked, number: FAULTS[fault] if number % 3 == 1 else None) as engine:
        run = searched(engine.addresses()[kind], output=tmp_path / "x.run", page_size=10)
    assert rows(run) == expected()
    assert run.latency.retries > 2
    assert json.loads((tmp_path / "x.latency.json").read_text())["retries"] == run.latency.retries


def test_a_slow_answer_is_given_up_and_asked_for_again() -> None:
    with running(ranking, lambda asked, number: Fault(write=dripping) if number == 1 else None) as engine:
        assert rows(searched(engine.solr(), {"1": "topic 1"}, seconds=0.5)) == expected({"1": "topic 1"})


def test_everyone_waits_as_long_as_the_engine_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry-After stops all workers, not only the one that was told; the clock stands still until that was seen."""
    now, usual, told = [0.0], Gate.close_for, Future[tuple[float, int]]()

    def closed(gate: Gate, seconds: float) -> None:
        usual(gate, seconds)
        told.set_result((seconds, len(engine.asked)))

    def fault(asked: Asked, number: int) -> Fault | None:
        return json_fault(429, {}, Retry_After="0.05") if number == 1 else None

    monkeypatch.setattr(live_search, "monotonic", lambda: now[0])
    monkeypatch.setattr(Gate, "close_for", closed)
    topics = {str(number): f"topic {number}" for number in range(1, 30)}
    with running(ranking, fault) as engine, ThreadPoolExecutor(1) as pool:
        search = pool.submit(searched, engine.solr(), topics, workers=2)
        seconds, asked = told.result(60)
        sleep(0.3)
        asked_meanwhile = len(engine.asked) - asked
        now[0] = 0.051
        assert rows(search.result()) == expected(topics)
    assert seconds == 0.05
    assert asked_meanwhile <= 1  # what the other worker had on its way
    assert len(engine.asked) == 30


def test_an_engine_that_asks_for_too_much_patience_is_left() -> None:
    with running(ranking, lambda asked, number: json_fault(503, {}, Retry_After="7200")) as engine:
        with pytest.raises(InputError, match="it asks to wait 120 minutes"):
            searched(engine.solr())
        assert len(engine.asked) <= 4


def test_no_more_workers_than_asked_for_are_there_at_once() -> None:
    topics = {str(number): f"topic {number % 9 + 1}" for number in range(60)}
    with running(ranking) as engine:
        assert rows(searched(engine.solr(), topics, workers=3)) == expected(topics)
        assert 1 <= engine.most_at_once <= 3


def solr_error(message: str, status: int = 400) -> Fault:
    return json_fault(status, {"error": {"msg": message, "code": status}})


def test_all_topics_that_fail_are_named_with_what_the_engine_says(tmp_path: Path) -> None:
    bad = {"topic 2": "undefined field x", "topic 5": "undefined field x", "topic 6": "too many clauses"}

    def fault(asked: Asked, number: int) -> Fault | None:
        return solr_error(bad[asked.query]) if asked.query in bad else None

    with running(ranking, fault) as engine:
        with pytest.raises(InputError) as raised:
            searched(engine.solr(), output=tmp_path / "x.run", workers=1)
        text = str(raised.value)
        assert "topics 2, 5: HTTP 400 Bad Request: undefined field x" in text
        assert "topic 6: HTTP 400 Bad Request: too many clauses" in text
        assert "No run was written. The 4 answers are kept: the same command asks for the others." in text
        assert not (tmp_path / "x.run").exists()
        bad.clear()
        engine.asked.clear()
        run = searched(engine.solr(), output=tmp_path / "x.run")
        assert {each.query for each in engine.asked} == {"topic 2", "topic 5", "topic 6"}
    assert rows(run) == expected()
    assert run.resumed


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (json_fault(401, {"error": {"reason": "missing authentication"}}), "missing authentication.*RANKSCOPE_ENGINE"),
        (json_fault(404, {"error": {"root_cause": [{"reason": "no such index [docs]"}]}}), r"no such index \[docs\]"),
        (Fault(302, b"", {"Location": "https://other.example/"}), "leads to https://other.example/: give that address"),
        (Fault(200, b"<html>hello</html>"), "a page for people, '<html>hello</html>': is this the address of an index"),
        (Fault(200, b" " * 33_000_000), "larger than 32 MB: page_size asks for fewer documents at a time"),
    ],
    ids=["401", "404", "302", "page", "large"],
)
def test_what_fails_for_all_stops_at_once(fault: Fault, words: str) -> None:
    with running(ranking, lambda asked, number: fault) as engine:
        with pytest.raises(InputError, match=words) as raised:
            searched(engine.opensearch(), {str(number): "topic 1" for number in range(500)})
        assert len(engine.asked) <= 4
    assert "more topics were not asked for" in str(raised.value)


def test_an_engine_that_only_fails_is_left_after_some_topics() -> None:
    with running(ranking, lambda asked, number: solr_error("out of memory", 500)) as engine:
        with pytest.raises(InputError, match=r"HTTP 500 .*out of memory \(asked 2 times\)"):
            searched(engine.solr(), {str(number): "topic 1" for number in range(500)}, retries=1)
        assert len(engine.asked) < 100


def test_an_engine_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with running(ranking) as engine:
        address = engine.solr()
    with pytest.raises(InputError, match=r"cannot be reached: .*refused.*\(asked 2 times\)"):
        searched(address, retries=1, output=tmp_path / "x.run")
    assert not list(tmp_path.iterdir())  # nothing that could go on


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "must have an object 'response', there is none"),
    "no response": ({"grouped": {}}, "must have an object 'response', there is none"),
    "docs": ({"response": {"docs": "none"}}, "must have a list 'docs', got 'none'"),
    "no id": ({"response": {"docs": [{"score": 1}]}}, "the field 'id' must hold the id .* document 1 has none"),
    "two ids": ({"response": {"docs": [{"id": ["a", "b"], "score": 1}]}}, r"document 1 has \['a', 'b'\]"),
    "no score": ({"response": {"docs": [{"id": "a"}]}}, "a number as its score, but document 1 has none"),
    "score": ({"response": {"docs": [{"id": "a", "score": "high"}]}}, "document 1 has 'high'"),
    "NaN": ({"response": {"docs": [{"id": "a", "score": float("nan")}]}}, "document 1 has nan"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_answer_of_another_shape_is_named(wrong: str) -> None:
    data, words = WRONG[wrong]
    with (
        running(ranking, lambda asked, number: json_fault(200, data)) as engine,
        pytest.raises(InputError, match=words),
    ):
        searched(engine.solr())


def test_ids_that_are_numbers_or_lists_of_one_are_taken() -> None:
    data = {"response": {"numFound": 2, "docs": [{"id": 7, "score": 2}, {"id": ["x"], "score": 1}]}}
    with running(ranking, lambda asked, number: json_fault(200, data)) as engine:
        assert rows(searched(engine.solr(), {"1": "a"}))["1"] == [("7", 2.0), ("x", 1.0)]


def test_a_document_that_comes_again_stays_where_it_was() -> None:
    """The index moved while it was paged: two documents slipped onto the next page."""
    whole = [(f"d{place}", 100.0 - place) for place in range(30)]

    def rank(query: str) -> Hits:
        return whole

    with running(rank) as engine:
        original = engine.answer

        def moved(asked: Asked) -> dict[str, Any]:
            return original(Asked(**{**vars(asked), "start": max(0, asked.start - 2)}))

        engine.answer = moved  # type: ignore[method-assign]
        engine.total = lambda asked, found: found + asked.start
        run = searched(engine.solr(), {"1": "x"}, page_size=10, depth=25)
    assert rows(run)["1"] == whole[:25]
    assert (run.oddities.duplicates, run.oddities.moved) == (2, 1)


def test_an_engine_that_does_not_turn_pages_is_found_out() -> None:
    with running(ranking) as engine:
        original = engine.answer
        engine.answer = lambda asked: original(Asked(**{**vars(asked), "start": 0}))  # type: ignore[method-assign]
        with pytest.raises(InputError, match="the same page comes again and again"):
            searched(engine.solr(), page_size=4)


def test_an_order_that_is_not_that_of_scores_is_kept_in_the_ranks(tmp_path: Path) -> None:
    with running(lambda query: [("a", 1.0), ("b", 3.0), ("c", 2.0)]) as engine:
        request = {"query": {"match": {"title": "{query}"}}, "sort": [{"date": "desc"}]}
        run = searched(engine.opensearch(), {"1": "x"}, request=request, output=tmp_path / "x.run")
        assert engine.asked[0].body["track_scores"] is True
    assert (tmp_path / "x.run").read_text() == "1 Q0 a 1 1.0 x\n1 Q0 b 2 3.0 x\n1 Q0 c 3 2.0 x\n"
    assert run.oddities.unordered == 1
    qrels = {"1": {"a": 1}}
    assert rankscope.evaluate(qrels, tmp_path / "x.run", "RR", ties="rank")["RR"] == 1.0
    assert rankscope.evaluate(qrels, tmp_path / "x.run", "RR")["RR"] == 1 / 3


def interrupting(after: int) -> Any:
    def stop(done: int, whole: int) -> None:
        if done >= after:
            raise KeyboardInterrupt

    return stop


@pytest.mark.parametrize("after", [1, 3, 6])
def test_stopped_work_goes_on_and_gives_the_same_bytes(after: int, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    with running(ranking) as engine:
        searched(engine.solr(), output=tmp_path / "whole" / "x.run", page_size=4)
        with pytest.raises(KeyboardInterrupt):
            searched(engine.solr(), output=tmp_path / "x.run", page_size=4, workers=1, progress=interrupting(after))
        assert [each.name for each in tmp_path.glob(".*")] == [".x.run.searching"]
        engine.asked.clear()
        run = searched(engine.solr(), output=tmp_path / "x.run", page_size=4, workers=2, seconds=5)
        assert len({each.query for each in engine.asked}) <= len(TOPICS) - after
    assert run.resumed
    assert (tmp_path / "x.run").read_bytes() == (tmp_path / "whole" / "x.run").read_bytes()
    assert run.latency.topics == len(TOPICS)
    assert not list(tmp_path.glob(".*"))


def test_other_work_does_not_go_on_unless_it_begins_anew(tmp_path: Path) -> None:
    output = tmp_path / "x.run"
    with running(ranking) as engine:

        def stop(**choices: Any) -> LiveRun:
            return searched(engine.solr(), **{"output": output, "progress": interrupting(1), **choices})

        with pytest.raises(KeyboardInterrupt):
            stop()
        with pytest.raises(SettingError, match=r"holds searching that was stopped.*depth=1000 before.*restart"):
            stop(depth=10)
        with pytest.raises(SettingError, match="other topics, or other vectors before"):
            stop(topics={**TOPICS, "1": "topic 9"})
        with pytest.raises(SettingError, match="another request before"):
            stop(request={"q": "title:({query})"})
        with pytest.raises(SettingError, match="engine='solr:"):
            searched(engine.opensearch(), output=output)
        assert not searched(engine.solr(), output=output, depth=10, restart=True).resumed
    assert rows(rankscope.Run.of(output)) == expected(depth=10)


def test_a_format_that_cannot_hold_the_ids_is_found_out_at_the_first_topic(tmp_path: Path) -> None:
    with running(lambda query: [("an id", 1.0)]) as engine:
        with pytest.raises(InputError, match="id 'an id' holds a blank"):
            searched(engine.solr(), {str(number): "x" for number in range(200)}, output=tmp_path / "x.run", workers=1)
        assert len(engine.asked) < 100
        run = searched(engine.solr(), {"1": "x"}, output=tmp_path / "x.parquet")
    assert rows(run) == {"1": [("an id", 1.0)]}
    assert (tmp_path / "x.latency.json").exists()


def test_a_run_in_memory_needs_no_file() -> None:
    with running(ranking) as engine:
        run = searched(engine.opensearch(), field="title")
    scores = rankscope.evaluate({topic: {f"d{topic}-0": 1} for topic in TOPICS}, run, "RR")
    assert scores["RR"] == 1.0
    assert run.name == "opensearch"


def test_latency_is_of_the_attempts_that_were_answered(tmp_path: Path) -> None:
    with running(ranking, lambda asked, number: FAULTS["500"] if number == 1 else None) as engine:
        searched(engine.solr(), output=tmp_path / "x.run", page_size=10)
    found = json.loads((tmp_path / "x.latency.json").read_text())
    assert found["engine"] == engine.solr()
    assert (found["topics"], found["retries"], found["workers"], found["page_size"]) == (7, 1, 4, 10)
    assert found["requests"] == sum(len(ranking(text)) // 10 + 1 for text in TOPICS.values())
    assert found["engine_time"] == {"count": 7, "p50": 3.0, "p90": 3.0, "p95": 3.0, "p99": 3.0, "max": 3.0}
    first, whole = found["first_page"], found["whole_topic"]
    assert 0 < first["p50"] <= first["p90"] <= first["p99"] <= first["max"] <= whole["max"] < 30_000
