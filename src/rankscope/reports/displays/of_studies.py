"""Studies of feedback, answers to questions about it, scored users, and benchmarks of descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation

if TYPE_CHECKING:
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.users.user_score import UserScore
    from rankscope.reports.formats.rows import Rows
    from rankscope.reports.texts.answers import Answer
    from rankscope.reports.texts.benchmark import Standings


def _user_score(score: UserScore) -> Display:
    from rankscope.reports.texts.user_score import user_line

    notes = (f"as a simulated user: {score.as_user}",)
    return Display(user_line(score), LongTable.of_rows(_user_rows(score)), notes)


def _user_rows(score: UserScore) -> Rows:
    from rankscope.reports.texts.user_score import error_rows, look_rows

    return [*error_rows(score), *look_rows(score)]


def _results(results: Results) -> Display:
    from rankscope.reports.texts.feedback import facts

    notes = (f"means of {results.measures[0]} over sessions; a row for each session and round in .frame",)
    return Display(facts(results), LongTable.of_rows(_round_rows(results)), notes)


def _round_rows(results: Results) -> Rows:
    """The mean of the measure that decides, by method and round."""
    import numpy as np

    values = {method: results.values(results.measures[0], method) for method in results.methods}
    whole = {method: each[~np.isnan(each).any(axis=1)] for method, each in values.items()}
    return [
        {"method": method, **{f"round {number}": value for number, value in enumerate(each.mean(axis=0).tolist())}}
        if len(each)
        else {"method": method}
        for method, each in whole.items()
    ]


def _answer(answer: Answer) -> Display:
    rows = answer.tables[0].rows if answer.tables else []
    said = [*(each.note for each in answer.tables if each.note), *answer.warnings]
    return Display(f"{answer.question}: {answer.facts}", LongTable.of_rows(rows), tuple(said), ".text()")


def _answer_rows(answer: Answer) -> Rows:
    return [{"table": each.heading, **row} for each in answer.tables for row in each.rows]


def _standings(standings: Standings) -> Display:
    from rankscope.reports.texts.benchmark_tables import grid_of, notes_of, verdict

    table = LongTable.of_grid(grid_of(standings))
    return Display(verdict(standings), table, tuple(notes_of(standings)), ".to_markdown()")


def _standing_rows(standings: Standings) -> Rows:
    from rankscope.reports.texts.benchmark_tables import rows_of

    return rows_of(standings)


def _standings_markdown(standings: Standings) -> str:
    from rankscope.reports.texts.benchmark_tables import markdown_of

    return markdown_of(standings)


def _standings_latex(standings: Standings) -> str:
    from rankscope.reports.texts.benchmark_tables import latex_of

    return latex_of(standings)


USER_SCORE = Presentation(_user_score, _user_rows)
RESULTS = Presentation(_results, lambda results: results.frame.to_dicts())
ANSWER = Presentation(_answer, _answer_rows, lambda answer: answer.markdown())
STANDINGS = Presentation(_standings, _standing_rows, _standings_markdown, _standings_latex)
