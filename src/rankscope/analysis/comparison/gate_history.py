"""The history of a gate: one line of JSON for each build, appended whole or not at all.

A record holds what the gate found and the value of each check with its interval, so that builds can be drawn in turn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import numpy as np

from rankscope.analysis.comparison.gate import GateCheck, GateResult, Outcome, RuleOfLoss, outcome_of
from rankscope.analysis.statistics.bootstrap import SHORT
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.core.files import append_line
from rankscope.core.names import in_json
from rankscope.core.wording import decimal_text, how_many, join_words, signed_text, span_text
from rankscope.measures.direction import Direction, direction_of, side_of, turned

FORMAT = "rankscope.gate-history"
VERSION = 2
TURNED = 1  # a version whose changes were turned so that more is better, and whose verdict was fail or pass
MOST_NAMED = 20  # damaged lines


@dataclass(frozen=True)
class CheckRecord:
    """One measure of one build, on all queries or a class: the candidate's mean and its change from the baseline."""

    measure: str
    label: str
    value: float
    value_low: float  # 95 % interval of the value; NaN where there is none
    value_high: float
    baseline: float
    change: float  # candidate minus baseline
    low: float  # limits of the change, each one-sided at `level`; NaN where no query changed
    high: float
    level: float
    min_effect: float
    queries: int
    verdict: Outcome
    lower_is_better: bool = False
    interval: str = ""  # which interval of the value: bounded, bca or t; nothing in older records

    @property
    def name(self) -> str:
        """The measure, and the class if it is one."""
        return f"{self.measure} of {self.label}" if self.label else self.measure

    @property
    def moved(self) -> int:
        """1 where a gain is shown, -1 where a loss is, else 0: whether a limit of the change excludes 0."""
        _, low, high = turned(self.change, self.low, self.high, self.lower_is_better)
        return 1 if low > 0 else -1 if high < 0 else 0


@dataclass(frozen=True)
class BuildRecord:
    """One build: when it was checked, against what, and what was found."""

    build: str
    date: str  # ISO 8601
    baseline: str
    candidate: str
    reason: str  # "" where an old record tells it with turned signs
    checks: tuple[CheckRecord, ...]
    family: str = ""  # of all checks together; "" where an old record does not say
    rule: RuleOfLoss = "mean"

    @property
    def verdict(self) -> Outcome:
        """Fail where a check fails, pass where all pass."""
        return outcome_of([check.verdict for check in self.checks])

    @property
    def day(self) -> str:
        """The date without the time of day."""
        return self.date[:10]

    def line(self) -> str:
        """The record as one line of JSON; what is undefined or infinite is null."""
        whole = {
            "format": FORMAT,
            "version": VERSION,
            "build": self.build,
            "date": self.date,
            "verdict": self.verdict,
            "rule": self.rule,
            "family": self.family,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "reason": self.reason,
            "checks": [_row(check) for check in self.checks],
        }
        return in_json(json.dumps(whole, ensure_ascii=False, allow_nan=False))


NUMBERS = ("value", "value_low", "value_high", "baseline", "change", "low", "high", "level", "min_effect")


def _row(check: CheckRecord) -> dict[str, object]:
    numbers = {name: float(getattr(check, name)) for name in NUMBERS}
    if math.isnan(check.low):
        numbers |= {"low": check.change, "high": check.change}
    return {
        "measure": check.measure,
        "class": check.label or None,
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        "queries": check.queries,
        "verdict": check.verdict,
        "better": direction_of(check.lower_is_better),
        **({"interval": check.interval} if check.interval else {}),
    }


@dataclass(frozen=True)
class GateHistory:
    """The builds from the first to the last, and lines that could not be read, with their numbers."""

    builds: tuple[BuildRecord, ...]
    damaged: tuple[Problem, ...] = ()
    repeated: int = 0  # earlier records of a build that was checked again

    def checks(self, name: str) -> list[tuple[int, CheckRecord]]:
        """One check in the builds that have it, with the number of the build."""
        return [
            (place, check) for place, build in enumerate(self.builds) for check in build.checks if check.name == name
        ]

    @property
    def names(self) -> tuple[str, ...]:
        """Every check of any build, those of the last build first."""
        return tuple(dict.fromkeys(check.name for build in reversed(self.builds) for check in build.checks))


