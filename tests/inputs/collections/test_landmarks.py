"""Oxford and Paris: the published rule, against a slow second writing of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope
from rankscope.core.errors import InputError
from rankscope.inputs.collections.collection import load
from rankscope.inputs.collections.pictures import GOOD_GRADE, OK_GRADE, read_landmark_truth
from tests.data import data_folder


def published_ap(positive: set[str], junk: set[str], ranking: list[str]) -> float:
    """The rule as it is published: walk down the list, skip junk, add trapezoids from precision 1 at recall 0."""
    recall_before, precision_before, area = 0.0, 1.0, 0.0
    hits, seen = 0, 0
    for name in ranking:
        if name in junk:
            continue
        if name in positive:
            hits += 1
        recall, precision = hits / len(positive), hits / (seen + 1)
        area += (recall - recall_before) * (precision_before + precision) / 2
        recall_before, precision_before = recall, precision
        seen += 1
    return area


def truth_files(folder: Path, name: str, query: str, good: str, ok: str, junk: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, text in (("query", query), ("good", good), ("ok", ok), ("junk", junk)):
        (folder / f"{name}_{kind}.txt").write_text(text.replace(" ", "\n") + "\n" if kind != "query" else text + "\n")


def test_hand_cases_follow_the_published_rule(tmp_path: Path) -> None:
    truth_files(tmp_path, "tower_1", "oxc1_a 1 2 30.5 40", good="a b", ok="c", junk="j k")
    collection = load("oxford5k", tmp_path)
    (truth,) = collection.truth
    assert (truth.item, truth.box) == ("a", (1.0, 2.0, 30.5, 40.0))
    assert truth.relevant == {"a": GOOD_GRADE, "b": GOOD_GRADE, "c": OK_GRADE}
    assert collection.junk == {"tower_1": ("j", "k")}
    # junk on top changes nothing: a at 1, x at 2, b at 3, c at 4 of what counts
    by_hand = (1.0 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
    for ranking in (["a", "x", "b", "c"], ["j", "a", "x", "k", "b", "c"]):
        scores = rankscope.evaluate(
            collection.qrels, {"tower_1": ranking}, list(collection.measures), junk=collection.junk
        )
        assert scores["AP(area=oxford)"] == pytest.approx(by_hand, abs=1e-12)
        assert published_ap({"a", "b", "c"}, {"j", "k"}, ranking) == pytest.approx(by_hand, abs=1e-12)
    missed = rankscope.evaluate(collection.qrels, {"tower_1": ["x", "a"]}, ["AP(area=oxford)"], junk=collection.junk)
    assert missed["AP(area=oxford)"] == pytest.approx((0 + 1 / 2) / 2 / 3, abs=1e-12)


@given(order=st.permutations([*"abcdef", *"jklm", *"uvwxyz"]), length=st.integers(1, 16))
def test_any_ranking_scores_what_the_published_rule_gives(order: list[str], length: int) -> None:
    positive, junk, ranking = set("abcdef"), set("jklm"), order[:length]
    qrels = {"q": {**dict.fromkeys("abc", GOOD_GRADE), **dict.fromkeys("def", OK_GRADE)}}
    scores = rankscope.evaluate(qrels, {"q": ranking}, ["AP(area=oxford)"], junk={"q": sorted(junk)})
    assert scores["AP(area=oxford)"] == pytest.approx(published_ap(positive, junk, ranking), abs=1e-12)


def test_the_real_truth_of_oxford_has_the_counts_of_its_page() -> None:
    collection = load("oxford5k", data_folder("oxford5k-gt"))
    positives = [len(each.relevant) for each in collection.truth]
    assert len(collection.queries) == 55
    assert (min(positives), max(positives)) == (6, 221)
    junk = [len(each.junk) for each in collection.truth]
    assert (min(junk), max(junk)) == (2, 127)
    assert (len(collection), collection.collection_size) == (845, 5062)
    assert all(each.item in each.relevant for each in collection.truth)
    assert collection.notes == ("no pictures here: only the 845 items named in the truth are known",)


def test_random_rankings_of_the_real_truth_score_what_the_published_rule_gives() -> None:
    collection = load("oxford5k", data_folder("oxford5k-gt"))
    rng = np.random.default_rng(0)
    strangers = [f"stranger_{number}" for number in range(4217)]
    run = {query: rng.permutation([*collection.ids, *strangers]).tolist() for query in collection.queries}
    size = collection.collection_size
    scores = rankscope.evaluate(collection.qrels, run, ["AP(area=oxford)"], junk=collection.junk, collection_size=size)
    slow = [published_ap(set(each.relevant), set(each.junk), run[each.query]) for each in collection.truth]
    assert scores["AP(area=oxford)"] == pytest.approx(np.mean(slow), abs=1e-12)


def test_a_perfect_ranking_with_junk_in_between_scores_one() -> None:
    collection = load("oxford5k", data_folder("oxford5k-gt"))
    run = {
        each.query: [*each.junk[:1], *each.relevant, *(item for item in collection.ids if item not in each.relevant)]
        for each in collection.truth
    }
    unique = {query: list(dict.fromkeys(items)) for query, items in run.items()}
    scores = rankscope.evaluate(collection.qrels, unique, ["AP(area=oxford)"], junk=collection.junk)
    assert scores["AP(area=oxford)"] == 1.0


def test_pictures_of_paris_may_lie_by_landmark(tmp_path: Path) -> None:
    truth_files(tmp_path / "gt", "defense_1", "paris_defense_000605 1 2 3 4", "paris_defense_000605", "x", "y")
    for name in ("paris_defense_000605", "x", "other"):
        path = tmp_path / "paris" / name.partition("_")[0] / f"{name}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    collection = load("paris6k", tmp_path)
    assert collection.ids == ("other", "paris_defense_000605", "x")
    assert collection.collection_size == 3
    assert collection.truth[0].item == "paris_defense_000605"


def test_a_truth_file_that_lacks_or_cannot_be_read_is_named(tmp_path: Path) -> None:
    truth_files(tmp_path, "tower_1", "oxc1_a 1 2 30.5 40", "a", "", "")
    assert read_landmark_truth(tmp_path)[0].junk == ()
    (tmp_path / "tower_1_ok.txt").unlink()
    with pytest.raises(InputError, match="lacks tower_1_ok"):
        load("oxford5k", tmp_path)
    truth_files(tmp_path, "tower_1", "oxc1_a 1 2", "a", "", "")
    with pytest.raises(InputError, match="NAME LEFT TOP RIGHT BOTTOM"):
        load("oxford5k", tmp_path)
