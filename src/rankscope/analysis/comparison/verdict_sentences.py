"""A comparison in words: who is better, by how much, on which queries; and as one paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rankscope.analysis.statistics.effect_sizes import standardised_difference
from rankscope.core.wording import decimal_text as short
from rankscope.core.wording import how_many, join_words, percent_text, plain_number, signed_text, span_text
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared, MeasureCompared
    from rankscope.analysis.comparison.pairwise import ClassEffects, Comparison
    from rankscope.analysis.statistics.equivalence import Equivalence


LISTED = 6
ONE_BY_ONE = 2  # secondary measures of two systems; more are summed up


def verdict_sentences(comparison: Compared) -> list[str]:
    """A few sentences, the most important first; none goes beyond what a test supports.

    The primary measure decides. What other measures say stands behind it and is called secondary.
    """
    if len(comparison.systems) == 2:
        return [
            _pair(comparison.main, comparison.main.pairs[0]),
            *equivalence_sentences(comparison),
            *_secondary(comparison),
        ]
    lines = [_best(comparison), *_against_baseline(comparison), *_pairs_that_differ(comparison)]
    return [*lines, *equivalence_sentences(comparison)]


def equivalence_sentences(comparison: Compared) -> list[str]:
    """Which systems are equivalent within the margin of the primary measure; nothing where none was given."""
    main = comparison.main
    if not main.equivalences:
        return []
    within = f"within ±{plain_number(main.equivalences[0].margin)} {main.measure}"
    if len(main.equivalences) == 1:
        return [_one_equivalent(main.equivalences[0], within)]
    found: dict[bool | None, list[Equivalence]] = {True: [], False: [], None: []}
    for each in main.equivalences:
        found[True if each.equivalent else False if each.different else None].append(each)
    also = sum(each.different for each in found[True])
    named = f" ({join_names([f'{each.first} and {each.second}' for each in found[True]])})" if found[True] else ""
    return [
        f"Equivalent {within}: {len(found[True]):,} of {how_many(len(main.equivalences), 'pairs')}{named}"
        + (f", {also:,} of them also significantly different" if also else "")
        + f"; significantly different and not shown to be equivalent: {len(found[False]):,}; neither shown: "
        f"{len(found[None]):,}."
    ]


def _one_equivalent(pair: Equivalence, within: str) -> str:
    """What is shown of two systems: equivalence, although they differ or not; not that; or neither."""
    both = f"{pair.first} and {pair.second}"
    limits = f"{percent_text(1 - 2 * pair.tail)} limits of the difference {limits_text(pair.low, pair.high)}"
    proof = f"({limits}, two one-sided tests, {p_value_text(pair.adjusted)})"
    if pair.equivalent:
        return f"{both} are equivalent {within} {proof}{', although they differ' if pair.different else ''}."
    if pair.different:
        return f"That {both} are equivalent {within} is not shown {proof}."
    return f"Neither that {both} differ nor that they are equivalent {within} is shown {proof}."


def p_value_text(p: float) -> str:
    """A p-value in words.

    >>> p_value_text(0.0073), p_value_text(0.00001), p_value_text(math.nan)
    ('p = .007', 'p < .001', 'no p-value')
    """
    if math.isnan(p):
        return "no p-value"
    return "p < .001" if p < 0.001 else f"p = {short(p)}"


def join_names(names: list[str], most: int = LISTED) -> str:
    """Names as a sentence has them.

    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names(["a", "b", "c", "d"], most=3)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    shown = names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def _secondary(comparison: Compared) -> list[str]:
    """What the other measures of two systems say, in one sentence."""
    others = comparison.measures[1:]
    if not others:
        return []
    if len(others) <= ONE_BY_ONE:
        told = [f"by {one.measure} {_short_pair(one.pairs[0])}" for one in others]
    else:
        told = _summed_up(others, comparison.main.pairs[0].better)
    together = ", corrected together" if comparison.families.correction != "none" else ""
    return [f"Secondary{together}: {'; '.join(told)}."]


def _summed_up(others: Sequence[MeasureCompared], better: str) -> list[str]:
    """Many other measures in a few words for those that say the same."""
    sides: dict[str, list[str]] = {}
    for one in others:
        sides.setdefault(one.pairs[0].better, []).append(one.measure)
    said = []
    for name, measures in sides.items():
        shown = (
            f"{name} is significantly better{' too' if name == better else ''}" if name else "no significant difference"
        )
        said.append(f"by {join_names(measures, most=len(measures))} {shown}")
    return said


