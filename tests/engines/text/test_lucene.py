"""Random queries and texts, compared with the real Lucene where it is installed."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import polars as pl
import pytest

from rankscope.core.errors import QueryError
from rankscope.engines.text.analysers import ANALYSERS
from rankscope.engines.text.queries import Fuzzy, InField, Node, Term, walk_query
from rankscope.engines.text.regular_expressions import similar_terms
from tests.engines.text.golden_files import ANALYSER_NAMES
from tests.engines.text.golden_index import difference, golden_documents, golden_index, ranking_of
from tests.engines.text.lucene_oracle import Lucene
from tests.engines.text.random_queries import QueryMaker

QUERIES = 2_000
OPERATORS = ("OR", "AND")


@cache
def lucene(analyser: str) -> Lucene:
    return Lucene(golden_documents(), analyser)


@cache
def random_queries() -> tuple[str, ...]:
    bodies = [each["body"] for each in golden_documents() if "body" in each]
    words = sorted({word for body in bodies for word in body.split()})
    maker = QueryMaker(words, bodies, seed=0)
    return tuple(maker.query() for _ in range(QUERIES))


def parsed(text: str, analyser: str, operator: str) -> Node | None:
    try:
        return golden_index(analyser).parse(text, operator=operator)  # type: ignore[arg-type]
    except QueryError:
        return None


def shares_statistics(query: Node, analyser: str) -> bool:
    """Whether a fuzzy term stands for one that another clause asks for: Lucene then keeps the statistics of one."""
    reader = golden_index(analyser).reader
    terms: Counter[tuple[str, str]] = Counter()
    for node in walk_query(query):
        if isinstance(node, Fuzzy):
            terms.update((node.field, term) for term in similar_terms(reader, node))
        elif isinstance(node, Term):
            terms[node.field, node.text] += 1
    return any(isinstance(node, Fuzzy) for node in walk_query(query)) and max(terms.values(), default=0) > 1


def compare(text: str, analyser: str, operator: str, similarity: str) -> str:
    """What differs in the answers to one query; nothing where they agree."""
    theirs, ours = lucene(analyser).parse(text, operator), parsed(text, analyser, operator)
    if theirs is None or ours is None:
        return "" if theirs is ours is None else f"parsed {ours} in place of {theirs}"
    if str(ours) != str(theirs.toString()):
        return f"parsed {ours} in place of {theirs.toString()}"
    expected = lucene(analyser).search(theirs, similarity)
    found = ranking_of(golden_index(analyser).search(ours, similarity, limit=None))
    if shares_statistics(ours, analyser):
        return "" if set(expected[0]) == set(found[0]) else "other documents"
    return difference(expected, found)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_random_queries_are_answered_as_lucene_answers_them(part: int) -> None:
    wrong = []
    for number in range(part, QUERIES, 4):
        analyser, operator = ANALYSER_NAMES[number % 3], OPERATORS[number // 5 % 2]
        text, similarity = random_queries()[number], ("bm25", "classic")[number // 3 % 2]
        if said := compare(text, analyser, operator, similarity):
            wrong.append((text, analyser, operator, similarity, said))
    assert wrong == []


def test_each_kind_of_node_is_in_one_of_twenty_queries_at_least() -> None:
    kinds: Counter[str] = Counter()
    for text in random_queries():
        query = parsed(text, "standard", "OR")
        kinds.update({type(node).__name__ for node in walk_query(query)} if query is not None else ())
    names = {each.__name__ for each in InField.__subclasses__()} | {"Boolean", "Boost", "MatchAll"}
    assert {name: kinds[name] for name in names if kinds[name] < QUERIES / 20} == {}


CONTEXTS = ("{}", "a{}b", "1{}2", "{}a", "ア{}ア", "字{}", "😀{}")


def signs_of_version_nine() -> list[str]:
    """Signs that Unicode has had since version 9, which Lucene's tokenizer knows."""
    signs = pl.Series([chr(code) for code in range(0x20, 0x20000) if not 0xD800 <= code < 0xE000])
    return signs.filter(signs.str.contains(r"\A[\p{age=9.0}--\p{Co}]\z")).to_list()


@pytest.mark.thorough
@pytest.mark.sampled(1)
@pytest.mark.parametrize("context", CONTEXTS)
def test_every_sign_is_split_as_lucene_splits_it(context: str) -> None:
    """All but one: a picture and U+FE0E behind it."""
    signs = signs_of_version_nine()
    assert len(signs) > 70_000
    wrong = []
    for start in range(0, len(signs), 200):
        part = [context.format(sign) for sign in signs[start : start + 200]]
        if lucene("standard").tokens(" ; ".join(part)) != ANALYSERS.parse("standard").analyse(" ; ".join(part)):
            wrong += [
                text for text in part if lucene("standard").tokens(text) != ANALYSERS.parse("standard").analyse(text)
            ]
    assert set(wrong) <= {"😀\ufe0e"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["whitespace", "standard", "english", "german"])
def test_random_texts_are_analysed_as_lucene_analyses_them(name: str) -> None:
    rng, signs = np.random.default_rng(0), np.array(signs_of_version_nine())
    likely = np.array([sign for sign in signs if ord(sign) < 0x2000])
    texts = []
    for _ in range(1500):
        some = (
            rng.choice(likely, size=rng.integers(1, 20)),
            rng.choice(signs, size=3),
            rng.integers(0x20, 0x7F, size=10),
        )
        texts.append("".join(rng.permutation([*some[0], *some[1], *map(chr, some[2])])))
    ours = ANALYSERS.parse(name).analyse_column(texts).by_text()
    wrong = [
        (text, found, expected)
        for text, found in zip(texts, ours, strict=True)
        if found != (expected := lucene(name).tokens(text))
    ]
    assert len(wrong) <= 3, wrong[:5]
