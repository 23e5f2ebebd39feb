from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from benchmarks import plain_feedback
from rankscope.core.arrays import FloatArray
from rankscope.core.threads import one_core_each
from rankscope.feedback.examples.examples import Session
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.method import CannotScore, Method
from rankscope.feedback.study.experiment import ByJudge, Experiment, ListName, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.users.starts import ExternalRanking, GivenExamples, OneQuery, RandomDisplay, Start
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Consistent, Lazy, Marks, Noisy, ScriptedJudge, SimulatedJudge
from rankscope.measures import AP, P
from tests.feedback.cases import clusters, digits

ITEMS, TOPICS = clusters()
IDS = [f"i{number:03}" for number in range(len(ITEMS))]


@pytest.mark.parametrize("name", plain_feedback.METHODS)
def test_every_round_is_that_of_a_plain_loop(name: str) -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(scored="residual"))
    sessions = setting.sessions(5)
    simulation = simulate_rounds(METHODS.parse(name), setting, sessions, block=7)
    ours = np.stack([AP().of(each.ranks) for each in simulation.rounds], axis=1)
    for row, (topic, query) in enumerate(zip(sessions.topic.tolist(), sessions.query.tolist(), strict=True)):
        squares = (ITEMS.matrix**2).sum(axis=1)
        ranker = plain_feedback.METHODS[name]
        with one_core_each():
            plain = plain_feedback.session(ITEMS.matrix, squares, TOPICS.targets[topic], query, ranker)
        assert ours[row] == pytest.approx(plain, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("scored", ["full", "residual", "frozen", "split"])
@pytest.mark.parametrize("start", [OneQuery(), RandomDisplay(), GivenExamples(2, 2)], ids=str)
def test_the_size_of_blocks_changes_nothing(scored: ListName, start: Start) -> None:
    setting = Experiment.of(ITEMS, TOPICS, Noisy(0.1), start, Protocol(scope=5, rounds=3, scored=scored))
    sessions = setting.sessions(3)
    whole, parts = (simulate_rounds(METHODS.parse("rocchio"), setting, sessions, block=size) for size in (1000, 2))
    for one, other in zip(whole.rounds, parts.rounds, strict=True):
        assert one.ranks.judged.lists("rank") == other.ranks.judged.lists("rank")
        assert one.ranks.queries == other.ranks.queries
        assert np.array_equal(one.displayed, other.displayed)


def test_all_methods_begin_with_the_same_ranking() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(rounds=1))
    sessions = setting.sessions(2)
    first = [
        simulate_rounds(METHODS.parse(name), setting, sessions).rounds[0] for name in ("svm", "rocchio", "no-feedback")
    ]
    assert all(np.array_equal(each.displayed, first[0].displayed) for each in first)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("kind", METHODS.own(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("display", ["best", "informative"])
def test_every_method_goes_through_the_loop(kind: type[Method], display: str) -> None:
    protocol = Protocol(scope=6, rounds=2, display=display)  # type: ignore[arg-type]
    setting = Experiment.of(ITEMS, TOPICS, protocol=protocol)
    simulation = simulate_rounds(kind(), setting, setting.sessions(2))
    for each in simulation.rounds:
        inside = each.displayed[each.displayed >= 0]
        assert inside.size or all(each.failed)
        assert ((inside >= 0) & (inside < len(ITEMS))).all()
        assert each.ranks.answered.all() or any(each.failed)


@pytest.mark.parametrize("display", ["best", "informative"])
def test_nothing_is_shown_twice_and_the_query_never(display: str) -> None:
    protocol = Protocol(scope=10, rounds=4, display=display)  # type: ignore[arg-type]
    setting = Experiment.of(ITEMS, TOPICS, Lazy(0.5), protocol=protocol)
    sessions = setting.sessions(3)
    for name in ("active-svm", "retin", "pichunter", "svm"):
        simulation = simulate_rounds(METHODS.parse(name), setting, sessions)
        shown = np.concatenate([each.displayed for each in simulation.rounds], axis=1)
        for row, query in zip(shown.tolist(), sessions.query.tolist(), strict=True):
            seen = [item for item in row if item >= 0]
            assert len(set(seen)) == len(seen)
            assert query not in seen


def test_with_show_seen_the_top_stays_in_view() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(rounds=2, show_seen=True))
    simulation = simulate_rounds(METHODS.parse("no-feedback"), setting, setting.sessions(2))
    assert np.array_equal(simulation.rounds[0].displayed, simulation.rounds[2].displayed)
    assert (simulation.rounds[2].shown.new_hits == 0).all()


def test_residual_precision_at_the_scope_is_the_new_precision_of_the_display() -> None:
    setting = Experiment.of(ITEMS, TOPICS, Noisy(0.2), protocol=Protocol(scored="residual"))
    simulation = simulate_rounds(METHODS.parse("nearest-neighbour"), setting, setting.sessions(4))
    for each in simulation.rounds:
        assert P(20).of(each.ranks) == pytest.approx(each.shown.shares()["new precision"])


def test_frozen_lists_only_gain_below_what_was_shown() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(scored="frozen"))
    simulation = simulate_rounds(METHODS.parse("svm"), setting, setting.sessions(3))
    for before, after in zip(simulation.rounds, simulation.rounds[1:], strict=False):
        depth = 20 * (before.number + 1)
        assert np.array_equal(before.ranks.hits(depth), after.ranks.hits(depth))


