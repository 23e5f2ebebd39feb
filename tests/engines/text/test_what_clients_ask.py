"""What clients of search engines ask for: ids as a field, at least so many, the best of several, more like this."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import SettingError, TimeLimitError
from rankscope.engines.text import Index
from rankscope.engines.text.expansions import MoreLikeThis
from rankscope.engines.text.matching import CACHE_ENTRY, MatchCache, Matches
from rankscope.engines.text.queries import BestOf, Boolean, Boost, Clause, Node, Term, any_of, time_limit
from tests.workbench.projects import WORDS, small_index


def found(query: str | Node, index: Index | None = None) -> dict[str, float]:
    hits = (index or small_index()).search(query, limit=None)
    return dict(hits)


IDS = [("1", "a fox"), ("10", "a dog"), ("B a", "fox"), ("Foxes", "den"), ("x:y", "")]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("id:1", ["1"]),
        ("id:1*", ["1", "10"]),
        ("id:(1 10)", ["1", "10"]),
        ('id:"B a"', ["B a"]),
        ("id:Foxes", ["Foxes"]),
        ("id:foxes", []),
        (r"id:x\:y", ["x:y"]),
        ("id:[1 TO 2]", ["1", "10"]),
        ("body:fox -id:1", ["B a"]),
    ],
)
def test_ids_are_a_field_that_is_not_analysed(query: str, names: list[str]) -> None:
    index = Index.build([{"id": name, "body": text} for name, text in IDS])
    assert sorted(found(query, index)) == names


def test_ids_of_several_segments_and_of_deleted_documents(tmp_path: Any) -> None:
    index = Index.build([{"id": "a", "body": "fox"}, {"id": "b", "body": "fox"}], tmp_path / "x")
    index = index.add([{"id": "c", "body": "fox"}], delete=["b"])
    assert list(found("id:[a TO z]", index)) == ["a", "c"]
    assert index.fields == ("body",)


@pytest.mark.parametrize("minimum", [0, 1, 2, 3, 5])
def test_at_least_so_many_of_the_optional_clauses(minimum: int) -> None:
    words = ["fox", "den", "leaf", "fox"]
    group = Boolean(tuple(Clause(Term("body", word)) for word in words), minimum)
    having = [found(word) for word in words]
    everything = found(any_of("body", words))
    expected = {name for name in everything if sum(name in each for each in having) >= minimum}
    assert found(group).keys() == expected
    for name, score in found(group).items():
        assert score == pytest.approx(everything[name], rel=1e-6)
    with_more = Boolean((Clause(Term("title", "snow"), "+"), *group.clauses), minimum)
    needed = found("title:snow").keys()
    assert found(with_more).keys() == (needed if not minimum else needed & expected)


def test_the_best_of_several_counts_and_the_others_as_much_as_is_said() -> None:
    parts = [Term("title", "snow"), Boost(Term("body", "snow"), 2.0), Term("body", "wind")]
    scores = [found(part) for part in parts]
    best = found(BestOf(tuple(parts), 0.25))
    assert best.keys() == set().union(*scores)
    for name, score in best.items():
        values = [each.get(name, 0.0) for each in scores]
        assert score == pytest.approx(max(values) + 0.25 * (sum(values) - max(values)), rel=1e-6)
    name = next(iter(best))
    explained = small_index().explain(BestOf(tuple(parts), 0.25), name)
    assert explained.value == pytest.approx(best[name], rel=1e-6)
    assert str(BestOf(tuple(parts[:2]))) == "(title:snow | (body:snow)^2.0)"
    assert [piece.html() for piece in small_index().highlight(BestOf((parts[2],)), "d03")] == [
        "den river <mark>wind</mark> cat night leaf. A &lt;b&gt; &amp; night."
    ]


def test_words_that_say_most_about_a_text() -> None:
    """Against the definition, word by word."""
    index = small_index()
    text = "fox fox fox den den leaf wind wind wind wind"
    counts = Counter(text.split())
    documents = {word: len(found(word)) for word in WORDS}
    weights = {
        word: count * (np.log((60 + 1) / (documents[word] + 1)) + 1) for word, count in counts.items() if count >= 2
    }
    best = sorted(weights, key=lambda word: -weights[word])[:2]
    chosen = MoreLikeThis(most_terms=2, boost=True).query(index.reader, [("body", text)])
    assert [str(each.query) if isinstance(each, Boost) else str(each) for each in chosen.children] == [
        f"body:{word}" for word in best
    ]
    assert isinstance(chosen.children[1], Boost)
    assert chosen.children[1].factor == pytest.approx(weights[best[1]] / weights[best[0]])
    few = MoreLikeThis(most_documents=min(documents.values()), least_occurrences=1)
    rare = {word for word in counts if documents[word] == min(documents.values())}
    assert {str(each) for each in few.query(index.reader, [("body", text)]).children} == {f"body:{w}" for w in rare}
    assert str(MoreLikeThis(shortest=9).query(index.reader, [("body", text)])) == ""


def test_open_indexes_are_joined_as_folders_are(tmp_path: Any) -> None:
    parts = {
        "a": [{"id": "1", "body": "a fox"}, {"id": "2", "body": "dogs"}],
        "b": [{"id": "1", "body": "fox dog fox"}],
    }
    apart = {name: Index.build(rows, tmp_path / name) for name, rows in parts.items()}
    joined, opened = Index.join(apart), Index.open(*(tmp_path / name for name in parts))
    assert found("fox dog", joined) == found("fox dog", opened)
    with pytest.raises(SettingError, match="field 'body' is analysed by english in a and by german in b"):
        Index.join({"a": apart["a"], "b": Index.build(parts["b"], analyser="german")})
    with pytest.raises(SettingError, match="keep exact lengths"):
        Index.join({"a": apart["a"], "b": Index.build(parts["b"], exact_lengths=True)})


@pytest.mark.parametrize("query", ["fox AND den", '"night fox"~5', "f*", "fxo~", "/f.x/", "fox"])
def test_a_search_ends_when_its_time_is_over(query: str) -> None:
    index = Index.build([{"id": str(number), "body": "fox night night fox den"} for number in range(50)])
    with time_limit(0), pytest.raises(TimeLimitError, match="longer than 0 seconds"):
        index.search(query)
    with time_limit(60):
        assert len(index.search(query))
    with pytest.raises(TimeLimitError), time_limit(0):
        index.explain("fox AND den", "1")


def test_words_that_no_document_has_do_not_fill_memory() -> None:
    cache = MatchCache(room=100 * CACHE_ENTRY)
    for number in range(1000):
        cache.get(number, lambda: Matches.nothing(5))
    assert len(cache) <= 100
    assert cache.used <= cache.room


def test_several_threads_share_one_cache() -> None:
    """Each asks for what others drop at the same moment."""
    cache, problems = MatchCache(room=4 * CACHE_ENTRY), []
    matches = {number: Matches(np.array([number]), np.ones(1, dtype=np.float32), 10) for number in range(10)}

    def ask(seed: int) -> None:
        dice = np.random.default_rng(seed)
        for number in dice.integers(0, 10, 2000).tolist():
            got = cache.get(number, partial(matches.__getitem__, number))
            if got is not matches[number]:
                problems.append(number)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert problems == []
    assert cache.used == sum(each.size + CACHE_ENTRY for each in cache._kept.values())


@pytest.mark.parametrize(
    "query",
    ["-(" * 45 + "fox" + ")" * 45, "a" * 5000 + "~2", "fox OR -(" * 40 + "den" + ")" * 40, '"' + "fox " * 900 + '"~99'],
)
def test_a_short_text_is_never_long_work(query: str) -> None:
    """Each took minutes, or would not have ended."""
    with time_limit(20):
        small_index().search(query)
