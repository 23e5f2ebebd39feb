"""Shares of variance, their limits, and what they say of a mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.variance_components import (
    FactorTable,
    VariedValues,
    components,
    components_text,
    sentence_of,
)
from rankscope.core.errors import SettingError

QUERY, ASSESSOR = np.divmod(np.arange(60), 3)


def values(seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    noise = chance.normal(0, 0.1, 60)
    return np.asarray(0.5 + chance.normal(0, 0.2, 20)[QUERY] + chance.normal(0, 0.1, 3)[ASSESSOR] + noise)


def test_one_value_a_query_is_the_plain_variance_with_the_limits_of_chi_square() -> None:
    some = values()[:20]
    found = components(FactorTable.of(some, {"query": range(20)}, what="AP"))
    (part,) = found.parts
    variance = some.var(ddof=1)
    assert part.source == "query"
    assert part.variance == pytest.approx(variance)
    assert (part.low, part.high) == pytest.approx(
        (19 * variance / chi2.ppf(0.975, 19), 19 * variance / chi2.ppf(0.025, 19))
    )
    assert found.error == pytest.approx(np.sqrt(variance / 20))


def test_the_error_of_the_mean_is_the_sum_over_sources_by_hand() -> None:
    found = components(FactorTable.of(values(), {"query": QUERY, "assessor": ASSESSOR}))
    query, assessor, rest = (each.variance for each in found.parts)
    assert [each.source for each in found.parts] == ["query", "assessor", "query x assessor"]
    assert found.error**2 == pytest.approx(query / 20 + assessor / 3 + rest / 60)
    assert found.mean_variance({"query": 40, "assessor": 6}) == pytest.approx(query / 40 + assessor / 6 + rest / 240)
    assert sum(each.share for each in found.parts) == pytest.approx(1) == sum(each.of_mean for each in found.parts)
    assert found.balanced


def test_seeds_and_assessors_together_have_a_rest_of_their_own() -> None:
    chance = np.random.default_rng(1)
    query, assessor, seed = (each.ravel() for each in np.meshgrid(range(8), range(3), range(2), indexing="ij"))
    found = components(
        FactorTable.of(
            chance.normal(size=48), {"query": query, "assessor": assessor, "seed": seed, "class": query // 2}
        )
    )
    names = [each.source for each in found.parts]
    assert names == ["query", "class", "assessor", "seed", "query x assessor", "query x seed", "rest"]


def test_what_is_below_0_is_said() -> None:
    alike = np.tile([0.4, 0.6], 10) + np.repeat(np.arange(10), 2) % 2 * np.array([0.2, -0.2] * 10)
    query, assessor = np.divmod(np.arange(20), 2)
    found = components(FactorTable.of(alike, {"query": query, "assessor": assessor}))
    assert found["query"].variance == found["assessor"].variance == 0
    assert "the variances of query and assessor come out below 0 and count as 0" in found.notes
    assert found["query"].high > 0


def test_limits_hold_the_truth() -> None:
    chance, truth, held = np.random.default_rng(3), np.array([1.0, 0.2, 0.5]), np.zeros(3)
    for _ in range(40):
        parts = np.sqrt(truth)
        drawn = parts[0] * chance.normal(size=20)[QUERY] + parts[1] * chance.normal(size=3)[ASSESSOR]
        found = components(
            FactorTable.of(drawn + parts[2] * chance.normal(size=60), {"query": QUERY, "assessor": ASSESSOR})
        )
        held += [part.low <= value <= part.high for part, value in zip(found.parts, truth, strict=True)]
    assert (held >= 34).all(), held


def test_a_query_of_no_class_is_a_class_of_its_own_and_rows_without_a_value_are_left_out() -> None:
    table = FactorTable.of(
        [0.1, 0.2, np.nan, 0.4], {"query": ["a", "b", "c", "d"], "class": ["", "", "x", "x"]}, {"length": [1, 2, 3, 4]}
    )
    assert (len(table), table.levels("class")) == (3, 3)
    assert table.notes == ("1 row without a value left out",)


def test_differences_pair_the_same_query_assessor_and_seed() -> None:
    one = ScoreTable.make({"A": [0.1, 0.5], "B": [0.3, 0.4]})
    other = ScoreTable.make({"A": [0.2, np.nan], "B": [0.3, 0.9]})
    both = VariedValues.of_cells([("ann", "", one), ("bob", "", other)])
    assert both.difference("A", "B").values == pytest.approx([0.2, -0.1, 0.1])
    assert [each.what for each in both.contrasts("B")] == ["AP of B", "AP of A", "AP, A minus B"]
    with pytest.raises(SettingError, match="no system 'C'"):
        both.contrasts("C")
    twice = VariedValues("AP", ("A", "A"), {"query": ("q", "q")}, np.array([0.1, 0.2]))
    with pytest.raises(SettingError, match="several values of one query"):
        twice.difference("A", "A")


def test_the_sentence_names_the_largest_share_of_the_means_variance() -> None:
    found = components(FactorTable.of(values(), {"query": QUERY, "assessor": ASSESSOR}, what="AP of bm25"))
    most = max(found.parts, key=lambda each: each.of_mean)
    words = {"query": "queries", "assessor": "assessors", "query x assessor": "what queries make of assessors"}
    assert f"{most.of_mean:.0%} of its variance comes from {words[most.source]}." in sentence_of(found)
    assert "mean of 20 queries and 3 assessors" in sentence_of(found)
    for shown in ("table", "markdown", "json"):
        assert "AP of bm25" in components_text([found], shown)


def test_too_little_is_refused() -> None:
    with pytest.raises(SettingError, match="two queries at least"):
        components(FactorTable.of([0.1], {"query": ["a"]}))
    with pytest.raises(SettingError, match="there is no value"):
        FactorTable.of([np.nan], {"query": ["a"]}, what="AP")
    with pytest.raises(SettingError, match="need a query each"):
        FactorTable.of([0.1, 0.2], {"query": ["a"]})
