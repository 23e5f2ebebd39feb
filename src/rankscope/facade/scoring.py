"""What the verbs take: judgements and runs, reductions made before, or scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.errors import SettingError
from rankscope.evaluation.evaluate import evaluate, evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Choices, Settings

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.inputs.reading import Reading
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.scale.where import Where

SAVED = ".ranks.parquet"
OF_FILES = (
    "junk",
    "subtopics",
    "format",
    "encoding",
    "max_ratio",
    "columns",
    "roll_up",
)  # what saved ranks have no use for


class InputChoices(Choices, total=False):
    """How inputs are read, and every setting; None means not chosen.

    `junk`: items neither relevant nor irrelevant, removed first. `subtopics`: judgements of subtopics for measures of
    diversity, a file, {query: {subtopic: {item: grade}}}, a table or tuples. `classes`: class of each query, a
    dictionary, a table or a file. `format` and `encoding` of files. `max_ratio`: how many times its own size a packed
    file may become. `columns`: which column is which where names do not tell, {"query": NAME, "item": NAME}, also
    grade, score, rank and, in JSON, results; dots lead into objects. `roll_up`: which document a chunk belongs to, a
    regular expression with one group, a file, a table or {chunk: document}; documents are evaluated then.
    """

    junk: Any
    subtopics: Any
    classes: Any
    format: str | None
    encoding: str
    max_ratio: float
    columns: Any
    roll_up: Any
    compat: str | None


def scores_of(
    qrels: Any,
    runs: Any,
    measures: Asked,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    where: Where | None = None,
    both_levels: bool = False,
    **given: Unpack[InputChoices],
) -> Scores:
    """Scores of runs against judgements; without runs, of reductions: ranks or their files, one, several or by name."""
    if runs is not None:
        return evaluate(
            qrels,
            runs,
            measures,
            keep_scores=keep_scores,
            progress=progress,
            where=where,
            both_levels=both_levels,
            **given,
        )
    useless = [name for name in OF_FILES if given.get(name) is not None] + (["both_levels"] if both_levels else [])
    if useless:
        raise SettingError(f"{', '.join(useless)}: saved ranks hold their judgements already, and take no such choice")
    chosen = {name: value for name, value in given.items() if name != "classes" and name not in OF_FILES}
    return evaluate_ranks(ranks_of(qrels), measures, Settings(**chosen), given.get("classes"))  # type: ignore[arg-type]


def reading_of_choices(given: InputChoices, comments: bool) -> Reading:
    """How files are read, by what was chosen of it."""
    from rankscope.inputs.reading import reading_with

    encoding, max_ratio = given.get("encoding", "utf-8"), given.get("max_ratio", 200.0)
    return reading_with(given.get("columns"), given.get("roll_up"), given.get("format"), encoding, comments, max_ratio)


def ranks_of(source: Any) -> list[RelevantRanks]:
    """Reductions: one or several, themselves or their files, by name where they come in a dictionary."""
    from rankscope.ranks.storage import load_ranks

    if isinstance(source, Mapping):
        return [replace(ranks, system=str(name)) for name, each in source.items() for ranks in ranks_of(each)]
    if isinstance(source, RelevantRanks):
        return [source]
    if isinstance(source, str | Path) and str(source).endswith(SAVED):
        return [load_ranks(source)]
    if isinstance(source, Sequence) and not isinstance(source, str) and source:
        return [ranks for each in source for ranks in ranks_of(each)]
    raise SettingError(f"give judgements and runs, or ranks: {type(source).__name__} alone is neither")


def counted_ranks(scores: Scores) -> list[RelevantRanks]:
    """The rankings as the settings want them: depth, rel, collection size, classes, and which queries count."""
    import numpy as np

    systems = [each.ranks for each in scores.systems]
    if scores.settings.queries == "answered":
        systems = [each.take(np.flatnonzero(each.answered)) for each in systems]
    return systems
