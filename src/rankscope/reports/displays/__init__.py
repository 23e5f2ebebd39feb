"""What results show of themselves, by the names of their classes; loaded when the first of a kind is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankscope.catalogue import Later, later

if TYPE_CHECKING:
    from rankscope.reports.displays.display import Display
    from rankscope.reports.displays.presentation import Presentation

PRESENTATIONS: dict[str, Later] = later(  # a new result adds its line here
    __name__,
    {
        "Scores": "of_scores:SCORES",
        "SystemScores": "of_scores:SYSTEM_SCORES",
        "Column": "of_scores:COLUMN",
        "ScoreTable": "of_scores:SCORE_TABLE",
        "RelevantRanks": "of_scores:RELEVANT_RANKS",
        "Compared": "of_comparisons:COMPARED",
        "MeasureCompared": "of_comparisons:MEASURE_COMPARED",
        "GateResult": "of_comparisons:GATE_RESULT",
        "Explained": "of_comparisons:EXPLAINED",
        "Suite": "of_comparisons:SUITE",
        "ScoredSuite": "of_comparisons:SCORED_SUITE",
        "Agreement": "of_comparisons:AGREEMENT",
        "Preferred": "of_comparisons:PREFERRED",
        "SequentialResult": "of_plans:SEQUENTIAL_RESULT",
        "Ledger": "of_plans:LEDGER",
        "Components": "of_plans:COMPONENTS",
        "JudgingPlans": "of_plans:JUDGING_PLANS",
        "LeaderboardStability": "of_plans:STABILITY",
        "Forecast": "of_estimates:FORECAST",
        "Homogeneity": "of_estimates:HOMOGENEITY",
        "Estimated": "of_estimates:ESTIMATED",
        "SampleSize": "of_estimates:SAMPLE_SIZE",
        "RunEstimates": "of_estimates:RUN_ESTIMATES",
        "MachineJudged": "of_estimates:MACHINE_JUDGED",
        "Reuse": "of_estimates:REUSE",
        "LabelCheck": "of_estimates:LABEL_CHECK",
        "SearchEffort": "of_estimates:SEARCH_EFFORT",
        "UserScore": "of_studies:USER_SCORE",
        "Results": "of_studies:RESULTS",
        "Answer": "of_studies:ANSWER",
        "Standings": "of_studies:STANDINGS",
        "Qrels": "of_inputs:QRELS",
        "Run": "of_inputs:RUN",
        "FusedRun": "of_inputs:FUSED_RUN",
        "Features": "of_inputs:FEATURES",
        "Index": "of_inputs:INDEX",
        "Hits": "of_inputs:HITS",
        "Gathered": "of_inputs:GATHERED",
        "Report": "of_pages:REPORT",
        "ReportPage": "of_pages:REPORT_PAGE",
        "ShownRows": "of_collections:ROWS",
        "ShownByName": "of_collections:BY_NAME",
    },
)


def presentation_of(result: object) -> Presentation:
    """How a result shows itself: as the first of its classes that is listed."""
    found = next(PRESENTATIONS[each.__name__] for each in type(result).__mro__ if each.__name__ in PRESENTATIONS)
    presentation: Presentation = found.load()
    return presentation


def display_of(result: object) -> Display:
    """What it shows of itself."""
    return presentation_of(result).display(result)


def frame_of(result: object) -> Any:
    """All its rows as a polars frame."""
    return presentation_of(result).frame(result)


def written(result: object, format: str, options: Mapping[str, Any]) -> str:
    """Its table as Markdown or LaTeX, or its paragraph for a paper."""
    presentation = presentation_of(result)
    ways = {"markdown": presentation.markdown, "latex": presentation.latex, "write-up": presentation.write_up}
    write = ways[format]
    assert write is not None, f"{type(result).__name__} has no {format}"
    return write(result, **options)
