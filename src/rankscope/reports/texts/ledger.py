"""The ledger of a pipeline for the terminal, a page, a program and a paper: the sentence first, then the stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope.analysis.pipeline.account import Statement
from rankscope.analysis.pipeline.ledger import P_IS_R, RECALL, Ledger, WorstQuery
from rankscope.core.names import visible
from rankscope.core.rendering import Rows, as_json, grid_of, markdown_table, rows_csv, text_table
from rankscope.core.wording import how_many

MEANINGS = {
    P_IS_R: "precision = recall: the share of the relevant items within the first c, c = how many there are",
    RECALL: "the share of the relevant items anywhere in the list",
}
Part = tuple[str, Rows]  # heading, rows


def ledger_parts(ledger: Ledger, worst: int = 10) -> list[Part]:
    """The tables with their headings: every quantity by stage, the classes, the worst queries."""
    parts: list[Part] = [(_heading(each), stage_rows(each)) for each in ledger.statements]
    if ledger.by_class:
        heading = f"{ledger.main.name} by class: what each stage takes"
        parts.append((heading, [_class_row(each) for each in ledger.by_class]))
    if found := ledger.worst(worst):
        rows = [{**_worst(each), "where": each.where} for each in found]
        parts.append((f"{ledger.main.name}: the queries that lose most", rows))
    return parts


def basis_line(ledger: Ledger) -> str:
    """How much was followed, and what the intervals rest on."""
    drawn = ledger.main.of_losses
    return (
        f"{how_many(len(ledger.queries))}, {how_many(len(ledger.items.item), 'relevant item', 'relevant items')}, "
        f"{how_many(len(ledger.stages), 'stages')}; {drawn.told.removesuffix('.')}"
    )


def ledger_text(ledger: Ledger, worst: int = 10, notes: bool = True) -> str:
    parts = ["".join(f"{line}\n" for line in [*ledger.sentences, f"{basis_line(ledger)}."])]
    parts += [f"{heading}\n{text_table(rows)}" for heading, rows in ledger_parts(ledger, worst)]
    parts += ["".join(f"! {line}\n" for line in ledger.notes)] if notes and ledger.notes else []
    return visible("\n".join(parts))


def ledger_markdown(ledger: Ledger, worst: int = 10, notes: bool = True) -> str:
    """For a page: a heading for each table."""
    said = [" ".join([*ledger.sentences, f"{basis_line(ledger)}."]) + "\n"]
    tables = [f"## {heading}\n\n{markdown_table(rows)}" for heading, rows in ledger_parts(ledger, worst)]
    below = ["".join(f"- {line}\n" for line in ledger.notes)] if notes and ledger.notes else []
    return "\n".join([*said, *tables, *below])


def ledger_json(ledger: Ledger, worst: int = 10, notes: bool = True) -> str:
    """For programs, with all digits."""
    drawn = ledger.main.of_losses
    return as_json(
        {
            "format": "rankscope.ledger",
            "version": 1,
            "stages": ledger.stages,
            "queries": len(ledger.queries),
            "relevant_items": len(ledger.items.item),
            "level": drawn.level,
            "intervals": drawn.words,
            "unit": drawn.unit,
            "units": drawn.units,
            "sentences": ledger.sentences,
            "quantities": [_statement_json(each) for each in ledger.statements],
            "by_class": [_statement_json(each) for each in ledger.by_class],
            "worst_queries": [
                {**_worst(each, "relevant"), "items": [vars(item) for item in each.items]}
                for each in ledger.worst(worst)
            ],
            "notes": ledger.notes,
        }
    )


def ledger_csv(ledger: Ledger, worst: int = 10, notes: bool = True) -> str:
    """A row for each quantity, class of queries and stage, with all digits."""
    return rows_csv(
        [
            {"quantity": each.name, "class": each.label, "queries": each.queries, **vars(entry)}
            for each in (*ledger.statements, *ledger.by_class)
            for entry in each.entries
        ]
    )


def ledger_latex(ledger: Ledger, width: float, notes: bool = True) -> str:
    """The stages of the first quantity as a table for a paper; what must be said stands below it."""
    from rankscope.core.latex import PLACES, latex_table

    rows = stage_rows(ledger.main)
    said = [*ledger.sentences, f"{basis_line(ledger)}.", *(ledger.notes if notes else ())]
    return latex_table(grid_of(rows, PLACES), width, said)


LEDGER_FORMATS: dict[str, Callable[[Ledger, int, bool], str]] = {
    "table": ledger_text,
    "markdown": ledger_markdown,
    "json": ledger_json,
    "csv": ledger_csv,
}


def _heading(statement: Statement) -> str:
    name = statement.name
    return f"{name} ({MEANINGS.get(name, f'the share of the relevant items within the first {name[7:]}')})"


def stage_rows(statement: Statement) -> list[dict[str, object]]:
    """A row a stage; nothing is demoted in a list that is looked at as a whole."""
    rows = []
    for entry in statement.entries:
        row = {"stage": entry.stage, statement.name: entry.value, "loss here": entry.loss}
        row |= {"low": entry.loss_low, "high": entry.loss_high, "part of loss": entry.part, "lost": entry.lost}
        row |= {} if statement.name == RECALL else {"demoted": entry.demoted, "promoted": entry.promoted}
        rows.append(row | {"brought back": entry.brought_back})
    return rows


def _class_row(statement: Statement) -> dict[str, object]:
    first, *later, whole = statement.entries
    ends = {"class": statement.label or "(none)", "queries": statement.queries, first.stage: first.value}
    losses = {f"at {each.stage}": each.loss for each in later}
    last = {"left": whole.value, "loss": whole.loss, "low": whole.loss_low, "high": whole.loss_high}
    return {**ends, **losses, **last}


def _worst(worst: WorstQuery, relevant: str = "c") -> dict[str, object]:
    """A query and its numbers; `relevant` is what the number of its relevant items is called."""
    label = {"class": worst.label} if worst.label else {}
    numbers = {relevant: worst.relevant, "first": worst.first, "last": worst.last, "loss": worst.loss}
    return {"query": worst.query, **label, **numbers}


def _statement_json(statement: Statement) -> dict[str, Any]:
    account = statement.account
    return {
        "quantity": statement.name,
        **({"class": statement.label} if statement.label else {}),
        "queries": statement.queries,
        "loss": float(account.loss),
        "within_reach": float(account.reachable),
        "never_found": float(account.never_found),
        "stages": [vars(entry) for entry in statement.entries[:-1]],
        "all_stages": vars(statement.entries[-1]),
    }
