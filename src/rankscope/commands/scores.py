"""Scores of what a question is asked of: judgements and runs, saved ranks, or scores that are there already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from rankscope.core.errors import InputError, SettingError
from rankscope.core.names import RANKS_SUFFIX, distinct_names
from rankscope.core.settings import MAX_RATIO, InputChoices, Settings
from rankscope.core.wording import setting_usage
from rankscope.inputs.reading import reading_with
from rankscope.measures.evaluation.evaluate import evaluate as evaluate_runs
from rankscope.measures.evaluation.evaluate import evaluate_both_levels, evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run
    from rankscope.measures.notation import Asked
    from rankscope.ranks.parts.resources import Where
    from rankscope.ranks.reduction import Progress

OPTIONS_OF_FILES = (
    "junk",
    "subtopics",
    "format",
    "encoding",
    "max_ratio",
    "columns",
    "map_qrels",
    "map_runs",
    "roll_up",
)  # what saved ranks have no use for


def scores_of(
    source: Any,
    runs: Any,
    measures: Asked | None,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    where: Where | None = None,
    both_levels: bool = False,
    **given: Unpack[InputChoices],
) -> Scores:
    """Scores of runs against judgements; without runs, of reductions: ranks or their files, one, several or by name.

    Of scores that are there already the `measures`, None: all of them; those that they lack are computed.
    """
    if isinstance(source, Scores):
        refuse_more(runs, given)
        return scores_by(source, measures)
    asked = measures or ()
    if runs is not None:
        way = evaluate_both_levels if both_levels else evaluate_runs
        return way(source, runs, asked, keep_scores=keep_scores, progress=progress, where=where, **given)
    useless = [name for name in OPTIONS_OF_FILES if given.get(name) is not None] + (
        ["both_levels"] if both_levels else []
    )
    if useless:
        what = "saved ranks hold their judgements already, and take no such choice; give judgements and runs"
        raise SettingError(f"{', '.join(map(setting_usage, useless))}: {what}")
    chosen = {name: value for name, value in given.items() if name != "classes" and name not in OPTIONS_OF_FILES}
    return evaluate_ranks(ranks_of(source), asked, Settings(**chosen), given.get("classes"))  # type: ignore[arg-type]


def scores_asked(
    source: Any,
    runs: Any,
    measures: Asked,
    usually: Asked,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Scores:
    """The same where scores come with all their measures unless some are named, also in the place of runs.

    What is drawn anew from scores has its `seed` yet to be chosen.
    """
    if not isinstance(source, Scores):
        return scores_of(source, runs, measures, keep_scores=keep_scores, progress=progress, **given)
    named = measures is not usually
    refuse_more(runs if named else None, given, "seed")
    return scores_by(source, measures if named else runs)


def refuse_more(runs: Any, given: Mapping[str, Any], *free: str) -> None:
    """Scores are made already: nothing that would change them can be chosen any more."""
    late = [*(["runs"] if runs is not None else []), *(name for name in given if name not in free)]
    if late:
        raise SettingError(f"{', '.join(late)}: the scores are there already; choose it where they are made")


def scores_by(scores: Scores, measures: Asked | None) -> Scores:
    """The scores by these measures, in this order; where one is not among them, all are computed from the ranks."""
    if measures is None:
        return scores

    wanted = [str(each) for each in parse_measures(measures, scores.settings.rel, scores.settings.compat)]
    if set(wanted) <= set(scores.measures):
        return scores.only(wanted)
    again = evaluate_ranks([each.ranks for each in scores.systems], measures, scores.settings)
    return replace(again, by_class_wanted=scores.by_class_wanted, notes=scores.notes)


def reading_of_choices(given: InputChoices, comments: bool) -> Reading:
    """How files are read, by what was chosen of it."""
    encoding, max_ratio = given.get("encoding", "utf-8"), given.get("max_ratio", MAX_RATIO)
    maps = {name: given.get(name) for name in ("columns", "map_qrels", "map_runs", "roll_up")}
    return reading_with(
        format=given.get("format"),
        encoding=encoding,
        comments=comments,
        max_ratio=max_ratio,
        scores=given.get("scores") or "descending",
        **maps,
    )


def read_runs(runs: Any, reading: Reading, *others: Callable[[], object]) -> list[Run]:
    """Runs with distinct names; what cannot be read is told of all together, and of `others` that are read."""
    from rankscope.inputs.problems import raise_all
    from rankscope.inputs.run import all_problems, named_runs

    errors: list[InputError] = []
    found = named_runs(runs, reading, errors)
    with all_problems(found, *others):
        raise_all(errors)
    return found


def choices_of_ranks(given: InputChoices, runs: Any, *texts: Any) -> InputChoices:
    """Without runs to read, the choices less how text is read, where that is meant for other texts, such as topics."""
    if runs is not None or all(each is None for each in texts):
        return given
    return cast("InputChoices", {name: value for name, value in given.items() if name not in ("encoding", "max_ratio")})


def ranks_of(source: Any) -> list[RelevantRanks]:
    """Reductions: one or several, themselves or their files, by name where they come in a dictionary.

    Files of systems that are called alike get what tells them apart.
    """
    found = _with_places(source)
    names = distinct_names([ranks.system for ranks, _ in found], [place for _, place in found])
    return [replace(ranks, system=name) for (ranks, _), name in zip(found, names, strict=True)]


def _with_places(source: Any) -> list[tuple[RelevantRanks, str | None]]:
    """The same, each with its file where it may give the name."""
    from rankscope.ranks.storage import load_ranks

    if isinstance(source, Mapping):
        return [
            (replace(ranks, system=str(name)), None) for name, each in source.items() for ranks, _ in _with_places(each)
        ]
    if isinstance(source, RelevantRanks):
        return [(source, None)]
    if isinstance(source, str | Path) and str(source).endswith(RANKS_SUFFIX):
        return [(load_ranks(source), str(source))]
    if isinstance(source, Sequence) and not isinstance(source, str) and source:
        return [pair for each in source for pair in _with_places(each)]
    raise SettingError(f"give judgements and runs, or ranks: {type(source).__name__} alone is neither")
