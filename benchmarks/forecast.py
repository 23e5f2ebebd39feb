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
from rankscope.forecast import MeasureForecast, forecast
from rankscope.forecast.growth import Seen
from rankscope.forecast.intervals import unit_error
from rankscope.forecast.models import candidates
from rankscope.measures.notation import parse_measure
from rankscope.ranks import RelevantRanks
from rankscope.statistics.table.units import unit_classes

MEASURES = ("Rprec", "AP")
FACTORS = (2, 4, 16)
SEEDS = range(4)
MOST_LISTS = 6  # of one collection
TIMED_LISTS = 3  # for whole forecasts, with back-test and intervals, which take a second each
FEWEST = 16  # distractors that must be left
RESAMPLES, INNER = 100, 60  # of queries, and for the spread of each
LEVEL = 0.9
Collection = Sequence[Callable[[], Lists]]


def report() -> str:
    """Biases first, then how often both intervals hold."""
    named = collections()
    return f"{biases(named)}\n\n{coverages(named)}\n"


def collections() -> dict[str, Collection]:
    """All that lie in the data folder; those of the last name were first tried when the model was made."""
    found: dict[str, Collection] = {}
    for name in there():
        found[name] = [partial(vector_lists, name, whole) for whole in (False, True)]
    if (DATA / "text").is_dir():
        found |= {name: [partial(text_lists, name, run) for run in RUNS] for name in TEXTS}
        found["tied scores (coord)"] = [partial(text_lists, name, TIED_RUN) for name in TEXTS]
    if (DATA / "trec-robust03").is_dir():
        found["Robust 2003"] = [partial(robust_lists, run) for run in runs_of("trec-robust03")]
    if (DATA / "trec-covid-r1").is_dir():
        found["TREC-COVID (confirmation)"] = [partial(covid_lists, run) for run in runs_of("trec-covid-r1")]
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
    """One measure of one forecast: whether the truth lies in its interval, and how often in those of other queries."""

    error: float
    these: bool
    others: float
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
                found = list(_outcomes(_some(lists, TIMED_LISTS), factor, change))
                every.setdefault(way, []).extend(found)
                lines += [_line(name, str(factor), way, found)] if found else []
    return "\n".join([*lines, *(_line("all", "", way, found) for way, found in every.items())])


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
            case = lists.case(factor, seed=100)
            known = change(case.sample)
            grown = forecast(known, case.factor, MEASURES, force=True)
            yield from (_outcome(grown[measure], known, case) for measure in MEASURES)


def _outcome(said: MeasureForecast, known: RelevantRanks, case: Case) -> Outcome:
    truth = _truth(said.measure, case.whole)
    middle, half = _of_other_queries(said, known, case.factor)
    held = float((np.abs(middle - truth) <= half).mean())
    return Outcome(said.forecast - truth, truth in said.these, held, said.these.width, 2.0 * float(np.median(half)))


def _of_other_queries(said: MeasureForecast, known: RelevantRanks, factor: float) -> tuple[FloatArray, FloatArray]:
    """Forecasts and half intervals if other queries had been asked; what all queries share is taken from these."""
    seen = Seen.of(parse_measure(said.measure), known)
    weights = other_queries(unit_classes(known), len(known), np.random.default_rng(0), RESAMPLES, INNER)
    rows = weights.reshape(-1, len(known))
    means = candidates(said.model, True)[0].means(seen.evidence, seen.terms, seen.target(factor), rows)
    means = means.reshape(RESAMPLES, 1 + INNER)
    chance = np.array([unit_error(each, said.units, LEVEL) for each in means])
    return means[:, 0], np.hypot(chance, said.these.width / 2)


def _line(name: str, factor: str, way: str, found: Sequence[Outcome]) -> str:
    error = float(np.sqrt(np.mean([one.error**2 for one in found])))
    these, others = np.mean([one.these for one in found]), np.mean([one.others for one in found])
    narrow, wide = np.median([one.width_these for one in found]), np.median([one.width_others for one in found])
    return (
        f"| {name} | {factor} | {way} | {len(found)} | {error:.3f} | {these:.0%} | {narrow:.3f} "
        f"| {others:.0%} | {wide:.3f} |"
    )
