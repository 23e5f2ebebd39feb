"""What must be said with every number: who was judged and answered, what is tied, what is not judged.

And with some: lists shorter than a cut-off, means that were simulated, easy collections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.core.arrays import BoolArray
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many, join_words, plain_number, setting_value
from rankscope.inputs.run_rows import Contradiction
from rankscope.ranks.relevant_ranks import CONTRADICTION, UNKNOWN, RelevantRanks, chosen_distractors
from rankscope.ranks.tie_orders import MOST_ORDERS, RANDOM_ORDERS

if TYPE_CHECKING:
    from rankscope.measures.evaluation.scores import Column, SystemScores


UNMET = "Item ids"
CONTRADICTED = "Ranks against scores"
UNCHECKED = "Not checked"
TIED = "pairs of equal score are split by relevance"
OF_ONE = {"queries": "query", "pairs": "pair", "are": "is", "have": "has", "count": "counts"}


@dataclass(frozen=True)
class Caution:
    """A caution to read with the numbers: of what kind, how much, of which system where it is of one.

    >>> Caution("Equal scores", "3 pairs of equal score are split by relevance", 3, "bm25").line
    'bm25: 3 pairs of equal score are split by relevance'
    """

    kind: str
    text: str
    amount: float = float("nan")  # a share or a count, where systems can be ordered by it
    system: str = ""

    @property
    def line(self) -> str:
        """The whole line."""
        return f"{self.system}: {self.text}" if self.system else self.text


@dataclass(frozen=True)
class Coverage:
    """How many queries were judged, answered, and neither; how much is tied and unjudged."""

    judged: int
    answered: int
    missing: tuple[str, ...]
    no_relevant: tuple[str, ...]
    not_judged: tuple[str, ...]
    straddling_pairs: int
    tied_groups: int
    unjudged_share: float
    unjudged_at_10: float
    only_relevant: bool = False  # whether the judgements list nothing else, so that what they lack may have been judged


def status_of(ranks: RelevantRanks) -> list[str]:
    """What is to be known of each query: answered, missing, or no relevant (item judged)."""
    relevant, answered = ranks.relevant > 0, ranks.answered
    return np.where(~relevant, "no relevant", np.where(answered, "answered", "missing")).tolist()


def coverage_of(ranks: RelevantRanks) -> Coverage:
    """What must be said with every number of a system."""
    status = status_of(ranks)
    complete = is_complete(ranks)
    return Coverage(
        judged=len(ranks),
        answered=int(ranks.answered.sum()),
        missing=tuple(query for query, there in zip(ranks.queries, ranks.answered.tolist(), strict=True) if not there),
        no_relevant=tuple(query for query, each in zip(ranks.queries, status, strict=True) if each == "no relevant"),
        not_judged=ranks.not_judged,
        straddling_pairs=ranks.straddling_pairs(),
        tied_groups=ranks.ties.size,
        unjudged_share=0.0 if complete else ranks.unjudged_share(),
        unjudged_at_10=0.0 if complete else ranks.unjudged_share(10),
        only_relevant=not complete and ranks.lists_only_relevant,
    )


def _some(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _some_and_more(texts: Sequence[str], most: int = 4) -> str:
    """The first few, and how many more there are.

    >>> _some_and_more(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def is_complete(ranks: RelevantRanks) -> bool:
    """Whether every item of the collection is known to be relevant or not, as with class labels."""
    return bool(ranks.provenance.get("judgements", {}).get("complete", False))


def warnings_of(system: SystemScores, settings: Settings) -> list[Caution]:
    """What was seen of the rankings in words, most important first."""
    ranks, seen = system.ranks, system.coverage
    missing, empty, ignored = len(seen.missing), len(seen.no_relevant), len(seen.not_judged)
    unmet = ranks.unmet
    cautions = [] if unmet is None else [Caution(UNMET, unmet.caution, unmet.found / unmet.returned)]
    cautions += contradictions(ranks, settings)
    if ranks.unchecked:
        text = "the file of ranks has no digest, as an earlier rankscope wrote them, so damage to it would not be seen"
        cautions.append(Caution(UNCHECKED, f"{text}: save it again, or make it again", 1))
    if missing:
        text = counted(missing, f"judged queries are missing from the run and {fate_of_missing(settings, system)}")
        cautions.append(Caution("Missing queries", f"{text}: {_some(seen.missing)}", missing))
    if empty:
        text = counted(empty, f"queries have no relevant item and {fate_of_empty(settings, system)}")
        cautions.append(Caution("Nothing relevant", f"{text}: {_some(seen.no_relevant)}", empty))
    if ignored:
        text = f"{counted(ignored, 'queries of the run are not judged and are ignored')}: {_some(seen.not_judged)}"
        cautions.append(Caution("Queries without judgements", text, ignored))
    if seen.straddling_pairs:
        text = f"{counted(seen.straddling_pairs, TIED)}: {tie_fate(ranks, settings)}"
        cautions.append(Caution("Equal scores", text, seen.straddling_pairs))
    said = seen.only_relevant or (unmet is not None and seen.unjudged_at_10 >= 0.995)  # in another caution
    if seen.unjudged_at_10 > 0 and not said:
        share = f"{seen.unjudged_at_10:.0%}" if seen.unjudged_at_10 >= 0.01 else f"{seen.unjudged_at_10:.2%}"
        text = f"{share} of the first 10 items are not judged and count as not relevant"
        cautions.append(Caution("Not judged", text, seen.unjudged_at_10))
    return cautions


def only_relevant(systems: Iterable[SystemScores]) -> list[Caution]:
    """Once for all systems, where judgements without any grade 0 leave unsaid who judged what else."""
    if not any(each.coverage.only_relevant and each.coverage.unjudged_at_10 > 0 for each in systems):
        return []
    text = "the judgements list only relevant items, so every other item counts as not relevant, judged or not"
    return [Caution("Only relevant items", text)]


def contradictions(ranks: RelevantRanks, settings: Settings) -> list[Caution]:
    """Scores that contradict the ranks next to them, as the reduction saw it."""
    given = ranks.provenance.get("run", {}).get(CONTRADICTION, {})
    counts = [given.get(name) if isinstance(given, dict) else None for name in Contradiction._fields]
    if not all(isinstance(each, int) for each in counts):
        return []
    found = Contradiction(*counts)  # type: ignore[arg-type]
    ways = []
    if found.against:
        now = ranks.provenance.get("settings", {}).get("scores", settings.scores)
        other = "ascending" if now == "descending" else "descending"
        best = "smallest" if other == "ascending" else "largest"
        ways.append(f"{setting_value('scores', other)} reads the {best} as best")
    ways.append(f"{setting_value('ties', 'rank')} goes by the ranks")
    return [Caution(CONTRADICTED, f"{found}: {', '.join(ways)}", found.against + found.equal)]


def counted(count: int, what: str) -> str:
    """A sentence about so many of something, given as it reads of several.

    >>> counted(40_687, TIED), counted(1, "judged queries are missing from the run and count as 0")
    ('40,687 pairs of equal score are split by relevance', '1 judged query is missing from the run and counts as 0')
    """
    words = what if count != 1 else " ".join(OF_ONE.get(word, word) for word in what.split(" "))
    return f"{count:,} {words}"


def fate_of_missing(settings: Settings, *systems: SystemScores) -> str:
    """What becomes of judged queries that these systems lack."""
    if settings.queries != "judged":
        return "are left out"
    return counting([column_values(each, ~each.ranks.answered) for each in systems], "count as an empty answer")


def fate_of_empty(settings: Settings, *systems: SystemScores) -> str:
    """What becomes of queries for which nothing is relevant."""
    if settings.no_relevant != "zero":
        return "are left out of means"
    return counting([column_values(each, each.ranks.relevant == 0) for each in systems], "count in means")


def column_values(system: SystemScores, rows: BoolArray) -> dict[str, set[float]]:
    """What some queries count by each measure that has a mean."""
    averaged = [column for column in system.columns if column.measure.summary in ("mean", "geometric")]
    known = {each.asked: each.values[rows & each.counted & ~np.isnan(each.values)] for each in averaged}
    return {name: set(np.unique(values).tolist()) for name, values in known.items()}


def counting(values: Iterable[Mapping[str, set[float]]], unknown: str) -> str:
    """As what some queries count: the value that all have by a measure, 0 by most and 1 by error rates.

    `unknown`: what is said where no measure gives them all one value.
    >>> counting([{"AP": {0.0}, "ER": {1.0}}, {"AP": {0.0}}], ""), counting([{"ER": {1.0}}], ""), counting([], "count")
    ('count as 0 (ER: as 1)', 'count as 1', 'count')
    """
    found: dict[str, set[float]] = {}
    for each in values:
        for name, some in each.items():
            found[name] = found.get(name, set()) | some
    alike: dict[str, list[str]] = {}
    for name, some in found.items():
        if len(some) == 1:
            alike.setdefault(plain_number(*some), []).append(name)
    if not alike:
        return unknown
    first, *others = sorted(alike, key=lambda each: -len(alike[each]))
    rest = "; ".join(f"{join_words(alike[each])}: as {each}" for each in others)
    return f"count as {first} ({rest})" if rest else f"count as {first}"


def tie_fate(ranks: RelevantRanks, settings: Settings) -> str:
    """What becomes of items of equal score."""
    if settings.ties == "expected":
        return "the mean over all orders is shown"
    policy = ranks.provenance.get("settings", {}).get("ties", "trec_eval")  # as the reduction recorded it
    rule = "the position of the item" if policy == "position" else setting_value("ties", policy)
    return f"{rule} decides"


RANDOM_LEVEL = 0.01  # share of the collection that is relevant, above which chance alone does well


def cautions_of_columns(ranks: RelevantRanks, columns: Sequence[Column], settings: Settings) -> list[Caution]:
    """Everything to be said of one system's columns."""
    return [
        *own_distractors(ranks),
        *short_lists(ranks, columns),
        *simulation_notes(columns, settings),
        *unknown_orders(columns),
    ]


def short_lists(ranks: RelevantRanks, columns: Sequence[Column]) -> list[Caution]:
    """Measures that look further down than lists go on, unless these hold the whole collection."""
    going_on = ranks.answered & ((ranks.collection == UNKNOWN) | (ranks.depth < ranks.collection))
    deeper = []
    for column in columns:
        reach = None if column.measure.summary == "none" else column.measure.reach(ranks)  # a short list, a short word
        count = 0 if reach is None else int((going_on & (reach > ranks.depth)).sum())
        deeper += [f"{column.asked} in {count:,}"] if count else []
    if not deeper:
        return []
    held = ranks.depth[ranks.answered]
    text = (
        f"cut deeper than the list goes: {_some_and_more(deeper)} of {how_many(held.size, 'queries')}; lists hold "
        f"{_span(held.tolist())} "
        "items, and nothing behind their end counts as found"
    )
    return [Caution("Short lists", text, float(held.min()))]


def _span(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def simulation_notes(columns: Sequence[Column], settings: Settings) -> list[Caution]:
    """Means over random orders, with their standard errors."""
    shown = [
        f"{column.asked} (standard error {column.summary_error:.2g})"
        for column in columns
        if column.error is not None and bool((column.error[column.counted] > 0).any())
    ]
    if not shown:
        return []
    text = (
        f"where equal scores have more than {MOST_ORDERS:,} orders, not exact but the mean of {RANDOM_ORDERS:,} random "
        f"orders (seed {settings.seed}): {_some_and_more(shown, 8)}"
    )
    return [Caution("Simulated", text)]


def unknown_orders(columns: Sequence[Column]) -> list[Caution]:
    """Measures whose worst and best order nobody has proven, where there are too many to go through."""
    shown = []
    for column in columns:
        worst = np.zeros(0) if column.worst is None else column.worst[column.counted & ~np.isnan(column.values)]
        shown += [column.asked] if np.isnan(worst).any() else []
    text = f"the worst and the best order of equal scores are not known for {_some_and_more(shown, 8)}"
    return [Caution("Unknown orders", text)] if shown else []


def own_distractors(ranks: RelevantRanks) -> list[Caution]:
    """A collection that was cut down to some distractors of each class."""
    chosen = chosen_distractors(ranks.provenance)
    text = f"each class was ranked among its own distractors, {chosen}, not in the whole collection"
    return [Caution("Own distractors", text)] if chosen else []


def easy_collection(systems: Sequence[RelevantRanks]) -> list[Caution]:
    """`few_distractors`, said once of a collection that all systems share."""
    said = [few_distractors(each) for each in systems]
    if said and all(lines == said[0] for lines in said):
        return said[0]
    return [replace(one, system=each.system) for each, own in zip(systems, said, strict=True) for one in own]


def few_distractors(ranks: RelevantRanks) -> list[Caution]:
    """A collection so small for its classes that a random order does well."""
    known = (ranks.collection != UNKNOWN) & (ranks.relevant > 0)
    level = float((ranks.relevant[known] / ranks.collection[known]).mean()) if known.any() else 0.0
    if level <= RANDOM_LEVEL:
        return []
    text = (
        f"too few distractors: in a random order {level:.1%} of the items are relevant "
        f"({_span(ranks.relevant[known].tolist())} of {_span(ranks.collection[known].tolist())}), "
        f"and above {RANDOM_LEVEL:.0%} chance alone does well"
    )
    return [Caution("Few distractors", text, level)]
