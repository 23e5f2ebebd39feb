"""What stands in a report, before anything decides how it looks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankscope.analysis.comparison.estimates import CLASS_NOTE, Estimates, class_rows, compared_of, estimates_of
from rankscope.analysis.comparison.verdict_sentences import join_names, verdict_sentences
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, Displayed
from rankscope.core.errors import SettingError
from rankscope.core.rendering import Grid, Rows, grid_of
from rankscope.core.settings import SETTINGS
from rankscope.core.wording import how_many, setting_value
from rankscope.measures.evaluation.score_tables import summary_grid
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.evaluation.warning_kinds import WarningKind, warning_kinds
from rankscope.reports.page.figures import Figure, Progress, figures_of
from rankscope.reports.page.found_items import FoundItems, lists_of_ranks
from rankscope.reports.page.headline import Headline, headline_of, plain_sentences
from rankscope.reports.page.leaderboard import Leaderboard, board_of

if TYPE_CHECKING:
    from rankscope.analysis.assessors.agreement import Agreement
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.comparison.leaderboard import LeaderboardStability


@dataclass(frozen=True)
class Section:
    """A table with its heading and what must be said below it."""

    heading: str
    grid: Grid
    note: str = ""


def sections_of(parts: Iterable[tuple[str, Rows, str]]) -> list[Section]:
    """Tables given by their headings, rows and notes."""
    return [Section(heading, grid_of(rows), note) for heading, rows, note in parts]


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
        """Names of the systems, the baseline first."""
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
        """The verdict as `compare` words it."""
        return [] if self.compared is None else verdict_sentences(self.compared)

    @property
    def statistics(self) -> list[tuple[str, list[Section]]]:
        """Per measure: the tables that the verdict rests on."""
        if self.compared is None:
            return []
        from rankscope.analysis.comparison.compare import comparison_parts

        return [(one.measure, sections_of(comparison_parts(self.compared, one))) for one in self.compared.measures]

    @property
    def classes(self) -> Section | None:
        """Means within each class of queries, with intervals; None where there are no classes, or too many to read."""
        if all(system.ranks.classes is None for system in self.scores.systems):
            return None
        rows = class_rows(self.scores)
        return Section("Means within classes", grid_of(rows), CLASS_NOTE) if rows else None

    @property
    def assessors(self) -> list[Section]:
        """How far assessors agree, and whether it changes the order of the systems; nothing where one judged."""
        if self.agreed is None:
            return []
        from rankscope.analysis.assessors.agreement import agreement_parts

        return sections_of(part for part in agreement_parts(self.agreed) if part[1])

    @property
    def stability(self) -> tuple[list[str], list[Section]]:
        """What becomes of the order of systems with other queries, assessors and items; nothing of one system."""
        found = self.stable or (_stability_of(self.scores) if self.compared is not None else None)
        if found is None:
            return [], []
        from rankscope.analysis.comparison.leaderboard import stability_parts, stability_sentences

        return stability_sentences(found), sections_of(stability_parts(found))

    @property
    def effort(self) -> list[Section]:
        """What a user of each system has to look at for a wanted recall, and the decision tables."""
        from rankscope.analysis.curves.effort import effort_parts

        parts = effort_parts([system.ranks for system in self.scores.systems])
        return [Section(heading, grid_of(rows, places), note) for heading, rows, note, places in parts]

    @property
    def settings(self) -> list[dict[str, str]]:
        """Every choice that changes numbers: value, meaning, and whether it was given explicitly."""
        result, given = self.scores.settings_in_effect, self.scores.settings.given
        meanings = {setting.name: setting.meaning for setting in SETTINGS} | {"compat": "Count as a peer does"}
        return [
            {
                "name": name,
                "value": _by_system(value) if isinstance(value, dict) else str(value),
                "meaning": meanings[name],
                "given": "by hand" if name in given else "",
            }
            for name, value in result.items()
        ]

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


def _by_system(values: dict[str, object]) -> str:
    """Values that differ between systems.

    >>> _by_system({"bm25": "trec_eval", "pixels": "position"})
    'trec_eval (bm25), position (pixels)'
    """
    return ", ".join(f"{value} ({system})" for system, value in values.items())


def _flat(facts: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for name, value in facts.items():
        words = f"{lead}{name}"
        if isinstance(value, dict):
            lines += _flat(value, f"{words} ")
        elif value not in ("", None):
            lines.append((words.replace("_", " "), str(value)))
    return lines
