"""Option values all over the house refuse what cannot be, all of it at once, in the words of whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.comparison.gate import gate
from rankscope.analysis.curves.averaging import recall_boxes
from rankscope.analysis.curves.generality import generality_table
from rankscope.analysis.forecast.growth import forecast
from rankscope.analysis.sampling.estimate import estimate, needed_sample
from rankscope.analysis.statistics.bands import band
from rankscope.analysis.statistics.bootstrap import bootstrap_means
from rankscope.analysis.statistics.equivalence import equivalence
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.multiple_comparisons import randomised_tukey
from rankscope.analysis.statistics.power import smallest_significant_difference
from rankscope.analysis.statistics.query_curves import recall_grid
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.commands.line.command import GuardedCommand
from rankscope.commands.line.options import setting_options
from rankscope.core.errors import SettingError
from rankscope.core.settings import Settings
from rankscope.core.validation import (
    COUNT,
    FLAG,
    NOTHING,
    SHARE,
    TEXT,
    AnyOf,
    Anything,
    Number,
    OneOf,
    Optional,
    Rule,
    Several,
    WholeNumber,
    check,
)
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.feedback.examples.items import Items
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.efficiency import places
from rankscope.feedback.normalization.losses import Loss
from rankscope.feedback.study.experiment import Protocol
from rankscope.inputs.reading import Reading
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.layout import Look

TABLE = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.4, 0.4, 0.6, 0.7, 0.8]})
RANKS = RelevantRanks.from_ranks([[1, 3, 10], [2, 30]], collection=200)
POINTS = [[0.0], [1.0], [3.0]]
MATRIX = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (Protocol, {"scope": 0, "rounds": -1, "k_pos": -1, "remember": "acumulate", "scored": "frzen", "show_seen": 2}),
        (Reading, {"encoding": "utf-9", "max_ratio": 0.5, "comments": "no"}),
        (Look, {"width": -1, "ratio": 0, "text": float("nan")}),
        (Look.of, {"theme": "drak", "width": "colum", "ratio": -1}),
        (lambda **given: compare([TABLE], **given), {"correction": "hlom", "intervals": "bac", "level": 1, "seed": -1}),
        (lambda **given: gate(TABLE, **given), {"alpha": 2, "self_test": -1, "seed": 0.5, "by_class": "yes"}),
        (lambda **given: band(np.eye(3), **given), {"how": "supt", "level": 95, "resamples": 0}),
        (lambda **given: bootstrap_means(np.eye(3), **given), {"how": "bac", "level": 95, "resamples": 0}),
        (lambda **given: mean_intervals(np.eye(3), **given), {"how": "bonded", "level": 0, "seed": -1}),
        (lambda **given: forecast(RANKS, "2x", **given), {"level": 90, "seed": -1, "force": "yes"}),
        (lambda **given: nearest_ranks(POINTS, "aab", **given), {"query_item": "removd", "block": 0, "device": "cpuu"}),
        (lambda **given: nearest_ranks(POINTS, "aab", **given), {"memory": 0, "threads": 0, "keep_scores": None}),
        (lambda **given: pairwise_ranks(MATRIX, "aa", **given), {"block": 0, "keep_scores": "no"}),
        (lambda **given: baseline(Items.of(np.eye(4)), [1, 1, 0, 0], **given), {"form": "tset", "permutations": 0}),
        (
            estimate,
            {"collection": 0, "scope": -1, "hits": 1.5, "judged": -2, "found": -1, "level": 1, "method": "wils"},
        ),
        (needed_sample, {"collection": 0, "relevant": 0, "error": 0, "level": 95}),
    ],
)
def test_every_wrong_option_is_named_with_what_it_may_be(make: Callable[..., Any], wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError) as told:
        make(**wrong)
    assert {line.split("=")[0] for line in told.value.problems} == wrong.keys()
    for name, value in wrong.items():
        assert f"{name}={value!r}: must be " in str(told.value)


WITH_NUMBERS: list[Callable[..., Any]] = [
    lambda whole, _: Protocol(scope=whole(5), rounds=whole(1), k_pos=whole(3)),
    lambda _, real: Reading(max_ratio=real(2)),
    lambda whole, real: compare([TABLE], level=real(0.9), seed=whole(1), permutations=whole(100)),
    lambda whole, real: gate(TABLE, real(0.01), seed=whole(1), self_test=whole(3)),
    lambda whole, real: band(np.eye(3), level=real(0.9), resamples=whole(100)),
    lambda whole, real: bootstrap_means(np.eye(3), level=real(0.9), resamples=whole(100), seed=whole(2)),
    lambda whole, real: mean_intervals(np.eye(3), level=real(0.9), resamples=whole(100), seed=whole(2)),
    lambda whole, real: randomised_tukey(TABLE, real(0.9), permutations=whole(100), seed=whole(2)),
    lambda whole, real: equivalence([0.1, 0.2, 0.3], real(0.5), alpha=real(0.1), seed=whole(2)),
    lambda whole, real: smallest_significant_difference(whole(3), whole(4), real(0.1)),
    lambda whole, _: baseline(Items.of(np.eye(24)), [1, 0] * 12, folds=whole(2), permutations=whole(9)),
    lambda whole, real: estimate(whole(100), whole(10), whole(1), whole(5), whole(1), real(0.9)),
    lambda whole, real: needed_sample(whole(100), whole(10), real(0.1), real(0.9)),
    lambda whole, _: recall_grid(whole(5)),
    lambda whole, _: places("recall", whole(4)),
    lambda whole, real: generality_table(RANKS, real(1.5), levels=[whole(1), whole(2)]),
    lambda whole, _: recall_boxes(RANKS, whole(3)),
    lambda _, real: Loss(real(1), real(2)),
    lambda _, real: Look.of(width=real(100), ratio=real(0.5)),
]
FACTORS_AND_BLOCKS: list[Callable[..., Any]] = [
    lambda _, real: forecast(RANKS, real(2), ["Rprec"], force=True),
    lambda whole, _: forecast(RANKS, whole(400), ["Rprec"], force=True),
    lambda whole, _: nearest_ranks(POINTS, list("aab"), "l1", block=whole(2)),
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("make", [*WITH_NUMBERS, *FACTORS_AND_BLOCKS])
def test_numbers_of_numpy_are_numbers(make: Callable[..., Any]) -> None:
    assert repr(make(np.int64, np.float64)) == repr(make(int, float))


@pytest.mark.parametrize("make", WITH_NUMBERS)
def test_a_whole_number_may_come_as_a_fraction(make: Callable[..., Any]) -> None:
    assert repr(make(float, float)) == repr(make(int, float))


def test_flags_of_numpy_are_flags_and_a_list_of_one_is_its_number() -> None:
    assert Protocol(show_seen=np.False_) == Protocol(show_seen=False)  # type: ignore[arg-type]
    assert repr(gate(TABLE, np.array([0.01]))) == repr(gate(TABLE, [0.01]))  # type: ignore[arg-type]


def test_a_word_works_however_it_is_spelled() -> None:
    values = np.random.default_rng(0).random((9, 2))
    for result, same in (
        (bootstrap_means(values, how="BCA"), bootstrap_means(values, how="bca")),
        (mean_intervals(values, how="Bounded"), mean_intervals(values, how="bounded")),
        (band(values, how="Sup_T"), band(values, how="sup-t")),
    ):
        assert np.array_equal(result.low, same.low)
        assert result.how == same.how
    ranks = [nearest_ranks(POINTS, list("aab"), "l1", query_item=each) for each in ("Kept-Ignored", "kept_ignored")]
    assert ranks[0].provenance == ranks[1].provenance
    assert compare([TABLE], correction="Holm").families == compare([TABLE]).families


def test_a_fraction_is_a_factor_whatever_its_kind() -> None:
    assert forecast(RANKS, np.float32(2), ["Rprec"], force=True).target == 400  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "value", "plain"),
    [
        (OneOf((64, 32)), np.int64(32), 32),
        (WholeNumber(), np.uint8(3), 3),
        (Number(), np.float16(0.5), 0.5),
        (FLAG, np.True_, True),
        (Optional(FLAG), None, None),
        (WholeNumber(), 3.0, 3),
        (WholeNumber(), np.array(3), 3),
        (Number(), np.array(0.5), 0.5),
        (FLAG, np.array(False), False),
        (TEXT, np.str_("a"), "a"),
        (Anything(), np.int8(3), 3),
        (AnyOf((NOTHING, COUNT)), np.int8(3), 3),
        (AnyOf((NOTHING, COUNT)), None, None),
        (AnyOf((Number(), TEXT)), "3", "3"),
        (Several(COUNT), np.array([2, 3]), (2, 3)),
        (Several(TEXT), (), ()),
    ],
)
def test_values_come_out_as_plain_python(rule: Any, value: Any, plain: Any) -> None:
    result = check({"it": value}, it=rule)["it"]
    assert result == plain
    assert type(result) is type(plain)


@pytest.mark.parametrize("value", [True, np.True_, None, "1", 1j, float("inf"), float("nan"), [1], np.ones(2)])
def test_what_is_no_number_is_refused_as_one(value: Any) -> None:
    with pytest.raises(SettingError, match=r"^it=.*: must be a number"):
        check({"it": value}, it=Number())


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        (WholeNumber(), "7", 7),
        (WholeNumber(), "1e3", 1000),
        (WholeNumber(), "7.0", "7.0"),
        (WholeNumber(), "1e-3", "1e-3"),
        (WholeNumber(), "inf", "inf"),
        (WholeNumber(), "nan", "nan"),
        (WholeNumber(), "9" * 5000, "9" * 5000),
        (Number(), ".5", 0.5),
        (Number(), "half", "half"),
        (FLAG, "TRUE", True),
        (FLAG, "false", False),
        (FLAG, "1", "1"),
        (OneOf((64, 32)), "32", 32),
        (AnyOf((NOTHING, COUNT)), "None", None),
        (AnyOf((NOTHING, COUNT, TEXT)), "4", 4),
        (AnyOf((NOTHING, COUNT, TEXT)), "four", "four"),
        (AnyOf((NOTHING, COUNT)), "four", "four"),
        (Optional(COUNT), "4", 4),
        (Optional(COUNT), "none", "none"),
    ],
)
def test_a_text_means_a_value_or_stays_a_text(rule: Rule, text: str, value: object) -> None:
    read = rule.read(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("rule", "value", "words"),
    [
        (WholeNumber(most=5), 6, "must be a whole number of at most 5"),
        (WholeNumber(), 0.5, "must be a whole number below 2^63"),
        (WholeNumber(least=2, most=5), 6, "must be a whole number of at least 2 and at most 5"),
        (Number(most=1), 2, "must be a number of at most 1"),
        (Number(above=0, most=1), 0, "must be a number above 0 and at most 1"),
        (Number(finite=False), "x", "must be a number"),
        (TEXT, 3, "must be text"),
        (NOTHING, 3, "must be none"),
        (AnyOf((NOTHING, SHARE)), 3, "must be none or a number between 0 and 1"),
        (AnyOf((NOTHING, Several(SHARE))), [3], "must be none or each be a number between 0 and 1"),
        (Several(COUNT), 3, "must be a list"),
        (Several(TEXT), "abc", "must be a list"),
        (Several(OneOf(("a", "b"))), ["a", "c"], "must each be one of a, b"),
    ],
)
def test_a_rule_says_what_would_be_right(rule: Rule, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match="must") as told:
        rule.plain(value)
    assert str(told.value) == words


@click.command("settings", cls=GuardedCommand)
@setting_options
@click.option("--list", "scored", default="frozen")
def settings_command(scored: str, compat: str | None, **given: Any) -> None:
    """Make settings and a protocol."""
    Settings(compat=compat, **given)
    Protocol(scored=scored)  # type: ignore[arg-type]


def told(*arguments: str) -> str:
    return str(CliRunner().invoke(settings_command, arguments).exception)


def test_a_command_speaks_of_its_options() -> None:
    message = told("--ties", "gvien", "--depth", "ten", "--score-width", "63")
    assert "--ties gvien: must be one of trec_eval" in message
    assert "(did you mean 'given'?)" in message
    assert "--depth ten: must be a whole number of at least 1" in message
    assert "--score-width 63: must be one of 64, 32" in message


def test_an_option_is_spelled_as_its_command_spells_it() -> None:
    assert told("--list", "frzen").startswith("--list frzen: must be one of full, residual, frozen, split")
    with pytest.raises(SettingError, match="scored='frzen'"):
        Protocol(scored="frzen")  # type: ignore[arg-type]


def test_what_the_settings_take_the_options_take() -> None:
    assert told("--ties", "given", "--score-width", "32", "--rel", "0.5", "--depth", "7", "--no-comments") == "None"
    assert told("--collection-size", "1e6") == "None"
    assert told("--depth", "none").startswith("--depth none: must be a whole number of at least 1")


@pytest.mark.parametrize("huge", [10**400, -(10**400), 2**63])
def test_whole_numbers_that_no_float_holds_are_refused_like_others(huge: int) -> None:
    with pytest.raises(SettingError, match="must be a number below 2\\^63"):
        Settings(rel=huge)
