"""Does a plan of judging keep its promise? Predicted and observed widths on queries and assessors it did not see.

Half of the queries and four of the assessors are the pilot: variance components, pools to depth 40. Three plans are
predicted from it. Then as many queries and assessors as each plan has are drawn again and again from the other half
and the other assessors: the width observed is that of the interval whose error is the standard deviation of the means
drawn, and the move of the mean from pools of that depth to all judgements.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from benchmarks.judging_plan_cases import ASSESSORS, DEPTHS, PlanCase, cases
from benchmarks.lengths import length
from benchmarks.top_sets import TRIALS, top_set_rows
from rankscope.analysis.sampling.judging_plan import Costs, JudgingDesign, PoolDepths, WidthForecast
from rankscope.analysis.statistics.variance_components import FactorTable, components
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.rendering import markdown_table
from rankscope.core.wording import decimal_text, join_words

SPLITS = 40
DRAWS = 1_000
PILOT_ASSESSORS = 4
PILOT_DEPTH = 40
MEASURES = ("AP", "nDCG@10")


def designs(queries: int) -> dict[str, JudgingDesign]:
    """What is there, and the three plans."""
    now = JudgingDesign(queries=queries, assessors=2, depth=PILOT_DEPTH)
    return {
        "as it is": now,
        "more queries": JudgingDesign(queries=2 * queries, assessors=2, depth=PILOT_DEPTH),
        "more assessors": JudgingDesign(queries=queries, assessors=6, depth=PILOT_DEPTH),
        "deeper pools": JudgingDesign(queries=queries, assessors=2, depth=2 * PILOT_DEPTH),
    }


def forecast_of(case: PlanCase, queries: IntArray, assessors: IntArray) -> WidthForecast:
    """From the pilot alone."""
    place = DEPTHS.index(PILOT_DEPTH)
    pilot = case.values[np.ix_(assessors, np.arange(place + 1), queries)]
    rows, columns = np.meshgrid(assessors, queries, indexing="ij")
    table = FactorTable.of(
        pilot[:, place].ravel(), {"query": columns.ravel().tolist(), "assessor": rows.ravel().tolist()}, what=case.what
    )
    means = pilot.mean(axis=(0, 2))
    moved = (float(means[place - 1] - means[place - 2]), float(means[place] - means[place - 1]))
    pools = PoolDepths(PILOT_DEPTH, {depth: case.sizes[depth] for depth in DEPTHS[place:]}, moved)
    return WidthForecast(components(table), Costs(), case.sizes[PILOT_DEPTH], pools)


def observed(
    case: PlanCase, design: JudgingDesign, queries: IntArray, assessors: IntArray, freedom: float, seed: int
) -> float:
    """The width that the design turns out to have on queries and assessors that the pilot did not see."""
    chance = np.random.default_rng(seed)
    own = case.values[np.ix_(assessors, np.array([DEPTHS.index(design.depth), len(DEPTHS)]), queries)]
    times = _times(chance, queries.size, design.queries), _times(chance, assessors.size, design.assessors)
    means = np.einsum("da,aq,dq->d", times[1], own[:, 0], times[0])
    shift = float((own[:, 0] - own[:, 1]).mean())
    return float(2 * stdtrit(freedom, 0.975) * means.std(ddof=1) + 2 * abs(shift))


def _times(chance: np.random.Generator, units: int, drawn: int) -> FloatArray:
    """Weights of units of which so many are drawn with replacement, draws x units."""
    return chance.multinomial(drawn, np.full(units, 1 / units), DRAWS) / drawn


def tried(case: PlanCase, splits: int) -> dict[str, FloatArray]:
    """Of each plan: splits x (predicted, observed)."""
    chance = np.random.default_rng(23)
    count = case.values.shape[-1]
    found: dict[str, list[tuple[float, float]]] = {}
    for split in range(splits):
        order, people = chance.permutation(count), chance.permutation(ASSESSORS)
        half = count // 2
        forecast = forecast_of(case, order[:half], people[:PILOT_ASSESSORS])
        for name, design in designs(half).items():
            seen = observed(case, design, order[half:], people[PILOT_ASSESSORS:], forecast.freedom(design), split)
            found.setdefault(name, []).append((forecast.width(design), seen))
    return {name: np.array(each) for name, each in found.items()}


def promise_rows(splits: int) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """A row for each collection, measure and contrast, and the median of observed over predicted, by plan."""
    for measure in MEASURES:
        for case in cases(measure):
            widths = tried(case, splits)
            row: dict[str, object] = {"collection": case.name, "measure": measure, "of": case.what}
            for name, each in widths.items():
                predicted, seen = (decimal_text(float(value)) for value in each.mean(axis=0))
                row[name] = f"{predicted} / {seen}"
            row["lost by the choice"] = f"{_lost(widths):.0%}"
            yield row, {name: float(np.median(each[:, 1] / each[:, 0])) for name, each in widths.items()}


def _lost(widths: dict[str, FloatArray]) -> float:
    """How much wider the interval of the plan that promised most is than that of the best plan, in the mean."""
    plans = np.stack([each for name, each in widths.items() if name != "as it is"])
    chosen = plans[:, :, 0].argmin(axis=0)
    seen = plans[:, :, 1]
    return float((seen[chosen, np.arange(seen.shape[1])] / seen.min(axis=0)).mean() - 1)


def report() -> str:
    """The section of docs/performance.md."""
    splits = length(SPLITS, 2)
    found = list(promise_rows(splits))
    if not found:
        return ""
    rows, ratios = [row for row, _ in found], [ratio for _, ratio in found]
    ranges = join_words(
        [
            f"{min(each[name] for each in ratios):.2f} to {max(each[name] for each in ratios):.2f} ({name})"
            for name in ratios[0]
        ]
    )
    words = (
        f"Widths of 95 % intervals that `rankscope plan` predicts from half of the queries and {PILOT_ASSESSORS} "
        f"assessors, pools judged to depth {PILOT_DEPTH}, and behind the stroke those observed on the other half and "
        f"other assessors (means over {splits} splits, {DRAWS:,} draws each). Runs, queries and relevant items are "
        "real; assessors are simulated from the real judgements, each with errors of its own. As it is: half of the "
        f"queries, 2 assessors, depth {PILOT_DEPTH}; the plans double the queries, take 6 assessors, or judge to depth "
        f"{2 * PILOT_DEPTH}. Observed over predicted, median over splits, lowest and highest row: {ranges}. Lost by "
        "the choice: how much wider the plan that promised the narrowest interval is than the one that has it, in the "
        "mean."
    )
    top, top_words = top_set_rows(length(TRIALS, 20))
    return f"{words}\n\n{markdown_table(rows)}\n\n{top_words}\n\n{markdown_table(top, places=3)}"
