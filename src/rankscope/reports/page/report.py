"""What stands in a report, before anything decides how it looks, and which graphs it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankscope.analysis.comparison.estimates import CLASS_NOTE, Estimates, class_rows, compared_of, estimates_of
from rankscope.analysis.comparison.verdict_sentences import join_names, verdict_sentences
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, Displayed
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.names import slugs
from rankscope.core.rendering import HeadedTable
from rankscope.core.settings import SETTINGS
from rankscope.core.wording import how_many, setting_usage, setting_value, speaking_to_readers
from rankscope.measures.evaluation.score_tables import summary_grid
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.evaluation.warning_kinds import WarningKind, warning_kinds
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import GraphKind, Variant, Variants, reader_chooses
from rankscope.reports.page.found_items import FoundItems, lists_of_ranks
from rankscope.reports.page.headline import Headline, headline_of, plain_sentences
from rankscope.reports.page.leaderboard import Leaderboard, board_of

if TYPE_CHECKING:
    from rankscope.analysis.assessors.agreement import Agreement
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.comparison.leaderboard import LeaderboardStability


@dataclass(frozen=True, eq=False, repr=False)
class Report(Displayed):
    """Scores with their intervals, a verdict in words, the leaderboard that proves it, and the graphs."""

    title: str
    titled: bool  # whether somebody gave the title
    scores: Scores
    estimates: Estimates
    compared: Compared | None
    plain: tuple[str, ...]  # the result as anybody understands it
    headline: Headline
    reference: str  # what the first system is called, from which differences are: the baseline, where one was named
    board: Leaderboard | None
    figures: tuple[Figure, ...]
    found: FoundItems  # what stands first for each query
    agreed: Agreement | None = None  # of assessors, where several judged
    stable: LeaderboardStability | None = None  # with assessors and collections, where there are some

    @classmethod
    def of(
        cls,
        scores: Scores,
        title: str = "",
        progress: Progress | None = None,
        compared: Compared | None = None,
        baseline: str = "",
        found: FoundItems | None = None,
    ) -> Report:
        """Everything that can be said from these scores and the ranks behind them, compared before or here.

        The others are compared with the `baseline`, else with the first system.
        """
        scores = with_baseline(scores, baseline) if baseline else scores
        compared = compared or compared_of(scores, baseline)
        estimates = estimates_of(scores, compared)
        names = tuple(system.name for system in scores.systems)
        named = bool(baseline or (compared and compared.baseline)) or len(names) == 2
        reference = ("baseline" if named else "first system") if len(names) > 1 else ""
        board = board_of(scores, estimates, compared, reference)
        measure = estimates.main.asked if estimates.main else "AP"
        order = [row.number for row in board.rows] if board is not None else None
        return cls(
            title=title or join_names(list(names), most=4),
            titled=bool(title),
            scores=scores,
            estimates=estimates,
            compared=compared,
            plain=plain_sentences(names, estimates),
            headline=headline_of(names, estimates, compared, len(scores.systems[0].ranks) if scores.systems else 0),
            reference=reference,
            board=board,
            figures=figures_of([system.ranks for system in scores.systems], measure, progress, compared, order),
            found=found or FoundItems({each.name: lists_of_ranks(each.ranks) for each in scores.systems}),
        )

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(system.name for system in self.scores.systems)

    @property
    def warnings(self) -> list[WarningKind]:
        """What to read next to the numbers, a line a kind: of the files, and of what so many queries can show."""
        scores = replace(self.scores)  # whose cautions were not yet told to somebody else, in other words
        if self.compared is None or self.scores.quiet:
            return warning_kinds(scores)
        from rankscope.analysis.comparison.compare import comparison_notes

        return warning_kinds(scores, comparison_notes(self.compared))

    @property
    def sentences(self) -> list[str]:
        return [] if self.compared is None else verdict_sentences(self.compared)

    @property
    def statistics(self) -> list[tuple[str, list[HeadedTable]]]:
        """Per measure: the tables that the verdict rests on."""
        if self.compared is None:
            return []
        from rankscope.analysis.comparison.compare import comparison_parts

        return [(one.measure, comparison_parts(self.compared, one)) for one in self.compared.measures]

    @property
    def classes(self) -> HeadedTable | None:
        """Means within each class of queries, with intervals; None where there are no classes, or too many to read."""
        if all(system.ranks.classes is None for system in self.scores.systems):
            return None
        rows = class_rows(self.scores)
        return HeadedTable("Means within classes", rows, CLASS_NOTE) if rows else None

    @property
    def assessors(self) -> list[HeadedTable]:
        """How far assessors agree, and whether it changes the order of the systems; nothing where one judged."""
        if self.agreed is None:
            return []
        from rankscope.analysis.assessors.agreement import agreement_parts

        return agreement_parts(self.agreed)

    @property
    def stability(self) -> tuple[list[str], list[HeadedTable]]:
        """What becomes of the order of systems with other queries, assessors and items; nothing of one system."""
        found = self.stable or (_stability_of(self.scores) if self.compared is not None else None)
        if found is None:
            return [], []
        from rankscope.analysis.comparison.leaderboard import stability_parts, stability_sentences

        return stability_sentences(found), stability_parts(found)

    @property
    def effort(self) -> list[HeadedTable]:
        """What a user of each system has to look at for a wanted recall, and the decision tables."""
        from rankscope.analysis.curves.effort import effort_parts

        return effort_parts([system.ranks for system in self.scores.systems])

    @property
    def settings(self) -> list[dict[str, str]]:
        """Every choice that changes numbers: value, meaning, and whether it was given explicitly."""
        result, given = self.scores.settings_in_effect, self.scores.settings.given
        meanings = {setting.name: setting.meaning for setting in SETTINGS} | {"compat": "Count as a peer does"}
        rows = []
        for name, value in result.items():
            by_system = value.items() if isinstance(value, dict) else ()
            shown = ", ".join(f"{own} ({system})" for system, own in by_system) or str(value)
            by_hand = "by hand" if name in given else ""
            rows.append({"name": name, "value": shown, "meaning": meanings[name], "given": by_hand})
        return rows

    @property
    def provenance(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Per system: where its numbers come from, as lines of a name and a value; no time, host or path."""
        return [(each.name, _flat(dict(each.ranks.provenance))) for each in self.scores.systems]

    def display(self) -> Display:
        drawn = [each for each in self.figures if each.graph is not None]
        kinds = ", ".join(dict.fromkeys(each.kind.name for each in drawn))
        graphs = f"{how_many(len(drawn), 'graph', 'graphs')}: {kinds}"
        words = [self.headline.answer, *self.headline.limits, graphs]
        return Display.of(words, summary_grid(self.scores), ".headline.limits")


