"""The page on statistics can be read in one go, and each of its numbers is measured or computed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.deciding_test import skew_t_p
from rankscope.analysis.statistics.equivalence import equivalence
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.sign_flip import sign_flip
from tests.analysis.statistics.brughi import A, B

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "explanation" / "statistics.md").read_text(encoding="utf-8")
TABLES = (DOCS / "reference" / "error-rates.md").read_text(encoding="utf-8")
REAL = ("Robust 2003", "Cranfield", "CISI", "CACM", "NPL")
SEEN = " ".join(PAGE.split())


def rows_of(header: str, number: int = 0) -> dict[str, list[tuple[float, float]]]:
    """A table of the reference page by its first cells: each number, and the one in brackets."""
    table = re.findall(rf"^\|{re.escape(header)}.*\n(?:^\|.*\n)+", TABLES, re.M)[number]
    rows = {}
    for line in table.splitlines()[2:]:
        name, *cells = (each.strip(" _") for each in line.strip("|").split("|"))
        found = [re.match(r"([\d.]+)\*?(?: \(([\d.]+)\))?", cell) for cell in cells]
        rows[name] = [(float(each[1]), float(each[2] or "nan")) for each in found if each is not None]
    return rows


def short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def test_it_is_read_in_one_go() -> None:
    prose = re.sub(r"^\|.*$|^#.*$", "", PAGE, flags=re.M)
    assert 1_500 <= len(prose.split()) <= 2_100


def test_the_table_of_errors_is_that_of_the_benchmarks() -> None:
    swapped = rows_of(" test | skewed, n = 10")
    largest = {name: max(value for value, _ in cells) for name, cells in swapped.items()}
    row = [largest[each] for each in ("verdict: sign flips and skew t", "sign flips", "t", "percentile bootstrap")]
    assert f"| labels can be swapped, 10 to 50 queries | {' | '.join(map(short, row))} |" in PAGE
    centred = rows_of(" differences | n = 10", 0)
    real = [cells for name, cells in centred.items() if name.startswith(REAL)]
    assert len(real) == 8
    for words, cells in (
        ("real runs, 10 queries", [each[0] for each in real]),
        ("real runs, 25 to 100 queries", [cell for each in real for cell in each[2:]]),
        ("lognormal, 10 queries", [centred["lognormal(0, 1)"][0]]),
    ):
        both = [short(max(each[side] for each in cells)) for side in (0, 1)]
        assert f"| only the means are equal, {words} | {both[0]} | {both[1]} | | |" in PAGE


def test_the_price_in_power_is_that_of_the_benchmarks() -> None:
    power = [cells for name, cells in rows_of(" differences | n = 10", 1).items() if name.startswith(REAL)]
    ends = [
        (short(min(c[n][side] for c in power)), short(max(c[n][side] for c in power)))
        for n, side in ((0, 0), (0, 1), (2, 0), (3, 0), (4, 0))
    ]
    ten, alone, more, fifty, hundred = (f"{low} to {high}" for low, high in ends)
    assert f"in {ten} of samples of 10 real queries (sign flips alone {alone})" in SEEN
    assert f"in {more} of 25, in {fifty} of 50 and in {hundred} of 100" in SEEN


def test_classes_and_units_err_as_measured() -> None:
    cells = rows_of(" classes | 10, classes are units")
    by_class = [value for row in cells.values() for value, _ in row[::2]]
    by_query = [value for row in cells.values() for value, _ in row[1::2]]
    assert f"held the whole true curve in {short(min(by_query))} to {short(max(by_query))} of samples" in SEEN
    assert f"with classes in {short(min(by_class))} to {short(max(by_class))}" in SEEN
    errors = rows_of(" scores | verdict, 5 queries")
    verdicts, by_t, pooled = ([[row[n + side][0] for n in (0, 3, 6)] for row in errors.values()] for side in (0, 1, 2))
    assert f"where there is none in up to {short(max(map(max, pooled)))} of" in SEEN
    assert f"the t test of each class in up to {short(max(map(max, by_t)))}" in SEEN
    named = dict(zip(errors, verdicts, strict=True))
    skewed = max(named.pop("mean 0, lognormal(0, 1)"))
    assert (
        f"at or below {short(max(map(max, named.values())))} with real runs and {short(skewed)} with lognormal" in SEEN
    )


def test_equivalence_errs_as_measured() -> None:
    cells = rows_of(" differences | n = 10", 2)
    real = [row for name, row in cells.items() if name.startswith((*REAL, "TREC-COVID"))]
    assert len(real) == 11
    worst = [max(error for row in rows for error, _ in row) for rows in (real, [cells["lognormal(0, 1)"]])]
    assert f"at most {short(worst[0])} of samples of real runs ({short(worst[1])} of lognormal ones)" in SEEN
    shown = [[row[size][1] for row in real] for size in (2, 3)]
    few, more = (f"{short(min(each))} to {short(max(each))}" for each in shown)
    assert f"25 queries show equivalent systems to be so in {few} of samples, 50 in {more}" in SEEN


def test_bands_hold_as_measured() -> None:
    bands = rows_of(" runs x units | default, 10")
    default = {name: min(value for value, _ in row[:4]) for name, row in bands.items()}
    unequal = default.pop("icons20k, classes of 6 to 308: 1 x 563 classes")
    assert f"it held the whole curve in {short(min(default.values()))} and more of samples of 10 to 100 units" in SEEN
    assert f"(of classes of very unequal size in {short(unequal)})" in SEEN
    cisi = bands["cisi: 2 x 76 queries"]
    assert cisi[4][0] == cisi[8][0]
    assert f"held it in {short(cisi[4][0])} of samples of ten queries of CISI" in SEEN


@pytest.mark.parametrize("number", sorted(set(re.findall(r"(?<![\d±])\.\d{3}\b", PAGE))))
def test_every_number_of_three_digits_is_measured_or_of_the_worked_example(number: str) -> None:
    worked = (".343", ".378", ".041", ".033", ".118", ".037")
    assert number in worked or f"0{number}" in TABLES or number in TABLES


def test_the_worked_example_is_computed() -> None:
    first, second = np.array(A), np.array(B)
    differences = second - first
    assert [short(each.mean()) for each in (first, second)] == [".343", ".378"]
    assert f"deviations are {first.std(ddof=1):.2f} and {second.std(ddof=1):.2f}".replace("0.", ".") in SEEN
    assert f"p = {stats.ttest_ind(first, second).pvalue:.2f}".replace("0.", ".") in SEEN
    assert short(differences.std(ddof=1)) == ".041"
    assert int((differences > 0).sum()) == 11
    flips = sign_flip(differences).p
    assert f"{flips:.4f} here, {flips * 2**15:.0f} of 32,768".removeprefix("0") in SEEN
    assert f"it gives p = {float(skew_t_p(differences[None])[0]):.4f}".replace("0.", ".") in SEEN
    near, far = equivalence(differences, 0.05), equivalence(differences, 0.06)
    assert not near.equivalent
    assert far.equivalent
    assert f"within ±.06 (p = {short(far.p)}) and not within ±.05 (p = {short(near.p)})" in SEEN
    effects = ShownEffects(differences, 0.025)
    assert f"that is {short(effects.smallest())}, and .02 takes {effects.needed(0.02)} queries" in SEEN
