"""The result: one long table (system, query, class, measure, value), its summaries, and what must be said with it.

With the settings that made the numbers, and the names under which trackers of experiments log them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.caching import LazyModule
from rankscope.core.catalogue import Later, did_you_mean, listed, unknown_name
from rankscope.core.display import Display, Displayed, Tabular
from rankscope.core.errors import MeasureError
from rankscope.core.rendering import Rows
from rankscope.core.settings import SETTINGS, Settings
from rankscope.core.wording import how_many
from rankscope.measures.evaluation.coverage import (
    Caution,
    Coverage,
    cautions_of_columns,
    coverage_of,
    easy_collection,
    only_relevant,
    status_of,
    warnings_of,
)
from rankscope.measures.measure import GEOMETRIC_FLOOR, Measure
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")


@dataclass(frozen=True, eq=False, repr=False)
class Column(Displayed):
    """One measure of one system: a value per query, NaN where undefined, and which queries count in the summary.

    Under `ties="expected"` it also holds the worst and best order's values, and the error of a mean over random orders.
    """

    measure: Measure
    asked: str
    values: FloatArray
    counted: BoolArray
    summary: float
    worst: FloatArray | None = None
    best: FloatArray | None = None
    error: FloatArray | None = None
    words: list[str] | None = None  # for values that are no numbers: one per query
    word: str | None = None  # or one for the run
    extremes: tuple[float, float] | None = None  # summary of the worst and of the best order; NaN: not known
    summary_error: float = 0.0  # standard error of the summary where values are means over random orders

    @property
    def averaged(self) -> int:
        """How many queries are in the summary."""
        return int((self.counted & ~np.isnan(self.values)).sum())

    @property
    def floored(self) -> int:
        """For a geometric mean: how many queries stand at its floor."""
        return int((self.values[self.counted] <= GEOMETRIC_FLOOR).sum()) if self.measure.summary == "geometric" else 0

    def display(self) -> Display:
        from rankscope.core.rendering import value_text

        return Display(
            f"{self.asked}: {value_text(self.summary, self.measure.counts)} over {how_many(self.averaged)} "
            f"of {self.values.size:,}; a value for each query in .values"
        )


@dataclass(frozen=True, eq=False, repr=False)
class SystemScores(Displayed):
    """All measures of one system, with the rankings they were made from."""

    ranks: RelevantRanks
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.ranks.system

    @cached_property
    def status(self) -> list[str]:
        """What is to be known of each query: answered, missing, or no relevant (item judged)."""
        return status_of(self.ranks)

    @cached_property
    def coverage(self) -> Coverage:
        """What must be said with every number."""
        return coverage_of(self.ranks)

    def display(self) -> Display:
        rows: Rows = [
            {"measure": column.asked, "summary": column.summary, "queries": column.averaged} for column in self.columns
        ]
        return Display.of([f"{self.name}: {how_many(len(self.ranks))} judged"], rows)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabular):
    """What `evaluate` returns; `to_polars()` is the long table, one row per value.

    `scores["bm25", "AP"]` is a mean, `scores["bm25"]` a dictionary of all means of a system, and where there is one
    system `scores["AP"]` its mean.

    >>> from rankscope.measures.evaluation.evaluate import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 2.0, "x": 1.0}}, ["RR"])
    >>> scores["RR"], scores.systems[0].status
    (0.5, ['answered', 'missing'])
    """

    systems: tuple[SystemScores, ...]
    settings: Settings = field(default_factory=Settings)
    by_class_wanted: bool = False  # classes of queries were given, so tables show them
    notes: tuple[str, ...] = ()  # what must be said of the input as a whole
    quiet: bool = False  # say nothing next to the numbers
    verbose: bool = False  # say everything, system by system

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as they were asked for."""
        return tuple(column.asked for column in self.systems[0].columns) if self.systems else ()

    @property
    def ranks(self) -> tuple[RelevantRanks, ...]:
        """The rankings behind the numbers, of each system, with the queries that count."""
        found = tuple(each.ranks for each in self.systems)
        if self.settings.queries != "answered":
            return found
        return tuple(each.take(np.flatnonzero(each.answered)) for each in found)

    @property
    def settings_in_effect(self) -> dict[str, object]:
        """What made the numbers, saved reductions included; where systems differ, a value for each."""
        return settings_in_effect((system.ranks for system in self.systems), self.settings)

    def only(self, measures: Sequence[str]) -> Scores:
        """The same by some of the measures, in this order, each as it was asked for.

        >>> from rankscope.measures.evaluation.evaluate import evaluate
        >>> evaluate({"q1": {"a": 1}}, {"q1": {"a": 2.0}}, ["RR", "AP"]).only(["AP"]).measures
        ('AP',)
        """
        places = [self.measures.index(each) for each in measures]
        systems = [replace(each, columns=tuple(each.columns[place] for place in places)) for each in self.systems]
        return replace(self, systems=tuple(systems))

    @overload
    def __getitem__(self, key: tuple[str, str]) -> float: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: str | tuple[str, str]) -> float | dict[str, float]:
        """A mean, `scores["bm25", "AP"]`, or the means of a system by its measures, `scores["bm25"]`.

        With one system `scores["AP"]` is its mean, and a name that is a measure's and the system's is taken for the
        measure's; with several systems a single name can only be a system's. A measure may be written in any way that
        can be asked for: `scores["map"]` is `scores["AP"]`.
        """
        if isinstance(key, tuple):
            system, measure = key[0], str(key[1])
            columns = [column for each in self.systems if system == each.name for column in each.columns]
        else:
            system, measure = None, str(key)
            columns = list(self.systems[0].columns) if len(self.systems) == 1 else []
        found = self._column(measure, columns)
        if found is not None:
            return found.summary
        for each in self.systems:
            if each.name == key:
                return {column.asked: column.summary for column in each.columns}
        raise KeyError(self._not_found(system, measure))

    def _column(self, measure: str, columns: Sequence[Column]) -> Column | None:
        """The column that a measure stands in, as it was asked for or in another spelling; None where there is none."""
        for column in columns:
            if measure in (column.asked, str(column.measure)):
                return column
        written = self._canonical(measure) if columns else None
        return next((column for column in columns if column.asked == written), None)

    def _not_found(self, system: str | None, measure: str) -> str:
        """What to say of a key that is none."""
        names = [each.name for each in self.systems]
        if system is not None and system not in names:
            return unknown_name("system", system, names)
        if system is not None:
            hint = did_you_mean(measure, self.measures, self._meant(measure))
            return f"no measure '{measure}'{hint} There are: {listed(self.measures)}"
        if len(names) != 1 and (measure in self.measures or self._canonical(measure) in self.measures):
            return f"'{measure}' is a measure of {len(names)} systems: write scores[system, {measure!r}]"
        hint = did_you_mean(measure, [*names, *self.measures], self._meant(measure))
        return f"no system or measure '{measure}'{hint} Systems: {listed(names)}; measures: {listed(self.measures)}"

    def _meant(self, text: str) -> str:
        """The measure that a wrong spelling means, where it was computed."""
        from rankscope.measures.notation import meant_measure

        meant = meant_measure(text)
        return meant if meant in self.measures else ""

    def _canonical(self, text: str) -> str | None:
        """How a measure prints that was written in another way; None if it is none."""
        from rankscope.measures.notation import parse_measure

        try:
            return str(parse_measure(text, self.settings.rel))
        except MeasureError:
            return None

    def to_polars(self) -> pl.DataFrame:
        """The long table: system, query, class, measure, value (null where undefined), status, counted.

        With `ties="expected"` also standard_error (0 where exact), worst and best (null where not known).
        """
        frames = [_long(system, column) for system in self.systems for column in system.columns]
        return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()

    def to_markdown(self, per_query: bool = False) -> str:
        """The summaries, or the values of each query, as `rankscope evaluate --format markdown` prints them."""
        from rankscope.measures.evaluation.score_tables import render_markdown

        return render_markdown(self, per_query)

    def to_latex(self, per_query: bool = False, columns: str | float = "1", marks: str = "auto") -> str:
        """The same for a paper: `columns` is how wide it is, `marks` what stands behind numbers, as of `report`."""
        latex: str = Later("rankscope.analysis.comparison.paper_tables:scores_latex").load()(
            self, per_query, columns, marks
        )
        return latex

    def to_metrics(self) -> dict[str, float]:
        """Summaries and numbers of queries as a flat dictionary that MLflow and W&B log as it is.

        With intervals: `rankscope.reports.trackers.to_metrics`.
        """
        return {
            key: value for _, found in metrics_by_column(self) for each in found for key, value in each.plain.items()
        }

    def means(self) -> pl.DataFrame:
        """One row per system, one column per measure: the summaries."""
        return pl.DataFrame(
            [
                {"system": each.name, **{column.asked: column.summary for column in each.columns}}
                for each in self.systems
            ]
        )

    def by_class(self) -> pl.DataFrame:
        """Means within each class of queries: system, class, measure, mean, and how many queries it has."""
        rows = []
        for system in self.systems:
            labels = np.array(system.ranks.classes or [""] * len(system.ranks), dtype=object)
            for column in system.columns:
                for label in sorted(set(labels.tolist())):
                    chosen = column.counted & (labels == label) & ~np.isnan(column.values)
                    mean = column.measure.summarize(column.values[chosen], "macro")
                    rows.append((system.name, label, column.asked, mean, int(chosen.sum())))
        schema = {
            "system": pl.String,
            "class": pl.String,
            "measure": pl.String,
            "mean": pl.Float64,
            "queries": pl.Int64,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def coverage(self) -> dict[str, Coverage]:
        """What must be said with every number, per system."""
        return {system.name: system.coverage for system in self.systems}

    def warnings(self) -> list[str]:
        """The same in words, most important first; empty when there is nothing to say."""
        return [each.line for each in self.cautions]

    @property
    def cautions(self) -> list[Caution]:
        """What must be read next to the numbers, each with its kind and its system."""
        return [] if self.quiet else list(self._cautions)

    @cached_property
    def _cautions(self) -> list[Caution]:
        found = [Caution("Input", line) for line in self.notes]
        found += easy_collection([system.ranks for system in self.systems])
        for system in self.systems:
            own = warnings_of(system, self.settings)
            own += cautions_of_columns(system.ranks, system.columns, self.settings)
            for column in system.columns:  # geometric means that rest on their floor
                if column.floored:
                    text = f"{column.asked}: {column.floored} queries stand at the floor of 1e-5"
                    own.append(Caution("Floor", text, column.floored))
            found += [replace(each, system=system.name) for each in own]
        return [*found, *only_relevant(self.systems)]

    def __iter__(self) -> Iterator[SystemScores]:
        return iter(self.systems)

    def display(self) -> Display:
        from rankscope.measures.evaluation.score_tables import coverage_lines, summary_grid
        from rankscope.measures.evaluation.warning_kinds import warning_lines

        systems, measures = len(self.systems), len(self.measures)
        if not systems:
            return Display("No scores: no system")
        counts = sorted({len(each.ranks) for each in self.systems})
        told = f"{counts[0]:,} to {counts[-1]:,} queries judged"
        if systems == 1:
            told = coverage_lines(self)[0]
        elif len(counts) == 1:
            told = f"{how_many(counts[0])} judged"
        title = f"{how_many(systems, 'system', 'systems')}, {how_many(measures, 'measure', 'measures')}: {told}"
        return Display.of([title, *warning_lines(self, self.verbose)], summary_grid(self), ".warnings()")


def _long(system: SystemScores, column: Column) -> pl.DataFrame:
    count = len(system.ranks)
    return pl.DataFrame(
        {
            "system": pl.Series([system.name] * count, dtype=pl.String),
            "query": pl.Series(system.ranks.queries, dtype=pl.String),
            "class": pl.Series(system.ranks.classes or [None] * count, dtype=pl.String),
            "measure": pl.Series([column.asked] * count, dtype=pl.String),
            "value": pl.Series(column.values, dtype=pl.Float64).fill_nan(None),
            "status": pl.Series(system.status, dtype=pl.String),
            "counted": pl.Series(column.counted, dtype=pl.Boolean),
            **_over_orders(column),
        }
    )


def _over_orders(column: Column) -> dict[str, pl.Series]:
    if column.worst is None:
        return {}
    error = np.zeros(column.values.size) if column.error is None else column.error
    named = {"standard_error": error, "worst": column.worst, "best": column.best}
    return {name: pl.Series(values, dtype=pl.Float64).fill_nan(None) for name, values in named.items()}


# The settings that made the numbers: what was chosen now, and what a saved reduction was made with before.


def settings_in_effect(systems: Iterable[RelevantRanks], settings: Settings) -> dict[str, object]:
    """One value for each setting; where systems were made with different ones, a dictionary by system.

    A reduction made before fixes how ties, duplicates and the query item were treated. What it does not record was
    decided by the settings given now. The size of the collection is that of the ranks.
    >>> from rankscope.ranks.relevant_ranks import RelevantRanks
    >>> made = settings_in_effect([RelevantRanks.from_ranks([[1, 3]], collection=100)], Settings())
    >>> made["collection_size"], made["ties"]
    (100, 'trec_eval')
    """
    given = list(systems)
    result: dict[str, object] = {}
    for setting in SETTINGS:
        values = {each.system: _setting_of_ranks(setting.name, each, settings) for each in given}
        same = len(set(map(str, values.values()))) <= 1
        chosen = getattr(settings, setting.name)
        result[setting.name] = next(iter(values.values()), chosen) if same else values
    return result | {"compat": settings.compat}


def _setting_of_ranks(name: str, ranks: RelevantRanks, settings: Settings) -> object:
    chosen = getattr(settings, name)
    if name == "collection_size":
        known = ranks.collection[ranks.collection != UNKNOWN]
        if not known.size:
            return None
        low, high = int(known.min()), int(known.max())
        return low if low == high else f"{low} to {high}"
    if name == "seed" or (name == "ties" and chosen == "expected"):
        return chosen
    return ranks.provenance.get("settings", {}).get(name, chosen)


# Scores as a flat dictionary that trackers of experiments log as it is.

UNFIT = re.compile("[^A-Za-z0-9]+")
LONGEST = 100  # of a system's name, and of a measure's; MLflow takes 250 signs in all
ENDINGS = ("", "_queries", "_low", "_high")  # what a measure is logged under: its key with each of them


def metric_key(text: str) -> str:
    """A measure, or the name of a system, as a name that every tracker takes.

    >>> metric_key("nDCG(gain=exp)@10"), metric_key("RBP(p=0.5)"), metric_key("11pt_avg")
    ('nDCG_gain_exp_at_10', 'RBP_p_0_5', '_11pt_avg')
    """
    key = UNFIT.sub("_", text.replace(")@", "_at_").replace("@", "_at_")).strip("_")[:LONGEST]
    return key if key[:1].isalpha() else f"_{key}"


def metric_keys(texts: Sequence[str], endings: Sequence[str] = ("",)) -> list[str]:
    """The same for several, all different, with each of these endings too: one that is taken gets a number.

    A number never makes a key that another text has by itself.
    >>> metric_keys(["bm-25", "bm_25"]), metric_keys(["bm-25", "bm_25", "bm25", "bm_25_2"])
    (['bm_25', 'bm_25_2'], ['bm_25', 'bm_25_3', 'bm25', 'bm_25_2'])
    >>> metric_keys(["AP", "AP_low"], ENDINGS)
    ['AP', 'AP_low_2']
    """
    keys = [metric_key(text) for text in texts]
    own = {f"{key}{ending}" for key in keys for ending in endings}
    taken: set[str] = set()
    chosen = []
    for key in keys:
        for number in count(1):
            found = key if number == 1 else f"{key.rstrip('_')}_{number}"
            logged = {f"{found}{ending}" for ending in endings}
            if taken.isdisjoint(logged) and (number == 1 or own.isdisjoint(logged)):
                break
        taken |= logged
        chosen.append(found)
    return chosen


class Metric(NamedTuple):
    """A measure of a system and the name it is logged under."""

    key: str
    column: Column

    @property
    def plain(self) -> dict[str, float]:
        """The summary, and how many queries it is of."""
        return {self.key: float(self.column.summary), f"{self.key}_queries": float(self.column.averaged)}


def metrics_by_column(scores: Scores) -> list[tuple[SystemScores, list[Metric]]]:
    """The metrics of each system; what is undefined or no number is left out."""
    several = len(scores.systems) > 1
    prefixes = [f"{key}/" if several else "" for key in metric_keys([each.name for each in scores.systems])]
    found = []
    for prefix, system in zip(prefixes, scores.systems, strict=True):
        keys = metric_keys([column.asked for column in system.columns], ENDINGS)
        named = zip(keys, system.columns, strict=True)
        metrics = [Metric(f"{prefix}{key}", column) for key, column in named if column.measure.summary != "none"]
        found.append((system, [each for each in metrics if math.isfinite(each.column.summary)]))
    return found
