"""The growth forecast held against the truth: the whole forecast from a half, a quarter or a sixteenth of its items."""

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
from rankscope.analysis.forecast.backtest import model_error, unit_error
from rankscope.analysis.forecast.growth import MeasureForecast, Seen, forecast
from rankscope.analysis.forecast.models import candidates
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.core.arrays import FloatArray
from rankscope.measures.notation import parse_measure
from rankscope.ranks import RelevantRanks

MEASURES = ("Rprec", "AP")
FACTORS = (2, 4, 16)
SEEDS = range(4)
MOST_LISTS = 6  # of one collection
TIMED_LISTS = 3  # for whole forecasts, with back-test and intervals
CASES = {4: 3, 16: 9}  # whole forecasts of one collection, about: lists times thinnings
FEWEST = 16  # distractors that must be left
RESAMPLES, INNER = 100, 60  # of queries, and for the spread of each
LEVEL = 0.9
Collection = Sequence[Callable[[], Lists]]


def report() -> str:
    """Biases first, then how often both intervals hold."""
    named = collections()
    return f"{biases(named)}\n\n{coverages(named)}\n"


def collections() -> dict[str, Collection]:
    """All that lie in the data folder, and two made ones."""
    found: dict[str, Collection] = {}
    for name in there():
        found[name] = [partial(vector_lists, name, whole) for whole in (False, True)]
    if (DATA / "text").is_dir():
        found |= {name: [partial(text_lists, name, run) for run in RUNS] for name in TEXTS}
        found["tied scores (coord)"] = [partial(text_lists, name, TIED_RUN) for name in TEXTS]
    if (DATA / "trec-robust03").is_dir():
        found["Robust 2003"] = [partial(robust_lists, run) for run in runs_of("trec-robust03")]
    if (DATA / "trec-covid-r1").is_dir():
        found["TREC-COVID"] = [partial(covid_lists, run) for run in runs_of("trec-covid-r1")]
    return found


# bias


