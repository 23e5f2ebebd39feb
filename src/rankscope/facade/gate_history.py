"""The gate build after build: a record of each, and the page drawn from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankscope.errors import SettingError
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.statistics.verdicts.gate_history import GateHistory
    from rankscope.statistics.verdicts.gate_result import GateResult


def check_history_options(history: str | Path | None, build: str, date: str) -> None:
    """Refuse before any work what no record could be made of."""
    if history is None:
        if build or date:
            raise SettingError(f"a build and its date belong to a history: give {setting_usage('history', 'FILE')} too")
        return
    from rankscope.statistics.verdicts.gate_history import check_date, read_history

    if not build.strip():
        raise SettingError(f"a history needs the name of the build: give {setting_usage('build', 'ID')}")
    check_date(date)
    if Path(history).exists() and Path(history).stat().st_size:
        read_history(history)


def append_gate(scores: Scores, result: GateResult, history: str | Path, build: str, date: str = "") -> None:
    """Append what the gate found on these scores."""
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.table.units import classes_are_targets
    from rankscope.statistics.verdicts.gate_history import append_record, next_date, record_of

    tables = [ScoreTable.of(scores, measure) for measure in scores.measures]
    when = date or next_date(history)
    append_record(history, record_of(result, tables, build, when, clusters=classes_are_targets(scores)))


def history_page(history: str | Path, title: str = "") -> tuple[str, GateHistory]:
    """The page of a history, and the history that it shows."""
    from rankscope.reports.page import history_page
    from rankscope.statistics.verdicts.gate_history import read_history

    found = read_history(history)
    return history_page.render(found, title), found
