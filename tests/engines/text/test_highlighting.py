"""Highlighting: words, phrases and patterns of the query are marked, and nothing of a text does harm."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from rankscope.engines.text.analysers import ANALYSERS, tokens_of
from rankscope.engines.text.highlighting import Fragment, MarkedWord, best_fragments
from rankscope.engines.text.queries import Phrase
from tests.engines.text.golden_files import golden_rows
from tests.engines.text.golden_index import golden_documents, golden_index

TEXT = "The quick brown fox, quicker than Foxes; a roaming dog foams. Quick: the red fox"
INDEX = Index.build([{"id": "a", "body": TEXT, "title": "quick"}, {"id": "b", "body": "foam and roams"}])


def marked(query: str, index: Index = INDEX, document: str = "a", field: str = "body") -> list[str]:
    [whole] = index.highlight(query, document, field, fragments=None)
    return [part for part, is_marked in whole if is_marked]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("fox", ["fox", "Foxes", "fox"]),
        ('"brown fox"', ["brown", "fox"]),
        ('"quick fox"', []),
        ('"quick fox"~1', ["quick", "fox"]),
        ('"quick fox"~2', ["quick", "fox", "Quick", "fox"]),
        ('"fox brown"~2', ["brown", "fox"]),
        ('"fox fox"', []),
        ("qui*", ["quick", "quicker", "Quick"]),
        ("f?x", ["fox", "Foxes", "fox"]),
        ("/qu.ck/", ["quick", "Quick"]),
        ("[dog TO fox]", ["fox", "Foxes", "dog", "foams", "fox"]),
        ("raom~1", ["roaming"]),
        ("foam~1", ["roaming", "foams"]),
        ("+brown -fox dog^3", ["brown", "dog"]),
        ("(brown OR (red AND dog))", ["brown", "dog", "red"]),
        ("title:quick red", ["red"]),
        ("*:*", []),
        ("the", []),
    ],
)
def test_words_of_a_query_are_marked(query: str, words: list[str]) -> None:
    assert marked(query) == words


def test_each_field_is_marked_by_its_own_words() -> None:
    assert marked("title:quick red", field="title") == ["quick"]


@pytest.mark.parametrize("name", ["standard", "english", "german"])
def test_tokens_stand_where_lucene_sees_them(name: str) -> None:
    analyser = ANALYSERS.parse(name)
    for row in golden_rows("tokens"):
        found = [
            [each.term, each.position, each.start, each.end]
            for each in tokens_of(row["text"], analyser)
            if each.term is not None
        ]
        assert found == [token[:4] for token in row[name]]


def test_every_document_that_a_word_or_phrase_finds_has_a_mark() -> None:
    index = golden_index("english")
    for row in golden_rows("queries"):
        found = row["analyzers"]["english"]
        if "error" in found or row["settings"] or not re.fullmatch(r"[\w ]+|\"[\w ]+\"", row["query"]):
            continue
        for document in found["bm25"][0][:5]:
            assert marked(row["query"], index, document), (row["query"], document)


@given(words=st.lists(st.sampled_from("abc"), max_size=8), slop=st.integers(0, 3))
def test_phrases_are_marked_exactly_where_they_match(words: list[str], slop: int) -> None:
    index = Index.build([{"id": "x", "body": " ".join(words)}], analyser="standard")
    query = Phrase("body", ("a", "b"), (0, 1), slop)
    [whole] = index.highlight(query, "x", "body", fragments=None)
    assert bool(whole.marks) == bool(len(index.search(query)))


@given(text=st.text(max_size=60), marks=st.lists(st.integers(0, 60), max_size=6))
def test_nothing_of_a_text_is_read_as_html_or_steers_a_terminal(text: str, marks: list[int]) -> None:
    places = sorted({min(each, len(text)) for each in marks})
    pairs = list(zip(places[::2], places[1::2], strict=False))
    piece = Fragment(text, tuple(MarkedWord(start, end, 1.0, "x") for start, end in pairs), 0)
    shown = piece.html()
    assert set(re.findall("<[^>]*>", shown)) <= {"<mark>", "</mark>"}
    assert html.unescape(re.sub("</?mark>", "", shown)) == html.unescape(html.escape(text))
    rest = piece.terminal().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e]", rest)


def test_the_colours_of_a_text_are_not_ours() -> None:
    assert Fragment("\x1b[1mbold", (), 0).terminal() == r"\x1b[1mbold"


@given(
    text=st.text(alphabet="ab. \n", max_size=120),
    size=st.integers(1, 40),
    count=st.integers(1, 4),
)
def test_fragments_are_pieces_of_the_text_with_whole_marks(text: str, size: int, count: int) -> None:
    marks = [MarkedWord(*found.span(), 1.0, found[0]) for found in re.finditer("[ab]+", text)]
    pieces = best_fragments(text, marks, count, size)
    assert len(pieces) <= count
    assert bool(pieces) == bool(text.strip())
    ends = [0, *(piece.start + len(piece.text) for piece in pieces)]
    for piece, before in zip(pieces, ends, strict=False):
        assert piece.start >= before
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
        assert all(piece.text[mark.start : mark.end] == mark.found_by for mark in piece.marks)
        assert len(piece.text) <= size + max([len(mark.found_by) for mark in marks], default=0)


def test_the_piece_with_more_words_of_the_query_comes_first() -> None:
    text = "A fox. " + "Nothing here at all. " * 5 + "A fox and a dog. " + "Nothing here at all. " * 5 + "fox fox fox."
    index = Index.build([{"id": "x", "body": text}, {"id": "y", "body": "dog"}, {"id": "z", "body": "fox"}])
    [best] = index.highlight("fox dog", "x", fragments=1, size=20)
    assert best.text == "A fox and a dog."
    assert [piece.text for piece in index.highlight("cat", "x", size=20)] == ["A fox."]


def test_what_is_not_there_is_an_error() -> None:
    with pytest.raises(SettingError, match="no document 'h0001' in this index \\(did you mean 'h001'"):
        golden_index("english").highlight("fox", "h0001")
    with pytest.raises(SettingError, match="no field 'bodi' in this index \\(did you mean 'body'"):
        INDEX.highlight("fox", "a", "bodi")
    with pytest.raises(SettingError, match="fragments"):
        INDEX.highlight("fox", "a", fragments=0)
    assert INDEX.highlight("fox", "b", "title") == []
    assert len(golden_documents()) == len(golden_index("english"))