def test_a_split_list_has_no_item_that_feedback_came_from() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(scored="split"))
    sessions = setting.sessions(3)
    simulation = simulate_rounds(METHODS.parse("svm"), setting, sessions)
    assert setting.halves is not None
    for each in simulation.rounds:
        assert (each.ranks.collection == 120).all()
        row, place = np.nonzero(each.displayed >= 0)
        assert setting.halves[sessions.topic[row], each.displayed[row, place]].all()


@pytest.mark.parametrize(("k_pos", "k_neg"), [(3, 3), (1, 0), (None, 0), (0, 2)])
def test_a_user_marks_no_more_than_asked(k_pos: int | None, k_neg: int | None) -> None:
    for choice in ("top_ranked", "random"):
        protocol = Protocol(rounds=2, k_pos=k_pos, k_neg=k_neg, choice=choice)
        setting = Experiment.of(ITEMS, TOPICS, protocol=protocol)
        result = simulate_rounds(METHODS.parse("rocchio"), setting, setting.sessions(3)).rounds
        hits = result[0].shown.hits
        wanted = hits if k_pos is None else np.minimum(hits, k_pos)
        assert np.array_equal(result[1].positives - 1, wanted)  # the query is one more
        misses = 20 - hits
        assert np.array_equal(result[1].negatives, misses if k_neg is None else np.minimum(misses, k_neg))


def test_the_latest_display_alone_is_remembered() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(rounds=3, remember="latest"))
    result = simulate_rounds(METHODS.parse("rocchio"), setting, setting.sessions(3)).rounds
    assert np.array_equal(result[3].positives, result[2].shown.hits + 1)


def test_a_user_who_errs_takes_examples_back_when_he_looks_again() -> None:
    protocols = [Protocol(rounds=3, remember=remember) for remember in ("accumulate", "deletions")]
    for user, differ in ((Noisy(0.3), True), (Consistent(), False)):
        settings = [Experiment.of(ITEMS, TOPICS, user, protocol=protocol) for protocol in protocols]
        kept, back = (
            simulate_rounds(METHODS.parse("no-feedback"), each, each.sessions(5)).rounds[-1] for each in settings
        )
        assert (back.positives.sum() < kept.positives.sum()) == differ


def test_a_start_from_elsewhere_shows_its_own_top_first() -> None:
    scores = np.random.default_rng(3).random((len(TOPICS), len(ITEMS)))
    setting = Experiment.of(ITEMS, TOPICS, start=ExternalRanking(scores), protocol=Protocol(rounds=1))
    sessions = setting.sessions(1)
    result = simulate_rounds(METHODS.parse("svm"), setting, sessions).rounds[0]
    assert np.array_equal(result.displayed, np.argsort(-scores, axis=1)[:, :20])


def test_examples_brought_along_are_in_no_residual_list() -> None:
    setting = Experiment.of(ITEMS, TOPICS, start=GivenExamples(3, 2), protocol=Protocol(rounds=0))
    result = simulate_rounds(METHODS.parse("rocchio"), setting, setting.sessions(4)).rounds[0]
    assert (result.ranks.relevant == 57).all()
    assert (result.ranks.collection == 235).all()
    assert (result.positives == 3).all()


