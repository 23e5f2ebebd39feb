"""Sessions that were kept: what stands in the file, by hand, and studies replayed from it to the digit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.results import load_results
from rankscope.feedback.study.study import KeptSessions, StudyPlan, load_sessions, study
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import USERS
from tests.feedback.cases import clusters
from tests.feedback.problems import same_numbers

ITEMS, TOPICS = clusters(items=90, classes=3)
USUAL = Protocol(scope=6, rounds=3)
NAMES = tuple(f"photo{number:02}" for number in range(90))
PARTS = np.arange(90) % 4 / 4
GRADED = Topics.graded({name: np.where(own, 1, PARTS) for name, own in zip(TOPICS.names, TOPICS.targets, strict=True)})
POOLED = replace(TOPICS, judged=TOPICS.targets | (np.arange(90) % 2 == 0))


def plan_of(
    user: str, start: str = "one_query", protocol: Protocol = USUAL, topics: Topics = TOPICS, items: Items = ITEMS
) -> StudyPlan:
    setting = Experiment.of(items, topics, USERS.parse(user), STARTS.parse(start), protocol, ids=NAMES)
    return StudyPlan.of(setting, [METHODS.parse(name) for name in ("rocchio", "svm", "pichunter")], starts=3)


CASES = {
    "noisy": ("noisy(0.2,0.1)", "mixed(one_query, random_display, examples(2, 2))", USUAL, TOPICS),
    "taken back": ("noisy(0.3)", "one_query", replace(USUAL, remember="deletions", show_seen=True), TOPICS),
    "partial": ("partial(0.5)", "random_display", replace(USUAL, k_pos=2), GRADED),
    "latest": ("lazy(0.6)", "examples(2, 1)", replace(USUAL, remember="latest", display="informative"), TOPICS),
    "pooled": ("consistent", "one_query", replace(USUAL, scored="split"), POOLED),
}


@pytest.mark.parametrize("case", CASES)
def test_a_study_is_replayed_to_the_digit_without_its_users(case: str, tmp_path: Path) -> None:
    user, start, protocol, topics = CASES[case]
    plan = plan_of(user, start, protocol, topics)
    made = study(plan, on="home", keep_sessions=tmp_path / "kept.parquet")
    assert same_numbers(made, study(plan, on="home"))  # and keeping them changes nothing
    kept = load_sessions(tmp_path / "kept.parquet")
    assert kept.about["user"] == str(USERS.parse(user))
    other = plan_of("noisy(1,1)", start, protocol, topics)  # who marks everything wrongly, and is not asked
    again = study(other.replaying(kept), on="home")
    assert same_numbers(made, again)
    assert again.about == made.about
    if case == "taken back":
        assert kept.frame["taken back"].list.len().sum() > 0


def test_what_is_kept_by_hand(tmp_path: Path) -> None:
    plan = plan_of("consistent", "mixed(one_query, examples(2, 1))")
    made = study(plan, result=tmp_path / "study.parquet", on="home", keep_sessions=tmp_path / "kept.parquet")
    frame = load_sessions(tmp_path / "kept.parquet").frame
    assert frame.columns == [
        *("method", "topic", "assessor", "start", "seed", "round", "query"),
        *("given", "shown", "taken back", "given marks", "marks", "worth"),
    ]
    assert frame.height == made.frame.height == load_results(tmp_path / "study.parquet").frame.height
    assert "shown" not in made.frame.columns
    relevant = {
        name: {NAMES[item] for item in np.flatnonzero(own)}
        for name, own in zip(TOPICS.names, TOPICS.targets, strict=True)
    }
    seen: set[str] = set()
    for row, found in zip(frame.iter_rows(named=True), made.frame["cumulative recall"].to_list(), strict=True):
        own = relevant[row["topic"]]
        begun = {*row["given"], *([row["query"]] if row["query"] else [])}
        assert (row["query"] is None) == (row["start"] == 2)
        assert row["given marks"] == [1 if item in own else -1 for item in row["given"]]
        seen = set(row["shown"]) | (seen if row["round"] else set())
        assert found == pytest.approx(len(seen & own) / len(own - begun))
        last = row["round"] == 3
        assert row["marks"] == ([] if last else [1 if item in own else -1 for item in row["shown"]])


def test_what_was_changed_or_belongs_elsewhere_is_not_replayed(tmp_path: Path) -> None:
    plan = plan_of("consistent")
    study(plan, on="home", keep_sessions=tmp_path / "kept.parquet")
    kept = load_sessions(tmp_path / "kept.parquet")
    turned = pl.when((pl.col("round") == 0) & (pl.col("start") == 2)).then(pl.col("marks").list.eval(-pl.element()))
    changed = KeptSessions(kept.frame.with_columns(turned.otherwise(pl.col("marks")).alias("marks")), kept.about)
    with pytest.raises(InputError, match=r"class 0/2, round 1: another display is shown"):
        study(plan.replaying(changed), on="home")
    elsewhere = plan_of("consistent", items=Items.of(ITEMS.matrix + 1), protocol=Protocol(scope=7, rounds=3))
    with pytest.raises(InputError) as told:
        elsewhere.replaying(kept)
    assert "features: kept with" in str(told.value)
    assert "protocol: kept with" in str(told.value)
    more = replace(plan, methods=(*plan.methods, METHODS.parse("parzen")))
    with pytest.raises(InputError, match="method parzen is not among those kept"):
        more.replaying(kept)
    study(plan, result=tmp_path / "study.parquet", on="home")
    with pytest.raises(InputError, match="no file of sessions"):
        load_sessions(tmp_path / "study.parquet")


def test_from_the_command_line(tmp_path: Path) -> None:
    matrix, labels = ITEMS.matrix, np.array(TOPICS.names)[TOPICS.targets.argmax(axis=0)]
    np.savez(tmp_path / "own.npz", features=matrix, labels=labels, ids=np.array(NAMES))
    said = ["feedback", str(tmp_path / "own.npz"), "--methods", "rocchio", "--starts", "2", "--rounds", "2", "--quiet"]
    kept, made, again = (tmp_path / f"{name}.parquet" for name in ("kept", "made", "again"))
    first = [*said, "--user", "noisy(0.2)", "--keep-sessions", str(kept), "-o", str(made)]
    assert CliRunner().invoke(cli, first).exit_code == 0
    assert CliRunner().invoke(cli, [*said, "--replay", str(kept), "-o", str(again)]).exit_code == 0
    assert same_numbers(load_results(made), load_results(again))
    assert load_results(again).about["user"] == "noisy(0.2,0.2)"
    wrong = CliRunner().invoke(cli, [*said, "--scope", "5", "--replay", str(kept), "-o", str(tmp_path / "x.parquet")])
    assert isinstance(wrong.exception, InputError)  # the program ends with 2
    assert "protocol: kept with" in str(wrong.exception)
