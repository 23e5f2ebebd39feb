"""Token streams equal those of Lucene's analysers."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.engines.text.analysers import (
    ALL,
    ANALYSERS,
    WORDS,
    KnownTerms,
    fold_german,
    german_light_stem,
    lower,
    porter_stem,
)
from tests.engines.text.golden_files import golden_rows

LECTURE = ("Hello world", "Hello there", "Hello, hello! Bob", "World peace", "Bob's world")


@pytest.mark.parametrize("name", ["standard", "english", "german"])
def test_tokens_are_those_of_lucene(name: str) -> None:
    rows = golden_rows("tokens")
    assert len(rows) == 240
    found = ANALYSERS.parse(name).analyse_column([row["text"] for row in rows]).by_text()
    expected = [[(term, position) for term, position, *_ in row[name]] for row in rows]
    assert [(want, got) for want, got in zip(expected, found, strict=True) if want != got] == []


@pytest.mark.parametrize("name", ALL)
def test_a_column_is_analysed_as_its_texts_are(name: str) -> None:
    analyser = ANALYSERS.parse(name)
    texts = [*LECTURE, "", None, "The", "x" * 700 + " end", "日本 e-mail@example.org"]
    found = analyser.analyse_column(pl.Series(texts), known=KnownTerms()).by_text()
    assert found == [[] if text is None else analyser.analyse(text) for text in texts]


@pytest.mark.parametrize("name", ALL)
@given(text=st.text(max_size=60))
def test_any_text_has_terms_in_ascending_positions(name: str, text: str) -> None:
    positions = [position for _, position in ANALYSERS.parse(name).analyse(text)]
    assert positions == sorted(set(positions))


@pytest.mark.parametrize("name", ALL)
@given(text=st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_one_text_is_split_as_many_are(name: str, text: str) -> None:
    tokenizer = ANALYSERS.parse(name).tokenizer
    assert tokenizer.split_text(text) == tokenizer.split(pl.Series([text], dtype=pl.String))[0].to_list()


@given(text=st.text(alphabet="aB1_.:,;'-\" ", max_size=40))
def test_words_of_plain_signs_are_found_either_way(text: str) -> None:
    assert WORDS.split_text(text) == WORDS.split(pl.Series([text], dtype=pl.String))[0].to_list()


def test_a_long_token_is_cut() -> None:
    assert [len(term) for term, _ in ANALYSERS.parse("whitespace").analyse("x" * 600)] == [255, 255, 90]
    standard = ANALYSERS.parse("standard").analyse("a" * 254 + "'" + "b" * 3 + " c")
    assert standard == [("a" * 254, 0), ("bbb", 1), ("c", 2)]


def test_no_break_spaces_are_part_of_words() -> None:
    assert [term for term, _ in ANALYSERS.parse("whitespace").analyse("a\u00a0b\u2003c\u202fd\u0085e")] == [
        "a\u00a0b",
        "c\u202fd\u0085e",
    ]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("bled", "bled"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("filing", "file"),
        ("happy", "happi"),
        ("conditional", "condit"),
        ("rational", "ration"),
        ("digitizer", "digit"),
        ("vietnamization", "vietnam"),
        ("formality", "formal"),
        ("electricity", "electr"),
        ("goodness", "good"),
        ("adoption", "adopt"),
        ("replacement", "replac"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("controll", "control"),
        ("roll", "roll"),
        ("archaeology", "archaeolog"),
        ("ies", "i"),
        ("sss", "sss"),
        ("yyy", "yyi"),
    ],
)
def test_porters_own_examples(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


def test_german_words() -> None:
    assert [german_light_stem(fold_german(lower(word))) for word in ("Weißbiere", "Straßen", "schönste", "Büros")] == [
        "weissbi",
        "strass",
        "schon",
        "buros",
    ]


def test_patterns_are_normalised_as_far_as_terms_are() -> None:
    assert [ANALYSERS.parse(name).normalise("Häus") for name in ALL] == ["Häus", "häus", "häus", "haus"]


def test_an_unknown_analyser_is_named() -> None:
    with pytest.raises(SettingError, match="no analyser 'englisch'"):
        ANALYSERS.parse("englisch")
