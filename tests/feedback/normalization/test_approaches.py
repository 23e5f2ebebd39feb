"""Approaches I to III, stored baselines and results of one study in the next."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization import baselines
from rankscope.feedback.normalization.baselines import BaselineRules, baseline, baselines_of, better_of, stored_under
from rankscope.feedback.normalization.generalisation import converge, generalise
from rankscope.feedback.normalization.losses import LOSSES, Loss
from rankscope.feedback.normalization.stored_baselines import BaselineStore, load_baselines, load_store, save_baselines
from rankscope.feedback.users.topics import Topics
from tests.feedback.problems import SMALL, SMALL_FOLDS, SMALL_TARGET, drawn

ITEMS, TARGET = drawn(apart=1.5)
TOPICS = Topics.of({"near": TARGET, "left": ITEMS.matrix[:, 0] < -0.8})


def methods(*texts: str) -> list[Method]:
    return [METHODS.parse(text) for text in texts]


def test_approach_ii_picks_the_nearest_neighbour_of_the_worked_problem() -> None:
    done = baseline(SMALL, SMALL_TARGET, methods("query-point", "nearest-neighbour"), folds=SMALL_FOLDS)
    assert (done.approach, done.winner) == ("II", "nearest-neighbour")
    assert [each.test for each in done.trials] == pytest.approx([2 / 3, 0])
    assert [each.whole for each in done.trials] == pytest.approx([5 / 6, 0])


def test_in_approach_i_every_method_has_its_own_baseline() -> None:
    done = generalise(ITEMS, TOPICS, methods("svm(C=1)", "rocchio", "svm(C=5)"), BaselineRules("I"), repeats=1)
    assert len(done.baselines) == 4  # two topics, two methods
    assert {each.winner.partition("(")[0] for each in done.baselines} == {"svm", "rocchio"}
    assert all(each.winner.startswith(each.method.partition("(")[0].partition(",")[0]) for each in done.results)
    assert {len(each.trials) for each in done.baselines} == {1, 2}


def test_under_approach_i_all_examples_come_to_one() -> None:
    results = converge(ITEMS, TOPICS, methods("rocchio"), BaselineRules("I"), sizes=[1, 4], repeats=2)
    assert [each.full.mae for each in results] == pytest.approx([1.0, 1.0])
    assert all(each.mae[0] < 1 for each in results)


def test_approach_ii_wants_several_methods() -> None:
    with pytest.raises(SettingError, match="at least two"):
        BaselineRules("II").candidates(methods("svm", "svm(C=1)"))


@pytest.mark.parametrize(
    ("text", "wanted"), [("zero-one", Loss()), ("weighted(1, 4)", Loss(1, 4)), ("balanced", Loss(1, 3))]
)
def test_losses_as_people_write_them(text: str, wanted: Loss) -> None:
    assert LOSSES.parse(text).at(0.25) == wanted


@pytest.mark.thorough
def test_a_weighted_loss_can_choose_another_candidate() -> None:
    """By its own decisions a classifier that calls little relevant loses less, unless a miss is dear."""
    rare = np.arange(200) < 6
    chance = np.random.default_rng(3)
    items = Items.of(chance.normal(size=(200, 3)) + 0.9 * rare[:, None])
    winners = []
    for loss in ("zero-one", "weighted(1, 40)"):
        rules = BaselineRules("III", LOSSES.parse(loss), "decisions", folds=3)
        winners.append(baselines_of(items, rare, "rare", [], rules)[""].winner)
    assert winners[0] != winners[1]


def test_a_stored_baseline_of_the_same_candidates_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, some = BaselineRules("II"), methods("query-point", "nearest-neighbour")
    made = baselines_of(ITEMS, TARGET, "near", some, rules)
    monkeypatch.setattr(baselines, "baseline", lambda *_, **__: pytest.fail("made again"))
    assert baselines_of(ITEMS, TARGET, "near", some, rules, stored_under(made.values()))[""] is made[""]


def test_a_better_candidate_takes_the_place_of_a_stored_baseline_on_the_same_folds() -> None:
    rules = BaselineRules("II")
    first = baselines_of(ITEMS, TARGET, "near", methods("rocchio", "random"), rules)
    known = stored_under(first.values())
    second = baselines_of(ITEMS, TARGET, "near", methods("rocchio", "random", "query-point", "svm"), rules, known)[""]
    assert second.folds is first[""].folds or (second.folds.fold == first[""].folds.fold).all()  # type: ignore[union-attr]
    whole = baselines_of(ITEMS, TARGET, "near", methods("rocchio", "random", "query-point", "svm"), rules)[""]
    assert second.winner == whole.winner
    assert sorted(each.candidate for each in second.trials) == sorted(each.candidate for each in whole.trials)
    assert better_of(first[""], first[""]).winner == first[""].winner


def test_stored_results_next_to_a_better_baseline_equal_those_computed_anew(tmp_path: Path) -> None:
    """Equation 6: efficiency times p~ over the new p~, topic by topic."""
    rules = BaselineRules("II")
    first = generalise(ITEMS, TOPICS, methods("rocchio", "random"), rules)
    path = tmp_path / "first.json"
    save_baselines(first.store.baselines, path, first.store.results)
    second = generalise(ITEMS, TOPICS, methods("svm", "query-point"), rules, earlier=load_store(path))
    assert second.replaced
    whole = generalise(ITEMS, TOPICS, methods("rocchio", "random", "svm", "query-point"), rules)
    wanted = {(each.topic, each.method): each for each in whole.results}
    assert {each.method.partition(",")[0] for each in second.earlier} == {"rocchio", "random"}
    for each in second.earlier:
        np.testing.assert_allclose(each.values, wanted[each.topic, each.method].values, atol=1e-12)
    for new in second.earlier:
        (old,) = [each for each in first.results if (each.topic, each.method) == (new.topic, new.method)]
        np.testing.assert_allclose(new.values, old.values * old.baseline / new.baseline, atol=1e-12)
    assert [row["from"] for row in second.mean_rows()] == ["", "", "stored", "stored"]


def test_a_file_holds_results_and_one_baseline_for_each_method_of_approach_i(tmp_path: Path) -> None:
    done = generalise(ITEMS, TOPICS, methods("rocchio", "svm"), BaselineRules("I"), repeats=1)
    path = tmp_path / "one.json"
    save_baselines(done.store.baselines, path, done.store.results)
    read = load_store(path)
    assert sorted((each.topic, each.winner) for each in read.baselines) == sorted(
        (each.topic, each.winner) for each in done.baselines
    )
    assert {(each.topic, each.method): each.mae for each in read.results} == {
        (each.topic, each.method): each.mae for each in done.results
    }
    with pytest.raises(InputError, match="several baselines of a topic"):
        load_baselines(path)


@pytest.mark.parametrize(
    ("rules", "target", "told"),
    [
        (BaselineRules("I"), TARGET, "made by approach II, and approach I"),
        (BaselineRules("II", form="whole"), TARGET, "form test"),
        (BaselineRules("II"), ~TARGET, "other relevant items"),
    ],
)
def test_a_stored_baseline_that_does_not_fit_is_refused(
    rules: BaselineRules, target: np.ndarray[tuple[int], np.dtype[np.bool_]], told: str
) -> None:
    stored = baseline(ITEMS, TARGET, methods("rocchio", "query-point"), topic="near")
    known = {("near", family): stored for family in ("", "rocchio", "query-point")}
    with pytest.raises(InputError, match=told):
        baselines_of(ITEMS, target, "near", methods("rocchio", "query-point"), rules, known)


def test_a_damaged_result_is_told_by_its_topic(tmp_path: Path) -> None:
    done = generalise(ITEMS, TOPICS, methods("rocchio"), BaselineRules("I"), repeats=1)
    path = tmp_path / "one.json"
    save_baselines(done.store.baselines, path, done.store.results)
    path.write_text(path.read_text().replace('"reached"', '"raeched"'))
    with pytest.raises(InputError, match="topic near: 'reached' is missing"):
        load_store(path)
    assert BaselineStore().results == ()
