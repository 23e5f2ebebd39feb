"""Queries as values: they print as Lucene prints them."""

from __future__ import annotations

import pytest

from rankscope.engines.text.queries import (
    OPTIONAL,
    PROHIBITED,
    REQUIRED,
    Boolean,
    Boost,
    Clause,
    Fuzzy,
    MatchAll,
    MatchNothing,
    Node,
    Phrase,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
    java_float,
    walk_query,
)

FOX, DOG = Term("body", "fox"), Term("title", "dog")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (FOX, "body:fox"),
        (Phrase("body", ("over", "lazi"), (0, 2)), 'body:"over ? lazi"'),
        (Phrase("title", ("right", "wai"), (1, 2), slop=3), 'title:"? right wai"~3'),
        (Prefix("body", "te"), "body:te*"),
        (Wildcard("body", "te?t"), "body:te?t"),
        (Fuzzy("body", "roam", 1), "body:roam~1"),
        (Regex("body", "te.t"), "body:/te.t/"),
        (Range("date", "a", "b", include_upper=False), "date:[a TO b}"),
        (Range("date", None, "*", include_lower=False), "date:{* TO \\*]"),
        (MatchAll(), "*:*"),
        (MatchNothing(), ""),
        (Boost(FOX, 4), "(body:fox)^4.0"),
        (Boolean((Clause(FOX, REQUIRED), Clause(DOG, PROHIBITED))), "+body:fox -title:dog"),
        (Boolean((Clause(Boolean((Clause(FOX),)), OPTIONAL), Clause(DOG))), "(body:fox) title:dog"),
        (Boost(Boolean((Clause(Boost(FOX, 2)), Clause(DOG))), 3), "((body:fox)^2.0 title:dog)^3.0"),
    ],
)
def test_a_query_prints_as_lucene_prints_it(query: Node, text: str) -> None:
    assert str(query) == text


def test_a_group_gives_its_clauses_by_kind() -> None:
    group = Boolean((Clause(FOX, REQUIRED), Clause(DOG, OPTIONAL), Clause(MatchAll(), PROHIBITED)))
    assert (group.required, group.optional, group.prohibited) == ((FOX,), (DOG,), (MatchAll(),))
    assert list(walk_query(group)) == [group, FOX, DOG, MatchAll()]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1000000, "1000000.0"), (0.25, "0.25"), (0, "0.0"), (1e-5, "1.0E-5"), (123456789, "1.2345679E8")],
)
def test_numbers_are_written_as_java_writes_them(value: float, text: str) -> None:
    assert java_float(value) == text
