"""Preferences: how often verdicts and limits err, and whether a bias that was put in is found again.

People compare two systems for each of some queries. Made: a query has a liking of its own, drawn around one half, and
each answer follows it; some are ties. Robust 2003: a pair of runs at random and topics drawn with replacement; an
answer follows the difference of nDCG@10, blurred by a person's own taste. For the null the systems change their names
by a coin in every topic, so that neither is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.forecast_cases import DATA
from benchmarks.null_differences import table
from rankscope.arrays import FloatArray
from rankscope.reports.formats.rows import markdown_table
from rankscope.statistics.preferences.answers import Choice, Preference
from rankscope.statistics.preferences.position_bias import position_bias
from rankscope.statistics.preferences.win_rates import win_rates

QUERIES = (10, 20, 50)
PEOPLE = (1, 5)
TRIALS = 400
TASTE = 0.15  # sd of a person's own liking, in units of nDCG@10
TIE = 0.05  # so near are two lists that people call them equal
Likings = Callable[[np.random.Generator, int], FloatArray]  # how much the second system is better, for each query


def made(lean: float) -> Likings:
    """Likings around `lean`, of the size of real differences."""
    return lambda chance, queries: chance.normal(lean, 0.2, queries)


def resampled(lean: bool) -> Likings:
    """Differences of real runs, the better one second; or names changed by a coin, so that neither is better."""

    def drawn(chance: np.random.Generator, queries: int) -> FloatArray:
        values = table("trec-robust03", "nDCG@10").values
        order = np.argsort(values.mean(axis=0))
        first, second = (order[0], order[-1]) if lean else chance.choice(values.shape[1], 2, replace=False)
        rows = chance.integers(0, len(values), queries)
        gaps = values[rows, second] - values[rows, first]
        return gaps if lean else gaps * chance.choice([-1.0, 1.0], queries)

    return drawn


def answers_to(likings: FloatArray, people: int, chance: np.random.Generator, bias: float = 0.0) -> list[Preference]:
    """Everybody sees every query twice, with sides swapped; a share of the answers takes the left blindly."""
    found = []
    for query, liking in enumerate(likings.tolist()):
        for person in range(people):
            felt = liking + chance.normal(0, TASTE)
            for left, right, sign in (("A", "B", 1), ("B", "A", -1)):
                side: Choice = "equal" if abs(felt) < TIE else "right" if felt * sign > 0 else "left"
                found.append(
                    Preference(
                        f"q{query}", f"p{person}", left, right, choice="left" if chance.random() < bias else side
                    )
                )
    return found


def true_rate(likings: Likings, chance: np.random.Generator) -> float:
    """The win rate of B over very many queries."""
    felt = likings(chance, 200_000) + chance.normal(0, TASTE, 200_000)
    return float(np.where(np.abs(felt) < TIE, 0.5, felt > 0).mean())


def error_rows(trials: int) -> Iterator[dict[str, object]]:
    """Verdicts that name a system, and limits that hold the truth, for each source, number of queries and people."""
    sources: dict[str, tuple[Likings, bool]] = {"made, null": (made(0.0), True), "made, B better": (made(0.1), False)}
    if (DATA / "trec-robust03").is_dir():
        sources["Robust 2003, null"] = (resampled(False), True)
        sources["Robust 2003, best and worst run"] = (resampled(True), False)
    for name, (likings, is_null) in sources.items():
        chance = np.random.default_rng(5)
        truth = 0.5 if is_null else true_rate(likings, chance)
        for queries in QUERIES:
            for people in PEOPLE:
                yield {"source": name, "queries": queries, "people": people} | _shares(
                    likings, queries, people, truth, trials, chance
                )


def _shares(
    likings: Likings, queries: int, people: int, truth: float, trials: int, chance: np.random.Generator
) -> dict[str, object]:
    named, held, naive = [], [], []
    for _ in range(trials):
        answers = answers_to(likings(chance, queries), people, chance)
        (found,) = win_rates(answers)
        named.append(bool(found.better))
        held.append(found.low <= truth <= found.high)
        naive.append(_naive_sign_test(found.wins, found.losses) < 0.05)
    return {
        "a system is named": float(np.mean(named)),
        "limits hold": float(np.mean(held)),
        "sign test over answers": float(np.mean(naive)),
    }


def _naive_sign_test(wins: int, losses: int) -> float:
    """What a sign test over answers would say, as if every answer were a query of its own."""
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def bias_rows(trials: int) -> Iterator[dict[str, object]]:
    """The lean that is estimated where so many answers take the left blindly: 50 lists answered twice."""
    for bias in (0.0, 0.1, 0.3, 0.6):
        chance = np.random.default_rng(8)
        found = [position_bias(answers_to(made(0.0)(chance, 50), 1, chance, bias)) for _ in range(trials)]
        covered = [each.lean_low <= bias <= each.lean_high for each in found if each.lean_low == each.lean_low]
        held = float(np.mean(covered)) if covered else float("nan")
        yield {"put in": bias, "mean lean": float(np.mean([each.lean for each in found])), "limits hold": held}


def report(trials: int = TRIALS) -> str:
    """The section of docs/performance.md."""
    rows = list(error_rows(trials))
    wrong = max(float(str(row["a system is named"])) for row in rows if "null" in str(row["source"]))
    words = (
        f"Share of {trials:,} trials. Everybody answers every query twice, with the sides swapped. Where neither "
        f"system is better, a verdict names one in at most {wrong:.3f} of the trials (5 % are allowed); a sign test "
        "over answers, as if each were a query of its own, is shown with it."
    )
    sides = (
        "A share of the answers takes the left side blindly; `lean` is estimated from 50 lists that one person "
        "answered twice. Ties become sided answers by the bias, so the estimate lies near what was put in, not on it."
    )
    return (
        f"{words}\n\n{markdown_table(rows, places=3)}\n{sides}\n\n{markdown_table(list(bias_rows(trials)), places=3)}"
    )
