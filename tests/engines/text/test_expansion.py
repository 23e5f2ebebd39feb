"""Expansions: worked values, Anserini's quality and rankings, and the residual table of true marks."""

from __future__ import annotations

import gzip
import math

import numpy as np
import polars as pl
import pytest

import rankscope
from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from rankscope.engines.text.expansions import (
    ALL,
    EXPANSIONS,
    FeedbackDocuments,
    RM3Expansion,
    RocchioExpansion,
    TermVectors,
    weighted_words,
    words_of,
)
from rankscope.engines.text.queries import Node
from rankscope.ranks.reduction import reduce
from tests.data import data_folder
from tests.engines.text.test_collections import MEASURES, collection, index_of, topics_of

BM25 = "bm25(k1=0.9, b=0.4)"
QUALITY = {  # MAP, nDCG@10 and P@10 of rm3 and rocchio on BM25 .9/.4, from Anserini 0.22.1
    "cranfield": ((0.4213, 0.5081, 0.3196), (0.4256, 0.5133, 0.3222)),
    "cisi": ((0.2264, 0.3879, 0.3553), (0.2286, 0.3910, 0.3513)),
    "medline": ((0.5936, 0.6956, 0.6733), (0.6010, 0.7081, 0.6800)),
    "cacm": ((0.3273, 0.4726, 0.3442), (0.3171, 0.4685, 0.3404)),
    "npl": ((0.2955, 0.4399, 0.3656), (0.2995, 0.4465, 0.3731)),
    "adi": ((0.3874, 0.4499, 0.2086), (0.3758, 0.4333, 0.2086)),
}
RESIDUAL = {  # true marks of the first ten, one round: queries with something left, MAP of bm25, rm3 and rocchio
    "cranfield": (208, 0.1181, 0.2557, 0.2533),
    "cisi": (75, 0.1257, 0.1865, 0.1884),
    "medline": (30, 0.3399, 0.4890, 0.5284),
    "cacm": (46, 0.1193, 0.2142, 0.2080),
    "npl": (92, 0.1575, 0.1924, 0.1953),
    "adi": (29, 0.2046, 0.2980, 0.2935),
}
LIKED = FeedbackDocuments(
    TermVectors(("ape", "bee", "cat", "dog"), np.array([[3.0, 4.0, 0.0, 1.0], [0.0, 2.0, 2.0, 2.0]])),
    np.array([2.0, 1.0]),
)


def rounded(weights: dict[str, float]) -> dict[str, float]:
    return {term: round(weight, 12) for term, weight in weights.items()}


def test_rm3_by_hand() -> None:
    """Two words a document: 3/7 and 4/7 of 2, and bee and cat (first by name) half of 1 each; the best two sum to 1."""
    bee, ape = 2 * 4 / 7 + 1 / 2, 2 * 3 / 7
    expected = {"fox": 0.25, "ape": 0.25 + 0.5 * ape / (ape + bee), "bee": 0.5 * bee / (ape + bee)}
    found = RM3Expansion(terms=2).expand({"fox": 2.0, "ape": 2.0}, LIKED)
    assert rounded(found) == rounded(expected)
    assert math.isclose(sum(found.values()), 1)


def test_rocchio_by_hand() -> None:
    one, other = math.sqrt(26), math.sqrt(12)
    mean = {"ape": 3 / one, "bee": 4 / one + 2 / other, "cat": 2 / other, "dog": 1 / one + 2 / other}
    kept = {term: mean[term] for term in ("bee", "dog")}
    length = math.hypot(*kept.values())
    expected = {"fox": 0.6, "ape": 0.8, **{term: 0.75 * weight / length for term, weight in kept.items()}}
    assert rounded(RocchioExpansion(terms=2).expand({"fox": 3.0, "ape": 4.0}, LIKED)) == rounded(expected)


