"""A comparison in words: who is better, by how much, on which queries; and where nothing can be said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from rankscope.statistics.class_effects import ClassEffect, ClassEffects
from rankscope.statistics.compared import Compared, MeasureCompared
from rankscope.statistics.pairwise import Comparison

LISTED = 6
TOLD_APART = 2  # further measures of two systems; more are summed up


def verdict(made: Compared) -> list[str]:
    """A few sentences, the most important first; none goes beyond what a test supports."""
    if len(made.systems) == 2:
        return _of_two(made)
    return [_best(made.main), *_against_baseline(made), _pairs_told_apart(made)]


def short(value: float) -> str:
    """Three decimals without the zero before the point.

    >>> short(0.0353), short(-0.25), short(1.5)
    ('.035', '−.250', '1.500')
    """
    text = f"{abs(value):.3f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)


def _chance(p: float) -> str:
    """A p-value in words.

    >>> _chance(0.0073), _chance(0.00001), _chance(math.nan)
    ('p = .007', 'p < .001', 'no p-value')
    """
    if math.isnan(p):
        return "no p-value"
    return "p < .001" if p < 0.001 else f"p = {short(p)}"


def listed(names: list[str], most: int = LISTED) -> str:
    """Names as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=3)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    shown = names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def _summed_up(others: Sequence[MeasureCompared], better: str) -> list[str]:
    """Many other measures in a sentence each for those that say the same."""
    sides: dict[str, list[str]] = {}
    for one in others:
        sides.setdefault(one.pairs[0].better, []).append(one.measure)
    lines = []
    for name, measures in sides.items():
        told = f"{name} is better{' too' if name == better else ''}" if name else "nothing can be said"
        lines.append(f"By {listed(measures, most=len(measures))} {told}.")
    return lines


def _of_two(made: Compared) -> list[str]:
    main = made.main
    lines = [_pair(main, main.pairs[0], made.level)]
    others = made.measures[1:]
    if len(others) > TOLD_APART:
        return lines + _summed_up(others, main.pairs[0].better)
    for other in others:
        pair = other.pairs[0]
        lines.append(f"By {other.measure}: {_short_pair(pair)}.")
    return lines


def _pair(main: MeasureCompared, pair: Comparison, level: float) -> str:
    effects = main.classes[0] if main.classes else None
    count = f"{pair.queries:,} {'query' if pair.queries == 1 else 'queries'}"
    units = "" if main.unit == "queries" else f" of {len(main.units):,} classes"
    proof = f"({count}{units}, {_chance(pair.adjusted)})"
    if pair.better:
        worse = pair.first if pair.better == pair.second else pair.second
        span = _span(pair, by_size=True)
        return (
            f"{pair.better} is better than {worse} by {short(abs(pair.difference))} {main.measure} {span} {proof}"
            f"{_on_classes(effects, pair.better)}."
        )
    start = (
        f"Nothing can be said of {main.measure}: {pair.second} less {pair.first} is {_signed(pair.difference)} "
        f"{_span(pair)} {proof}"
    )
    return f"{start}{_on_classes(effects, '')}.{_could_have(main, pair, level)}"


def _span(pair: Comparison, by_size: bool = False) -> str:
    """The interval of second less first; `by_size` turns it where the size of a loss is told."""
    if math.isnan(pair.low):
        return "[no interval]"
    low, high = (-pair.high, -pair.low) if by_size and pair.difference < 0 else (pair.low, pair.high)
    return f"[{short(low)}, {short(high)}]"


def _signed(value: float) -> str:
    text = short(value)
    return text if text.startswith("−") or not float(text.replace("−", "-")) else f"+{text}"


def _could_have(main: MeasureCompared, pair: Comparison, level: float) -> str:
    if not main.differences(pair).any():
        return " No query differs at all: are these two the same?"
    least = main.detectable(pair, level)
    if not math.isfinite(least):
        return ""
    return f" So many {main.unit} show a true difference of {short(least)} in 80 % of such experiments."


