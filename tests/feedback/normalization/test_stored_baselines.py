"""Stored baselines: what is read is what was written, and nothing else is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import InputError
from rankscope.feedback import Items
from rankscope.feedback.methods import QueryPoint
from rankscope.feedback.normalization.baselines import Baseline, baselines
from rankscope.feedback.normalization.efficiency import mean_curve, places
from rankscope.feedback.normalization.example_sets import convergence
from rankscope.feedback.normalization.losses import LogisticClassifier, Loss
from rankscope.feedback.normalization.stored_baselines import load_baselines, save_baselines
from tests.feedback.problems import drawn

ITEMS, TARGET = drawn()
TOPICS = {"usual": TARGET, "lonely": np.arange(200) == 7}


@pytest.fixture(scope="module")
def made() -> dict[str, Baseline]:
    return baselines(ITEMS, TOPICS, [QueryPoint(), LogisticClassifier(C=0.5)], loss=Loss(1, 3), seed=4)


@pytest.fixture
def path(made: dict[str, Baseline], tmp_path: Path) -> Path:
    save_baselines(made, tmp_path / "topics.json")
    return tmp_path / "topics.json"


def test_what_is_read_is_what_was_written(made: dict[str, Baseline], path: Path) -> None:
    for name, read in load_baselines(path).items():
        kept = made[name]
        for field in ("topic", "approach", "winner", "form", "loss", "relevant", "items", "features", "target", "seed"):
            assert getattr(read, field) == getattr(kept, field)
        assert repr(read.trials) == repr(kept.trials)
        assert repr(read.feasibility) == repr(kept.feasibility)
        assert read.ranks.judged.lists("rank") == kept.ranks.judged.lists("rank")
        assert (read.ranks.queries, read.ranks.classes) == (kept.ranks.queries, kept.ranks.classes or ())
        for over in ("recall", "precision-scope", "recall-scope"):
            at = places(over)
            np.testing.assert_array_equal(mean_curve(read.ranks, over, at), mean_curve(kept.ranks, over, at))


def test_a_stored_baseline_serves_as_the_one_it_was(made: dict[str, Baseline], path: Path) -> None:
    read = load_baselines(path)["usual"]
    read.check(ITEMS, TARGET)
    before, after = (convergence(QueryPoint(), ITEMS, TARGET, each, [1, 4]).mae for each in (made["usual"], read))
    np.testing.assert_array_equal(before, after)


def test_equal_baselines_give_equal_bytes(made: dict[str, Baseline], path: Path, tmp_path: Path) -> None:
    save_baselines(reversed(list(made.values())), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    save_baselines(load_baselines(path), tmp_path / "third.json")
    assert (tmp_path / "third.json").read_bytes() == path.read_bytes()


def test_a_person_can_read_who_won_and_by_how_much(path: Path) -> None:
    content = json.loads(path.read_text())
    topic = next(each for each in content["topics"] if each["topic"] == "usual")
    assert (content["kind"], content["schema"]) == ("rankscope baselines", 2)
    assert [each["candidate"] for each in topic["losses"]] == ["query-point", "logistic-classifier(C=0.5)"]
    assert topic["loss"] == {"false_positive": 1, "false_negative": 3}
    assert len(topic["curves"]["precision at recall"]) == 10
    assert topic["feasibility"]["permutations"] == 9999
    assert len(path.read_text().splitlines()) == 5  # a head, a line a topic, an end


def test_other_features_or_relevant_items_are_a_clear_error(path: Path) -> None:
    read = load_baselines(path)["usual"]
    with pytest.raises(InputError, match="baseline of topic 'usual': 2 problems") as caught:
        read.check(Items.of(ITEMS.matrix, scaling="standardise"), ~TARGET)
    assert "other features (digest" in str(caught.value)
    assert "other relevant items" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda topic: topic["curves"]["precision at recall"].__setitem__(0, 0.5), "not the one its rankings give"),
        (lambda topic: topic["rankings"]["hits"][0].__setitem__(0, 4000), "outside its list"),
        (lambda topic: topic.pop("winner"), "'winner' is missing"),
        (lambda topic: topic["loss"].__setitem__("other", 1), "unexpected keyword"),
        (lambda topic: topic["folds"]["fold"].pop(), "200 items, but folds of 199"),
        (lambda topic: topic.__setitem__("topic", "lonely"), "there twice"),
    ],
)
def test_a_file_that_was_changed_is_refused(path: Path, change: Any, said: str) -> None:
    content = json.loads(path.read_text())
    change(next(each for each in content["topics"] if each["topic"] == "usual"))
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=said):
        load_baselines(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "no JSON"), ("[]", "no file of baselines"), ('{"kind": "rankscope baselines", "schema": 9}', "schema is 9")],
)
def test_another_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(InputError, match=said):
        load_baselines(tmp_path / "other.json")


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_baselines(tmp_path / "none.json")