def test_rocchio_moves_away_from_what_is_not_wanted() -> None:
    disliked = FeedbackDocuments(TermVectors(("bee", "cat"), np.array([[0.0, 5.0]])), np.array([1.0]))
    found = RocchioExpansion(gamma=2).expand({"bee": 1.0}, LIKED, disliked)
    assert "cat" not in found
    assert found["bee"] > 1
    assert RocchioExpansion().expand({"bee": 1.0}, LIKED, disliked) == RocchioExpansion().expand({"bee": 1.0}, LIKED)


def test_documents_without_words_change_nothing() -> None:
    nothing = FeedbackDocuments(TermVectors((), np.zeros((2, 0))), np.array([1.0, 0.5]))
    assert RM3Expansion().expand({"fox": 2.0}, nothing) == {"fox": 1.0}
    assert RocchioExpansion().expand({"fox": 2.0}, nothing) == {"fox": 1.0}


def test_documents_of_score_zero_count_alike() -> None:
    alike = FeedbackDocuments(LIKED.vectors, np.zeros(2))
    assert RM3Expansion().model(alike) == RM3Expansion().model(FeedbackDocuments(LIKED.vectors, np.ones(2)))


@pytest.mark.parametrize("name", ALL)
def test_each_expansion_prints_as_it_is_written_and_expands(name: str) -> None:
    expansion = EXPANSIONS.parse(f"{name}(documents=3,terms=4)")
    assert EXPANSIONS.parse(str(expansion)) == expansion
    index = index_of("adi")
    node = index.expand("information retrieval", expansion, BM25)
    hits = index.search("information retrieval", BM25, syntax="words", limit=None, expand=expansion)
    assert hits.ids.to_list() == index.search(node, BM25, limit=None).ids.to_list()
    assert len(node.children) <= 2 + 4


def test_words_of_too_many_letters_or_documents_do_not_join() -> None:
    texts = ["fox den " + "x" * 20 + " " + "y" * 21 + " q", "den", *[f"other{row}" for row in range(20)]]
    index = Index.build([{"id": str(row), "body": text} for row, text in enumerate(texts)])
    joined = {str(each) for each in index.expand("fox", "rocchio").children}
    assert any("x" * 20 in each for each in joined)
    assert any("den" in each for each in joined)
    assert not any("yyy" in each or ":q" in each for each in joined)
    common = [*texts[:-1], "den"]
    assert "den" not in str(
        Index.build([{"id": str(row), "body": each} for row, each in enumerate(common)]).expand("fox")
    )


@pytest.mark.parametrize("name", ALL)
def test_ranks_are_those_of_the_expanded_run(name: str) -> None:
    index, topics, qrels = index_of("adi"), topics_of("adi"), str(collection("adi") / "qrels.txt")
    run = index.run(topics, BM25, depth=None, expand=name)
    assert run.name.endswith(f" {name}")
    ranks = index.rank(topics, qrels, BM25, expand=name).judged.lists("rank")
    assert ranks == reduce(qrels, run).judged.lists("rank")
    assert ranks != index.rank(topics, qrels, BM25).judged.lists("rank")


def test_what_finds_nothing_stays_as_it_is() -> None:
    index = index_of("adi")
    assert str(index.expand("nosuchword")) == "contents:nosuchword"
    assert len(index.search("the of", expand="rm3", syntax="words")) == 0


@pytest.mark.parametrize("query", ['"a phrase of words"', "inform*", "+information retrieval", "title:information"])
def test_only_words_of_one_field_can_be_expanded(query: str) -> None:
    with pytest.raises(SettingError, match="only words of one field can be expanded"):
        index_of("adi").search(query, expand="rm3")


def test_an_expansion_of_another_name_is_an_error() -> None:
    with pytest.raises(SettingError, match="did you mean 'rocchio'"):
        index_of("adi").search("information", expand="rochio")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("expansion", ["rm3", "rocchio"])