def _on_classes(effects: ClassEffects | None, better: str) -> str:
    """On which classes a system is better, chiefly; where it is worse; where nothing can be said."""
    if effects is None or len(effects.effects) < 2:
        return ""
    shown = [each for each in effects.effects if each.better]
    if not better:
        told = [f"{each.better} is better on class {each.label}" for each in shown]
        return f"; but {listed(told)}" if told else ""
    won = sorted((each for each in shown if each.better == better), key=_size)
    lost = [each.label for each in shown if each.better != better]
    same = [each.label for each in effects.effects if _equal(each)]
    open_ = [each.label for each in effects.effects if not each.better and each.label not in same]
    if len(open_) == len(effects.effects):
        return "; no class alone shows it"
    parts = []
    if won and not open_ and not lost and not same:
        parts.append("on every class")
    elif won:
        parts.append(f"chiefly on class {won[0].label}")
    if lost:
        parts.append(f"but worse on {_classes(lost)}")
    words = f", {', '.join(parts)}" if parts else ""
    words += f"; every query has equal values on {_classes(same)}" if same else ""
    return words + (f"; nothing can be said on {_classes(open_)}" if open_ else "")


def _equal(effect: ClassEffect) -> bool:
    """Whether no query of a class differs."""
    return effect.difference == 0 and math.isnan(effect.p)


def _size(effect: ClassEffect) -> float:
    return -abs(effect.difference)


def _classes(labels: list[str]) -> str:
    return f"class{'es' * (len(labels) > 1)} {listed(labels)}"


def _short_pair(pair: Comparison) -> str:
    proof = _chance(pair.adjusted)
    if not pair.better:
        return f"nothing can be said, {_signed(pair.difference)} {_span(pair)}, {proof}"
    return f"{pair.better} is better by {short(abs(pair.difference))} {_span(pair, by_size=True)}, {proof}"


def _best(main: MeasureCompared) -> str:
    ranks = main.ranks
    if ranks is None:
        return ""
    best = ranks.systems[0]
    number = main.table.systems.index(best)
    mean, low, high = (float(each[number]) for each in (main.means.mean, main.means.low, main.means.high))
    span = "" if math.isnan(low) else f" [{short(low)}, {short(high)}]"
    alike = [name for name in ranks.systems[1:] if not _told_apart(main, best, name)]
    others = len(ranks.systems) - 1 - len(alike)
    told = f"it cannot be told from {listed(alike)}" if alike else ""
    beaten = f"it is better than {'all' if not alike else 'the other'} {others}" if others else ""
    return (
        f"{best} has the best mean, {short(mean)} {main.measure}{span}; {', but '.join(filter(None, (told, beaten)))}."
    )


def _told_apart(main: MeasureCompared, best: str, other: str) -> bool:
    """As the table of pairs says; where it does not have the pair, as the groups do."""
    for pair in main.pairs:
        if {pair.first, pair.second} == {best, other}:
            return bool(pair.better)
    return main.ranks is None or not any({best, other} <= set(group) for group in main.ranks.groups)


def _against_baseline(made: Compared) -> list[str]:
    """Each system against the first; only where few enough are compared to be read."""
    main, first = made.main, made.systems[0]
    if len(made.systems) > LISTED + 1:
        return []
    sides: dict[str, list[str]] = {"better": [], "worse": [], "": []}
    for pair in main.pairs:
        if first not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == first else pair.first
        side = "" if not pair.better else "better" if pair.better == other else "worse"
        size = abs(pair.difference)
        sides[side].append(f"{other} (by {short(size)})" if side else other)
    words = {"better": f"Better than {first}", "worse": f"Worse than {first}", "": f"Not told apart from {first}"}
    return [f"{words[side]}: {listed(found)}." for side, found in sides.items() if found]


def _pairs_told_apart(made: Compared) -> str:
    pairs = made.main.pairs
    apart = sum(bool(each.better) for each in pairs)
    order = made.main.ranks.systems if made.main.ranks is not None else ()
    neighbours = {frozenset(each) for each in pairwise(order)}
    close = [each for each in pairs if frozenset((each.first, each.second)) in neighbours]
    alike = sum(not each.better for each in close)
    near = f"; of {len(close)} neighbours in the ranking {alike} cannot be told apart" if len(close) > 1 else ""
    return f"{apart:,} of {len(pairs):,} pairs differ{near}."
