"""Methods on words: what they score is what the text engine finds for the expanded query."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.text import Index
from rankscope.engines.text.expansions import EXPANSIONS, weighted_words
from rankscope.engines.text.lsi import lsi_vectors, weighted_matrix
from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.items import features_digest
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.text import TextItems
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.starts import ExternalRanking
from rankscope.feedback.users.topics import Topics
from rankscope.measures.average_precision import AP
from tests.engines.text.test_collections import collection, index_of, topics_of
from tests.feedback.problems import same_numbers

BM25 = "bm25(k1=0.9, b=0.4)"
TEXTS = [
    *("fox den cub", "fox den", "den cub wood", "fox hunt", "dog hunt", "dog house"),
    *(f"filler{row} words{row}" for row in range(30)),
]


def documents(texts: list[str]) -> list[dict[str, str]]:
    return [{"id": f"d{row}", "body": text} for row, text in enumerate(texts)]


def small_items(topics: dict[str, str] | None = None) -> TextItems:
    return TextItems.in_index(Index.build(documents(TEXTS)), topics or {"fox": "a fox", "dog": "dogs"})


@pytest.mark.parametrize(
    ("method", "expansion"),
    [("text-rm3(terms=3,weight=0.3)", "rm3(terms=3,weight=0.3)"), ("text-rocchio(gamma=0.5)", "rocchio(gamma=0.5)")],
)
def test_scores_are_those_of_the_expanded_query(method: str, expansion: str) -> None:
    items, joins = small_items(), EXPANSIONS.parse(expansion)
    scored = METHODS.parse(method).scores(items, Examples.of([[0, 1]], [[3]], asked=["fox"]))
    reader, index = items.texts.index.reader, items.texts.index
    first = np.zeros(len(items))
    hits = index.search("fox", limit=None)
    first[hits.docs] = hits.scores
    liked, disliked = (joins.feedback(reader, "body", np.array(docs), first[docs]) for docs in ([0, 1], [3]))
    query = weighted_words(joins.expand({"fox": 1.0}, liked, disliked), "body")
    found = index.search(query, limit=None)
    expected = np.zeros(len(items))
    expected[found.docs] = found.scores
    np.testing.assert_allclose(scored.values[0], expected, rtol=1e-6)
    assert scored.failed == ("",)
    assert scored.values[0, 2] > 0  # shares only words of the examples with the query


@pytest.mark.parametrize("name", ["text-rm3", "text-rocchio"])
def test_the_words_of_the_topic_count(name: str) -> None:
    values = METHODS.parse(name).scores(small_items(), Examples.of([[3], [3]], asked=["fox", "dog"])).values
    assert values[0, 1] > values[0, 5]
    assert values[1, 5] > values[1, 1]


@pytest.mark.parametrize("name", ["text-rm3", "text-rocchio"])
def test_items_without_texts_and_topics_without_words_cannot_be_scored(name: str) -> None:
    method = METHODS.parse(name)
    plain = method.scores(Items.of(np.eye(4)), Examples.of([[0]]))
    assert "the items must be TextItems" in plain.failed[0]
    lacking = method.scores(small_items(), Examples.of([[0], [1]], asked=["fox", "cat"]))
    assert lacking.failed == ("", "the words of the topic are not known")
    assert np.isfinite(lacking.values[0]).all()


def test_deleted_documents_are_no_items(tmp_path: Path) -> None:
    index = Index.build(documents(TEXTS), tmp_path / "index").add([], delete=["d1", "d5"])
    items = TextItems.in_index(index, {"fox": "fox"})
    assert items.ids == [row["id"] for row in documents(TEXTS) if row["id"] not in ("d1", "d5")]
    assert np.flatnonzero(items.texts.row({"fox": 1.0})).tolist() == [0, 2]
    values = METHODS.parse("text-rm3").scores(items, Examples.of([[1]], asked=["fox"])).values
    assert {items.ids[place] for place in np.flatnonzero(values[0])} == {"d0", "d2", "d3"}


def test_items_travel_to_another_process(tmp_path: Path) -> None:
    for index in (Index.build(documents(TEXTS)), Index.build(documents(TEXTS), tmp_path / "index")):
        items = TextItems.in_index(index, {"fox": "fox"})
        again = pickle.loads(pickle.dumps(items))
        examples = Examples.of([[0, 1]], asked=["fox"])
        one, other = (METHODS.parse("text-rocchio").scores(each, examples).values for each in (items, again))
        np.testing.assert_array_equal(one, other)
        assert features_digest(items) == features_digest(again)


def test_a_fingerprint_tells_words_fields_and_similarities_apart() -> None:
    index, others = Index.build(documents(TEXTS)), Index.build(documents([*TEXTS[:-1], "other"]))
    vectors = np.eye(len(TEXTS))
    made = [
        TextItems.in_index(index, {"1": "fox"}, vectors=vectors),
        TextItems.in_index(index, {"1": "fox dog"}, vectors=vectors),
        TextItems.in_index(index, {"1": "fox"}, vectors=vectors, similarity="classic"),
        TextItems.in_index(others, {"1": "fox"}, vectors=vectors),
    ]
    assert len({features_digest(each) for each in made}) == len(made)


def test_what_does_not_fit_is_an_error() -> None:
    index = Index.build(documents(TEXTS))
    with pytest.raises(InputError, match="36 documents, but 2 rows of vectors"):
        TextItems.in_index(index, {"1": "fox"}, vectors=np.eye(2))
    with pytest.raises(SettingError, match="did you mean 'body'"):
        TextItems.in_index(index, {"1": "fox"}, field="bod")
    items = small_items()
    with pytest.raises(SettingError, match="the words of these topics are not known: cat"):
        ExternalRanking.by_words(items, Topics.of({"cat": np.arange(len(items)) < 2}))
    with pytest.raises(SettingError, match="do ids agree"):
        Topics.from_qrels({"fox": {"e0": 1}}, items.ids)


def test_topics_of_judgements() -> None:
    qrels = {"1": {"a": 2, "b": 1, "x": 3}, "2": {"b": 0, "c": -1}, "3": {"a": 1, "b": 1, "c": 1}}
    topics = Topics.from_qrels(qrels, ["a", "b", "c"])
    assert topics.names == ("1",)  # nothing is relevant to 2, and everything to 3
    assert topics.targets.tolist() == [[True, True, False]]
    assert Topics.from_qrels(qrels, ["a", "b", "c"], rel=2).targets.tolist() == [[True, False, False]]
    with pytest.raises(SettingError, match="no query has 3 relevant items or more"):
        Topics.from_qrels(qrels, ["a", "b", "c", "d"], rel=2, least=3)


def test_lsi_is_the_singular_value_decomposition_of_the_weighted_matrix() -> None:
    reader = index_of("adi").reader
    matrix = weighted_matrix(reader, "contents").toarray()
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    vectors = lsi_vectors(reader, "contents", 20)
    np.testing.assert_allclose(np.abs(vectors), np.abs(left[:, :20] * values[:20]), atol=1e-9)
    np.testing.assert_array_equal(vectors, lsi_vectors(reader, "contents", 20))
    np.testing.assert_allclose(vectors, lsi_vectors(reader, "contents", 20, seed=9), atol=1e-9)


def test_weights_of_lsi_by_hand() -> None:
    index = Index.build([{"id": "1", "body": "fox fox dog"}, {"id": "2", "body": "dog"}, {"id": "3", "body": "cat"}])
    dog, fox = np.log(3 / 2), (1 + np.log(2)) * np.log(3)
    expected = [[0, dog / np.hypot(dog, fox), fox / np.hypot(dog, fox)], [0, 1, 0], [1, 0, 0]]
    np.testing.assert_allclose(weighted_matrix(index.reader, "body").toarray(), expected)
    with pytest.raises(SettingError, match="3 documents with 3 terms allow at most 2 dimensions"):
        lsi_vectors(index.reader, "body", 3)


def adi_experiment(**protocol: object) -> Experiment:
    items = TextItems.in_index(index_of("adi"), topics_of("adi"), similarity=BM25)
    topics = Topics.from_qrels(str(collection("adi") / "qrels.txt"), items.ids)
    return Experiment.of(items, topics, None, ExternalRanking.by_words(items, topics), Protocol(**protocol))  # type: ignore[arg-type]


def test_the_first_round_is_the_ranking_of_the_engine() -> None:
    setting = adi_experiment(scope=10, rounds=0, scored="full")
    ranks = simulate_rounds(METHODS.parse("text-rm3"), setting, setting.sessions(1)).ranks(0)
    run = index_of("adi").run(topics_of("adi"), BM25, depth=None)
    whole = {
        query.removesuffix("/1"): each for query, each in zip(ranks.queries, ranks.judged.lists("rank"), strict=True)
    }
    for query, text in topics_of("adi").items():
        ids = index_of("adi").search(text, BM25, limit=None, syntax="words").ids.to_list()
        targets = setting.topics.targets[setting.topics.names.index(query)]
        relevant = {each for each, good in zip(index_of("adi").reader.ids, targets, strict=True) if good}
        found = [rank for rank, each in enumerate(ids, start=1) if each in relevant]
        assert whole[query][: len(found)] == found
    assert run.name == BM25.replace(" ", "")


@pytest.mark.thorough
def test_feedback_on_words_helps_and_a_study_runs_in_processes() -> None:
    setting = adi_experiment(scope=10, rounds=2)
    methods = [METHODS.parse(name) for name in ("text-rm3", "text-rocchio", "query-point")]
    plan = StudyPlan.of(setting, methods, starts=1, measures=["AP"], controls=False)
    alone = study(plan, on="home")
    assert same_numbers(alone, study(plan, on="processes:2"))
    for method in methods[:2]:
        simulated = simulate_rounds(method, setting, setting.sessions(1))
        first, last = (AP().of(simulated.ranks(number)).mean() for number in (0, 2))
        assert last > first