def _pair(main: MeasureCompared, pair: Comparison) -> str:
    effects = main.classes[0] if main.classes else None
    count = how_many(pair.queries)
    units = "" if main.unit == "queries" else f" of {how_many(len(main.units), 'classes')}"
    proof = f"({count}{units}, {p_value_text(pair.adjusted)})"
    if pair.better:
        worse = pair.first if pair.better == pair.second else pair.second
        span = _span(pair, by_size=True)
        return (
            f"{pair.better} is significantly better than {worse} by {short(abs(pair.difference))} {main.measure} "
            f"{span} {proof}{_on_classes(effects, pair.better)}."
        )
    start = (
        f"No significant difference in {main.measure}: {pair.second} minus {pair.first} is "
        f"{signed_text(pair.difference)} {_span(pair)} {proof}"
    )
    return f"{start}{_on_classes(effects, '')}.{_could_have(main, pair)}"


def _span(pair: Comparison, by_size: bool = False) -> str:
    """The interval of second minus first; `by_size` turns it where the size of a loss is given."""
    low, high = (-pair.high, -pair.low) if by_size and pair.difference < 0 else (pair.low, pair.high)
    return limits_text(low, high)


def limits_text(low: float, high: float) -> str:
    """Limits in brackets, as sentences have them."""
    return "[no interval]" if not math.isfinite(high - low) else f"[{short(low)}, {short(high)}]"


def _could_have(main: MeasureCompared, pair: Comparison) -> str:
    if not main.differences(pair).any():
        return " No query differs at all: are these two the same?"
    differing = main.differing(pair)
    if 2.0 ** (1 - differing) > (1 - pair.level) * (1 + 1e-9):
        if differing == len(main.tested):
            return ""  # what so few can show is said of all pairs
        few = f"Only {differing:,} of {len(main.tested):,} {main.unit} differ"
        return f" {few}: the smallest p-value possible is {plain_number(2.0 ** (1 - differing))}."
    least = main.detectable(pair)
    if not math.isfinite(least):
        return ""
    return f" So many {main.unit} show a true difference of {short(least)} in 80 % of such experiments."


def _on_classes(effects: ClassEffects | None, better: str) -> str:
    """On which classes a system is better, chiefly; where it is worse; where no difference is shown."""
    if effects is None or len(effects.effects) < 2:
        return ""
    shown = [each for each in effects.effects if each.better]
    if not better:
        told = [f"{each.better} is significantly better on class {each.label}" for each in shown]
        return f"; but {join_names(told)}" if told else ""
    won = sorted((each for each in shown if each.better == better), key=lambda each: -abs(each.difference))
    lost = [each.label for each in shown if each.better != better]
    same = [each.label for each in effects.effects if each.difference == 0 and math.isnan(each.p)]  # no query differs
    open_ = [each.label for each in effects.effects if not each.better and each.label not in same]
    if len(open_) == len(effects.effects):
        return "; on no class alone is it significant"
    gain = 1 if won and won[0].difference > 0 else -1
    parts = []
    if won and not open_ and not lost and not same:
        parts.append("on every class")
    elif won and abs(won[0].difference) >= max(gain * each.difference for each in effects.effects):
        parts.append(f"chiefly on class {won[0].label}")
    elif won:
        parts.append(f"as on {_classes([each.label for each in won])}")
    if lost:
        parts.append(f"but significantly worse on {_classes(lost)}")
    words = f", {', '.join(parts)}" if parts else ""
    words += f"; every query has equal values on {_classes(same)}" if same else ""
    return words + (f"; no significant difference on {_classes(open_)}" if open_ else "")


def _classes(labels: list[str]) -> str:
    return f"class{'es' * (len(labels) > 1)} {join_names(labels)}"


def _short_pair(pair: Comparison) -> str:
    proof = p_value_text(pair.adjusted)
    if not pair.better:
        return f"no significant difference, {signed_text(pair.difference)} {_span(pair)}, {proof}"
    return (
        f"{pair.better} is significantly better by {short(abs(pair.difference))} {_span(pair, by_size=True)}, {proof}"
    )


def _best(comparison: Compared) -> str:
    """The best mean, and from which others it differs significantly, as far as these pairs were compared."""
    main = comparison.main
    order = main.order
    best, number = order[0], main.table.number(order[0])
    mean, low, high = (float(each[number]) for each in (main.means.mean, main.means.low, main.means.high))
    found = [pair for pair in main.pairs if best in (pair.first, pair.second)]
    differs = {pair.first if pair.second == best else pair.second: bool(pair.better) for pair in found}
    compared = [name for name in order if name in differs]
    alike, beaten = ([name for name in compared if differs[name] is side] for side in (False, True))
    told = _significance(alike, beaten, whole=len(differs) == len(order) - 1)
    span = span_text(low, high)
    return f"{best} has the best mean, {short(mean)} {main.measure}{span}{as_others(comparison)}; {told}."


