"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.commands.scores import read_runs
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import MAX_RATIO
from rankscope.core.validation import COUNT, SEED, Number, WholeNumber, check
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.measures.fusion.candidates import FusedRun
    from rankscope.measures.fusion.method import FusionMethod


@strict_keywords
def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str = "min-max",
    weights: Sequence[float] | None = None,
    qrels: Any = None,
    tune: bool = False,
    measure: str = "AP",
    rel: float = 1,
    folds: int = 5,
    seed: int = 0,
    depth: int | None = None,
    output: str | Path | None = None,
    system: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    max_ratio: float = MAX_RATIO,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    roll_up: Any = None,
) -> FusedRun:
    """One run from several: a list of them, or a dictionary by name.

    `norm` brings scores to one scale, query by query; methods that look at ranks alone do not mind. With judgements
    `tune` chooses weights and options, and methods such as bayesfuse learn, always on the queries of other `folds` than
    those they are used for, so that the fused run may be evaluated with the same judgements. `choices` of the result
    say what was chosen. `columns`, `map_qrels`, `map_runs` and `roll_up` as in `evaluate`.
    >>> both = fuse([{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 9.0, "c": 5.0}}])
    >>> [(item, round(score, 4)) for _, item, score in both.table().rows()]
    [('b', 0.0325), ('c', 0.032), ('a', 0.0164)]
    """
    from rankscope.commands.search import system_name
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems
    from rankscope.measures.fusion.candidates import Candidates, fused_run
    from rankscope.measures.fusion.method import FUSIONS
    from rankscope.measures.fusion.score_methods import NORMALIZATIONS
    from rankscope.measures.fusion.tuning import JudgedCandidates, fuse_across, fuse_as_given, trials_of

    checked = check(
        {"folds": folds, "seed": seed, "depth": 1 if depth is None else depth, "rel": rel},
        folds=WholeNumber(least=2),
        seed=SEED,
        depth=COUNT,
        rel=Number(),
    )
    chosen, scale = FUSIONS.parse(method), NORMALIZATIONS.find(norm)
    _need_judgements(chosen, qrels, tune)
    reading = reading_with(columns, roll_up, format, encoding, True, max_ratio, map_qrels, map_runs)
    judgements = [] if qrels is None else [partial(Qrels.of, qrels, reading)]
    named = read_runs(runs, reading, *judgements)
    if len(named) < 2:
        raise SettingError(f"a fusion needs at least two runs, got {len(named)}")
    with all_problems(named, *judgements):
        lists = scale(Candidates.of(named))
    trials = trials_of(chosen, lists.scores.shape[1], weights, tune)
    if qrels is None:
        scores, choices = fuse_as_given(lists, trials[0])
    else:
        judged = JudgedCandidates(lists, Qrels.of(qrels, reading), measure, checked["rel"])
        scores, choices = fuse_across(judged, trials, checked["folds"], checked["seed"])
    run = fused_run(lists, scores, system_name(system, output, method), choices, depth)
    if output is not None:
        from rankscope.inputs.formats.registry import write_file

        write_file(run, output)
    return run


def _need_judgements(method: FusionMethod, qrels: Any, tune: bool) -> None:
    wanted = [setting_usage("tune")] if tune else [method.name] if method.learns else []
    if wanted and qrels is None:
        raise SettingError(f"{wanted[0]} needs judgements: give {setting_usage('qrels', 'FILE')}")
    if not wanted and qrels is not None:
        raise SettingError(
            f"{setting_usage('qrels')}: {method.name} learns nothing from judgements. "
            f"Give {setting_usage('tune')} to choose its options, or leave them out"
        )
