"""Preferences: how often verdicts and limits err, and whether a bias that was put in is found again.

People compare two systems for each of some queries. Made: a query has a liking of its own, drawn around one half, and
each answer follows it; some are ties. Robust 2003: a pair of runs at random and topics drawn with replacement; an
answer follows the difference of nDCG@10, blurred by a person's own taste. For the null the systems change their names
by a coin in every topic, so that neither is better. Strengths (Bradley-Terry): people see every two of several systems
once for a query, which has likings of its own or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from benchmarks.forecast_cases import DATA
from benchmarks.null_differences import table
from rankscope.analysis.assessors.bradley_terry import bradley_terry
from rankscope.analysis.assessors.preferences import Choice, Preference
from rankscope.analysis.assessors.win_rates import position_bias, win_rates
from rankscope.core.arrays import FloatArray
from rankscope.core.rendering import markdown_table

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


def strength_rows(trials: int) -> Iterator[dict[str, object]]:
    """How often limits hold a system's strength, and in how many trials there are none: 3 and 5 systems."""
    for systems in (3, 5):
        for spread in (0.0, 1.0):
            chance = np.random.default_rng(11)
            true = np.linspace(0.7, -0.7, systems)
            if spread:
                many = bradley_terry(chosen(true, spread, 5_000, chance)).systems
                true = np.array([each.strength for each in sorted(many, key=lambda one: one.system)])
            for queries in (6, 10, 20, 50):
                held, none = [], 0
                for _ in range(trials):
                    found = bradley_terry(chosen(np.linspace(0.7, -0.7, systems), spread, queries, chance)).systems
                    none += not found
                    held += [each.low <= true[int(each.system)] <= each.high for each in found]
                yield {
                    "systems": systems,
                    "likings of a query, sd": spread,
                    "queries": queries,
                    "limits hold": float(np.mean(held)),
                    "no strengths": none / trials,
                }


def chosen(strength: FloatArray, spread: float, queries: int, chance: np.random.Generator) -> list[Preference]:
    """One answer to every two systems for each query."""
    found = []
    for query in range(queries):
        own = strength + chance.normal(0, spread, len(strength))
        for first, second in combinations(range(len(strength)), 2):
            side: Choice = "left" if chance.random() < 1 / (1 + np.exp(own[second] - own[first])) else "right"
            found.append(Preference(f"q{query}", "ann", str(first), str(second), choice=side))
    return found


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
    strong = list(strength_rows(trials))
    least = min(float(str(row["limits hold"])) for row in strong)
    scale = (
        "Strengths (Bradley-Terry) of -.7 to .7 in log odds: every two systems are seen once for each query. Limits of "
        f"95 % hold a strength in at least {least:.3f} of the cases; where a system wins or loses all there are none."
    )
    tables = (rows, list(bias_rows(trials)), strong)
    return "\n".join(
        f"{text}\n\n{markdown_table(each, places=3)}" for text, each in zip((words, sides, scale), tables, strict=True)
    )