def _stability_of(scores: Scores) -> LeaderboardStability | None:
    """Over queries alone; None where there are too few."""
    from rankscope.analysis.comparison.leaderboard import stability
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable

    try:
        return stability(ScoreTable.of(scores), by_unit=classes_are_targets(scores), seed=scores.settings.seed)
    except SettingError:
        return None


def with_baseline(scores: Scores, name: str) -> Scores:
    """The same scores with this system first, which is the one the others are compared with."""
    names = [system.name for system in scores.systems]
    if name not in names:
        raise SettingError(f"{setting_value('baseline', name)}: {unknown_name('system', name, names)}")
    return replace(scores, systems=tuple(sorted(scores.systems, key=lambda system: system.name != name)))


def _flat(facts: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for name, value in facts.items():
        words = f"{lead}{name}"
        if isinstance(value, dict):
            lines += _flat(value, f"{words} ")
        elif value not in ("", None):
            lines.append((words.replace("_", " "), str(value)))
    return lines


# Which graphs a report shows: every kind that has something to say, and for the others why not and what would help.

T = TypeVar("T")
Progress = Callable[[str, float], None]
FIRST = 3  # of the best that curves show at first, next to the baseline
MOST_CURVES = 8  # drawn at once
MOST_ALONE = 25  # systems that have graphs of their own on a page, or a curve that takes long
MOST_IN_CLASSES = 8  # systems side by side in each class
ONE_SYSTEM = "it compares systems, and there is one"
ONE_QUERY = "one query shows no chance and no difference to test"


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another graph of the same kind that a reader may choose, under a heading; one of them is shown first."""

    id: str
    text: str
    heading: str
    graph: Graph
    chosen: bool


@dataclass(frozen=True, eq=False)
class Figure:
    """A graph, or the reason why it is not drawn."""

    id: str  # safe in a file name and in an address, and no other figure's
    kind: GraphKind[Any]
    graph: Graph | None = None
    reason: str = ""
    note: str = ""
    choose: str = ""  # what the alternatives differ in
    alternatives: tuple[Alternative, ...] = ()
    system: str = ""  # of whom it is, where each system has one of its own
    at_first: tuple[str, ...] = ()  # the systems drawn before anybody chooses, where it holds more than can be read

    @property
    def caption(self) -> str:
        return self.kind.sentence

    @property
    def subtitle(self) -> str:
        return "; ".join(filter(None, (self.drawn.subtitle, self.note)))

    @property
    def drawn(self) -> Graph:
        assert self.graph is not None
        return self.graph

    @property
    def on_paper(self) -> Graph:
        """The graph with no more systems than a picture can show."""
        if self.at_first and len(self.drawn.series) > self.kind.systems.most:
            return self.drawn.only(self.at_first)
        return self.drawn


def first_choice(names: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    """The best three and the baseline, which is the first of the names; `order` are all from the best to the worst.

    >>> first_choice(["base", "a", "b", "c", "d"], [4, 3, 0, 2, 1])
    ('d', 'c', 'base')
    >>> first_choice(["base", "a", "b", "c", "d"], [4, 3, 2, 1, 0])
    ('d', 'c', 'b', 'base')
    """
    best = [names[each] for each in order[:FIRST]]
    return tuple(dict.fromkeys([*best, names[0]]))


def best_and_baseline(systems: Sequence[T], order: Sequence[int], most: int = MOST_ALONE) -> list[T]:
    """So many systems, the best first: the last of them makes room for the baseline, the first of all, if need be.

    >>> best_and_baseline("abcd", [3, 2, 1, 0], most=2), best_and_baseline("abcd", [0, 1, 2, 3], most=2)
    (['d', 'a'], ['a', 'b'])
    """
    kept = list(order[:most])
    if systems and 0 not in kept:
        kept = [*kept[: most - 1], 0]
    return [systems[each] for each in kept]


def figures_of(
    systems: Sequence[RelevantRanks],
    measure: str = "AP",
    progress: Progress | None = None,
    compared: Compared | None = None,
    order: Sequence[int] | None = None,
) -> tuple[Figure, ...]:
    """All kinds of graph, in the order people want to see them; the first system is the baseline.

    Graphs that show a verdict show the one given, `compared`, so that page and picture say the same. `order` are the
    systems from the best to the worst.
    """
    places = list(range(len(systems)) if order is None else order)
    first = first_choice([each.system for each in systems], places) if systems else ()
    done = []
    with speaking_to_readers():  # why a graph is not there
        asked = [each for kind in graphs.KINDS.of_rivals() for each in _of_kind(kind, systems, places)]
        for each in asked:
            done.append(each.graph(measure, compared))
            if progress is not None:
                progress("graphs", len(done) / len(asked))
    ids = slugs([f"{each.kind.name} {each.system}" for each in asked])
    figures, told = [], set()
    for id, each, result in zip(ids, asked, done, strict=True):
        if not isinstance(result, str):
            figure = Figure(id, each.kind, result, note=each.note, system=each.system, at_first=first)
            figures.append(_with_variants(figure, each, measure, compared))
        elif (each.kind.name, result) not in told:  # one reason is told once for a kind
            told.add((each.kind.name, result))
            figures.append(Figure(id, each.kind, reason=result, system=each.system))
    return tuple(figures)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A kind with the systems of one graph, and of whom it is where each system has its own."""

    kind: GraphKind[Any]
    systems: list[RelevantRanks]
    system: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""  # why it would say nothing
    shown: str = ""  # which systems, where not all

    @property
    def chosen(self) -> list[RelevantRanks]:
        return self.systems if self.kind.enough is None else _sampled(self.systems, self.kind.enough)

    @property
    def note(self) -> str:
        count, shown = len(self.systems[0]), len(self.chosen[0])
        sampled = "" if shown == count else f"{how_many(shown, 'queries')} drawn from {count:,} with seed 0"
        return "; ".join(filter(None, (self.shown, sampled)))

    def graph(self, measure: str, compared: Compared | None) -> Graph | str:
        """The graph, or in words why there is none."""
        if self.reason:
            return self.reason
        try:
            return self.drawn(measure, compared, next((each.value for each in self.offered if each.chosen), None))
        except RankscopeError as error:
            return str(error)

    def drawn(self, measure: str, compared: Compared | None, variant: str | None) -> Graph:
        chosen = {self.variants.option: variant} if self.variants is not None else {}
        with reader_chooses():
            return self.kind(self.chosen, **self.kind.accepted(measure, compared=compared), **self.options, **chosen)

    @cached_property
    def variants(self) -> Variants | None:
        with reader_chooses():
            return self.kind.variants(self.chosen)

    @property
    def offered(self) -> tuple[Variant, ...]:
        return () if self.variants is None else self.variants.values


def _of_kind(kind: GraphKind[Any], systems: Sequence[RelevantRanks], order: Sequence[int]) -> Iterator[_Asked]:
    """What one kind is asked to draw: nothing that would say nothing."""
    everyone, reason = list(systems), _nothing_said(kind, systems)
    alone = best_and_baseline(everyone, order)
    if reason and (reason == ONE_SYSTEM or kind.systems.worth <= len(systems)):
        yield _Asked(kind, everyone, reason=reason)
    elif kind.systems.most == 1:
        yield from (_Asked(kind, [each], each.system) for each in alone)
    elif (kind.systems.most == 2 or kind.against_baseline is not None) and len(systems) > 1:
        pairs = ([systems[0], each] for each in alone if each is not systems[0])
        yield from (_Asked(kind, pair, pair[1].system, dict(kind.against_baseline or ())) for pair in pairs)
    elif kind.wants("classes") and len(systems) > MOST_IN_CLASSES:
        best = [systems[each] for each in order if each != 0]
        yield _Asked(kind, [systems[0], *best[: MOST_IN_CLASSES - 1]])
    elif kind.costly and len(alone) < len(systems):
        kept = [each for each in everyone if each in alone]
        yield _Asked(kind, kept, shown=f"the {len(kept) - 1} best systems and {systems[0].system}, of {len(systems)}")
    else:
        yield from (_Asked(kind, share) for share in kind.systems.shares(everyone))


def _nothing_said(kind: GraphKind[Any], systems: Sequence[RelevantRanks]) -> str:
    """Why a kind has nothing to say of these systems, if so."""
    if kind.systems.least > len(systems):
        return ONE_SYSTEM
    if kind.compares and len(systems[0]) == 1:
        return ONE_QUERY
    if kind.wants("classes") and len(set(systems[0].classes or ())) < 2:
        return f"queries have no classes, or all have one: give {setting_usage('classes')}"
    return ""


def _with_variants(figure: Figure, asked: _Asked, measure: str, compared: Compared | None) -> Figure:
    """The same with all graphs that its kind offers of these systems; of many systems the one alone."""
    few = len(asked.systems) <= asked.kind.systems.most
    if not few or asked.variants is None:
        return figure
    ids = slugs([f"{figure.id} {each.value}" for each in asked.offered])
    others = [
        Alternative(
            id=figure.id if each.chosen else ids[number],
            text=each.text,
            heading=each.heading,
            graph=figure.drawn if each.chosen else asked.drawn(measure, compared, each.value),
            chosen=each.chosen,
        )
        for number, each in enumerate(asked.offered)
    ]
    return replace(figure, choose=asked.variants.label, alternatives=tuple(others))


def _sampled(systems: list[RelevantRanks], most: int) -> list[RelevantRanks]:
    """At most so many queries, drawn with seed 0: the same ones of all systems."""
    queries = systems[0].queries
    if len(queries) <= most or any(each.queries != queries for each in systems):
        return systems
    rows = np.sort(np.random.default_rng(0).choice(len(queries), most, replace=False))
    return [each.take(rows) for each in systems]
