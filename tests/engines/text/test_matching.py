"""Parts of matching against plain ways to the same: edits, phrases, the order of scores, sets of clauses."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.engines.text import Index
from rankscope.engines.text.matching import sloppy_frequency
from rankscope.engines.text.queries import Phrase
from rankscope.engines.text.regular_expressions import edit_distances
from rankscope.engines.text.searching import FEW, best_first, best_places
from rankscope.engines.text.similarities import ALL, SIMILARITIES

WORDS = st.text(alphabet="abcé", min_size=1, max_size=6)
DOCUMENTS = st.lists(st.text(alphabet="abcd ", max_size=14), min_size=1, max_size=8)


def plain_distance(first: str, second: str) -> int:
    """Edits with swaps of neighbours, by the table as it is in books."""
    table = {(i, 0): i for i in range(len(first) + 1)} | {(0, j): j for j in range(len(second) + 1)}
    for i, j in product(range(1, len(first) + 1), range(1, len(second) + 1)):
        ways = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (first[i - 1] != second[j - 1])]
        if i > 1 and j > 1 and first[i - 1] == second[j - 2] and first[i - 2] == second[j - 1]:
            ways.append(table[i - 2, j - 2] + 1)
        table[i, j] = min(ways)
    return table[len(first), len(second)]


@given(word=WORDS, terms=st.lists(WORDS, min_size=1, max_size=8))
def test_edits_are_counted_as_in_books(word: str, terms: list[str]) -> None:
    for length in {len(term) for term in terms}:
        same = [term for term in terms if len(term) == length]
        assert edit_distances(word, pl.Series(same), length).tolist() == [plain_distance(word, each) for each in same]


def texts_index(texts: list[str]) -> Index:
    return Index.build([{"id": str(number), "body": text} for number, text in enumerate(texts)], analyser="whitespace")


@given(texts=DOCUMENTS, terms=st.lists(st.sampled_from("abcd"), min_size=2, max_size=3))
def test_a_phrase_stands_where_its_words_follow_each_other(texts: list[str], terms: list[str]) -> None:
    spaced = [" ".join(text.replace(" ", "")) for text in texts]
    found = texts_index(spaced).search(f'"{" ".join(terms)}"', limit=None).ids.to_list()
    assert set(found) == {str(place) for place, text in enumerate(spaced) if " ".join(terms) in text}


@given(texts=DOCUMENTS, terms=st.permutations("abcd"), size=st.integers(2, 3), slop=st.integers(1, 6))
def test_sloppy_phrases_of_all_documents_at_once_and_one_by_one(
    texts: list[str], terms: list[str], size: int, slop: int
) -> None:
    phrase = Phrase("body", tuple(terms[:size]), tuple(range(size)), slop)
    spaced = [" ".join(text.replace(" ", "")) for text in texts]
    found = dict(texts_index(spaced).search(phrase, "lm-jelinek-mercer", limit=None))
    for place, text in enumerate(spaced):
        positions = [[at for at, word in enumerate(text.split()) if word == term] for term in phrase.terms]
        expected = sloppy_frequency(positions, phrase) if all(positions) else 0.0
        assert (expected > 0) == (str(place) in found)


@given(texts=DOCUMENTS, signs=st.lists(st.sampled_from(["", "+", "-"]), min_size=4, max_size=4))
def test_clauses_select_as_sets_do(texts: list[str], signs: list[str]) -> None:
    query = " ".join(f"{sign}{word}" for sign, word in zip(signs, "abcd", strict=True))
    spaced = [" ".join(text.replace(" ", "")) for text in texts]
    having = {word: {str(place) for place, text in enumerate(spaced) if word in text.split()} for word in "abcd"}
    by_sign = {
        sign: [having[word] for other, word in zip(signs, "abcd", strict=True) if other == sign] for sign in "+- "
    }
    by_sign[" "] = [having[word] for sign, word in zip(signs, "abcd", strict=True) if not sign]
    wanted = set.intersection(*by_sign["+"]) if by_sign["+"] else set().union(*by_sign[" "])
    found = texts_index(spaced).search(query, limit=None).ids.to_list()
    assert set(found) == wanted - set().union(*by_sign["-"])


@pytest.mark.parametrize("size", [0, 1, FEW - 1, FEW, 50_000])
def test_scores_are_ordered_as_a_stable_sort_orders_them(size: int) -> None:
    rng = np.random.default_rng(size)
    for scores in (rng.random(size), rng.integers(0, 50, size) / 7, rng.normal(size=size), np.zeros(size)):
        narrow = scores.astype(np.float32)
        assert best_first(narrow).tolist() == np.argsort(-narrow, kind="stable").tolist()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3000), st.integers(1, 20))
def test_the_best_are_among_the_best_places(values: list[int], limit: int) -> None:
    scores = np.array(values, dtype=np.float32)
    found = best_places(scores, limit).tolist()
    wanted = np.argsort(-scores, kind="stable")[:limit].tolist()
    assert set(wanted) <= set(found)
    assert found == sorted(found)


@pytest.mark.parametrize("name", ALL)
def test_a_similarity_prints_as_it_is_written(name: str) -> None:
    written = {"bm25f": "bm25f(title=2,body=1)", "dfr": "dfr(G,B,Z)", "ib": "ib(SPL,ttf,H2)"}.get(name, name)
    assert str(SIMILARITIES.parse(written)) == written
    assert SIMILARITIES.parse(written).formula
    assert SIMILARITIES.parse("lm-jelinek-mercer(lambda=0.7)").lambda_ == 0.7  # type: ignore[attr-defined]


COMBINATIONS = [
    *(
        f"dfr({model},{after},{norm})"
        for model, after, norm in product(["In", "I(ne)", "I(F)", "G"], "LB", ["H1", "H2", "H3", "Z"])
    ),
    *(f"ib({kind},{rate},H2)" for kind, rate in product(["LL", "SPL"], ["df", "ttf"])),
    *(name for name in ALL if name not in ("dfr", "ib", "bm25f")),
    "bm25f(title=2,body=1)",
]


@pytest.mark.parametrize("similarity", COMBINATIONS)
def test_more_occurrences_never_score_less_and_scores_are_finite(similarity: str) -> None:
    documents = [
        {"id": str(count), "title": "owl", "body": "fox " * count + "dog " * (9 - count)} for count in range(1, 9)
    ]
    index = Index.build([*documents, *({"id": f"n{each}", "title": "cat", "body": "cat and owl"} for each in range(9))])
    scores = dict(index.search("fox", similarity, limit=None))
    ordered = [scores[str(count)] for count in range(1, 9)]
    assert np.all(np.isfinite(ordered))
    assert np.all(np.diff(ordered) >= 0)
    assert min(ordered) >= 0
