"""Precision and recall over scope, plain and relevant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.curve import Weighting
from rankscope.analysis.curves.scope import (
    hits_at,
    ideal_precision_scope,
    ideal_recall_scope,
    precision_relevant_scope,
    precision_scope,
    recall_relevant_scope,
    recall_scope,
)
from rankscope.core.errors import MeasureError, SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures import P, R, Rprec
from rankscope.ranks import RelevantRanks
from rankscope.ranks.reduction import reduce
from tests.analysis.curves.examples import MIXED, THREE, complete_rankings, hits_by_hand
from tests.data import data_folder
from tests.strategies import relevant_ranks

WAYS = pytest.mark.parametrize("weighting", ["per_query", "per_class"])


def means_by_hand(values: list[float], classes: list[str], weighting: str) -> tuple[float, float]:
    """Mean and standard error, from the definition."""
    if weighting == "per_class":
        values = [
            float(np.mean([v for v, c in zip(values, classes, strict=True) if c == k])) for k in sorted(set(classes))
        ]
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
    return float(np.mean(values)), error


@WAYS
@given(queries=complete_rankings(most=5))
def test_curves_over_scope_are_means_of_the_measures(queries: RelevantRanks, weighting: Weighting) -> None:
    scopes = list(range(1, int(queries.collection.min()) + 1))
    precision, recall = precision_scope(queries, scopes, weighting), recall_scope(queries, scopes, weighting)
    assert queries.classes is not None
    assert precision.error is not None
    assert recall.error is not None
    for place, scope in enumerate(scopes):
        for curve, measure in ((precision, P(scope)), (recall, R(scope))):
            expected = means_by_hand(measure.of(queries).tolist(), list(queries.classes), weighting)
            assert curve.y[place] == pytest.approx(expected[0], abs=1e-12)
            assert curve.error is not None
            assert curve.error[place] == pytest.approx(expected[1], abs=1e-7, nan_ok=True)


@WAYS
@given(queries=complete_rankings(most=5), a=st.floats(0.05, 6))
def test_curves_over_relevant_scope_interpolate_the_hits(
    queries: RelevantRanks, a: float, weighting: Weighting
) -> None:
    assert queries.classes is not None
    rows = [row for row in range(len(queries)) if a * queries.relevant[row] <= queries.collection[row]]
    values = [hits_by_hand(queries.judged.lists("rank")[row], a * queries.relevant[row]) for row in rows]
    recalls = [value / int(queries.relevant[row]) for value, row in zip(values, rows, strict=True)]
    curve = recall_relevant_scope(queries, [a], weighting)
    assert curve.queries is not None
    assert curve.queries.tolist() == [len(rows)]
    if rows:
        expected = means_by_hand(recalls, [queries.classes[row] for row in rows], weighting)
        assert curve.y[0] == pytest.approx(expected[0], abs=1e-9)
        assert precision_relevant_scope(queries, [a], weighting).y[0] == pytest.approx(
            expected[0] / a, rel=1e-6, abs=1e-9
        )


@given(queries=relevant_ranks())
def test_recall_never_falls_with_scope(queries: RelevantRanks) -> None:
    assert (np.diff(recall_scope(queries).y) >= -1e-12).all()
    values = recall_relevant_scope(queries, np.arange(1, 20) / 4)
    unchanged = values.queries is not None and len(set(values.queries.tolist())) == 1
    assert not unchanged or not (np.diff(values.y) < -1e-12).any()


@given(queries=complete_rankings(), data=st.data())
def test_the_order_of_the_queries_does_not_matter(queries: RelevantRanks, data: st.DataObject) -> None:
    shuffled = queries.take(np.array(data.draw(st.permutations(range(len(queries))))))
    for curve in (precision_scope, recall_scope):
        np.testing.assert_allclose(curve(queries).y, curve(shuffled).y, atol=1e-12)
    for relevant in (precision_relevant_scope, recall_relevant_scope):
        np.testing.assert_allclose(relevant(queries).y, relevant(shuffled).y, atol=1e-12)


@given(queries=relevant_ranks(), a=st.sampled_from([0.2, 0.25, 0.5, 0.75, 1.0, 1.2, 1.5, 2.0, 3.0]))
def test_precision_at_a_whole_relevant_scope_is_trec_evals_rprec_mult(queries: RelevantRanks, a: float) -> None:
    queries = replace(queries, collection=np.full(len(queries), -1))
    agree(queries, a)


def agree(queries: RelevantRanks, a: float) -> int:
    """Compare where a c is whole; how many queries that are."""
    scope = a * queries.relevant
    whole = (np.abs(scope - np.round(scope)) <= 1e-9) & (queries.relevant > 0)
    hits = hits_at(queries, [a]).hits[:, 0]
    np.testing.assert_allclose(hits[whole] / np.round(scope[whole]), Rprec(a=a).of(queries)[whole], rtol=1e-12)
    return int(whole.sum())


def test_precision_at_relevant_scope_is_rprec_on_real_runs() -> None:
    folder = data_folder("trec-robust03")
    qrels = Qrels.of(folder / "qrels.txt.gz")
    for path in sorted((folder / "runs").iterdir())[:3]:
        ranks = reduce(qrels, Run.of(path))
        counted = [agree(ranks, a) for a in (0.2, 0.5, 1.0, 1.2, 2.0)]
        assert counted[2] == counted[4] == int((ranks.relevant > 0).sum()) > counted[0] > 0
        values = Rprec().of(ranks)
        assert precision_relevant_scope(ranks, [1.0]).y[0] == pytest.approx(values[~np.isnan(values)].mean())


# edges


def test_what_lies_beyond_the_end_of_a_ranking_is_a_lower_bound() -> None:
    cut = RelevantRanks.from_ranks([[1, 2, 3], [1, 2]], relevant=[4, 2], depth=[5, 2], collection=20)
    curve = recall_scope(cut, [4, 5, 6, 20])
    assert curve.lower_bound is not None
    assert curve.lower_bound.tolist() == [False, False, True, True]
    relevant = recall_relevant_scope(cut, [1.0, 1.25, 1.3])
    assert relevant.lower_bound is not None
    assert relevant.lower_bound.tolist() == [False, False, True]


def test_interpolated_points_are_flagged() -> None:
    curve = recall_relevant_scope(MIXED, [0.25, 0.5, 1 / 3, 1.0])
    assert curve.interpolated is not None
    assert curve.interpolated.tolist() == [True, False, True, False]


def test_a_scope_that_is_whole_but_for_rounding_is_whole() -> None:
    for relevant in (3, 7, 10, 49, 300):
        queries = RelevantRanks.from_ranks([list(range(1, relevant + 1))])
        a = np.arange(1, relevant + 1) / relevant
        here = hits_at(queries, a)
        assert here.hits[0].tolist() == list(range(1, relevant + 1))
        assert not here.interpolated.any()


def test_the_ideal_system_has_its_worked_values() -> None:
    """Section 7, |T| = 4, n = 10; slips 3 and 4 of section 10: recall is s/c, and both hold up to s = c."""
    scopes = np.arange(1, 11)
    precision = [1, 1, 1, 1, 0.8, 0.666667, 0.571429, 0.5, 0.444444, 0.4]
    np.testing.assert_allclose(ideal_precision_scope(4, scopes).y, precision, rtol=0, atol=1e-6)
    assert ideal_recall_scope(4, scopes).y.tolist() == [0.25, 0.5, 0.75, *[1] * 7]


def test_queries_without_relevant_items_stay_out_of_the_mean() -> None:
    some = RelevantRanks.from_ranks([[1], []], relevant=[1, 0])
    assert precision_scope(some, [1]).y.tolist() == [1]
    none = RelevantRanks.from_ranks([[]], relevant=[0])
    assert np.isnan(recall_scope(none, [1, 2]).y).all()
    assert np.isnan(recall_relevant_scope(none, [1.0]).y).all()


@pytest.mark.parametrize(
    ("scopes", "message"), [([0], "scope >= 1"), ([21], "collection"), ([1.5], "whole numbers"), (3, "whole numbers")]
)
def test_scopes_that_cannot_be_are_refused(scopes: list[int], message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        precision_scope(THREE, scopes)


def test_a_relevant_scope_is_above_zero() -> None:
    with pytest.raises(MeasureError, match="above 0"):
        recall_relevant_scope(THREE, [0.0])


def test_a_weighting_must_exist_and_have_its_classes() -> None:
    with pytest.raises(MeasureError, match="classes=CSV"):
        precision_scope(THREE, [1], "per_class")
    with pytest.raises(SettingError, match="weighting='per_item': must be one of per_query, per_class"):
        precision_scope(THREE, [1], "per_item")  # type: ignore[arg-type]
