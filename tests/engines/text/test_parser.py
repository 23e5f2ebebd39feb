"""Every query of the golden files is read as Lucene reads it, and errors say where and what to do."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import QueryError
from rankscope.engines.text.analysers import ANALYSERS
from rankscope.engines.text.queries import Node
from rankscope.engines.text.query_parser import Language, parse_query
from tests.engines.text.golden_files import ANALYSER_NAMES, golden_rows
from tests.engines.text.golden_index import golden_index


def language_of(analyser: str, settings: dict[str, Any]) -> Language:
    return Language(
        "body",
        ANALYSERS.parse(analyser),
        operator=settings.get("op", "OR"),
        leading=settings.get("leading", False),
    )


def parsed(text: str, analyser: str = "english", **settings: Any) -> str | None:
    try:
        return str(parse_query(text, language_of(analyser, settings)))
    except QueryError:
        return None


def test_the_golden_files_are_whole() -> None:
    assert (len(golden_rows("queries")), len(golden_rows("parse"))) == (665, 1200)


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_queries_are_read_as_lucene_reads_them(analyser: str) -> None:
    wrong = [
        (row["query"], row["analyzers"][analyser].get("parsed"), found)
        for row in golden_rows("queries")
        if (found := parsed(row["query"], analyser, **row["settings"])) != row["analyzers"][analyser].get("parsed")
    ]
    assert wrong == []


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_random_strings_are_read_or_refused_as_lucene_does(analyser: str) -> None:
    wrong = [
        (row["query"], row[analyser], found)
        for row in golden_rows("parse")
        if (found := parsed(row["query"], analyser, **row["settings"])) != row[analyser]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("query", "analyser", "expected"),
    [
        ("java OR apache AND lucene", "standard", "body:java +body:apache +body:lucene"),
        ("java OR apache AND lucene", "english", "body:java +body:apach +body:lucen"),
        ("title:do it right", "standard", "title:do body:it body:right"),
    ],
)
def test_the_examples_of_the_design(query: str, analyser: str, expected: str) -> None:
    assert parsed(query, analyser) == expected


@pytest.mark.parametrize(
    ("query", "column", "words"),
    [
        ("java AND", 9, "expected a term, a phrase, a range or a group, got the end"),
        ("(java", 6, "expected ) that closes the group, got the end"),
        ('say "hello', 5, 'expected another " that closes this one'),
        ("a/b", 2, "expected another / that closes this one"),
        ("java^ 4", 6, "expected a number such as 2 or 0.5 right behind ^"),
        ("date:[2016 2017]", 12, "expected TO between the bounds of a range, got '2017'"),
        ("java) x", 5, "expected AND, OR, another clause or the end, got ')'"),
        ("*est", 1, "a word cannot begin with * or ?"),
        ("roam~1.5", 5, "expected ~0, ~1 or ~2 edits, or a similarity below 1, got ~1.5"),
        ('"a1 b2"~-3', 8, "a phrase cannot be moved by -3"),
        (r"ab \u12", 4, "expected four digits 0-9 a-f behind \\u"),
        ("/a(b/", 5, "expected ) that closes the group"),
        ("(" * 60 + "a" + ")" * 60, 51, "groups stand in each other at most 50 deep"),
        ("a^" + "9" * 60, 3, "the boost is too large"),
        ("trailing\\", 9, "expected a sign behind the backslash"),
    ],
)
def test_an_error_says_where_and_what_was_expected(query: str, column: int, words: str) -> None:
    with pytest.raises(QueryError) as error:
        parse_query(query, language_of("english", {}))
    assert (error.value.column, words in error.value.what) == (column, True), str(error.value)


def test_an_or_in_small_letters_is_no_operator() -> None:
    assert parsed("what is C#? or") == "body:what body:c#?"


def test_an_error_shows_the_place_and_how_to_escape() -> None:
    with pytest.raises(QueryError) as error:
        parse_query("why? (AND", language_of("english", {}))
    lines = str(error.value).splitlines()
    assert lines[1:3] == ["  why? (AND", "        ^"]
    assert "write a backslash before it" in lines[3]


def test_too_many_clauses_are_refused() -> None:
    with pytest.raises(QueryError, match="2000 clauses; at most 1024"):
        parse_query(" ".join(f"w{each}" for each in range(2000)), language_of("english", {}))


@given(st.text(alphabet=st.sampled_from('ab AND OR TO +-!():^[]"{}~*?\\/.@#<>&|01é\ud800　'), max_size=40))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    for settings in ({}, {"op": "AND", "leading": True}):
        with contextlib.suppress(QueryError):
            assert isinstance(parse_query(text, language_of("standard", settings)), Node)


@pytest.mark.thorough
def test_mangled_queries_are_answered_or_refused() -> None:
    """20,000 queries with signs taken out, put in and exchanged."""
    rng, signs = np.random.default_rng(0), list('+-!():^[]"{}~*?\\/&|. \t\u3000@#<>é\ud800\x00aT')
    queries = [row["query"] for row in golden_rows("queries")] + [row["query"] for row in golden_rows("parse")]
    index, outcomes = golden_index("english"), {"answer": 0, "error": 0}
    for number in range(20_000):
        text = list(queries[number % len(queries)])
        for place in rng.integers(0, len(text) + 1, size=rng.integers(1, 4)).tolist():
            text[place : place + int(rng.integers(2))] = [signs[int(rng.integers(len(signs)))]] * int(rng.integers(3))
        try:
            query = index.parse("".join(text), leading=bool(number % 2))
            if number % 20 == 0:
                index.search(query)
            outcomes["answer"] += 1
        except QueryError:
            outcomes["error"] += 1
    assert min(outcomes.values()) > 2_000
