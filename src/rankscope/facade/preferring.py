"""Which of two systems do people prefer? Answers, or clicks in one list of both, to win rates and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.calling import public
from rankscope.displayed import Tabular
from rankscope.errors import InputError

if TYPE_CHECKING:
    from rankscope.inputs.checks import Problems
    from rankscope.statistics.preferences.answers import Preference
    from rankscope.statistics.preferences.position_bias import PositionBias
    from rankscope.statistics.preferences.strengths import Strengths
    from rankscope.statistics.preferences.win_rates import WinRate

NAMES = {
    "query": ("query", "query_id", "qid", "topic"),
    "left": ("left", "first", "system_a", "a"),
    "right": ("right", "second", "system_b", "b"),
    "choice": ("choice", "answer", "preferred", "winner"),
}
MORE = {"assessor": ("assessor", "user", "judge", "annotator"), "mode": ("mode",)}
WORDS = {"left": "left", "right": "right", "equal": "equal", "tie": "equal", "same": "equal", "both bad": "both bad"}


@dataclass(frozen=True, eq=False, repr=False)
class Preferred(Tabular):
    """Win rates of every two systems that were compared, strengths of three or more, and how far the side decides."""

    rates: tuple[WinRate, ...]
    bias: PositionBias
    answers: int
    level: float = 0.95
    strengths: Strengths | None = None  # of three systems or more


@public
def prefer(
    preferences: str | Path | Iterable[Preference],
    *,
    classes: Any = None,
    systems: Sequence[str] = (),
    level: float = 0.95,
    seed: int = 0,
) -> Preferred:
    """Win rates with limits over queries, verdicts, and position bias, from answers or from a file of them.

    A file has the columns query, left, right and choice (left, right, equal, both bad, or the name of a system) and may
    have assessor. `systems` says which of two is the first. `strengths` of the result puts three systems or more on one
    scale (Bradley & Terry).
    >>> from rankscope.statistics.preferences.answers import Preference
    >>> said = [Preference(f"q{n}", "ann", "old", "new", "right") for n in range(12)]
    >>> found, = prefer(said, systems=["old", "new"]).rates
    >>> found.second, found.rate, found.better
    ('new', 1.0, 'new')
    """
    from rankscope.inputs.classes import read_classes
    from rankscope.statistics.preferences.position_bias import position_bias
    from rankscope.statistics.preferences.strengths import bradley_terry
    from rankscope.statistics.preferences.win_rates import win_rates

    answers = read_preferences(preferences) if isinstance(preferences, str | Path) else list(preferences)
    kinds = None if classes is None else read_classes(classes)
    rates = win_rates(answers, kinds, systems=systems, level=level, seed=seed)
    several = len({name for each in rates for name in (each.first, each.second)}) > 2
    strengths = bradley_terry(answers, level) if several else None
    return Preferred(rates, position_bias(answers, level=level), len(answers), level=level, strengths=strengths)


def read_preferences(path: str | Path) -> list[Preference]:
    """Answers from a CSV, TSV, JSON lines or Parquet file; an `InputError` with all problems."""
    from rankscope.inputs.checks import Problems
    from rankscope.inputs.records import read_record_table, text_rows
    from rankscope.inputs.sources import Source

    problems = Problems(Source.of(path).name, ["A row reads: query, left, right, choice."])
    expected = ",".join(word for words in NAMES.values() for word in words)
    table = read_record_table(path, problems, expected)
    rows = text_rows(table, problems, NAMES, MORE)
    found = [_preference(row, f"{table.word} {line}", line, problems) for line, row in rows]
    problems.raise_if_any()
    if not found:
        raise InputError.of(problems.source, ["holds no preferences"])
    return [each for each in found if each is not None]


def _preference(row: dict[str, str], place: str, line: int, problems: Problems) -> Preference | None:
    from rankscope.statistics.preferences.answers import SIDE_BY_SIDE, Preference

    query, left, right, said = (row[name] for name in NAMES)
    wrong = [f"{name} is empty" for name in ("query", "left", "right") if not row[name]]
    if left and left == right:
        wrong.append(f"left and right are both '{left}'")
    choice = {left: "left", right: "right"}.get(said) or WORDS.get(said.lower().replace("_", " "))
    if choice is None:
        wrong.append(f"choice must be left, right, equal, both bad, '{left}' or '{right}', got '{said}'")
    if wrong:
        problems.add(place, "; ".join(wrong), order=line)
        return None
    mode = row.get("mode") or SIDE_BY_SIDE
    return Preference(query, row.get("assessor") or "somebody", left, right, choice=choice, mode=mode)  # type: ignore[arg-type]
