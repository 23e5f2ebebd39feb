"""The history of a gate: a line whole or not at all, damaged lines named, and the numbers of the gate itself."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankscope
from rankscope.analysis.comparison.gate import gate
from rankscope.analysis.comparison.gate_history import (
    BuildRecord,
    GateHistory,
    append_record,
    check_tile,
    next_date,
    parse_history,
    read_history,
    record_of,
)
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import append_line
from rankscope.reports.page.result_pages import render_history

WRITER = """
import sys
from rankscope.core.files import append_line
from rankscope.reports.page.result_pages import render_history as render
for number in range(int(sys.argv[3])):
    append_line(sys.argv[1], sys.argv[2] * 5000 + f" {number}")
"""


def record(build: str = "1", date: str = "2026-11-03", loss: float = 0.0) -> BuildRecord:
    chance = np.random.default_rng(5)
    old = chance.uniform(0.2, 0.8, 40)
    table = ScoreTable.make({"old": old, "new": old - loss + chance.normal(0, 0.01, 40)}, measure="nDCG@10")
    return record_of(gate(table, min_effect=0.01), [table], build, date)


# the numbers


def test_a_clock_that_was_set_back_reorders_no_builds(tmp_path: Path) -> None:
    path = tmp_path / "gate.jsonl"
    assert next_date(path) <= next_date(path)
    for build, date in (("1", ""), ("2", "2199-01-01"), ("3", ""), ("4", "")):  # after 2 the clock is right again
        append_record(path, record(build, date or next_date(path)))
    assert [each.build for each in read_history(path).builds] == ["1", "2", "3", "4"]


def test_a_record_holds_what_the_gate_found_and_the_interval_of_the_value() -> None:
    made = record(loss=0.1)
    chance = np.random.default_rng(5)
    old = chance.uniform(0.2, 0.8, 40)
    new = old - 0.1 + chance.normal(0, 0.01, 40)
    (check,) = made.checks
    assert check.value == pytest.approx(new.mean())
    assert check.change == pytest.approx((new - old).mean())
    interval = mean_intervals(new[:, None])
    assert (check.value_low, check.value_high) == (interval.low[0], interval.high[0])
    assert (check.verdict, made.verdict, made.rule) == ("fail", "fail", "mean")
    assert check.moved == -1
    assert made.reason.startswith("fail: nDCG@10 changed by ")


def test_classes_have_records_of_their_own() -> None:
    values = np.linspace(0.1, 0.9, 24)
    gains = 0.05 + 0.001 * np.cos(np.arange(24))
    table = ScoreTable.make({"old": values, "new": values + gains}, classes=["x", "y"] * 12)
    made = record_of(gate(table, by_class=True), [table], "1", "2026-11-03")
    assert [each.name for each in made.checks] == ["AP", "AP of x", "AP of y"]
    assert made.checks[1].value == pytest.approx((values + gains)[::2].mean())
    assert [each.moved for each in made.checks] == [1, 1, 1]


def test_a_line_read_is_the_record_written(tmp_path: Path) -> None:
    made = record(build='7 "quoted" \u2028 ü')
    append_record(tmp_path / "h.jsonl", made)
    assert read_history(tmp_path / "h.jsonl").builds == (made,)
    assert json.loads((tmp_path / "h.jsonl").read_text(encoding="utf-8"))["verdict"] == "pass"


def test_limits_without_end_come_back_as_they_were() -> None:
    from dataclasses import replace

    made = record()
    endless = replace(made, checks=(replace(made.checks[0], low=-math.inf, high=math.inf, value_low=math.nan),))
    (check,) = parse_history(endless.line().encode()).builds[0].checks
    assert (check.low, check.high) == (-math.inf, math.inf)
    assert math.isnan(check.value_low)


def test_a_build_in_which_no_query_changed_has_no_limits() -> None:
    from dataclasses import replace

    made = record()
    same = replace(made.checks[0], change=0.0, low=math.nan, high=math.nan)
    (check,) = parse_history(replace(made, checks=(same,)).line().encode()).builds[0].checks
    assert math.isnan(check.low)
    assert math.isnan(check.high)
    assert check.moved == same.moved == 0
    assert check_tile(check)["change"] == "no query changed"


OLD = (  # as version 1 wrote it: changes turned so that more is better, and pass where no loss was shown
    '{"format": "rankscope.gate-history", "version": 1, "build": "%s", "date": "2026-11-03", "verdict": "%s", '
    '"baseline": "old", "candidate": "new", "reason": "%s changed by -.082 for the better", '
    '"checks": [{"measure": "%s", "class": null, '
    '"value": 0.562, "value_low": 0.5, "value_high": 0.6, "baseline": 0.48, "change": %s, "low": %s, "high": %s, '
    '"level": 0.95, "min_effect": 0.01, "queries": 50, "verdict": "%s", "lower_is_better": %s}]}'
)


@pytest.mark.parametrize(
    ("old", "change", "limits", "verdict", "moved"),
    [
        (("NMRR", -0.082, -0.1, -0.05, "fail", "true"), 0.082, (0.05, 0.1), "fail", -1),
        (("NMRR", 0.082, 0.05, "null", "pass", "true"), -0.082, (-math.inf, -0.05), "pass", 1),
        (("NMRR", 0.0, -0.02, 0.02, "pass", "true"), 0.0, (-0.02, 0.02), "undecided", 0),
        (("AP", 0.082, 0.05, 0.1, "pass", "false"), 0.082, (0.05, 0.1), "pass", 1),
        (("AP", -0.002, "null", 0.1, "pass", "false"), -0.002, (-math.inf, 0.1), "undecided", 0),
        (("AP", -0.082, -0.1, -0.05, "fail", "false"), -0.082, (-0.1, -0.05), "fail", -1),
    ],
)
def test_a_record_of_version_1_is_read_and_turned(
    old: tuple[object, ...], change: float, limits: tuple[float, float], verdict: str, moved: int, tmp_path: Path
) -> None:
    measure, *numbers, said, lower = old
    line = OLD % ("6", said, measure, measure, *numbers, said, lower)
    (build,) = parse_history(line.encode()).builds
    (check,) = build.checks
    assert (check.change, (check.low, check.high), check.verdict, check.moved) == (change, limits, verdict, moved)
    assert (build.verdict, build.family, build.rule, check.lower_is_better) == (verdict, "", "mean", lower == "true")
    assert build.reason == ""
    assert "changed by -.082" not in render_history(GateHistory((build,)))
    (tmp_path / "h").write_text(line + "\n")
    append_record(tmp_path / "h", record("7"))
    assert [each.build for each in read_history(tmp_path / "h").builds] == ["6", "7"]
    assert parse_history(build.line().encode()).builds == (build,)


def test_a_record_has_the_family_the_rule_and_the_measures_own_signs() -> None:
    chance = np.random.default_rng(5)
    old = chance.uniform(0.2, 0.8, 40)
    new = old + 0.1 + chance.normal(0, 0.01, 40)
    tables = [
        ScoreTable.make({"old": old, "new": new}, measure="ER", lower_is_better=True),
        ScoreTable.make({"old": old, "new": new}, measure="AP"),
    ]
    made = record_of(gate(tables, min_effect=0.01, rule="beyond"), tables, "1", "2026-11-03")
    assert [(each.verdict, each.moved) for each in made.checks] == [("fail", -1), ("pass", 1)]
    assert [each.change for each in made.checks] == pytest.approx([(new - old).mean()] * 2)
    assert all(each.low < each.change < each.high for each in made.checks)
    whole = json.loads(made.line())
    assert (whole["version"], whole["verdict"], whole["rule"]) == (2, "fail", "beyond")
    assert whole["family"] == "family of 2 tests: 1 pair of systems x 2 measures, Holm"
    assert [each["better"] for each in whole["checks"]] == ["lower", "higher"]
    assert parse_history(made.line().encode()).builds == (made,)


# whole or not at all


def test_lines_of_several_writers_at_once_are_all_whole(tmp_path: Path) -> None:
    target, each = tmp_path / "h", 25
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(target), letter, str(each)]) for letter in "abcdef"]
    assert [writer.wait(60) for writer in writers] == [0] * 6
    lines = target.read_text().splitlines()
    expected = sorted(f"{letter * 5000} {number}" for letter in "abcdef" for number in range(each))
    assert sorted(lines) == expected


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "h"
    append_line(target, "first")
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:3]))
    with pytest.raises(SettingError, match=r"cannot write .*No space left"):
        append_line(target, "second")
    assert target.read_text() == "first\n"


def test_a_line_that_was_torn_off_spoils_no_other(tmp_path: Path) -> None:
    target = tmp_path / "h.jsonl"
    append_record(target, record("1"))
    with target.open("a") as file:
        file.write('{"format": "rankscope.gate-hist')
    torn = read_history(target)
    assert [str(each) for each in torn.damaged] == ["line 2: torn off: it has no end, so its writer was stopped"]
    append_record(target, record("2"))
    later = read_history(target)
    assert [each.build for each in later.builds] == ["1", "2"]
    assert [str(each) for each in later.damaged] == ["line 2: not a whole line of JSON"]


def test_a_last_line_that_only_lacks_its_end_is_a_record(tmp_path: Path) -> None:
    (tmp_path / "h").write_text(record("1").line())
    append_record(tmp_path / "h", record("2"))
    assert [each.build for each in read_history(tmp_path / "h").builds] == ["1", "2"]


def test_damaged_lines_are_named_and_the_others_count() -> None:
    other = record("3").line().replace('"version": 2', '"version": 9')
    lines = [
        record("1").line(),
        "[]",
        "not json",
        '{"format": "rankscope.gate-history", "version": 2}',
        other,
        "",
        "{}",
    ]
    history = parse_history("\n".join([*lines, record("2").line(), ""]).encode())
    assert [each.build for each in history.builds] == ["1", "2"]
    assert [each.place for each in history.damaged] == ["line 2", "line 3", "line 4", "line 5", "line 7"]
    assert "version 9; this rankscope reads versions 1 and 2" in history.damaged[3].what


def test_builds_come_by_their_dates_and_the_last_record_of_a_build_counts() -> None:
    lines = [record("2", "2026-11-03T09:00:00+02:00"), record("1", "2026-11-03T06:30:00"), record("2", "2026-11-04")]
    history = parse_history("\n".join(each.line() for each in lines).encode())
    assert [(each.build, each.date) for each in history.builds] == [("1", "2026-11-03T06:30:00"), ("2", "2026-11-04")]
    assert history.repeated == 1


# refused


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a\nb\n")
    with pytest.raises(InputError, match="line 1: not a whole line of JSON"):
        append_record(tmp_path / "notes", record())
    assert (tmp_path / "notes").read_text() == "a\nb\n"
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match="it is empty"):
        read_history(tmp_path / "empty")
    with pytest.raises(SettingError, match="cannot read"):
        read_history(tmp_path / "none")


def test_the_facade_writes_and_draws_a_history(tmp_path: Path) -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(8)}
    good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    path = tmp_path / "h.jsonl"
    for build in ("1", "2"):
        assert rankscope.gate(qrels, [good, good], history=path, build=build, date="2026-11-03").passed
    page = rankscope.report(history=path, output=tmp_path / "h.html")
    assert "Build 2 of 2026-11-03 passes the gate." in page
    assert (tmp_path / "h.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"build": "1"}, "a build and its date belong to a history"),
        ({"history": "h"}, "a history needs the name of the build"),
        ({"history": "h", "build": "1", "date": "yesterday"}, "a date is written as 2026-11-03"),
    ],
)
def test_what_no_record_can_be_made_of_is_refused(given: dict[str, str], words: str, tmp_path: Path) -> None:
    given = {name: str(tmp_path / value) if name == "history" else value for name, value in given.items()}
    with pytest.raises(SettingError, match=words):
        rankscope.gate({"q": {"a": 1}}, [{"q": {"a": 1.0}}] * 2, **given)  # type: ignore[arg-type]
    assert not (tmp_path / "h").exists()


def test_a_report_is_of_runs_or_of_a_history(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="got none of them"):
        rankscope.report()
    with pytest.raises(SettingError, match="got several of them"):
        rankscope.report({"q": {"a": 1}}, {"q": {"a": 1.0}}, history=tmp_path / "h")
