"""What few judgements say: of one query by hand, of whole runs from samples, and from machine judges next to people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.commands.scores import read_runs
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import LEVEL, MAX_RATIO
from rankscope.core.validation import COUNT, SEED, SHARE, Optional, WholeNumber, check
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.analysis.sampling.estimate import Estimated
    from rankscope.analysis.sampling.machine_judge import MachineJudged
    from rankscope.analysis.sampling.run_estimates import RunEstimates
    from rankscope.measures.notation import Asked


@strict_keywords
def estimate(
    *,
    collection_size: int,
    scope: int = 0,
    hits: int = 0,
    judged: int = 0,
    found: int = 0,
    level: float = LEVEL,
    method: str = "hypergeometric",
) -> Estimated:
    """What can be said without complete judgements: class size, recall and generality, from a judged sample.

    `hits` of the first `scope` items are relevant, and `found` of `judged` items drawn at random from those below. How
    many to judge: `needed_sample`.
    >>> round(estimate(collection_size=20000, scope=100, hits=6, judged=500, found=3).relevant.value, 1)
    125.4
    """
    from rankscope.analysis.sampling.estimate import estimate as estimated

    return estimated(collection_size, scope, hits, judged, found, level, method)


@strict_keywords
def estimate_runs(
    qrels: Any,
    runs: Any,
    measures: str | Iterable[str] | None = None,
    *,
    drawn: str | None = None,
    collection_size: int | None = None,
    rel: float = 1.0,
    level: float = LEVEL,
    more: int | None = None,
    resamples: int = 200,
    seed: int = 0,
    input_format: str | None = None,
    encoding: str = "utf-8",
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
) -> RunEstimates:
    """What judgements of a random sample say of runs: class size, recall, precision, gain and AP, with intervals.

    `qrels`: rows with the probability or the stratum of each item, or with -1 for what was not judged of a pool; or any
    judgements and `drawn`, the pool that they were drawn from, such as 'sample(1-10:all, 11-100:20%)' of these runs or
    'collection'. `runs`: one, a list, or a dictionary by name. `more`: judgements to plan; by default as many as halve
    the interval of the class size.
    >>> judged = {"q": {"a": 1, "b": 0, "c": 1, "d": -1, "e": 0, "f": -1}}
    >>> found = estimate_runs(judged, {"mine": {"q": ["a", "b", "c", "d", "e"]}}, "num_rel,R@3")
    >>> [(row["quantity"], row["estimate"], row["low"], row["high"]) for row in found.query_rows()]
    [('num_rel', 3.0, 2.0, 4.0), ('R@3', 1.0, 0.5, 1.0)]
    """
    from rankscope.analysis.sampling.frame import frame_of
    from rankscope.analysis.sampling.judged_run import JudgedRun, ranking_table
    from rankscope.analysis.sampling.quantities import USUAL, WITH_COLLECTION, EstimateRules, parse_quantities
    from rankscope.analysis.sampling.run_estimates import RunEstimates
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems
    from rankscope.inputs.sampled_qrels import SampledQrels

    check(
        locals(),
        level=SHARE,
        collection_size=Optional(COUNT),
        more=Optional(COUNT),
        resamples=WholeNumber(least=20, most=100_000),
        seed=SEED,
    )
    usual = USUAL if collection_size is None else (*USUAL, *WITH_COLLECTION)
    asked = parse_quantities(usual if measures is None else measures)
    reading = reading_with(columns, None, input_format, encoding, True, MAX_RATIO, map_qrels, map_runs)
    read = partial(SampledQrels.of, qrels, reading)
    several = read_runs([runs] if isinstance(runs, str | Path) else runs, reading, read)
    with all_problems(several, read):
        tables = {run.name: ranking_table(run) for run in several}
    judged = read()
    frame = frame_of(judged, [*tables.values()], drawn, rel=rel, collection_size=collection_size)
    return RunEstimates(
        frame=frame,
        runs=tuple(JudgedRun.of(name, frame, table) for name, table in tables.items()),
        quantities=asked,
        chosen=EstimateRules(level, collection_size, resamples, seed),
        budget=more,
    )


@strict_keywords
def estimate_with_machine(
    human: Any,
    machine: Any,
    runs: Any,
    measures: Asked = "AP",
    *,
    tuned_on: str | Path | Iterable[str] | None = None,
    correct_from: int = 20,
    rel: float = 1.0,
    level: float = LEVEL,
    input_format: str | None = None,
    encoding: str = "utf-8",
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
) -> MachineJudged:
    """What a machine's judgements say of runs once they are corrected by people's judgements of some queries.

    `human`: judgements of queries drawn at random; `machine`: of these and of many others. Corrected means and
    differences come with those of people and of the machine alone. `tuned_on`: queries that the machine was tuned on,
    which are left out: their ids, a file with an id on each line, 'none', or 'all', which is refused. People alone are
    told where they judged fewer than `correct_from` queries, 10 at least: choose it before you look.
    >>> queries = [f"q{number}" for number in range(40)]
    >>> labels = {query: {"a": number % 2, "b": 1} for number, query in enumerate(queries)}
    >>> run = {query: ["a", "b"] for query in queries}
    >>> found = estimate_with_machine({query: labels[query] for query in queries[:20]}, labels, {"mine": run}, "P@1")
    >>> found.rows[0].mean.human.value, round(found.rows[0].mean.weight, 3), found.agreement.kappa
    (0.5, 0.513, 1.0)
    """
    from rankscope.analysis.sampling.machine_judge import TwoJudges, judge_with_machine
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems

    check(locals(), level=SHARE, correct_from=WholeNumber(least=10))
    reading = reading_with(columns, None, input_format, encoding, True, MAX_RATIO, map_qrels, map_runs)
    seen = _tuned_on(tuned_on)
    people, labels = partial(Qrels.of, human, reading), partial(Qrels.of, machine, reading)
    by_name = {
        run.name: run for run in read_runs([runs] if isinstance(runs, str | Path) else runs, reading, people, labels)
    }
    with all_problems(by_name.values(), people, labels):
        judges = TwoJudges.of(people(), labels(), seen, correct_from)
    told = tuned_on is not None
    return judge_with_machine(judges, by_name, measures, rel=rel, level=level, told_tuning=told)


def _tuned_on(given: str | Path | Iterable[str] | None) -> list[str]:
    """Ids of queries; a machine that was tuned on all of them cannot be corrected by any."""
    if given is None or given == "none":
        return []
    if given == "all":
        raise SettingError(
            "a machine that was tuned on all queries that people judged shows there fewer errors than elsewhere, and "
            f"cannot be corrected by them: let people judge others, and name those used with "
            f"{setting_usage('tuned_on', 'FILE')}"
        )
    if isinstance(given, str | Path):
        try:
            return [line.strip() for line in Path(given).read_text("utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError.of(
                str(given), [f"cannot be read: {reason}"], "Give a file with one query a line."
            ) from None
    return [str(each) for each in given]
