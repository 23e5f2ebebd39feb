"""A comparison as one paragraph for a paper: what was compared, by which test, and what was found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.number_texts import decimal_text as short
from rankscope.number_texts import how_many, join_words, percent_text, plain_number, signed_text
from rankscope.reports.texts.comparison_words import LISTED, chance, equivalent, join_names, limits_text
from rankscope.statistics.pairs.effect import standardised_difference
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.statistics.pairs.pairwise import Comparison
    from rankscope.statistics.verdicts.compared import Compared, MeasureCompared

CITATION = f"rankscope {__version__} (The rankscope authors, 2026)"  # as in CITATION.cff
CORRECTED = {
    "holm": "Holm's step-down method (1979)",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "Benjamini and Hochberg's method (1995), which bounds the expected share of false findings",
}


def write_up(compared: Compared) -> str:
    """The paragraph."""
    return " ".join(sentences_of(compared))


def sentences_of(compared: Compared) -> list[str]:
    """Its sentences; every number is one of the result."""
    main = compared.main
    return [
        _compared(compared),
        _means(main),
        *_findings(compared),
        *equivalent(compared),
        *_secondary(compared),
        _tested(compared),
        *_corrected(compared),
        f"Computed with {CITATION}.",
    ]


def _compared(compared: Compared) -> str:
    main = compared.main
    names = [each for system in compared.systems for each in compared.names_of(system)]
    systems = join_names(names) if len(names) <= LISTED else how_many(len(names), "systems")
    classes = f" of {how_many(len(main.units), 'classes')}" if main.unit == "classes" else ""
    was = "was" if main.left_out == 1 else "were"
    left = f"; {how_many(main.left_out)} for which not every system has a value {was} left out" if main.left_out else ""
    return f"We compared {systems} by {main.measure} on {how_many(len(main.table))}{classes}{left}."


def _means(main: MeasureCompared) -> str:
    means = {name: short(float(main.means.mean[main.table.number(name)])) for name in main.order}
    if len(means) > LISTED:
        best, worst = main.order[0], main.order[-1]
        return f"The best mean {main.measure} was {means[best]} ({best}), the worst {means[worst]} ({worst})."
    return f"The mean {main.measure} was {join_words([f'{mean} for {name}' for name, mean in means.items()])}."


def _findings(compared: Compared) -> list[str]:
    """The difference of two systems; of more, those from the baseline that was named, else from the best."""
    main = compared.main
    first = compared.stands_for(compared.baseline) if compared.baseline else main.order[0]
    pairs = [each for each in main.pairs if first in (each.first, each.second)]
    pairs.sort(key=lambda each: main.order.index(each.first) + main.order.index(each.second))
    if len(main.pairs) == 1:
        found = "was significant" if pairs[0].better else "was not significant"
        return [f"The difference, {_difference(compared, main, pairs[0])}, {found}.", *_could_have(main, pairs[0])]
    shown = [each for each in pairs if each.better]
    others = [each for each in pairs if not each.better]
    lines = []
    for some, words in ((shown, "Significant differences"), (others, "Differences that were not significant")):
        if some:
            more = f"; and {len(some) - LISTED} more" if len(some) > LISTED else ""
            told = "; ".join(_difference(compared, main, each) for each in some[:LISTED])
            lines.append(f"{words} from {first}: {told}{more}.")
    return lines


def _difference(compared: Compared, one: MeasureCompared, pair: Comparison) -> str:
    """What another has more than the baseline that was named, else what the best by the primary measure has more."""
    order, size = compared.main.order, standardised_difference(one.differences(pair))
    more, less, difference, low, high = pair.second, pair.first, pair.difference, pair.low, pair.high
    if not compared.baseline and order.index(less) < order.index(more):
        more, less, difference, low, high, size = less, more, -difference, -high, -low, -size
    effect = "" if math.isnan(size) else f", d = {signed_text(size)}"
    limits = f"{percent_text(pair.level)} confidence limits {limits_text(low, high)}"
    return f"{more} minus {less} {signed_text(difference)} ({limits}{effect}, {chance(pair.adjusted)})"


def _could_have(main: MeasureCompared, pair: Comparison) -> list[str]:
    """What so many queries would have shown, where nothing was."""
    least = math.nan if pair.better else main.detectable(pair)
    if not math.isfinite(least):
        return []
    return [f"So many {main.unit} show a true difference of {short(least)} in 80 % of simulated experiments."]


def _secondary(compared: Compared) -> list[str]:
    """The other measures of two systems with their numbers; of more systems, that they were tested."""
    others = compared.measures[1:]
    if not others:
        return []
    tests = compared.families.size_of(others[0].measure)
    together = tests > 1 and compared.families.correction != "none"
    apart = f"Secondary measures{f', corrected together over {tests:,} tests' if together else ''}"
    if len(compared.main.pairs) > 1:
        return [f"{apart}: {join_words([one.measure for one in others])} (see the table)."]
    told = [
        f"{one.measure} {_difference(compared, one, one.pairs[0])}, {'' if one.pairs[0].better else 'not '}significant"
        for one in others
    ]
    return [f"{apart}: {'; '.join(told)}."]


def _tested(compared: Compared) -> str:
    """The test that decides, as a reader of another field can repeat it."""
    unit = " summed over each class, the sampling unit," if compared.main.unit == "classes" else ""
    return (
        f"Per-query differences{unit} were tested by two two-sided tests that must both reject at "
        f"{plain_number(1 - compared.level)}, sign flips (Fisher's randomisation test) and a t test corrected for "
        "skewness (after Hall 1992); p is the larger of the two, the limits enclose all differences that they do not "
        "reject, and d is the mean difference over the standard deviation of the differences."
    )


def _corrected(compared: Compared) -> list[str]:
    pairs, how = compared.families.primary.size, CORRECTED.get(compared.families.correction)
    if pairs == 1:
        return []
    if how is None:
        return [f"p-values are not corrected for the {pairs:,} pairs that were tested."]
    levels = "limits are at the level at which each pair was held"
    return [f"p-values are corrected over {pairs:,} pairs by {how}, and {levels}."]