def as_others(comparison: Compared) -> str:
    """Which other systems have the best mean too."""
    _, *equal = [name for leader in comparison.main.leaders for name in comparison.names_of(leader)]
    return f", as {'have' if len(equal) > 1 else 'has'} {join_names(equal)}" if equal else ""


def _significance(alike: list[str], beaten: list[str], whole: bool) -> str:
    """From whom the best one differs significantly; `whole`: whether it was compared with every other.

    >>> _significance(["B"], ["C", "D"], whole=True), _significance([], ["C"], whole=False)
    ('no significant difference from B, but significantly better than the other 2', 'significantly better than C')
    >>> _significance(["B"], ["C"], whole=True), _significance([], ["C", "D"], whole=True)
    ('no significant difference from B, but significantly better than C', 'significantly better than both others')
    """
    open_ = f"no significant difference from {join_names(alike)}" if alike else ""
    few = len(beaten) == 1 or not whole
    everyone = "both others" if len(beaten) == 2 else f"all {len(beaten)}"
    who = join_names(beaten) if few else f"the other {len(beaten)}" if alike else everyone
    return ", but ".join(filter(None, (open_, f"significantly better than {who}" if beaten else "")))


def _against_baseline(comparison: Compared) -> list[str]:
    """Each system against a named baseline; only where few enough are compared to be read."""
    main, first = comparison.main, comparison.stands_for(comparison.baseline)
    if not comparison.baseline or len(comparison.systems) > LISTED + 1:
        return []
    sides: dict[str, list[str]] = {"better": [], "worse": [], "": []}
    for pair in main.pairs:
        if first not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == first else pair.first
        side = "" if not pair.better else "better" if pair.better == other else "worse"
        size = abs(pair.difference)
        sides[side].append(f"{other} (by {short(size)})" if side else other)
    words = {
        "better": f"Significantly better than {first}",
        "worse": f"Significantly worse than {first}",
        "": f"No significant difference from {first}",
    }
    return [f"{words[side]}: {join_names(found)}." for side, found in sides.items() if found]


def _pairs_that_differ(comparison: Compared) -> list[str]:
    """How many pairs differ, where more than those with the baseline were compared."""
    pairs = comparison.main.pairs
    if comparison.main.ranks is None:
        return []
    neighbours = {frozenset(each) for each in pairwise(comparison.main.ranks.systems)}
    close = [each for each in pairs if frozenset((each.first, each.second)) in neighbours]
    alike = sum(not each.better for each in close)
    near = f"; {alike} of {len(close)} neighbours in the ranking do not" if len(close) > 1 else ""
    return [
        f"{sum(bool(each.better) for each in pairs):,} of {how_many(len(pairs), 'pairs')} differ significantly{near}."
    ]


# A comparison as one paragraph for a paper: what was compared, by which test, and what was found.

CITATION = f"rankscope {__version__} (The rankscope authors, 2026)"  # as in CITATION.cff
CORRECTED = {
    "holm": "Holm's step-down method (1979)",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "Benjamini and Hochberg's method (1995), which bounds the expected share of false findings",
}


def write_up_sentences(compared: Compared) -> list[str]:
    """Its sentences; every number is one of the result."""
    main = compared.main
    unit = " summed over each class, the sampling unit," if main.unit == "classes" else ""
    tested = (  # as a reader of another field can repeat it
        f"Per-query differences{unit} were tested by two two-sided tests that must both reject at "
        f"{plain_number(1 - compared.level)}, sign flips (Fisher's randomisation test) and a t test corrected for "
        "skewness (after Hall 1992); p is the larger of the two, the limits enclose all differences that they do not "
        "reject, and d is the mean difference over the standard deviation of the differences."
    )
    return [
        _compared(compared),
        _means(main),
        *_findings(compared),
        *equivalence_sentences(compared),
        *_secondary_numbers(compared),
        tested,
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
        lines = [f"The difference, {_difference(compared, main, pairs[0])}, {found}."]
        least = math.nan if pairs[0].better else main.detectable(pairs[0])
        if math.isfinite(least):
            shown_by = f"So many {main.unit} show a true difference of {short(least)}"
            lines.append(f"{shown_by} in 80 % of simulated experiments.")
        return lines
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
    return f"{more} minus {less} {signed_text(difference)} ({limits}{effect}, {p_value_text(pair.adjusted)})"


def _secondary_numbers(compared: Compared) -> list[str]:
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


def _corrected(compared: Compared) -> list[str]:
    pairs, how = compared.families.primary.size, CORRECTED.get(compared.families.correction)
    if pairs == 1:
        return []
    if how is None:
        return [f"p-values are not corrected for the {pairs:,} pairs that were tested."]
    levels = "limits are at the level at which each pair was held"
    return [f"p-values are corrected over {pairs:,} pairs by {how}, and {levels}."]
