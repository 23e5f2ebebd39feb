"""Scores of users: made with known errors, which the interval must hold; by hand; and from what lies in a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankscope import score_user as from_file
from rankscope.analysis.statistics.proportions import binomial_limits, clustered_share
from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.users.user_score import (
    ErrorRates,
    PeopleMarks,
    PersonMark,
    read_rates,
    score_assessor,
    score_user,
    user_score_text,
)
from rankscope.feedback.users.users import USERS

QUERIES, ITEMS = 25, 30


def truth(seed: int, grades: tuple[int, ...] = (0, 1)) -> list[PersonMark]:
    chance = np.random.default_rng(seed)
    drawn = chance.choice(grades, (QUERIES, ITEMS))
    return [
        PersonMark(f"q{query}", f"i{item}", "ann", float(drawn[query, item]))
        for query in range(QUERIES)
        for item in range(ITEMS)
    ]


def test_known_error_rates_of_a_user_are_recovered() -> None:
    """Each interval holds its rate in 95 of 100 cases: of 20 at least 17 do (fewer has a chance of .016)."""
    user, held = USERS.parse("noisy(0.2,0.05)"), []
    for seed in range(20):
        made = score_user(user, PeopleMarks.of(truth(seed)), seed=seed)
        assert made.same is not None
        right = made.miss.count, made.alarm.count
        again = (right[0] * (0.2**2 + 0.8**2) + right[1] * (0.05**2 + 0.95**2)) / sum(right)
        pairs = ((made.miss, 0.2), (made.alarm, 0.05), (made.same, again))
        held.append([share.low <= rate <= share.high for share, rate in pairs])
        assert made.silent_relevant.found == made.silent_irrelevant.found == 0
    assert min(np.sum(held, axis=0)) >= 17


def test_somebody_in_a_journal_made_with_errors_is_recovered(tmp_path: Path) -> None:
    """Ann is right, Ben errs on .25 of the relevant and .1 of the others; Ann is asked some things twice."""
    chance = np.random.default_rng(3)
    path = _journal(tmp_path, truth(3), chance)
    made = from_file(path, assessor="Ben")
    assert made.miss.low <= 0.25 <= made.miss.high
    assert made.alarm.low <= 0.1 <= made.alarm.high
    assert made.people_same is not None
    assert made.people_same.share == 1.0
    assert made.people_agree is None  # next to Ben there is Ann alone
    assert made.differing == 0
    seen = from_file(path, "consistent")
    assert seen.people_agree is not None
    assert seen.people_agree.count == QUERIES * ITEMS
    assert seen.differing == made.miss.found + made.alarm.found  # on these Ann and Ben differ
    assert seen.pairs == QUERIES * ITEMS - seen.differing
    assert seen.miss.found == seen.alarm.found == 0


def _journal(folder: Path, marks: list[PersonMark], chance: np.random.Generator) -> Path:
    events = []
    for number, each in enumerate(marks):
        right = bool(each.grade)
        wrong = chance.random() < (0.25 if right else 0.1)
        events += [_event(f"a{number}", "Ann", each, right), _event(f"b{number}", "Ben", each, right ^ wrong)]
        if number < 50:
            events.append(_event(f"r{number}", "Ann", each, right, {"repeat": True}))
    events += [_event("slip", "Ann", marks[0], not marks[0].grade), _undo("back", "Ann", "slip")]
    lines = [{"format": "rankscope journal", "version": 1, "digest": "", "events": len(events)}]
    lines += [{"assessor": {"name": name, "kind": "person", "role": "judge"}} for name in ("Ann", "Ben")]
    lines += [{"query": {"id": "q0", "text": "red things", "narrative": "", "example": None, "class": None}}]
    path = folder / "journal.jsonl"
    text = [json.dumps(each, separators=(",", ":")) for each in (*lines, *({"event": each} for each in events))]
    path.write_text("\n".join(text) + "\n")
    return path


def _event(key: str, who: str, mark: PersonMark, right: bool, detail: object = None) -> dict[str, object]:
    plain = {"at_us": 1, "assessor": who, "key": key, "kind": "grade", "query": mark.query, "item": mark.item}
    return {**plain, "grade": int(right), "ms": 5, "of": None, "detail": detail, "pool": None, "guideline": None}


def _undo(key: str, who: str, of: str) -> dict[str, object]:
    nothing = dict.fromkeys(("query", "item", "grade", "ms", "detail", "pool", "guideline"))
    return {"at_us": 2, "assessor": who, "key": key, "kind": "undo", "of": of, **nothing}


def test_the_bar_is_made_by_others_than_the_one_who_is_scored() -> None:
    """Of four pairs Ann and Ben differ on c, Cy on d with both: to score Cy one pair is left out, not two.

    Cy was asked a and b again and changed his mind on b; Ann a, and did not.
    """
    said = {"a": "111", "b": "111", "c": "101", "d": "110"}
    who = ("ann", "ben", "cy")
    marks = [
        PersonMark("q", item, name, float(grade))
        for item, own in said.items()
        for name, grade in zip(who, own, strict=True)
    ]
    again = [("a", "cy", 1.0), ("b", "cy", 0.0), ("a", "ann", 1.0)]
    people = PeopleMarks.of([*marks, *(PersonMark("q", *each, again=True) for each in again)])
    made = score_assessor(people, "cy")
    assert (made.pairs, made.differing) == (3, 1)
    assert (made.miss.found, made.miss.count) == (1, 3)
    assert made.people_agree is not None
    assert (made.people_agree.found, made.people_agree.count) == (3, 4)  # Ann and Ben
    assert made.people_same is not None
    assert (made.people_same.found, made.people_same.count) == (1, 1)  # Ann
    assert made.same is not None
    assert (made.same.found, made.same.count) == (1, 2)
    text = user_score_text(made)
    assert "left out: 1 pair on which the others differ" in text
    assert "others: two say the same" in text
    assert "cy: the same at a second look" in text
    whole = score_user(USERS.parse("consistent"), people)
    assert whole.differing == 2
    assert whole.people_agree is not None
    assert (whole.people_agree.found, whole.people_agree.count) == (8, 12)
    assert "left out: 2 pairs on which people differ" in user_score_text(whole)


def test_partial_relevance_is_what_is_picked_of_each_grade() -> None:
    people = PeopleMarks.of(truth(0, (0, 1, 2)), rel=2)
    made = score_user(USERS.parse("partial(0.5)"), people)
    assert [(grade, share.share) for grade, share in made.picked] == [(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)]
    assert made.alarm.found == made.picked[1][1].count  # half relevant items are irrelevant by the grade that counts
    strict = score_user(USERS.parse("partial(1)"), people)
    assert [share.share for _, share in strict.picked] == [0.0, 0.0, 1.0]
    assert strict.silent_irrelevant.found == strict.picked[1][1].count


def test_the_interval_by_hand() -> None:
    """Two clusters, 3 of 4 and 1 of 4: p = .5, v = 2 (1 + 1) / 64 = 1/16, plain 1/32: effect 2, 4 cases."""
    from scipy import stats

    made = clustered_share(np.array([True, True, True, False, True, False, False, False]), np.repeat([0, 1], 4))
    few = (stats.t.ppf(0.975, 7) / stats.t.ppf(0.975, 1)) ** 2
    assert made.effective == pytest.approx(4 * few, rel=1e-12)
    x, n = 2 * few, 4 * few
    assert made.low == pytest.approx(stats.beta.ppf(0.025, x, n - x + 1), rel=1e-9)
    assert made.high == pytest.approx(stats.beta.ppf(0.975, x + 1, n - x), rel=1e-9)


def test_without_clusters_it_is_clopper_and_pearson() -> None:
    from scipy.stats import binomtest

    made = clustered_share(np.arange(40) < 7, np.zeros(40, np.int64))
    other = binomtest(7, 40).proportion_ci(method="exact")
    assert (made.low, made.high) == pytest.approx((other.low, other.high), rel=1e-9)
    assert binomial_limits(0, 10, 0.025)[0] == 0.0
    assert binomial_limits(10, 10, 0.025)[1] == 1.0


def test_marks_that_err_together_count_less() -> None:
    alone = clustered_share(np.tile([True, False], 20), np.arange(40))
    together = clustered_share(np.repeat([True, False] * 5, 4), np.repeat(np.arange(10), 4))
    assert together.high - together.low > alone.high - alone.low
    assert together.effective < 10.5


def test_rates_are_drawn_as_far_apart_as_the_score_leaves_open() -> None:
    rates = ErrorRates("u", {"miss": (0.2, 50.0), "alarm": (0.0, 400.0)})
    chance = np.random.default_rng(0)
    drawn = [rates.draw(chance) for _ in range(4000)]
    miss = np.array([each["miss"] for each in drawn])
    assert miss.mean() == pytest.approx(10.5 / 51, abs=0.003)
    assert miss.std() == pytest.approx((10.5 * 40.5 / (51**2 * 52)) ** 0.5, rel=0.05)
    assert 0 < max(each["alarm"] for each in drawn) < 0.03


def test_a_score_file_is_checked(tmp_path: Path) -> None:
    made = score_user(USERS.parse("noisy(0.2)"), PeopleMarks.of(truth(0)))
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(made.json()))
    assert read_rates(good).shares["miss"] == (made.miss.share, made.miss.effective)
    bad.write_text('{"format": "other"}')
    with pytest.raises(InputError, match="no score of a user"):
        read_rates(bad)


def test_what_cannot_be_scored_is_said(tmp_path: Path) -> None:
    people = PeopleMarks.of([PersonMark("q", "a", "ann", 1), PersonMark("q", "a", "ben", 0)])
    with pytest.raises(SettingError, match="agree on nothing"):
        score_user(USERS.parse("consistent"), people)
    with pytest.raises(SettingError, match="nobody called 'cat'"):
        score_assessor(people, "cat")
    with pytest.raises(SettingError, match="one of the two"):
        from_file(tmp_path / "x", None)
