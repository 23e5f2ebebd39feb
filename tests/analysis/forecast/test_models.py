"""Each growth model: worked values, known futures, and what all have in common."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from rankscope.analysis.curves.hits import RelevantHits, Terms, terms_of
from rankscope.analysis.forecast.evidence import Evidence, ScoreEvidence, SharedTail, Tails, shared_by, tails_of
from rankscope.analysis.forecast.models import (
    ALL,
    Between,
    GrowthModel,
    Jeffreys,
    Pareto,
    Tail,
    Trend,
    candidates,
    today,
    usable,
)
from rankscope.core.arrays import FloatArray
from rankscope.measures import AP, Measure, P, R, Rprec, nDCG
from rankscope.ranks import Ragged, RelevantRanks
from tests.analysis.forecast.collections import drawn, shared, without_scores

MEASURES = [Rprec(), AP(), P(5), R(10), nDCG(scope=10)]
SAMPLE = drawn(kept=500)
WHOLE = drawn()


def seen(measure: Measure, ranks: RelevantRanks) -> tuple[Evidence, Terms]:
    terms = terms_of(measure, ranks)
    return Evidence.of(terms.queries), terms


def forecast_mean(model: GrowthModel, measure: Measure, ranks: RelevantRanks, factor: float) -> float:
    evidence, terms = seen(measure, ranks)
    weights = np.full((1, len(ranks)), 1 / len(ranks))
    return float(model.means(evidence, terms, evidence.distractors * factor, weights)[0])


def fitted(best: FloatArray, most: int) -> Tails:
    return tails_of(best, most, shared_by(best, most))


# worked values of the method


def test_the_scale_of_a_query_is_its_mean_spacing_straightened_by_the_shape() -> None:
    shared = SharedTail(0.3, scale=np.zeros(2), variance=1e12)  # what a level lets expect is uncertain: its own counts
    best = np.array([[4.0, 1.0, 1.0], [6.0, 4.0, 1.0]])  # one score lies above the level that counts, then two
    tails = tails_of(best, 2, shared)
    assert tails.used.tolist() == [1, 2]
    own = [np.log(3.0) - digamma(1), np.log((2.0 * 0.5**0.3 + 2 * 3.0) / 2) - digamma(2) + np.log(2)]
    np.testing.assert_allclose(tails.scale, own)


@pytest.mark.parametrize(("target", "value"), [(192, 0.399566), (384, 0.281409), (768, 0.196704)])
def test_jeffreys_gives_the_worked_values(target: int, value: float) -> None:
    one = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    assert forecast_mean(Jeffreys(), Rprec(), one, target / 96) == pytest.approx(value, abs=5e-7)


def test_the_tail_model_is_its_formula() -> None:
    hits = RelevantHits(np.zeros(3, np.int64), np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 7.0]), np.ones(3), 1)
    best = np.array([[5.0, 4.0, 3.5, 3.0, 2.0, 1.0, 0.5]])
    evidence = Evidence(hits, np.array([100.0]), ScoreEvidence(np.array([6.0, 4.5, 0.2]), best))
    sigma = (5 + 4 + 3.5) / 3 - 3
    expected = [0.03 * np.exp(-3 / sigma), 0.03 * np.exp(-1.5 / sigma), 7.5 / 100]
    np.testing.assert_allclose(Tail(3).rates(evidence), expected)


def test_the_shape_and_the_scales_of_pareto_tails_are_found() -> None:
    random = np.random.default_rng(0)
    scale = np.exp(random.normal(0, 0.5, 500))
    scores = -np.sort(-stats.genpareto.rvs(-0.25, size=(500, 2000), random_state=random) * scale[:, None], axis=1)
    tails = fitted(scores[:, :65], 64)
    assert tails.shape == pytest.approx(-0.25, abs=0.05)
    local = np.log(scale) - 0.25 * np.log(2000 / 64)  # the scale above a higher threshold
    assert np.corrcoef(tails.scale, local)[0, 1] > 0.9
    assert np.abs(tails.scale - local).mean() < 0.2


def test_equal_scales_are_drawn_together() -> None:
    random = np.random.default_rng(0)
    scores = -np.sort(-random.exponential(size=(300, 1000)), axis=1)
    tails = fitted(scores[:, :9], 8)
    assert tails.scale.std() < 0.15
    assert tails.shape == pytest.approx(0.0, abs=0.1)


def test_the_scale_that_is_expected_goes_with_the_level_of_the_scores() -> None:
    """Half of the queries have scores of twice the size: with one scale for all their tails would seem short."""
    random = np.random.default_rng(0)
    size = np.exp(random.normal(0, 0.5, 400))
    scores = -np.sort(-random.exponential(size=(400, 1000)) * size[:, None], axis=1)[:, :9]
    shared = shared_by(scores, 8)
    local = np.log(size)
    assert np.corrcoef(shared.scale, local)[0, 1] > 0.95
    assert np.polyfit(local, shared.scale, 1)[0] == pytest.approx(1.0, abs=0.1)
    assert np.abs(fitted(scores, 8).scale - local).mean() < 0.12


# known futures


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_pareto_forecasts_eight_times_as_many_normal_distractors(measure: Measure) -> None:
    truth = float(measure.of(WHOLE).mean())
    assert forecast_mean(Pareto(16), measure, SAMPLE, 8.0) == pytest.approx(truth, abs=0.02)


def test_pareto_errs_less_than_the_models_without_scores() -> None:
    truth = float(Rprec().of(WHOLE).mean())
    wrong = {str(model): abs(forecast_mean(model, Rprec(), SAMPLE, 8.0) - truth) for model in (Pareto(16), Jeffreys())}
    assert wrong["pareto(16)"] < wrong["jeffreys"]


# what all models have in common


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("model", ALL, ids=str)
def test_nothing_changes_without_growth_and_more_growth_never_helps(model: GrowthModel, measure: Measure) -> None:
    values = [forecast_mean(model, measure, SAMPLE, factor) for factor in (1.0, 1.5, 4.0, 16.0)]
    now = float(measure.of(SAMPLE).mean())
    assert values[0] == pytest.approx(now, abs=0.02 if isinstance(model, Trend | Between) else 1e-9)
    assert all(later <= sooner + 1e-9 for sooner, later in pairwise(values))
    assert 0 <= values[-1] <= 1


@pytest.mark.parametrize("model", [each for each in ALL if not isinstance(each, Pareto)], ids=str)
def test_weights_choose_queries(model: GrowthModel) -> None:
    """But those of a Pareto model, which learn from one another."""
    evidence, terms = seen(AP(), SAMPLE)
    half = np.zeros((1, len(SAMPLE)))
    half[0, :75] = 1 / 75
    some = SAMPLE.take(np.arange(75))
    whole = model.means(evidence, terms, evidence.distractors * 3, half)[0]
    assert whole == pytest.approx(forecast_mean(model, AP(), some, 3.0), abs=1e-9)


@pytest.mark.parametrize("model", ALL, ids=str)
def test_odd_data_give_numbers(model: GrowthModel) -> None:
    few = drawn(queries=3, members=2, distractors=3)
    assert 0 <= forecast_mean(model, Rprec(), few, 10.0) <= 1
    evidence, terms = seen(Rprec(), SAMPLE)
    assert evidence.scored is not None
    scored, weights = evidence.scored, np.full((1, len(SAMPLE)), 1 / len(SAMPLE))
    for odd in (replace(scored, hits=0.0 * scored.hits), replace(scored, best=0.0 * scored.best)):
        assert 0 <= model.means(replace(evidence, scored=odd), terms, evidence.distractors * 10, weights)[0] <= 1
    nothing = RelevantRanks.from_ranks([[], [1]], relevant=[1, 1], depth=1, collection=10)
    if not model.needs_scores:
        assert 0 <= forecast_mean(model, Rprec(), nothing, 10.0) <= 1


def test_infinite_scores_are_no_evidence() -> None:
    scores = SAMPLE.judged["score"].copy()
    scores[0] = np.inf
    odd = replace(SAMPLE, judged=SAMPLE.judged.with_columns(score=scores))
    assert np.isfinite(forecast_mean(Pareto(8), Rprec(), odd, 4.0))


# evidence


def test_thinned_evidence_keeps_its_share() -> None:
    evidence, terms = seen(AP(), drawn(distractors=2000))
    thin = evidence.thinned(4.0, np.random.default_rng(0))
    assert thin.distractors.mean() == pytest.approx(500, abs=10)
    assert thin.hits.above.sum() == pytest.approx(evidence.hits.above.sum() / 4, rel=0.05)
    assert thin.scored is not None
    assert (np.diff(thin.scored.best[:, :40], axis=1) <= 0).all()
    assert today(thin, terms).mean() > today(evidence, terms).mean()


def test_thinned_scores_and_ranks_agree() -> None:
    evidence, _ = seen(AP(), SAMPLE)
    thin = evidence.thinned(2.0, np.random.default_rng(0))
    assert thin.scored is not None
    above = (thin.scored.best[thin.hits.row] > thin.scored.hits[:, None]).sum(axis=1)
    near = evidence.hits.above <= 256
    assert evidence.lots is None
    np.testing.assert_array_equal(thin.hits.above[near], above[near])


def test_one_item_stays_or_goes_for_all_queries() -> None:
    evidence, _ = seen(AP(), shared(queries=40))
    assert evidence.lots is not None
    thin = evidence.thinned(4.0, np.random.default_rng(0))
    assert thin.lots is not None
    stays = [set(lots[lots >= 0].tolist()) for lots in thin.lots]
    for before, after in zip(evidence.lots, stays, strict=True):
        assert after == set(before[before >= 0].tolist()) & set.union(*stays)
    above = (thin.scored.best[thin.hits.row] > thin.scored.hits[:, None]).sum(axis=1) if thin.scored else None
    np.testing.assert_array_equal(thin.hits.above, above)


def test_thinning_once_for_all_shows_how_queries_hang_together() -> None:
    together = shared(queries=60, alike=0.9)
    assert together.distractors is not None
    apart = replace(
        together, distractors=Ragged(together.distractors.offsets, {"score": together.distractors["score"]})
    )
    spread = []
    for ranks in (together, apart):
        evidence, terms = seen(AP(), ranks)
        random = np.random.default_rng(0)
        spread.append(np.std([today(evidence.thinned(8.0, random), terms).mean() for _ in range(60)]))
    assert spread[0] > 2.0 * spread[1]


def test_ranks_alone_are_thinned_too() -> None:
    evidence, _ = seen(AP(), without_scores(SAMPLE))
    thin = evidence.thinned(4.0, np.random.default_rng(0))
    assert thin.scored is None
    assert (np.diff(thin.hits.above)[np.diff(thin.hits.row) == 0] >= 0).all()
    assert thin.hits.above.sum() == pytest.approx(evidence.hits.above.sum() / 4, rel=0.1)


def test_scores_of_another_grade_are_not_used() -> None:
    grades = np.tile([2.0, 1.0], SAMPLE.judged.size // 2)
    graded = replace(SAMPLE, judged=SAMPLE.judged.with_columns(grade=grades))
    assert Evidence.of(graded).scored is not None
    assert Evidence.of(graded.at(rel=2)).scored is None


# the list of models


def test_models_are_found_by_family_and_by_name() -> None:
    assert candidates("pareto(8)", scores=True) == (Pareto(8),)
    assert [str(model) for model in usable(scores=False)] == ["between", "trend", "jeffreys"]
    assert set(usable(scores=True)) == set(ALL)


@pytest.mark.parametrize("scores", [True, False])
def test_the_choice_never_crosses_between_scores_and_ranks(scores: bool) -> None:
    assert {model.needs_scores for model in candidates(None, scores)} == {scores}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("model", ALL, ids=str)
def test_several_targets_at_once_are_those_one_by_one_bit_for_bit(model: GrowthModel, measure: Measure) -> None:
    evidence, terms = seen(measure, SAMPLE)
    weights = np.random.default_rng(1).dirichlet(np.ones(len(SAMPLE)), size=2)
    targets = [evidence.distractors * factor for factor in (1.0, 2.5, 16.0)]
    alone = [model.means(evidence, terms, each, weights) for each in targets]
    np.testing.assert_array_equal(model.means_at(evidence, terms, targets, weights), alone)
