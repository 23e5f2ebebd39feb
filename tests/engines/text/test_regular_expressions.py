"""Lucene's regular expressions mean in polars what they mean in Lucene."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import QueryError
from rankscope.engines.text.regular_expressions import number_between, parse_regex, select

TERMS = ["", "a", "ab", "aab", "b", "abc", "a.b", "a|b", "*a", "7", "07", "12", "in3", "a\nb", "é", "]", "a}"]


def matched(pattern: str) -> list[str]:
    terms = pl.Series(TERMS)
    return terms.filter(select(parse_regex(pattern), lambda each: terms.str.contains(each))).to_list()


@pytest.mark.parametrize(
    ("pattern", "terms"),
    [
        ("", [""]),
        ("()", [""]),
        ("a", ["a"]),
        ("a.b", ["aab", "a.b", "a|b", "a\nb"]),
        ("a\\.b", ["a.b"]),
        ('"a.b"', ["a.b"]),
        ("a+b?", ["a", "ab", "aab"]),
        ("a{1,2}b", ["ab", "aab"]),
        ("[^a-z]", ["7", "é", "]"]),
        ("\\d+", ["7", "07", "12"]),
        ("<7-12>", ["7", "07", "12"]),
        ("<07-12>", ["07", "12"]),
        ("in<1-9>", ["in3"]),
        ("#", []),
        ("@", TERMS),
        ("a@&@b", ["ab", "aab", "a.b", "a|b", "a\nb"]),
        ("~(a@)&~(@[0-9])", ["", "b", "*a", "é", "]"]),
        ("a|~(@)", ["a"]),
        ("*a", ["*a"]),
        ("|", []),
        ("]", ["]"]),
        ("a}", ["a}"]),
    ],
)
def test_a_pattern_matches_whole_terms(pattern: str, terms: list[str]) -> None:
    assert matched(pattern) == terms


@pytest.mark.parametrize(
    "pattern", ["(a", "a)", "[a", "a{", "a{x}", "a{2,1}", "a|", "<a>", "<1>", '"a', "[z-a]", "~(a)b", "a{999}{999}"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(QueryError):
        parse_regex(pattern)


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 4))
def test_an_interval_holds_exactly_its_numbers(first: int, second: int, digits: int) -> None:
    low, high = sorted((first, second))
    pattern = re.compile(number_between(str(low).zfill(digits), str(high).zfill(digits)))
    for number in {0, low - 1, low, (low + high) // 2, high, high + 1} - {-1}:
        written = str(number).zfill(digits)
        assert bool(pattern.fullmatch(written)) == (low <= number <= high)
