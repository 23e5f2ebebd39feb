"""What a result shows of itself: a sentence, a table of which only the ends are seen, and what must be said with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.core.catalogue import Later, later
from rankscope.core.display import Display, LongTable
from rankscope.core.rendering import Rows

# What results show of themselves, by the names of their classes; loaded when the first of a kind is shown.

PRESENTATIONS: dict[str, Later] = later(  # a new result adds its line here
    "rankscope.reports",
    {
        "Scores": "result_displays:SCORES",
        "SystemScores": "result_displays:SYSTEM_SCORES",
        "Column": "result_displays:COLUMN",
        "ScoreTable": "result_displays:SCORE_TABLE",
        "RelevantRanks": "result_displays:RELEVANT_RANKS",
        "Compared": "result_displays:COMPARED",
        "MeasureCompared": "result_displays:MEASURE_COMPARED",
        "GateResult": "result_displays:GATE_RESULT",
        "Explained": "result_displays:EXPLAINED",
        "Suite": "result_displays:SUITE",
        "ScoredSuite": "result_displays:SCORED_SUITE",
        "Agreement": "result_displays:AGREEMENT",
        "Preferred": "result_displays:PREFERRED",
        "SequentialResult": "result_displays:SEQUENTIAL_RESULT",
        "Ledger": "result_displays:LEDGER",
        "Components": "result_displays:COMPONENTS",
        "JudgingPlans": "result_displays:JUDGING_PLANS",
        "LeaderboardStability": "result_displays:STABILITY",
        "Forecast": "result_displays:FORECAST",
        "Homogeneity": "result_displays:HOMOGENEITY",
        "Estimated": "result_displays:ESTIMATED",
        "SampleSize": "result_displays:SAMPLE_SIZE",
        "RunEstimates": "result_displays:RUN_ESTIMATES",
        "MachineJudged": "result_displays:MACHINE_JUDGED",
        "Reuse": "result_displays:REUSE",
        "LabelCheck": "result_displays:LABEL_CHECK",
        "SearchEffort": "result_displays:SEARCH_EFFORT",
        "UserScore": "object_displays:USER_SCORE",
        "Results": "object_displays:RESULTS",
        "Answer": "object_displays:ANSWER",
        "Standings": "object_displays:STANDINGS",
        "Qrels": "object_displays:QRELS",
        "Run": "object_displays:RUN",
        "FusedRun": "object_displays:FUSED_RUN",
        "Features": "object_displays:FEATURES",
        "Index": "object_displays:INDEX",
        "Hits": "object_displays:HITS",
        "Gathered": "object_displays:GATHERED",
        "Report": "object_displays:REPORT",
        "ReportPage": "object_displays:REPORT_PAGE",
        "ShownRows": "object_displays:ROWS",
        "ShownByName": "object_displays:BY_NAME",
    },
)


def presentation_of(result: object) -> Presentation:
    """How a result shows itself: as the first of its classes that is listed."""
    found = next(PRESENTATIONS[each.__name__] for each in type(result).__mro__ if each.__name__ in PRESENTATIONS)
    presentation: Presentation = found.load()
    return presentation


def rows_of(result: object) -> Rows:
    """All its rows."""
    rows = presentation_of(result).rows
    return [] if rows is None else list(rows(result))


def display_of(result: object) -> Display:
    """What it shows of itself."""
    return presentation_of(result).display(result)


def written(result: object, format: str, options: Mapping[str, Any]) -> str:
    """Its table as Markdown or LaTeX, or its paragraph for a paper."""
    presentation = presentation_of(result)
    ways = {"markdown": presentation.markdown, "latex": presentation.latex, "write-up": presentation.write_up}
    write = ways[format]
    assert write is not None, f"{type(result).__name__} has no {format}"
    return write(result, **options)


def in_texts(place: str) -> Callable[..., Any]:
    """A function of the texts, loaded when it is called: "gate:gate_markdown"."""
    return lambda *results, **options: Later(f"rankscope.{place}").load()(*results, **options)


# How results of one class show themselves: at a prompt, in a notebook, as a frame, on a page and in a paper.


@dataclass(frozen=True)
class Presentation:
    """`display` says what is shown; where a class has its own tables for pages and papers, these are written.

    `rows` are for programs: plain numbers under short names. Without them a frame holds what the display shows.
    """

    display: Callable[[Any], Display]
    rows: Callable[[Any], Rows] | None = None
    own_markdown: Callable[..., str] | None = None
    own_latex: Callable[..., str] | None = None
    write_up: Callable[..., str] | None = None  # one paragraph for a paper

    @classmethod
    def of_rows(
        cls,
        words: Callable[[Any], Sequence[str]],
        rows: Callable[[Any], Rows],
        more: str = "",
        places: int = 4,
        **ways: Callable[..., str],
    ) -> Presentation:
        """Of a result whose table holds its rows; `words` gives the title, then the notes."""

        def display(result: Any) -> Display:
            title, *notes = words(result)
            return Display(title, LongTable.of_rows(rows(result), places), tuple(notes), more)

        return cls(display, rows, **ways)

    def markdown(self, result: object, **options: Any) -> str:
        """The whole table, below the sentence and above the notes."""
        if self.own_markdown is not None:
            return self.own_markdown(result, **options)
        return self.display(result).markdown()

    def latex(self, result: object, **options: Any) -> str:
        r"""The whole table to \input, below sentence and notes as comments."""
        if self.own_latex is not None:
            return self.own_latex(result, **options)
        return self.display(result).latex()