def record_of(
    result: GateResult, tables: Sequence[ScoreTable], build: str, date: str = "", clusters: bool = False
) -> BuildRecord:
    """What the gate found on these tables, one a measure; the date is now unless it is given."""
    if not build.strip():
        raise SettingError("a record of the history needs a name of the build, which is empty")
    by_measure = {table.measure: table for table in tables}
    return BuildRecord(
        build=build,
        date=check_date(date),
        baseline=result.baseline,
        candidate=result.candidate,
        reason=result.sentence,
        checks=tuple(_check_record(check, by_measure[check.measure], clusters, result.seed) for check in result.checks),
        family=str(result.family),
        rule=result.rule,
    )


def _check_record(check: GateCheck, table: ScoreTable, clusters: bool, seed: int) -> CheckRecord:
    """A check with the interval of the candidate's mean, on the queries that both systems have."""
    both = (table.where(check.label) if check.label else table).complete()
    means = mean_intervals(both.values[:, 1:2], both.labels if clusters else None, seed=seed, bounds=both.bounds)
    return CheckRecord(
        measure=check.measure,
        label=check.label,
        value=check.candidate,
        value_low=float(means.low[0]),
        value_high=float(means.high[0]),
        baseline=check.baseline,
        change=check.change,
        low=check.low,
        high=check.high,
        level=check.level,
        min_effect=check.min_effect,
        queries=check.queries,
        verdict=check.verdict,
        lower_is_better=check.lower_is_better,
        interval=means.ways[0],
    )


def check_date(text: str) -> str:
    """A date or a moment as ISO 8601 has it, as it is; the present moment where nothing is given."""
    if not text:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise SettingError(f"a date is written as 2026-11-03 or 2026-11-03T10:15:00+01:00, got '{text}'") from None
    return text


def next_date(path: str | Path) -> str:
    """The present moment, or that of the last build where the clock was set back since, so that order is kept."""
    now, place = check_date(""), Path(path)
    builds = read_history(place).builds if place.exists() and place.stat().st_size else ()
    return max([now, *(each.date for each in builds[-1:])], key=_moment)


def append_record(path: str | Path, record: BuildRecord) -> None:
    """Append a record, whole or not at all; a file that is something else is refused."""
    place = Path(path)
    if place.exists() and place.stat().st_size:
        read_history(place)
    append_line(place, record.line())


