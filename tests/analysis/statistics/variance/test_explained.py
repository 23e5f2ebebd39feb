"""Explanatory variables: against ordinary regression of differences, against statsmodels, and by simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.analysis.statistics.explanatory_variables import explain, read_variables
from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import InputError, SettingError


def made(
    queries: int = 24, systems: int = 2, classes: bool = False, seed: int = 0
) -> tuple[ScoreTable, dict[str, float]]:
    chance = np.random.default_rng(seed)
    x = chance.normal(size=queries)
    own = 0.3 * chance.normal(size=queries)
    values = {
        f"s{number}": (0.5 + 0.1 * number * x + 0.2 * x + own + 0.1 * chance.normal(size=queries)).tolist()
        for number in range(systems)
    }
    labels = [("a", "b", "c")[each % 3] for each in range(queries)] if classes else None
    return ScoreTable.make(values, labels), {f"q{number + 1}": float(each) for number, each in enumerate(x)}


def test_of_two_systems_it_is_the_regression_of_differences() -> None:
    from scipy.stats import linregress

    table, x = made()
    raw = np.array(list(x.values()))
    level, pair = explain(table, {"x": x}).slopes
    other = linregress((raw - raw.mean()) / raw.std(), table.values[:, 1] - table.values[:, 0])
    assert (pair.slope, pair.error, pair.p) == pytest.approx((other.slope, other.stderr, other.pvalue))
    mean = linregress((raw - raw.mean()) / raw.std(), table.values.mean(axis=1))
    assert (level.slope, level.error, level.p) == pytest.approx((mean.slope, mean.stderr, mean.pvalue))


@pytest.mark.filterwarnings("ignore")
def test_it_is_statsmodels_mixed_model() -> None:
    import pandas as pd
    import statsmodels.formula.api as smf

    table, x = made(30, 3, classes=True)
    raw = np.array(list(x.values()))
    assert table.classes is not None
    z = (raw - raw.mean()) / raw.std()
    rows = [
        {"y": table.values[q, s], "s": f"s{s}", "q": q, "z": z[q], "c": table.classes[q]}
        for q in range(30)
        for s in range(3)
    ]
    fit = smf.mixedlm("y ~ C(s) * (C(c) + z)", pd.DataFrame(rows), groups="q").fit(reml=True)
    found = {each.of: each for each in explain(table, {"x": x}).slopes}
    for number in (1, 2):
        one = found[f"s{number} minus s0"]
        name = f"C(s)[T.s{number}]:z"
        assert (one.slope, one.error) == pytest.approx((fit.params[name], fit.bse[name]), abs=2e-4)
    mine = explain(table, {"x": x})
    assert mine.query_variance == pytest.approx(float(fit.cov_re.iloc[0, 0]), abs=2e-4)
    assert mine.residual_variance == pytest.approx(fit.scale, abs=2e-4)


def test_without_its_variables_it_is_the_mixed_model() -> None:
    table, x = made(24, 3, classes=True)
    mine, other = explain(table, {"x": x}), mixed(table)
    assert mine.plain_residual == pytest.approx(other.residual_variance)
    assert mine.plain_query == pytest.approx(other.query_variance)
    assert mine.query_variance < mine.plain_query  # the variable takes difficulty away


def test_a_variable_that_explains_nothing_errs_as_often_as_it_says() -> None:
    chance = np.random.default_rng(1)
    p = []
    for _ in range(400):
        values = chance.normal(size=(15, 2)) + chance.normal(size=(15, 1))
        table = ScoreTable.make({"a": values[:, 0].tolist(), "b": values[:, 1].tolist()})
        x = {f"q{row + 1}": float(each) for row, each in enumerate(chance.normal(size=15))}
        p.append([each.p for each in explain(table, {"x": x}).slopes])
    assert (np.array(p) <= 0.05).mean(axis=0) == pytest.approx([0.05, 0.05], abs=0.033)


def test_values_without_spread_are_explained_by_nothing() -> None:
    """What rounding leaves of equal values is no slope, and has no p."""
    values = {"A": [0.1 + 0.2] * 7, "B": [0.7 / 3] * 7}
    lengths = {f"q{each}": each**0.5 for each in range(1, 8)}
    made = explain(ScoreTable.make(values), {"length": lengths})
    assert [(round(each.slope, 12), str(each.p), str(each.low)) for each in made.slopes] == [(0.0, "nan", "nan")] * 2


def test_what_cannot_explain_is_refused(tmp_path: Path) -> None:
    table, x = made(classes=True)
    with pytest.raises(SettingError, match="the same for every query"):
        explain(table, {"x": dict.fromkeys(x, 1.0)})
    with pytest.raises(SettingError, match="follows from"):
        explain(table, {"x": x, "y": {name: 2 * value for name, value in x.items()}})
    with pytest.raises(InputError, match="no value of query q1"):
        explain(table, {"x": {name: value for name, value in x.items() if name != "q1"}})
    file = tmp_path / "x.csv"
    file.write_text("query,length\nq1,3\nq2,long\n")
    with pytest.raises(InputError, match="length must be a number, got 'long'"):
        read_variables(file)
    file.write_text("query,length\nq1,3\nq2,4.5\n")
    assert read_variables(file) == {"length": {"q1": 3.0, "q2": 4.5}}
