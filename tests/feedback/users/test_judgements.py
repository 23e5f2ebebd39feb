"""Topics from judgements: gains from grades, several assessors, and what nobody has judged."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.findings import study_text
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.starts import ExternalRanking
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import USERS

IDS = [f"i{number}" for number in range(12)]
LINE = Items.of(np.arange(12.0)[:, None])
QRELS = {"low": {"i0": 2, "i1": 2, "i2": 1, "i3": 0, "i5": 0}}


def test_a_grade_below_the_fully_relevant_one_is_worth_its_share() -> None:
    topics = Topics.from_assessors({"": QRELS}, IDS, rel=2)
    assert topics.targets[0].nonzero()[0].tolist() == [0, 1]
    gains = topics.given_gains
    assert gains is not None
    assert gains[0, :4].tolist() == [1.0, 1.0, 0.5, 0.0]
    judged = topics.judged
    assert judged is not None
    assert judged[0].nonzero()[0].tolist() == [0, 1, 2, 3, 5]


def test_a_partial_user_picks_by_these_gains() -> None:
    topics = Topics.from_assessors({"": QRELS}, IDS, rel=2)
    for user, positives in (("consistent", 2), ("partial(0.4)", 3)):
        setting = Experiment.of(
            LINE,
            topics,
            USERS.parse(user),
            ExternalRanking(-np.arange(12.0)),
            Protocol(rounds=1, scope=4),
        )
        done = simulate_rounds(METHODS.parse("query-point"), setting, setting.sessions(1))
        assert done.rounds[1].positives.tolist() == [positives]


@pytest.mark.parametrize(("unjudged", "negatives"), [("silent", 2), ("irrelevant", 3)])
def test_of_what_nobody_has_judged_users_say_nothing_or_no(unjudged: str, negatives: int) -> None:
    """The first six places show i0 to i5: three relevant, i3 and i5 irrelevant, and i4 not judged."""
    protocol = Protocol(rounds=1, scope=6, unjudged=unjudged)  # type: ignore[arg-type]
    topics = Topics.from_assessors({"": QRELS}, IDS)
    setting = Experiment.of(LINE, topics, None, ExternalRanking(-np.arange(12.0)), protocol)
    done = simulate_rounds(METHODS.parse("query-point"), setting, setting.sessions(1))
    assert done.rounds[0].unjudged.tolist() == [1]
    assert done.rounds[1].negatives.tolist() == [negatives]
    assert done.rounds[1].unjudged.tolist() == [6]  # i6 to i11


def test_a_study_tells_the_unjudged_share_of_its_displays() -> None:
    topics = Topics.from_assessors({"": QRELS}, IDS)
    setting = Experiment.of(LINE, topics, None, ExternalRanking(-np.arange(12.0)), Protocol(rounds=1, scope=6))
    results = study(StudyPlan.of(setting, [METHODS.parse("query-point")], starts=1), on="home")
    rows = {row["method"]: row for row in results.unjudged_rows()}
    assert rows["query-point"]["round 0"] == pytest.approx(1 / 6)
    assert "nobody has judged: users said nothing of them" in study_text(results)
    complete = Experiment.of(LINE, Topics.from_qrels(QRELS, IDS), None, None, Protocol(rounds=1, scope=6))
    whole = study(StudyPlan.of(complete, [METHODS.parse("query-point")], starts=1), on="home")
    assert whole.unjudged_rows() == []
    assert "nobody has judged" not in study_text(whole)


def test_every_assessor_has_a_row_and_topics_stand_together() -> None:
    two = {"ann": QRELS, "ben": {"low": {"i0": 1, "i4": 1}, "high": {"i10": 1, "i11": 1}}}
    topics = Topics.from_assessors(two, IDS)
    assert topics.labels == ("low by ann", "low by ben", "high by ben")
    assert topics.named(["high"]).labels == ("high by ben",)
    with pytest.raises(SettingError, match=r"no topic 'hihg' .did you mean 'high'"):
        topics.named(["hihg"])


def test_a_keyword_run_is_the_first_display() -> None:
    topics = Topics.from_qrels(QRELS, IDS)
    run = {"low": {"i7": 3.0, "i2": 9.0, "elsewhere": 10.0, "i9": 3.0}}
    start = ExternalRanking.from_run(run, topics, IDS)
    setting = Experiment.of(LINE, topics, None, start, Protocol(rounds=0, scope=5))
    done = simulate_rounds(METHODS.parse("query-point"), setting, setting.sessions(1))
    assert done.rounds[0].displayed[0].tolist() == [2, 7, 9, 0, 1]  # as the run has them, then the rest in order


def test_a_run_that_knows_no_topic_is_refused() -> None:
    with pytest.raises(SettingError, match="ranks nothing for 'low'; its queries: hgih"):
        ExternalRanking.from_run({"hgih": {"i1": 1.0}}, Topics.from_qrels(QRELS, IDS), IDS)


def test_judgements_that_name_relevant_items_only_are_complete() -> None:
    assert Topics.from_assessors({"": {"low": {"i0": 2, "i1": 1}}}, IDS).judged is None
    assert Topics.from_assessors({"": {"low": {"i0": 2, "i1": 1, "i5": 0}}}, IDS).judged is not None