def test_rankings_of_a_round_are_as_good_as_any_other() -> None:
    setting = Experiment.of(ITEMS, TOPICS)
    ranks = simulate_rounds(METHODS.parse("svm"), setting, setting.sessions(3)).ranks()
    assert list(ranks.queries) == sorted(ranks.queries, key=str.encode)
    assert ranks.queries[0] == "class 0/1"
    assert set(ranks.classes or ()) == set(TOPICS.names)
    assert ranks.provenance["judgements"]["complete"]


@dataclass(frozen=True)
class Fragile(Method):
    """Breaks on purpose: in one way or another with the parity of the first positive."""

    name: ClassVar[str] = "fragile"
    source: ClassVar[str] = "a test"

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Scores of a few sessions only."""
        if session.seed % 3 == 0:
            raise CannotScore("singular")
        if session.seed % 3 == 1:
            raise ValueError("a bug")
        return np.asarray(items.matrix[:, 0])


def test_a_method_that_fails_says_why_and_stops_no_other_session() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(rounds=2, scored="full"))
    sessions = setting.sessions(6)
    result = simulate_rounds(Fragile(), setting, sessions).rounds
    told = {0: "singular", 1: "ValueError: a bug", 2: ""}
    assert result[2].failed == tuple(told[seed % 3] for seed in sessions.seed.tolist())
    assert result[2].ranks.answered.tolist() == [seed % 3 == 2 for seed in sessions.seed.tolist()]
    assert (result[2].displayed[~result[2].ranks.answered] == -1).all()


def test_a_judge_in_the_loop_is_asked_by_name_and_may_take_back() -> None:
    items = Items.of([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    topics = Topics.of({"low": [1, 1, 1, 0, 0, 0]})
    judge = ScriptedJudge(Marks(("b",), ("c",)), Marks(("d",), deleted=("b",)))
    protocol = Protocol(scope=2, rounds=2)
    start = ExternalRanking(np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0]) - 10 * np.array([1, 0, 0, 0, 0, 0]))
    setting = Experiment.of(
        items, topics, start=start, protocol=protocol, marker=ByJudge(judge, topics, list("abcdef"))
    )
    result = simulate_rounds(METHODS.parse("query-point"), setting, setting.sessions(1)).rounds
    assert judge.asked[0] == ("low", ("b", "c"))
    assert judge.asked[1] == ("low", ("a", "d"))
    assert [each.positives.tolist() for each in result] == [[0], [1], [1]]  # b, then d alone


def test_a_simulated_judge_does_what_the_simulated_user_does() -> None:
    protocol = Protocol(scope=8, rounds=3)
    by_user = Experiment.of(ITEMS, TOPICS, Noisy(0.2), protocol=protocol)
    sessions = by_user.sessions(1).take(np.array([2]))
    judge = SimulatedJudge(Noisy(0.2), TOPICS, IDS, seed=int(sessions.seed[0]))
    by_judge = Experiment.of(ITEMS, TOPICS, protocol=protocol, marker=ByJudge(judge, TOPICS, IDS))
    one, other = (simulate_rounds(METHODS.parse("svm"), each, sessions).rounds[-1] for each in (by_user, by_judge))
    assert np.array_equal(one.displayed, other.displayed)


def test_pichunter_learns_from_feedback_on_digits() -> None:
    items, topics = digits(3, 5, 8)
    setting = Experiment.of(items, topics)
    result = simulate_rounds(METHODS.parse("pichunter"), setting, setting.sessions(4)).rounds
    before, after = (float(AP().of(result[number].ranks).mean()) for number in (0, 5))
    assert after > before + 0.05  # without the query in the posterior it fell to half


def test_a_session_that_failed_counts_with_what_it_had_shown() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(rounds=3))
    sessions = setting.sessions(6)
    result = simulate_rounds(Fragile(), setting, sessions).rounds
    failed = np.array([bool(reason) for reason in result[3].failed])
    assert failed.any()
    for each in result[1:]:
        assert np.array_equal(each.ranks.depth[failed], np.full(failed.sum(), 20))
        assert np.array_equal(each.ranks.hits(20)[failed], result[0].ranks.hits(20)[failed])
        assert each.ranks.answered.all()
