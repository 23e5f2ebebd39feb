"""The ledger of a pipeline: every relevant item followed through the stages, the queries that lose most, and all items
as a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.analysis.pipeline.account import (
    WHOLE_LIST,
    ItemStates,
    Statement,
    account_of,
    coverage_notes,
    ends_of,
    ledger_sentences,
    statement_of,
    states_of,
    steps_of,
)
from rankscope.core.arrays import IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import how_many
from rankscope.ranks.item_ranks import ABSENT, ItemRanks

if TYPE_CHECKING:
    import polars as pl


RECALL, P_IS_R = "recall", "p = r"


@dataclass(frozen=True, eq=False)
class Ledger(Tabular):
    """Where relevant items went: one statement a quantity, the one that was asked for first.

    `items` are the relevant ones alone, with their rank at each stage. `str(...)` has the sentence, `entries` of a
    statement the numbers, `frame` every item at every stage.
    """

    items: ItemRanks
    statements: tuple[Statement, ...]
    scope: IntArray  # of the first statement, for each query
    classes: tuple[str, ...] | None = None  # of the queries
    by_class: tuple[Statement, ...] = ()  # of the first quantity
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Statement:
        """The statement that was asked for: recall within the scope."""
        return self.statements[0]

    @property
    def stages(self) -> tuple[str, ...]:
        return self.items.runs

    @property
    def queries(self) -> tuple[str, ...]:
        """Those that have a relevant item."""
        return self.items.queries

    @cached_property
    def states(self) -> ItemStates:
        """Of each item at each stage: absent, below the scope or within it."""
        return states_of(self.items.rank, self.scope[self.items.query_row])

    @property
    def sentences(self) -> tuple[str, ...]:
        return ledger_sentences(self.main)

    def statement(self, quantity: str) -> Statement:
        """The statement of one quantity: recall, p = r, recall@10."""
        found = {each.name: each for each in self.statements}
        if quantity not in found:
            raise SettingError(f"no quantity '{quantity}' in this ledger; there are: {', '.join(found)}")
        return found[quantity]

    def worst(self, count: int = 10) -> tuple[WorstQuery, ...]:
        """The queries that lose most, with the items that they lose and where."""
        return worst_queries(self, count)

    def frame(self) -> pl.DataFrame:
        """Every relevant item at every stage: rank, what the stage did with it, and what became of it in the end."""
        return item_table(self)

    def __repr__(self) -> str:
        """The sentence and the values of the stages."""
        path = " > ".join(f"{each.stage} {each.value:.3f}" for each in self.main.entries[:-1])
        return f"Ledger of {self.main.name}, {how_many(len(self.queries))}: {path}\n{self.sentences[0]}"

    def records(self) -> Rows:
        return stage_rows(self.main)

    def display(self) -> Display:
        return Display.of([*self.sentences, self.basis, *self.notes], self.records(), ".notes")

    def to_markdown(self) -> str:
        return self.presentation().markdown()

    def to_latex(self) -> str:
        from rankscope.core.latex import COLUMN

        return self.presentation().latex(COLUMN)

    @property
    def basis(self) -> str:
        """How much was followed, and what the intervals rest on."""
        return (
            f"{how_many(len(self.queries))}, {how_many(len(self.items.item), 'relevant item', 'relevant items')}, "
            f"{how_many(len(self.stages), 'stages')}; {self.main.of_losses.told.removesuffix('.')}"
        )

    def tables(self, worst: int = 10) -> list[HeadedTable]:
        """Every quantity by stage, the classes, the worst queries."""
        tables = [HeadedTable(_heading(each), stage_rows(each)) for each in self.statements]
        if self.by_class:
            heading = f"{self.main.name} by class: what each stage takes"
            tables.append(HeadedTable(heading, [_class_row(each) for each in self.by_class]))
        if found := self.worst(worst):
            rows = [{**_worst_row(each), "where": each.where} for each in found]
            tables.append(HeadedTable(f"{self.main.name}: the queries that lose most", rows))
        return tables

    def presentation(self, worst: int = 10, notes: bool = True) -> Presentation:
        said = [*self.sentences, f"{self.basis}."]
        return Presentation(said, self.tables(worst), notes=self.notes if notes else ())

    def record(self, worst: int = 10) -> dict[str, Any]:
        drawn = self.main.of_losses
        return {
            "format": "rankscope.ledger",
            "version": 1,
            "stages": self.stages,
            "queries": len(self.queries),
            "relevant_items": len(self.items.item),
            "level": drawn.level,
            "intervals": drawn.words,
            "unit": drawn.unit,
            "units": drawn.units,
            "sentences": self.sentences,
            "quantities": [_statement_json(each) for each in self.statements],
            "by_class": [_statement_json(each) for each in self.by_class],
            "worst_queries": [
                {**_worst_row(each, "relevant"), "items": [vars(item) for item in each.items]}
                for each in self.worst(worst)
            ],
            "notes": self.notes,
        }

    def csv_rows(self) -> Rows:
        """A row for each quantity, class of queries and stage."""
        return [
            {"quantity": each.name, "class": each.label, "queries": each.queries, **vars(entry)}
            for each in (*self.statements, *self.by_class)
            for entry in each.entries
        ]


def ledger_of(
    ranks: ItemRanks,
    *,
    rel: float = 1,
    scope: int | None = None,
    classes: Mapping[str, str] | None = None,
    unit: str = "queries",
    intervals: str = "auto",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Ledger:
    """The ledger of items whose ranks at each stage are known; see `rankscope.ledger`."""
    items = _relevant_items(ranks, rel)
    size = np.bincount(items.query_row, minlength=len(items.queries)).astype(np.int64)
    scopes = _scopes(size, scope)
    accounts = [
        account_of(name, items.runs, states_of(items.rank, limit[items.query_row]), items.query_row, size, limit)
        for name, limit in scopes.items()
    ]
    labels = None if classes is None else tuple(classes.get(query, "") for query in items.queries)
    drawn = labels if unit == "classes" else None
    choices: dict[str, Any] = {"how": intervals, "level": level, "resamples": resamples, "seed": seed}
    ledger = Ledger(
        items=items,
        statements=tuple(statement_of(account, drawn, **choices) for account in accounts),
        scope=next(iter(scopes.values())),
        classes=labels,
        notes=_notes(ranks, items, size, scope),
    )
    if labels is None:
        return ledger
    parts = {label: np.flatnonzero(np.array(labels) == label) for label in sorted(set(labels))}
    by_class = [
        statement_of(accounts[0].take(rows), [label] * rows.size if drawn else None, label, **choices)
        for label, rows in parts.items()
    ]
    return replace(ledger, by_class=tuple(by_class))


def main_quantity(scope: int | None) -> str:
    """The name of recall within a scope; that of as many items as are relevant is p = r.

    >>> main_quantity(10), main_quantity(None)
    ('recall@10', 'p = r')
    """
    return P_IS_R if scope is None else f"recall@{scope}"


def _relevant_items(ranks: ItemRanks, rel: float) -> ItemRanks:
    """The relevant items and the queries that have some."""
    items = ranks.take(np.flatnonzero(ranks.grade >= rel))
    kept, row = np.unique(items.query_row, return_inverse=True)
    if not kept.size:
        raise SettingError(f"no query has a relevant item at grade {rel:g}: there is nothing to follow")
    queries = tuple(ranks.queries[each] for each in kept.tolist())
    return replace(items, queries=queries, query_row=row.astype(np.int64), answered=ranks.answered[kept])


def _scopes(size: IntArray, scope: int | None) -> dict[str, IntArray]:
    """The scope of each query for each quantity, the one that was asked for first."""
    asked = {} if scope is None else {main_quantity(scope): np.full(size.size, scope, dtype=np.int64)}
    return {**asked, P_IS_R: size, RECALL: np.full(size.size, WHOLE_LIST)}


def _notes(ranks: ItemRanks, items: ItemRanks, size: IntArray, scope: int | None) -> tuple[str, ...]:
    """What was left out, and what is counted as lost though no stage dropped it item by item."""
    missing = ~items.answered
    return coverage_notes(
        stages=items.runs,
        missing=missing.sum(axis=0).tolist(),
        missed_items=[int(size[column].sum()) for column in missing.T],
        not_judged=ranks.not_judged,
        no_relevant=len(ranks.queries) - len(items.queries),
        too_large=0 if scope is None else int((size > scope).sum()),
        scope=scope,
        queries=len(items.queries),
    )


# The queries that lose most on the way, with the ids of what they lose and the stage where it goes.

NAMED_ITEMS = 5  # items of one stage in a line of text


@dataclass(frozen=True)
class LostItem:
    """A relevant item that was within the scope and is not in the end: how, at which stage, and where it stands now."""

    item: str
    fate: str  # lost or demoted
    stage: str
    rank: int | None  # at that stage; None where it is not in the list


@dataclass(frozen=True)
class WorstQuery:
    """A query with its class size, its first and last value, and what it lost."""

    query: str
    relevant: int
    first: float
    last: float
    items: tuple[LostItem, ...]
    label: str = ""

    @property
    def loss(self) -> float:
        """From the first stage to the last."""
        return self.first - self.last

    @property
    def where(self) -> str:
        """Stage by stage the items that left there; a demoted one with its rank.

        >>> gone = (LostItem("d7", "lost", "ann", None), LostItem("d2", "demoted", "rerank", 5))
        >>> WorstQuery("q1", 4, 1.0, 0.5, gone).where
        'ann: d7; rerank: d2 (rank 5)'
        """
        return "; ".join(self._stages())

    def _stages(self) -> Iterator[str]:
        for stage in dict.fromkeys(each.stage for each in self.items):
            here = [each for each in self.items if each.stage == stage]
            named = [each.item + (f" (rank {each.rank:,})" if each.rank else "") for each in here[:NAMED_ITEMS]]
            more = f" and {len(here) - NAMED_ITEMS:,} more" if len(here) > NAMED_ITEMS else ""
            yield f"{stage}: {', '.join(named)}{more}"


def worst_queries(ledger: Ledger, count: int = 10) -> tuple[WorstQuery, ...]:
    """The queries of the largest loss of the first quantity, at most so many; those that lose nothing are left out.

    Of equal losses the one with more items is first, then the order of the ids decides.
    """
    account = ledger.main.account
    lost = account.hits[:, 0] - account.hits[:, -1]
    order = np.lexsort((-lost, -(lost / account.relevant)))
    return tuple(_worst(ledger, row) for row in order[: max(count, 0)].tolist() if lost[row] > 0)


def _worst(ledger: Ledger, row: int) -> WorstQuery:
    account = ledger.main.account
    share = account.shares[row]
    own = np.flatnonzero(ledger.items.query_row == row)
    fate, stage = ends_of(ledger.states[own])
    gone = np.flatnonzero(np.isin(fate, ("lost", "demoted")))
    items = []
    for each in gone[np.argsort(stage[gone], kind="stable")].tolist():  # in the order of the stages, then of the ids
        place = int(stage[each])
        rank = int(ledger.items.rank[own[each], place])
        items.append(LostItem(ledger.items.item[own[each]], str(fate[each]), ledger.stages[place], rank or None))
    return WorstQuery(
        query=ledger.queries[row],
        relevant=int(account.relevant[row]),
        first=float(share[0]),
        last=float(share[-1]),
        items=tuple(items),
        label="" if ledger.classes is None else ledger.classes[row],
    )


def item_table(ledger: Ledger) -> pl.DataFrame:
    """A row for each relevant item and stage: its rank there (null: not in the list), what the stage did with it, and
    in every row what became of it in the end, and at which stage."""
    import polars as pl

    items, stages = ledger.items, len(ledger.stages)
    fate, at = ends_of(ledger.states)
    each = np.arange(len(items.item)).repeat(stages)  # the item of each row
    query = items.query_row[each]
    rank = pl.Series(items.rank.reshape(-1))
    classes = {} if ledger.classes is None else {"class": _texts(ledger.classes).gather(query)}
    return pl.DataFrame(
        {
            "query": _texts(items.queries).gather(query),
            **classes,
            "item": _texts(items.item).gather(each),
            "grade": pl.Series(items.grade).gather(each),
            "stage": _texts(ledger.stages).gather(np.tile(np.arange(stages), len(items.item))),
            "rank": rank.set(rank == ABSENT, None),
            "step": _texts(steps_of(ledger.states).reshape(-1).tolist()),
            "fate": _texts(fate.tolist()).gather(each),
            "fate_stage": _texts(["", *ledger.stages]).gather((at + 1)[each]),
        }
    )


def _texts(values: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.Series(values, dtype=pl.String)


MEANINGS = {
    P_IS_R: "precision = recall: the share of the relevant items within the first c, c = how many there are",
    RECALL: "the share of the relevant items anywhere in the list",
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


def _worst_row(worst: WorstQuery, relevant: str = "c") -> dict[str, object]:
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
