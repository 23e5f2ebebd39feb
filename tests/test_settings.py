"""Settings: the default, then the peer's habit, then what is given explicitly, which wins."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.core.peers import COMPAT, PEERS, peer
from rankscope.core.settings import SETTINGS, Settings, default
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures import ALL
from rankscope.measures.evaluation.columns import in_peers_way
from rankscope.measures.evaluation.evaluate import evaluate, evaluate_ranks
from rankscope.measures.notation import parse_measure
from rankscope.ranks.reduction import reduce
from tests.measures.examples import examples

CHOICES = [setting for setting in SETTINGS if setting.choices]


def test_without_a_word_every_setting_has_its_default() -> None:
    settings = Settings()
    assert settings == Settings()
    assert settings.given == frozenset()
    assert {setting.name: getattr(settings, setting.name) for setting in SETTINGS} == {
        setting.name: setting.default for setting in SETTINGS
    }
    assert default("ties") == "trec_eval"


@pytest.mark.parametrize("each", PEERS, ids=lambda each: each.name)
def test_a_peer_replaces_defaults_by_its_habits_and_nothing_else(each: Any) -> None:
    result, plain = Settings(compat=each.name), Settings()
    for setting in SETTINGS:
        expected = each.settings.get(setting.name, getattr(plain, setting.name))
        assert getattr(result, setting.name) == expected
    assert result.given == frozenset()
    assert result.compat == each.name


@pytest.mark.parametrize("each", PEERS, ids=lambda each: each.name)
@pytest.mark.parametrize("setting", CHOICES, ids=lambda setting: setting.name)
def test_an_option_given_by_hand_wins_over_default_and_peer(each: Any, setting: Any) -> None:
    for value in setting.choices:
        settings = Settings(compat=each.name, **{setting.name: value})
        assert getattr(settings, setting.name) == value
        assert settings.given == {setting.name}


def test_none_means_not_given() -> None:
    assert Settings(compat="trec_eval-9", score_width=None).score_width == 32
    assert Settings(depth=None).given == frozenset()
    assert Settings(judged_only=False).given == {"judged_only"}  # False is a word


@pytest.mark.parametrize("setting", CHOICES, ids=lambda setting: setting.name)
def test_a_value_that_cannot_be_is_refused_with_those_that_can(setting: Any) -> None:
    wrong: Any = {setting.name: "nonsense"}
    with pytest.raises(SettingError, match=f"^{setting.name}='nonsense': must be one of {setting.choices[0]}"):
        Settings(**wrong)


@pytest.mark.parametrize("name", ["depth", "collection_size"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "5"])
def test_sizes_are_whole_and_at_least_one(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match="whole number of at least 1"):
        Settings(**{name: value})


def test_a_setting_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(SettingError, match=r"no setting 'tie' \(did you mean 'ties'\?\)\. There are: rel,"):
        Settings(tie="given")  # type: ignore[call-arg]


def test_a_peer_that_does_not_exist_gets_a_hint() -> None:
    with pytest.raises(SettingError, match=r"compat='trec_eval10': must be .* \(did you mean 'trec_eval-10'\?\)"):
        Settings(compat="trec_eval10")


def test_a_peer_however_it_is_spelled_has_its_habits() -> None:
    assert Settings(compat="TREC_eval_9") == Settings(compat="trec_eval-9")
    assert Settings(compat="TREC_eval_9").score_width == 32


def test_every_habit_of_a_peer_names_settings_measures_and_parameters_that_exist() -> None:
    known = {setting.name: setting for setting in SETTINGS}
    kinds = {kind.name: kind for kind in ALL}
    for each in PEERS:
        for own in (each.settings, *(apart.settings for apart in each.apart)):
            assert own.keys() <= known.keys()
            assert all(not known[name].choices or value in known[name].choices for name, value in own.items())
        for name, habits in [*each.measures.items(), *((apart.measure, apart.where) for apart in each.apart)]:
            parameters = {field.name for field in fields(kinds[name])}
            assert habits.keys() <= parameters
            for parameter, value in habits.items():
                assert value in kinds[name].choices.get(parameter, (value,))


@pytest.mark.parametrize("compat", COMPAT)
def test_a_parameter_written_by_hand_wins_over_the_peers(compat: str) -> None:
    settings = Settings(compat=compat)
    for measure in examples(ALL):
        habits = peer(compat).measures.get(measure.name, {})
        changed = in_peers_way(measure, settings)
        for field in fields(measure):
            by_hand = getattr(measure, field.name)
            expected = habits.get(field.name, by_hand) if by_hand == field.default else by_hand
            assert getattr(changed, field.name) == expected, measure


def test_everything_that_cannot_be_is_told_at_once() -> None:
    wrong: Any = {"ties": "gvien", "mean": "geometrc", "depth": 0, "comments": 1, "seed": -1, "compat": "ranks"}
    with pytest.raises(SettingError) as told:
        Settings(**wrong)
    assert len(told.value.problems) == len(wrong)
    text = str(told.value)
    assert all(f"{name}={value!r}: must be" in text for name, value in wrong.items())
    assert all(f"(did you mean '{meant}'?)" in text for meant in ("given", "geometric", "ranx"))


@pytest.mark.parametrize("value", [True, np.True_, 2.5, np.float64(2.5), "5", float("nan"), float("inf"), [5]])
@pytest.mark.parametrize("name", ["depth", "collection_size", "seed"])
def test_what_is_no_whole_number_is_refused(name: str, value: Any) -> None:
    wrong: Any = {name: value}
    with pytest.raises(SettingError, match=f"{name}=.*: must be a whole number"):
        Settings(**wrong)


@pytest.mark.parametrize("value", [5.0, np.float64(5), np.array(5), np.uint8(5)])
@pytest.mark.parametrize("name", ["depth", "collection_size", "seed"])
def test_a_whole_number_may_be_written_as_a_fraction(name: str, value: Any) -> None:
    same: Any = {name: value}
    plain: Any = {name: 5}
    assert Settings(**same) == Settings(**plain)
    assert type(getattr(Settings(**same), name)) is int


def test_numbers_of_numpy_are_numbers_and_come_out_plain() -> None:
    chosen: Any = {"depth": np.int64(10), "rel": np.float32(2), "judged_only": np.True_, "score_width": np.int8(32)}
    settings = Settings(**chosen)
    assert settings == Settings(depth=10, rel=2.0, judged_only=True, score_width=32)
    assert json.loads(json.dumps(settings.record()))["depth"] == 10
    first: Any = {"depth": np.int64(1)}
    assert evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "AP", **first)["AP"] == 0


def test_a_changed_setting_is_checked_and_counts_as_chosen() -> None:
    settings = Settings(compat="ranx").changed(ties="ascending")
    assert (settings.ties, settings.compat, settings.given) == ("ascending", "ranx", frozenset({"ties"}))
    with pytest.raises(SettingError, match="ties='gvien'"):
        settings.changed(ties="gvien")


def test_a_peer_has_its_habits_however_settings_are_made() -> None:
    assert Settings(compat="trec_eval-9").score_width == 32
    assert repr(Settings(compat="ranx", depth=3)) == "Settings(compat='ranx', depth=3)"


# what a saved reduction fixes

TIED = {"q": {"a": 1.0, "b": 1.0}}


def tied(**chosen: Any) -> Any:
    return reduce(Qrels.of({"q": {"a": 1, "b": 0}}), Run.of(TIED), Settings(**chosen))


@pytest.mark.parametrize(
    "chosen",
    [
        {"ties": "given"},
        {"ties": "trec_eval"},
        {"score_width": 32},
        {"duplicates": "best"},
        {"query_item": "removed"},
        {"judged_only": True},
        {"comments": False},
    ],
    ids=str,
)
def test_python_too_is_refused_what_saved_ranks_were_not_made_with(chosen: dict[str, Any]) -> None:
    ((name, value),) = chosen.items()
    result = tied(ties="ascending")
    with pytest.raises(SettingError, match=f"^{name}={value!r}: run was ranked with {name}="):
        evaluate_ranks([result], "AP", Settings(**chosen))
    assert evaluate_ranks([result], "AP", Settings())["AP"] == 1
    assert evaluate_ranks([result], "AP", Settings(ties="ascending"))["AP"] == 1


def test_all_that_saved_ranks_refuse_is_told_at_once_and_expected_ties_are_not_refused() -> None:
    with pytest.raises(SettingError) as told:
        evaluate_ranks([tied()], "AP", Settings(ties="given", score_width=32))
    assert len(told.value.problems) == 2
    assert evaluate_ranks([tied()], "AP", Settings(ties="expected"))["AP"] == pytest.approx(0.75)


def test_ranks_of_earlier_versions_do_not_say_how_comments_were_read() -> None:
    """A peer's habit is not held against them, but what is asked for by hand cannot be promised."""
    ranks = tied(compat="ranx")
    assert ranks.provenance["settings"]["comments"] is False
    settings = {name: value for name, value in ranks.provenance["settings"].items() if name != "comments"}
    earlier = replace(ranks, provenance={**ranks.provenance, "settings": settings})
    same = evaluate_ranks([ranks], "AP", Settings(compat="ranx"))
    assert evaluate_ranks([earlier], "AP", Settings(compat="ranx"))["AP"] == same["AP"]
    assert evaluate_ranks([earlier], "AP", Settings(comments=True))["AP"] == same["AP"]
    with pytest.raises(SettingError, match=r"^comments=True: run was ranked with comments=False"):
        evaluate_ranks([ranks], "AP", Settings(comments=True))
    with pytest.raises(
        SettingError, match=r"^comments=False: run does not say how lines with # were read; reduce again"
    ):
        evaluate_ranks([earlier], "AP", Settings(comments=False))