def read_history(path: str | Path) -> GateHistory:
    """The history in a file; damaged lines are told by their numbers, and a file without any record is an error."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SettingError(f"cannot read {path}: {error.strerror}") from None
    history = parse_history(data)
    if not history.builds:
        problems = history.damaged[:MOST_NAMED] or (Problem("", "it is empty"),)
        advice = "A history is written by rankscope gate --history FILE --build ID."
        raise InputError.of(str(path), problems, advice, total=len(history.damaged))
    return history


def parse_history(data: bytes) -> GateHistory:
    """Records by their dates; of a build that was checked again the last one counts.

    A last line without an end was torn off, unless it is whole by itself.
    """
    records: dict[str, BuildRecord] = {}
    damaged, count = [], 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _parsed(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            torn = number == len(lines)
            damaged.append(Problem(f"line {number}", _why(error, torn)))
            continue
        count += 1
        records.pop(record.build, None)
        records[record.build] = record
    ordered = sorted(records.values(), key=lambda each: _moment(each.date))
    return GateHistory(tuple(ordered), tuple(damaged), count - len(records))


def _why(error: Exception, torn: bool) -> str:
    if torn:
        return "torn off: it has no end, so its writer was stopped"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "not a whole line of JSON"
    return f"not a record of a gate: {error.args[0] if error.args else error}"


def _moment(date: str) -> datetime:
    """When it was; a date without a zone is taken for UTC."""
    moment = datetime.fromisoformat(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parsed(line: bytes) -> BuildRecord:
    whole = json.loads(line)
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    version = whole["version"]
    if version not in (TURNED, VERSION):
        raise ValueError(f"version {version}; this rankscope reads versions {TURNED} and {VERSION}")
    _moment(whole["date"])
    texts: dict[str, Any] = {
        name: _text(whole[name], name) for name in ("build", "date", "baseline", "candidate", "reason")
    }
    rows = whole["checks"]
    if not isinstance(rows, list) or not rows:
        raise TypeError("it has no checks")
    if version == TURNED:
        return BuildRecord(**texts | {"reason": ""}, checks=tuple(map(_parsed_turned, rows)))
    family, rule = _text(whole["family"], "family"), _one_of(whole["rule"], get_args(RuleOfLoss))
    return BuildRecord(**texts, family=family, rule=rule, checks=tuple(map(_parsed_check, rows)))


def _parsed_turned(row: dict[str, Any]) -> CheckRecord:
    """A check of an old record: its change is turned back, and what passed without proof is undecided."""
    known = _parsed_check({**row, "better": direction_of(bool(row["lower_is_better"]))})
    change, low, high = turned(known.change, known.low, known.high, known.lower_is_better)
    verdict: Outcome = "undecided" if known.verdict == "pass" and known.low < -known.min_effect else known.verdict
    return replace(known, change=change, low=low, high=high, verdict=verdict)


def _parsed_check(row: dict[str, Any]) -> CheckRecord:
    numbers = {name: float(math.nan if row[name] is None else row[name]) for name in NUMBERS}
    low = -math.inf if row["low"] is None else numbers["low"]
    high = math.inf if row["high"] is None else numbers["high"]
    if low == high:  # no query changed
        low = high = math.nan
    if not np.isfinite([numbers["value"], numbers["change"]]).all():
        raise ValueError("a check without a value")
    return CheckRecord(
        measure=_text(row["measure"], "measure"),
        label=row["class"] or "",
        queries=int(row["queries"]),
        verdict=_one_of(row["verdict"], get_args(Outcome)),
        lower_is_better=_one_of(row["better"], get_args(Direction)) == "lower",
        interval=_one_of(row.get("interval", ""), ("", *SHORT)),
        **numbers | {"low": low, "high": high},
    )


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is not a text")
    return value


def _one_of(value: object, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(f"'{value}' is none of {', '.join(known)}")
    return value


# The history of a gate in words: the last build, how many passed, and which check moved when.

NAMED = 4  # builds of one kind that a sentence names
SAID = {"pass": "passes the gate", "fail": "fails the gate", "undecided": "is undecided by the gate"}


def history_headline(history: GateHistory) -> str:
    last = history.builds[-1]
    return f"Build {last.build} of {last.day} {SAID[last.verdict]}."


def history_sentences(history: GateHistory) -> list[str]:
    """How many builds passed, then each check of the last build: how far it went, and where it moved."""
    return [builds_sentence(history), *(check_sentence(history, name) for name in history.names)]


def builds_sentence(history: GateHistory) -> str:
    """How many builds failed, the last ones by name."""
    builds = history.builds
    failed, passed, open_ = (
        [each for each in builds if each.verdict == what] for what in ("fail", "pass", "undecided")
    )
    days = sorted(each.day for each in builds)
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    count = f"{len(builds):,} build{'' if len(builds) == 1 else 's'} {when}"
    if len(builds) == 1:
        return f"{count}."
    if len(passed) == len(builds):
        return f"{count}: all passed."
    undecided = f", {len(open_):,} undecided" if open_ else ""
    named = ("the last of them " if len(failed) > NAMED else "") + join_words([each.build for each in failed[-NAMED:]])
    lost = f"{len(failed):,} failed ({named})" if failed else "none failed"
    return f"{count}: {len(passed):,} passed{undecided}, {lost}."


def check_sentence(history: GateHistory, name: str) -> str:
    """From the first value to the last, and the builds at which a gain or a loss is shown."""
    found = history.checks(name)
    last = found[-1][1]
    if len(found) == 1:
        return f"{name} is {_value(last)}; {_changed(last)} against its baseline."
    first, build = found[0][1], history.builds[found[0][0]].build
    start = f"{name} went from {_value(first)} at build {build} to {_value(last)} at build {_build(history, found[-1])}"
    gains, losses = ([each for each in found if each[1].moved == side] for side in (1, -1))
    if not gains and not losses:
        return f"{start}; at none of {how_many(len(found), 'builds')} is a change from the baseline shown."
    parts = []
    for word, moves in (("a gain", gains), ("a loss", losses)):
        shown = join_words([f"{_build(history, each)} ({_with_side(each[1])})" for each in moves[-NAMED:]])
        count = f"{how_many(len(moves), 'builds')}, lately " if len(moves) > NAMED else ""
        parts += [f"{word} at {count}{shown}"] if moves else []
    return f"{start}; against the baseline of the time it shows {join_words(parts)}."


def _build(history: GateHistory, found: tuple[int, CheckRecord]) -> str:
    return history.builds[found[0]].build


def _value(check: CheckRecord) -> str:
    return f"{decimal_text(check.value)}{span_text(check.value_low, check.value_high)}"


def _changed(check: CheckRecord) -> str:
    if math.isnan(check.low):
        return "no query changed"
    limits = [signed_text(each) if math.isfinite(each) else "unbounded" for each in (check.low, check.high)]
    return f"it changed by {_with_side(check)} [{limits[0]}, {limits[1]}]"


def _with_side(check: CheckRecord) -> str:
    """The change, and in a word whether it is for the better or the worse."""
    text = signed_text(check.change)
    return f"{text}, {side_of(check.change, check.lower_is_better)}" if text != signed_text(0.0) else text


def chance_note(history: GateHistory) -> str:
    """How many moves chance alone would show: each limit is one-sided, and a build is tested by itself."""
    every = [check for build in history.builds for check in build.checks]
    expected = sum(2 * (1 - check.level) for check in every)
    moved = sum(check.moved != 0 for check in every)
    return (
        f"Each build is tested by itself: if nothing had ever changed, about {expected:.1f} of these {len(every):,} "
        f"checks would show a gain or a loss by chance; {moved:,} do. Whether intervals of two builds overlap decides "
        "nothing."
    )


def history_warnings(history: GateHistory) -> list[str]:
    """Lines that could not be read, and builds that were checked again."""
    said = [f"{problem.place}: {problem.what}" for problem in history.damaged]
    if history.repeated:
        said.append(
            f"{history.repeated:,} earlier record{'' if history.repeated == 1 else 's'} of builds that were checked "
            "again: the last one of each counts"
        )
    return said


def check_tile(check: CheckRecord) -> dict[str, str]:
    """What a tile of the last build says of one check."""
    return {
        "name": check.name,
        "value": decimal_text(check.value),
        "interval": "" if math.isnan(check.value_low) else _value(check).partition(" ")[2],
        "change": _changed(check),
        "verdict": check.verdict,
        "moved": {1: "a significant gain", -1: "a significant loss", 0: "no significant change"}[check.moved],
    }


def history_rows(history: GateHistory) -> list[dict[str, object]]:
    """One row for each build, the last first: its verdict, and of each check the value and the change."""
    rows = []
    for build in reversed(history.builds):
        row: dict[str, object] = {"build": build.build, "date": build.day, "gate": build.verdict}
        checks = {check.name: check for check in build.checks}
        for name in history.names:
            check = checks.get(name)
            row |= {name: None if check is None else check.value}
            row |= {f"{name} change": "-" if check is None else _with_side(check)}
        rows.append(row | {"against": build.baseline})
    return rows
