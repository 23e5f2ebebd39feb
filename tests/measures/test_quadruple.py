"""Section 1 of the method: the quadruple, its bounds and all that follows from it, with every worked value."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import MeasureError, RankscopeError, SettingError
from rankscope.measures import E, Effectiveness, Enorm, Estar, F, Generality, GeneralityIndex, P, R
from rankscope.measures.quadruple import Contingency, Quadruple, harmonic, random_average_precision, random_precision
from rankscope.ranks import RelevantRanks

EXAMPLE = Quadruple(collection=20000, relevant=8, scope=16, hits=6)
AT_CLASS_SIZE = Quadruple(collection=20000, relevant=8, scope=8, hits=5)


def close(value: float, expected: float, tolerance: float = 1e-6) -> bool:
    return abs(value - expected) <= tolerance


@st.composite
def quadruples(draw: st.DrawFn, least_relevant: int = 0) -> Quadruple:
    collection = draw(st.integers(max(1, least_relevant), 60))
    relevant = draw(st.integers(least_relevant, collection))
    scope = draw(st.integers(1, collection))
    fewest, most = max(0, scope - (collection - relevant)), min(scope, relevant)
    return Quadruple(collection, relevant, scope, draw(st.integers(fewest, most)))


# the worked values


def test_the_worked_example_has_its_precision_recall_and_generality() -> None:
    assert EXAMPLE.precision == 0.375
    assert EXAMPLE.recall == 0.75
    assert close(EXAMPLE.generality, 0.0004, 1e-12)
    assert close(EXAMPLE.generality_index, 11.287712)
    assert EXAMPLE.relevant_scope == 2


def test_the_worked_example_has_its_contingency_table() -> None:
    table = EXAMPLE.contingency
    assert table == Contingency(true_positives=6, false_positives=10, false_negatives=2, true_negatives=19982)


@pytest.mark.parametrize(("b", "expected"), [(0.0, 0.375), (0.5, 0.416667), (1.0, 0.5), (2.0, 0.625)])
def test_the_worked_example_has_its_f(b: float, expected: float) -> None:
    assert close(EXAMPLE.f(b), expected)
    assert close(EXAMPLE.error(1 / (1 + b * b)), 1 - expected)


def test_the_worked_example_has_its_effectiveness_and_gain_over_random() -> None:
    assert EXAMPLE.effectiveness == 0.5
    assert close(EXAMPLE.gain_over_random(), 0.499467)
    assert close(EXAMPLE.gain_over_random(baseline="g"), 0.4996, 1e-12)


def test_the_worked_example_at_the_class_size_has_its_gains() -> None:
    assert AT_CLASS_SIZE.precision == AT_CLASS_SIZE.recall == 0.625
    assert close(AT_CLASS_SIZE.gain_over_random(), 0.6246, 1e-12)
    assert close(AT_CLASS_SIZE.gain_over_random(baseline="g"), 0.6246, 1e-12)
    assert close(AT_CLASS_SIZE.normalised_gain, 0.624850)


def test_a_random_level_below_one_percent_needs_a_generality_index_above_six_point_six_four() -> None:
    """Section 10, slip 14: the paper says about 6 and prints the 7 of 1/128 next to it."""
    assert close(Quadruple(100, 1, 1, 0).generality_index, 6.643856)
    assert Quadruple(128, 1, 1, 0).generality_index == 7
    assert Quadruple(100, 1, 1, 0).random_precision == 0.01
    assert Quadruple(64, 1, 1, 0).random_precision > 0.01


def test_equation_15_is_exact_at_the_class_size_only() -> None:
    """Section 10, slip 15."""
    for scope in range(1, 40):
        query = Quadruple(40, 10, scope, max(0, scope - 30))
        assert (math.isclose(query.random_effectiveness, query.generality)) == (scope == 10)


def test_f_at_one_is_the_harmonic_mean_not_the_average() -> None:
    """Section 10, slip 20."""
    p, r = EXAMPLE.precision, EXAMPLE.recall
    assert EXAMPLE.f(1) == 2 / (1 / p + 1 / r) != (p + r) / 2


@pytest.mark.parametrize(("collection", "relevant", "expected"), [(20, 4, 0.309379), (20000, 8, 0.000873870)])
def test_the_random_level_of_ap_lies_above_generality(collection: int, relevant: int, expected: float) -> None:
    assert close(random_average_precision(collection, relevant), expected, 1e-6 if collection == 20 else 5e-10)
    assert random_average_precision(collection, relevant) > random_precision(collection, relevant)


# bounds


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ((10, -1, 5, 0), "relevant >= 0"),
        ((10, 11, 5, 5), "relevant <= collection"),
        ((10, 5, 0, 0), "scope >= 1"),
        ((10, 5, 11, 5), "scope <= collection"),
        ((10, 5, 5, -1), "hits >= 0"),
        ((10, 5, 8, 2), "hits >= scope - distractors"),
        ((10, 5, 3, 4), "hits <= scope"),
        ((10, 5, 8, 6), "hits <= relevant"),
        ((0, 0, 1, 0), "scope <= collection"),
        ((10.0, 5, 5, 1), "collection must be a whole number"),
        ((10, 5, 5, True), "hits must be a whole number"),
    ],
)
def test_an_inadmissible_value_is_refused_by_the_name_of_its_bound(
    values: tuple[int, int, int, int], bound: str
) -> None:
    with pytest.raises(MeasureError, match=bound):
        Quadruple(*values)
    assert issubclass(MeasureError, RankscopeError)


@given(values=st.tuples(st.integers(-1, 8), st.integers(-1, 8), st.integers(-1, 9), st.integers(-1, 9)))
def test_a_quadruple_exists_exactly_when_its_contingency_table_has_no_negative_entry(
    values: tuple[int, int, int, int],
) -> None:
    d, c, s, v = values
    admissible = s >= 1 and min(v, s - v, c - v, d + v - c - s) >= 0
    try:
        table = Quadruple(d, c, s, v).contingency
    except MeasureError:
        assert not admissible
    else:
        assert admissible
        assert sum(vars(table).values()) == d


# what follows


@given(query=quadruples(least_relevant=1))
def test_every_point_of_a_scope_lies_on_its_line(query: Quadruple) -> None:
    assert math.isclose(query.precision * query.relevant_scope, query.recall)
    if query.hits:
        assert math.isclose(query.relevant_scope, query.recall / query.precision)


@given(query=quadruples(least_relevant=1), b=st.floats(0, 100))
def test_f_and_error_complement_each_other_and_follow_the_printed_formula(query: Quadruple, b: float) -> None:
    alpha = 1 / (1 + b * b)
    assert math.isclose(query.f(b), 1 - query.error(alpha), abs_tol=1e-12)
    if query.hits:
        p, r = query.precision, query.recall
        assert math.isclose(query.f(b), (1 + b * b) / (b * b / r + 1 / p), rel_tol=1e-9)
        assert math.isclose(query.error(alpha), 1 - 1 / (alpha / p + (1 - alpha) / r), abs_tol=1e-9)
    else:
        assert (query.f(b), query.error(alpha)) == (0, 1)


@given(query=quadruples(least_relevant=1))
def test_f_runs_from_precision_to_recall_and_is_the_effectiveness_at_one(query: Quadruple) -> None:
    assert query.f(0) == query.precision
    assert query.f(math.inf) == query.recall
    assert math.isclose(query.f(1e9), query.recall, abs_tol=1e-9)
    assert math.isclose(query.f(1), query.effectiveness)


@given(query=quadruples(least_relevant=1))
def test_at_the_class_size_effectiveness_is_precision_and_recall(query: Quadruple) -> None:
    c = query.relevant
    here = Quadruple(query.collection, c, c, max(0, 2 * c - query.collection))
    assert here.effectiveness == here.precision == here.recall
    assert math.isclose(here.gain_over_random(), here.precision - here.generality, abs_tol=1e-12)
    if c < query.collection:
        g = here.generality
        assert math.isclose(here.normalised_gain, (here.precision - g) / (1 - g), abs_tol=1e-12)
    else:
        assert math.isnan(here.normalised_gain)


@given(query=quadruples(least_relevant=1))
def test_the_ideal_system_is_bounded_by_scope_and_class_alone(query: Quadruple) -> None:
    d, c, s = query.collection, query.relevant, query.scope
    ideal = Quadruple.ideal(d, c, s)
    assert ideal.hits >= query.hits
    assert ideal.precision == (1 if s <= c else c / s)
    assert ideal.recall == (s / c if s <= c else 1)
    assert Quadruple.ideal(c, c, c).precision == 1


def test_the_random_levels_are_the_means_over_all_orders() -> None:
    d, c, s = 7, 3, 4
    weights = [math.comb(c, v) * math.comb(d - c, s - v) for v in range(s + 1)]
    pairs = [(Quadruple(d, c, s, v), weight) for v, weight in enumerate(weights) if weight]
    some = pairs[0][0]

    def mean(values: list[float]) -> float:
        return sum(value * weight for value, (_, weight) in zip(values, pairs, strict=True)) / math.comb(d, s)

    assert close(mean([each.hits for each, _ in pairs]), some.random_hits, 1e-12)
    assert close(mean([each.precision for each, _ in pairs]), some.random_precision, 1e-12)
    assert close(mean([each.recall for each, _ in pairs]), some.random_recall, 1e-12)
    assert close(mean([each.effectiveness for each, _ in pairs]), some.random_effectiveness, 1e-12)
    assert close(mean([each.gain_over_random() for each, _ in pairs]), 0, 1e-12)


def test_the_random_level_of_ap_is_its_mean_over_all_orders() -> None:
    for d, c in [(1, 1), (2, 1), (5, 2), (6, 6), (7, 3)]:
        places = list(combinations(range(1, d + 1), c))
        values = [sum(i / rank for i, rank in enumerate(ranks, start=1)) / c for ranks in places]
        assert close(random_average_precision(d, c), sum(values) / len(values), 1e-12)


def test_without_relevant_items_only_precision_and_generality_are_numbers() -> None:
    query = Quadruple(10, 0, 3, 0)
    assert (query.precision, query.generality, query.random_hits) == (0, 0, 0)
    undefined = [
        query.recall,
        query.generality_index,
        query.relevant_scope,
        query.error(),
        query.f(),
        query.effectiveness,
        query.random_recall,
        query.random_effectiveness,
        query.gain_over_random(),
        query.normalised_gain,
    ]
    assert all(map(math.isnan, undefined))
    assert math.isnan(random_average_precision(10, 0))


def test_marginal_cost_counts_items_for_each_further_hit() -> None:
    first, second, third = (Quadruple(100, 10, scope, hits) for scope, hits in [(5, 3), (15, 5), (40, 5)])
    assert first.marginal_cost(second) == 5
    assert second.marginal_cost(third) == math.inf
    assert math.isnan(first.marginal_cost(first))
    with pytest.raises(MeasureError, match="further hits"):
        second.marginal_cost(first)
    with pytest.raises(MeasureError, match="one query"):
        first.marginal_cost(Quadruple(100, 11, 15, 5))


def test_the_scope_to_expect_hits_follows_from_precision() -> None:
    assert EXAMPLE.scope_to_expect(3) == 8
    assert EXAMPLE.scope_to_expect(0) == 0
    assert Quadruple(10, 2, 3, 0).scope_to_expect(1) == math.inf
    with pytest.raises(MeasureError, match="hits <= relevant"):
        EXAMPLE.scope_to_expect(9)


@pytest.mark.parametrize("number", [255, 256, 257, 300, 1000, 50_000])
def test_harmonic_numbers_agree_with_their_sum(number: int) -> None:
    assert math.isclose(harmonic(number), math.fsum(1 / k for k in range(1, number + 1)), rel_tol=1e-15)


@pytest.mark.parametrize(("collection", "relevant"), [(0, 0), (5, 6), (5, -1)])
def test_random_levels_refuse_what_cannot_be(collection: int, relevant: int) -> None:
    for level in (random_precision, random_average_precision):
        with pytest.raises(MeasureError, match="relevant <= collection"):
            level(collection, relevant)


@pytest.mark.parametrize("wrong", [{"b": -1.0}, {"b": math.nan}])
def test_f_refuses_a_weight_below_zero(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=r"b=.*: must be a number of at least 0"):
        EXAMPLE.f(**wrong)


def test_error_refuses_a_weight_outside_its_range() -> None:
    with pytest.raises(SettingError, match=r"alpha=1\.5: must be a number of at least 0 and at most 1"):
        EXAMPLE.error(1.5)
    with pytest.raises(SettingError, match="baseline='chance': must be one of general, g"):
        EXAMPLE.gain_over_random("chance")
    with pytest.raises(MeasureError, match="scope = relevant"):
        _ = EXAMPLE.normalised_gain


# the measures say the same


@given(query=quadruples(least_relevant=1))
def test_measures_of_a_ranking_agree_with_its_quadruple(query: Quadruple) -> None:
    d, c, s, v = query.collection, query.relevant, query.scope, query.hits
    ranks = RelevantRanks.from_ranks([list(range(1, v + 1))], relevant=[c], depth=s, collection=d)

    def value(measure: P | R | F | E | Effectiveness | Estar | Generality | GeneralityIndex | Enorm) -> float:
        return float(measure.of(ranks)[0])

    pairs = [
        (value(P(s)), query.precision),
        (value(R(s)), query.recall),
        (value(F(s, b=2)), query.f(2)),
        (value(E(s, alpha=0.3)), query.error(0.3)),
        (value(Effectiveness(s)), query.effectiveness),
        (value(Estar(s)), query.gain_over_random()),
        (value(Estar(s, baseline="g")), query.gain_over_random("g")),
        (value(Generality()), query.generality),
        (value(GeneralityIndex()), query.generality_index),
    ]
    for got, expected in pairs:
        assert math.isclose(got, expected, abs_tol=1e-12)
    if s == c < d:
        assert math.isclose(value(Enorm()), query.normalised_gain, abs_tol=1e-12)