def biases(named: Mapping[str, Collection]) -> str:
    """Mean errors over the lists of each collection and all thinnings, and their standard error by the thinnings."""
    heads = [f"{measure} error at {factor}x" for factor in FACTORS for measure in ("p = r", "AP")]
    lines = [f"| collection | lists | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    every: list[list[float]] = []
    for name, every_list in named.items():
        lists = _some(every_list, MOST_LISTS)
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
    model, seen = candidates(None, scores=True)[0], Seen.of(parse_measure(measure), case.sample)
    even = np.full((1, len(case.sample)), 1.0 / len(case.sample))
    target = (case.whole.collection - case.whole.relevant).astype(np.float64)
    return float(model.means(seen.evidence, seen.terms, target, even)[0]) - _truth(measure, case.whole)


def _truth(measure: str, queries: RelevantRanks) -> float:
    return float(parse_measure(measure).of(queries).mean())


# intervals


@dataclass(frozen=True)
class Outcome:
    """One measure of one forecast against the truth: whether and how often each interval holds it, and their widths."""

    error: float
    these: bool
    half: float
    item: float
    doublings: float
    all_queries: float
    all_width: float
    another_set: float
    another_width: float


def coverages(named: Mapping[str, Collection]) -> str:
    """How often 90 % intervals hold: with scores, and from ranks alone."""
    lines = [COVERAGE_HEAD, "|---" * (COVERAGE_HEAD.count("|") - 1) + "|"]
    for factor in FACTORS[1:]:
        for way, change in (("scores", _same), ("ranks", without_scores)):
            found = {name: list(_outcomes(_some(lists, TIMED_LISTS), factor, change)) for name, lists in named.items()}
            lines += _lines({name: some for name, some in found.items() if some}, factor, way)
    return "\n".join(lines)


COVERAGE_HEAD = (
    "| from | times | collection | forecasts | root mean square error | for these queries held | held with the usual "
    "error of the other collections | median width | share of the width that 90 % needed | for all such queries held "
    "| median width | for another set held | median width |"
)


def _same(ranks: RelevantRanks) -> RelevantRanks:
    return ranks


def _some(lists: Collection, most: int) -> Collection:
    """Some of them, evenly."""
    return lists[:: max(1, len(lists) // most)][:most]


def _outcomes(
    collection: Collection, factor: int, change: Callable[[RelevantRanks], RelevantRanks]
) -> Iterable[Outcome]:
    for make in collection:
        lists = make()
        if np.median(lists.distractors) / factor >= FEWEST:
            for seed in range(100, 100 + max(1, CASES[factor] // len(collection))):
                case = lists.case(factor, seed)
                known = change(case.sample)
                grown = forecast(known, case.factor, MEASURES, force=True)
                yield from (_outcome(grown[measure], known, case) for measure in MEASURES)


def _outcome(said: MeasureForecast, known: RelevantRanks, case: Case) -> Outcome:
    truth = parse_measure(said.measure).of(case.whole)
    seen = Seen.of(parse_measure(said.measure), known)
    middle, unit, another = _of_other_queries(said, seen, known, truth, case.factor)
    doublings = float(np.log2(seen.ahead(case.factor)))
    half = model_error(said.item_error, candidates(said.model, True)[0].usual_error, doublings, LEVEL)
    everyone, set_half = np.hypot(half, unit), np.hypot(half, unit * np.sqrt(2.0))
    return Outcome(
        error=said.forecast - float(truth.mean()),
        these=float(truth.mean()) in said.these,
        half=half,
        item=said.item_error,
        doublings=doublings,
        all_queries=float((np.abs(middle - truth.mean()) <= everyone).mean()),
        all_width=2.0 * float(np.median(everyone)),
        another_set=float((np.abs(middle - another) <= set_half).mean()),
        another_width=2.0 * float(np.median(set_half)),
    )


def _of_other_queries(
    said: MeasureForecast, seen: Seen, known: RelevantRanks, truth: FloatArray, factor: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Forecasts and what chance in the units adds if other queries had been asked, and what another set has then.

    What all queries share is taken from these.
    """
    classes, random = unit_classes(known), np.random.default_rng(0)
    weights = other_queries(classes, len(known), random, RESAMPLES, INNER)
    another = other_queries(classes, len(known), random, RESAMPLES, 1)[:, 0] @ truth
    rows = weights.reshape(-1, len(known))
    means = candidates(said.model, True)[0].means(seen.evidence, seen.terms, seen.target(factor), rows)
    means = means.reshape(RESAMPLES, 1 + INNER)
    return means[:, 0], np.array([unit_error(each, said.units, LEVEL) for each in means]), another


def _lines(found: Mapping[str, Sequence[Outcome]], factor: int, way: str) -> list[str]:
    """A line for each collection, and one for all forecasts: how often what others let expect holds is said in it."""
    foreign = {name: usual_error([some for other, some in found.items() if other != name]) for name in found}
    held = {name: [_holds(one, foreign[name]) for one in some] for name, some in found.items()}
    lines = [_line(way, factor, name, some, held[name]) for name, some in found.items()]
    every = [one for some in found.values() for one in some]
    every_held = [one for some in held.values() for one in some]
    name = f"all (usual error for each doubling, fitted to all: {usual_error(list(found.values())):.4f})"
    return [*lines, _line(way, factor, name, every, every_held)]


def usual_error(collections: Sequence[Sequence[Outcome]]) -> float:
    """The model's error for each doubling that makes these errors most likely; each collection counts the same."""
    weight = np.concatenate([np.full(len(some), 1.0 / len(some)) for some in collections])
    every = [one for some in collections for one in some]
    error, item, doublings = (
        np.array([getattr(one, name) for one in every]) for name in ("error", "item", "doublings")
    )

    def unlikeliness(usual: float) -> float:
        variance = item**2 + (usual * doublings) ** 2
        return float((weight * (np.log(variance) + error**2 / variance)).sum())

    return float(min(np.geomspace(1e-4, 0.1, 301).tolist(), key=unlikeliness))


def _holds(one: Outcome, usual: float) -> bool:
    return abs(one.error) <= model_error(one.item, usual, one.doublings, LEVEL)


def _line(way: str, factor: int, name: str, found: Sequence[Outcome], foreign: Sequence[bool]) -> str:
    error = float(np.sqrt(np.mean([one.error**2 for one in found])))
    needed = float(np.quantile([abs(one.error) / one.half for one in found], LEVEL))
    others = (
        f"{np.mean([one.all_queries for one in found]):.0%} | {np.median([one.all_width for one in found]):.3f} "
        f"| {np.mean([one.another_set for one in found]):.0%} | {np.median([one.another_width for one in found]):.3f}"
    )
    return (
        f"| {way} | {factor} | {name} | {len(found)} | {error:.3f} | {np.mean([one.these for one in found]):.0%} "
        f"| {np.mean(foreign):.0%} | {2.0 * np.median([one.half for one in found]):.3f} | {needed:.2f} | {others} |"
    )
