"""What goes in, and what engines give: judgements, runs, features, indexes, hits, gathered pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rankscope.number_texts import how_many
from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation
from rankscope.reports.formats.grid import Cell

if TYPE_CHECKING:
    from rankscope.engines.text.hits import Hits
    from rankscope.engines.text.text_index import Index
    from rankscope.fusion.fused_run import FusedRun, FusionChoice
    from rankscope.gathering.gathered import Gathered
    from rankscope.inputs.features import Features
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.reports.formats.rows import Rows


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


def _hit_rows(hits: Hits) -> Rows:
    return [{"rank": rank, "id": name, "score": score} for rank, (name, score) in enumerate(hits, 1)]


def _gathered(done: Gathered) -> Display:
    title = (
        f"{how_many(done.documents, 'document', 'documents')} in {done.path}, from "
        f"{how_many(done.asked, 'pages')} asked for; "
        f"{done.copies:,} copies, {len(done.left_out):,} left out, {done.waiting:,} waiting"
    )
    return Display(title, LongTable.of_rows(_reason_rows(done)))


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
HITS = Presentation(_hits, _hit_rows)
GATHERED = Presentation(_gathered, _reason_rows)
