"""What must be said with a forecast: what its data lack, and where it is known to err."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankscope.forecast.backtest import SAME_FACTOR, BackTestTrial
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.rates import share_near
from rankscope.forecast.result import MeasureForecast
from rankscope.forecast.tails import shared_by

FEW_UNITS = 20
FEW_KNOWN = 16
TIED_SHARE = 0.1
UNLIKE = 0.6


def doubts_of(
    forecast: MeasureForecast, evidence: Evidence, ahead: float, tested: Sequence[BackTestTrial]
) -> Iterable[str]:
    """Sentences, each with the measure it is about where it is about one."""
    if forecast.units < FEW_UNITS:
        yield f"only {forecast.units} {forecast.unit}: the interval for other queries rests on few"
    yield from _of_the_test(forecast, ahead, tested)
    if evidence.lots is None:
        yield (
            "which items stand in the rankings is not known: the back-test leaves out items for each query by itself, "
            "and the interval for these queries is too narrow where queries share their distractors"
        )
    known = float(np.median(evidence.near)) if evidence.near.any() else FEW_KNOWN
    if known < FEW_KNOWN:
        yield (
            f"the rankings hold only {known:.0f} distractors for half of the queries: forecasts from so few have erred "
            "by up to .07 with scores and by up to .1 from ranks alone"
        )
    tied = tied_share(evidence)
    if tied > TIED_SHARE:
        yield (
            f"{tied:.0%} of the best distractors tie with the next one: the model takes scores for continuous, and "
            "forecasts of such runs have erred by .02 either way"
        )
    unlike = spread_among_alike(evidence)
    if unlike > UNLIKE:
        yield (
            f"how fast scores fall off differs by a factor of {np.exp(unlike):.1f} even among queries whose level and "
            "hits are alike: at 16 times one in three forecasts of such runs lay outside of its interval, by up to .035"
        )


def _of_the_test(forecast: MeasureForecast, ahead: float, tested: Sequence[BackTestTrial]) -> Iterable[str]:
    if not tested:
        yield f"{forecast.measure}: too few distractors for a back-test"
        return
    last = max(tested, key=lambda each: each.factor)
    if last.factor < ahead * (1.0 - SAME_FACTOR):
        yield f"{forecast.measure}: too few distractors to back-test {ahead:.3g} times; {last.factor:.3g} was tried"
    if abs(last.error) > forecast.these.width / 2 + 2.0 * last.noise:
        yield (
            f"{forecast.measure}: the back-test at {last.factor:.3g} times errs by {last.error:+.3f}, more than the "
            "interval allows for; it starts from a smaller collection than today's, where errors are larger"
        )


def spread_among_alike(evidence: Evidence) -> float:
    """Standard deviation of the logarithms of the scales of tails, beyond what level, hits and chance explain."""
    if evidence.scored is None:
        return 0.0
    shared = shared_by(evidence.scored.best, FEW_KNOWN, share_near(evidence, FEW_KNOWN))
    return float(np.sqrt(shared.variance))


def tied_share(evidence: Evidence) -> float:
    """Share of the best distractors, 16 of each query at most, that have the score of the one behind them."""
    if evidence.scored is None:
        return 0.0
    best = evidence.scored.best[:, : FEW_KNOWN + 1]
    there = np.isfinite(best[:, 1:])
    tied = there & (best[:, :-1] == best[:, 1:])
    return float(tied.sum() / max(there.sum(), 1))