def test_a_seed_is_fixed_only_where_it_made_the_order() -> None:
    assert evaluate_ranks([tied()], "AP", Settings(seed=5))["AP"] == 0.5
    with pytest.raises(SettingError, match="seed=5: run was ranked with seed=0"):
        evaluate_ranks([tied(ties="hash")], "AP", Settings(seed=5))


def test_ranks_of_vectors_have_no_width_of_scores_to_choose() -> None:
    ranks = nearest_ranks([[0.0], [1.0], [3.0]], labels=["a", "a", ""], metric="l1")
    with pytest.raises(SettingError, match="score_width=32: nearest was ranked with score_width=64"):
        evaluate_ranks([ranks], "AP", Settings(score_width=32))


def test_what_was_saved_as_judged_only_is_evaluated_so() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["x", "b", "a"]}
    ranks = reduce(Qrels.of(qrels), Run.of(run), Settings(judged_only=True))
    assert evaluate_ranks([ranks], "AP", Settings())["AP"] == evaluate(qrels, run, "AP", judged_only=True)["AP"] == 0.5


# what precedence does to numbers

QRELS = {"q": {"b": 1}, "r": {"b": 1}, "s": {"b": 0}}
RUN = {"q": {"c": 1.0, "b": 1.0}, "t": {"b": 1.0}}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, 0.25),  # q has 1/2, r is missing, s has no relevant item and is left out
        ({"queries": "answered"}, 0.5),
        ({"no_relevant": "zero"}, 0.5 / 3),
        ({"ties": "ascending"}, 0.5),
        ({"compat": "trec_eval-10"}, 0.5 / 3),
        ({"compat": "trec_eval-10", "no_relevant": "skip"}, 0.25),
        ({"compat": "pytrec_eval"}, 0.5),
        ({"compat": "pytrec_eval", "queries": "judged"}, 0.5 / 3),
        ({"compat": "ranx"}, 0.5 / 3),
        ({"compat": "ranx", "ties": "ascending"}, 1 / 3),
    ],
    ids=str,
)
def test_the_mean_follows_the_settings_that_win(chosen: dict[str, Any], expected: float) -> None:
    assert evaluate(QRELS, RUN, "RR", **chosen)["RR"] == pytest.approx(expected)


def test_ties_given_by_hand_win_over_a_peers_ties_for_single_measures() -> None:
    assert evaluate(QRELS, RUN, ["RR", "RR@10"], compat="ir_measures")["RR@10"] == pytest.approx(1 / 3)
    by_hand = evaluate(QRELS, RUN, ["RR", "RR@10"], compat="ir_measures", ties="trec_eval")
    assert by_hand["RR@10"] == by_hand["RR"] == pytest.approx(0.5 / 3)


def test_a_level_given_for_all_is_not_for_a_measure_that_says_its_own() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}
    scores = evaluate(qrels, run, ["P@1", "P(rel=1)@2", "P(rel=2)@2"], rel=2)
    assert (scores["P(rel=2)@1"], scores["P@2"], scores["P(rel=2)@2"]) == (0, 1, 0.5)
    assert parse_measure("P@1", rel=2) == parse_measure("P(rel=2)@1")


def test_a_record_says_everything_that_was_decided() -> None:
    record = Settings(compat="trec_eval-9", depth=10).record()
    assert record["compat"] == "trec_eval-9"
    assert record["depth"] == 10
    assert record.keys() == {setting.name for setting in SETTINGS} | {"compat"}
