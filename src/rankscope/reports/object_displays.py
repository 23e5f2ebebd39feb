"""What else shows itself: inputs and what engines give, feedback studies, reports, rows, and results under names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rankscope.core.display import Display, Displayed, LongTable, ShownByName, ShownRows, shortened
from rankscope.core.rendering import Cell
from rankscope.core.wording import how_many
from rankscope.measures.evaluation.score_tables import summary_grid
from rankscope.reports.display import Presentation, in_texts

if TYPE_CHECKING:
    from rankscope.core.rendering import Rows
    from rankscope.engines.crawler.state import Gathered
    from rankscope.engines.text.searching import Hits
    from rankscope.engines.text.text_index import Index
    from rankscope.feedback.answers import Answer
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.users.user_score import UserScore
    from rankscope.inputs.features import Features
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.measures.fusion.candidates import FusedRun, FusionChoice
    from rankscope.reports.page.html import ReportPage
    from rankscope.reports.page.report import Report
    from rankscope.reports.standings import Standings


# What goes in, and what engines give: judgements, runs, features, indexes, hits, gathered pages.


def _frame_table(frame: Any) -> LongTable:
    """Rows of a polars frame, made when they are shown."""
    names = tuple(frame.columns)

    def row(number: int) -> list[Cell]:
        texts = [(each, f"{each:g}" if isinstance(each, float) else str(each)) for each in frame.row(number)]
        return [Cell(text, number=not isinstance(each, str)) for each, text in texts]

    return LongTable(names, frame.height, row)


def _qrels(qrels: Qrels) -> Display:
    frame = qrels.table.select("query", "item", "grade")
    queries = frame.get_column("query").n_unique()
    title = f"{qrels.name}: {how_many(len(qrels), 'judgement', 'judgements')} of {how_many(queries)}"
    return Display(title, _frame_table(frame))


def _run(run: Run) -> Display:
    """What is not in memory is not read to be shown, for it may be large, or come once."""
    if run.is_held:
        return _rows_of_run(run, f"Run {run.name}")
    where = f"in {run.place}" if run.source else "which is made when it is asked for"
    return Display(f"Run {run.name}, {where}: .table() gives its rows")


def _rows_of_run(run: Run, title: str, notes: tuple[str, ...] = ()) -> Display:
    frame = run.table()
    queries = frame.get_column("query").n_unique()
    told = f"{how_many(frame.height, 'row', 'rows')} of {how_many(queries)}"
    return Display(f"{title}: {told}", _frame_table(frame), notes, ".choices")


def _fused_run(run: FusedRun) -> Display:
    return _rows_of_run(run, f"Fused run {run.name}", tuple(map(_choice, run.choices)))


def _choice(choice: FusionChoice) -> str:
    """What some queries were fused by."""
    weights = f", weights {', '.join(f'{each:g}' for each in choice.weights)}" if choice.weights else ""
    chosen = f", chosen on {how_many(choice.chosen_on, 'other query', 'other queries')}" if choice.chosen_on else ""
    return f"{how_many(len(choice.queries))} by {choice.method}{weights}{chosen}"


def _features(features: Features) -> Display:
    labels = len({label for label in features.labels if label})
    told = f"{how_many(len(features), 'item', 'items')} of {how_many(labels, 'label', 'labels')}"
    table = LongTable.of_columns({"item": features.ids, "label": features.labels})
    return Display(f"Features: {told}, {how_many(features.matrix.shape[1], 'values')} each", table)


def _index(index: Index) -> Display:
    where = f"in {', '.join(str(each) for each in index.folders)}" if index.folders else "in memory"
    fields = ", ".join(index.fields) or "none"
    return Display(f"Index of {how_many(len(index), 'document', 'documents')}, {where}; fields: {fields}")


def _hits(hits: Hits) -> Display:
    title = f"{how_many(hits.total, 'document matches', 'documents match')}, the best {len(hits):,}"
    columns: dict[str, Any] = {"rank": range(1, len(hits) + 1), "id": hits.ids, "score": hits.scores}
    return Display(title, LongTable.of_columns(columns))


def _gathered(done: Gathered) -> list[str]:
    return [
        f"{how_many(done.documents, 'document', 'documents')} in {done.path}, from "
        f"{how_many(done.asked, 'pages')} asked for; "
        f"{done.copies:,} copies, {len(done.left_out):,} left out, {done.waiting:,} waiting"
    ]


def _reason_rows(done: Gathered) -> Rows:
    reasons = Counter(reason for _, reason in done.left_out)
    example = {reason: address for address, reason in reversed(done.left_out)}
    return [
        {"left out because": name, "pages": count, "such as": example[name]} for name, count in reasons.most_common()
    ]


QRELS = Presentation(_qrels)
RUN = Presentation(_run)
FUSED_RUN = Presentation(_fused_run)
FEATURES = Presentation(_features)
INDEX = Presentation(_index)
HITS = Presentation(
    _hits, lambda hits: [{"rank": rank, "id": name, "score": score} for rank, (name, score) in enumerate(hits, 1)]
)
GATHERED = Presentation.of_rows(_gathered, _reason_rows)


# Studies of feedback, answers to questions about it, scored users, and benchmarks of descriptors.


def _user_score(score: UserScore) -> list[str]:
    from rankscope.feedback.users.user_score import user_line

    return [user_line(score), f"as a simulated user: {score.as_user}"]


def _user_rows(score: UserScore) -> Rows:
    from rankscope.feedback.users.user_score import error_rows, look_rows

    return [*error_rows(score), *look_rows(score)]


def _results(results: Results) -> Display:
    from rankscope.feedback.study.findings import study_facts

    notes = (f"means of {results.measures[0]} over sessions; a row for each session and round in .frame",)
    return Display(study_facts(results), LongTable.of_rows(_round_rows(results)), notes)


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


def _standings(standings: Standings) -> Display:
    from rankscope.reports.standings import standings_grid, standings_notes, standings_verdict

    table = LongTable.of_grid(standings_grid(standings))
    return Display(standings_verdict(standings), table, tuple(standings_notes(standings)), ".to_markdown()")


USER_SCORE = Presentation.of_rows(_user_score, _user_rows)
RESULTS = Presentation(_results, lambda results: results.frame.to_dicts())
ANSWER = Presentation(
    _answer,
    lambda answer: [{"table": each.heading, **row} for each in answer.tables for row in each.rows],
    lambda answer: answer.markdown(),
)
STANDINGS = Presentation(
    _standings,
    in_texts("reports.standings:standings_rows"),
    in_texts("reports.standings:standings_markdown"),
    in_texts("reports.standings:standings_latex"),
)


# Reports: what stands in one, and the page itself.


def _report(report: Report) -> Display:
    drawn = [each for each in report.figures if each.graph is not None]
    kinds = ", ".join(dict.fromkeys(each.kind.name for each in drawn))
    graphs = f"{how_many(len(drawn), 'graph', 'graphs')}: {kinds}"
    table = LongTable.of_grid(summary_grid(report.scores))
    return Display(report.headline.answer, table, (*report.headline.limits, graphs), ".headline.limits")


def _page(page: ReportPage) -> Display:
    return Display(
        f"Report {page.heading!r}: a page of {len(page.encode()):,} bytes, which page.save('report.html') writes"
    )


REPORT = Presentation(_report)
REPORT_PAGE = Presentation(_page)


# Several things at once: rows, and results under names.

LONGEST = 90


def _rows(rows: ShownRows) -> Display:
    return Display(how_many(len(rows), "row", "rows"), LongTable.of_rows(rows))


def _by_name(results: ShownByName[Any]) -> Display:
    names = list(results)

    def row(number: int) -> list[Cell]:
        return [Cell(names[number], number=False), Cell(_line(results[names[number]]), number=False)]

    return Display(how_many(len(names), "result", "results"), LongTable(("name", "result"), len(names), row))


def _line(result: object) -> str:
    """The first line of what a result shows of itself."""
    return shortened(result.display().title if isinstance(result, Displayed) else repr(result), LONGEST)


ROWS = Presentation(_rows, list)
BY_NAME = Presentation(_by_name)
