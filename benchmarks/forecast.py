"""The growth forecast on real collections: the whole forecast from a half, a quarter and a sixteenth of its items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.forecast_cases import DATA, Case, Lists, other_queries, without_scores
from benchmarks.forecast_data import (
    RUNS,
    TEXTS,
    TIED_RUN,
    covid_lists,
    robust_lists,
    runs_of,
    text_lists,
    there,
    vector_lists,
)
from rankscope.arrays import FloatArray
from rankscope.forecast import Forecast, forecast
from rankscope.forecast.growth import Seen
from rankscope.forecast.models import candidates
from rankscope.measures.notation import parse_measure
from rankscope.ranks import RelevantRanks

MEASURES = ("Rprec", "AP")
FACTORS = (2, 4, 16)
SEEDS = range(6)
TIMED_SEEDS = range(2)  # for whole forecasts, with back-test and intervals
FEWEST = 16  # distractors that must be left
Collection = Sequence[Callable[[], Lists]]


def report() -> str:
    """Biases first, then how often both intervals hold."""
    named = collections()
    return f"{biases(named)}\n\n{coverages(named)}\n"


def collections() -> dict[str, Collection]:
    """All that lie in the data folder; those of the last name were not looked at while the model was made."""
    found: dict[str, Collection] = {}
    for name in there():
        found[name] = [partial(vector_lists, name, whole) for whole in (False, True)]
    if (DATA / "text").is_dir():
        found |= {name: [partial(text_lists, name, run) for run in RUNS] for name in TEXTS}
        found["tied scores (coord)"] = [partial(text_lists, name, TIED_RUN) for name in TEXTS]
    if (DATA / "trec-robust03").is_dir():
        found["Robust 2003"] = [partial(robust_lists, run) for run in runs_of("trec-robust03")]
    if (DATA / "trec-covid-r1").is_dir():
        found["TREC-COVID (not looked at)"] = [partial(covid_lists, run) for run in runs_of("trec-covid-r1")]
    return found


# bias


def biases(named: Mapping[str, Collection]) -> str:
    """Mean errors over the lists of each collection and all thinnings, and their standard error by the thinnings."""
    heads = [f"{measure} error at {factor}x" for factor in FACTORS for measure in ("p = r", "AP")]
    lines = [f"| collection | lists | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    every: list[list[float]] = []
    for name, lists in named.items():
        errors = [of_one for factor in FACTORS for of_one in _errors(lists, factor)]
        every.append([float(each.mean()) if each.size else np.nan for each in errors])
        lines.append(f"| {name} | {len(lists)} | {' | '.join(_mean(each) for each in errors)} |")
    means = np.nanmean(every, axis=0)
    return "\n".join([*lines, f"| mean of the collections | | {' | '.join(f'{each:+.3f}' for each in means)} |"])


def _mean(errors: FloatArray) -> str:
    """Mean over lists (rows) and thinnings (columns); the lists of a collection share what is thinned."""
    if not errors.size:
        return "too few items"
    return f"{errors.mean():+.3f} ({errors.mean(axis=0).std(ddof=1) / np.sqrt(errors.shape[1]):.3f})"


def _errors(collection: Collection, factor: int) -> list[FloatArray]:
    """Of each measure: a row per list, a column per thinning."""
    rows = []
    for make in collection:
        lists = make()
        if np.median(lists.distractors) / factor >= FEWEST:
            cases = (lists.case(factor, seed) for seed in SEEDS)
            rows.append([[_error(case, measure) for measure in MEASURES] for case in cases])
    found = np.array(rows)
    return [found[..., number] if rows else found for number in range(len(MEASURES))]


def _error(case: Case, measure: str) -> float:
    """Of one forecast, without its back-test and intervals."""
    model, seen = candidates(None, scores=True)[0], Seen.of(parse_measure(measure), case.sample, case.factor)
    even = np.full((1, len(case.sample)), 1.0 / len(case.sample))
    target = (case.whole.collection - case.whole.relevant).astype(np.float64)
    return float(model.means(seen.evidence, seen.terms, target, even)[0]) - _truth(measure, case.whole)


def _truth(measure: str, queries: RelevantRanks) -> float:
    return float(parse_measure(measure).of(queries).mean())


# intervals


@dataclass(frozen=True)
class Outcome:
    """One measure of one forecast of these queries and of one of others: whether the truth lies in the intervals."""

    error: float
    these: bool
    others: bool
    width_these: float
    width_others: float


def coverages(named: Mapping[str, Collection]) -> str:
    """How often 90 % intervals hold: with scores, and from ranks alone."""
    head = (
        "| collection | times | from | forecasts | root mean square error | for these queries held | median width "
        "| for other queries held | median width |"
    )
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    every: dict[str, list[Outcome]] = {}
    for name, lists in named.items():
        for factor in FACTORS[1:]:
            for way, change in (("scores", _same), ("ranks", without_scores)):
                found = list(_outcomes(_some(lists), factor, change))
                every.setdefault(way, []).extend(found)
                lines += [_line(name, str(factor), way, found)] if found else []
    return "\n".join([*lines, *(_line("all", "", way, found) for way, found in every.items())])


def _same(ranks: RelevantRanks) -> RelevantRanks:
    return ranks


def _some(lists: Collection, most: int = 3) -> Collection:
    """Some of them, evenly: whole forecasts take seconds."""
    return lists[:: max(1, len(lists) // most)][:most]


def _outcomes(
    collection: Collection, factor: int, change: Callable[[RelevantRanks], RelevantRanks]
) -> Iterable[Outcome]:
    for make in collection:
        lists = make()
        if np.median(lists.distractors) / factor < FEWEST:
            continue
        for seed in TIMED_SEEDS:
            case = lists.case(factor, 100 + seed)
            again = other_queries(case, np.random.default_rng(seed))
            grown, other = (
                forecast(change(queries), case.factor, MEASURES, force=True, seed=seed)
                for queries in (case.sample, again)
            )
            yield from (_outcome(grown, other, measure, case) for measure in MEASURES)


def _outcome(grown: Forecast, other: Forecast, measure: str, case: Case) -> Outcome:
    truth, said, again = _truth(measure, case.whole), grown[measure], other[measure]
    return Outcome(
        said.forecast - truth, truth in said.these, truth in again.others, said.these.width, again.others.width
    )


def _line(name: str, factor: str, way: str, found: Sequence[Outcome]) -> str:
    error = float(np.sqrt(np.mean([one.error**2 for one in found])))
    these, others = np.mean([one.these for one in found]), np.mean([one.others for one in found])
    narrow, wide = np.median([one.width_these for one in found]), np.median([one.width_others for one in found])
    return (
        f"| {name} | {factor} | {way} | {len(found)} | {error:.3f} | {these:.0%} | {narrow:.3f} "
        f"| {others:.0%} | {wide:.3f} |"
    )