@pytest.mark.parametrize("name", QUALITY)
def test_quality_is_that_of_anserini(name: str, expansion: str) -> None:
    run = index_of(name).run(topics_of(name), BM25, depth=None, expand=expansion)
    scores = rankscope.evaluate(str(collection(name) / "qrels.txt"), run, MEASURES, ties="ascending", depth=1000)
    expected = QUALITY[name][["rm3", "rocchio"].index(expansion)]
    assert [round(scores[measure], 4) for measure in MEASURES] == list(expected)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("expansion", ["rm3", "rocchio"])
@pytest.mark.parametrize("name", ["adi", "cranfield", "medline"])
def test_the_first_twenty_are_those_of_anserini(name: str, expansion: str) -> None:
    path = data_folder("lucene-golden") / "anserini" / f"{name}.bm25-{expansion}.run.gz"
    columns = ["query", "q0", "item", "rank", "score", "tag"]
    theirs = pl.read_csv(gzip.decompress(path.read_bytes()), separator=" ", has_header=False, new_columns=columns)
    first = theirs.filter(pl.col("rank") <= 20).with_columns(pl.col("query", "item").cast(pl.String))
    found: dict[str, list[str]] = {}
    for query, text in topics_of(name).items():
        hits = index_of(name).search(text, BM25, limit=None, syntax="words", expand=expansion)
        rows = sorted(zip(hits.scores.tolist(), hits.ids.to_list(), strict=True), key=lambda row: (-row[0], row[1]))
        found[query] = [item for _, item in rows[:20]]
    expected = {query: some["item"].to_list() for (query,), some in first.group_by(["query"], maintain_order=True)}
    assert {query: (items, found[query]) for query, items in expected.items() if items != found[query]} == {}


def relevant_of(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in (collection(name) / "qrels.txt").read_text(encoding="utf-8").splitlines():
        query, _, item, grade = line.split()
        if int(grade) > 0:
            found.setdefault(query, set()).add(item)
    return found


def first_thousand(index: Index, query: Node) -> list[tuple[str, int, float]]:
    """Ids, numbers and scores of the best, equal scores by id as text."""
    hits = index.search(query, BM25, limit=None)
    rows = zip(hits.ids.to_list(), hits.docs.tolist(), hits.scores.tolist(), strict=True)
    return sorted(rows, key=lambda row: (-row[2], row[0]))[:1000]


def average_precision(ids: list[str], relevant: set[str]) -> float:
    ranks = [rank for rank, each in enumerate(ids, start=1) if each in relevant]
    return sum(found / rank for found, rank in enumerate(ranks, start=1)) / len(relevant)


def residual_row(name: str) -> tuple[float, ...]:
    """The ten shown leave the list and the judgements; queries with none left are dropped."""
    index, expansions = index_of(name), [EXPANSIONS.parse(each) for each in ALL]
    rows = []
    for query, relevant in relevant_of(name).items():
        node = index.parse(topics_of(name)[query], syntax="words")
        ranking = first_thousand(index, node)
        shown = {each for each, _, _ in ranking[:10]}
        liked = [(number, score) for each, number, score in ranking[:10] if each in relevant]
        rankings = [ranking]
        for expansion in expansions:
            told = (
                expansion.feedback(index.reader, "contents", *map(np.array, zip(*liked, strict=True)))
                if liked
                else None
            )
            words = words_of(node, "contents")
            wider = node if told is None else weighted_words(expansion.expand(words, told), "contents")
            rankings.append(first_thousand(index, wider))
        if relevant - shown:
            rows.append(
                [
                    average_precision([each for each, _, _ in some if each not in shown], relevant - shown)
                    for some in rankings
                ]
            )
    return len(rows), *np.mean(rows, axis=0).round(4).tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("name", RESIDUAL)
def test_true_marks_of_the_first_ten_on_the_residual_collection(name: str) -> None:
    assert residual_row(name) == RESIDUAL[name]
