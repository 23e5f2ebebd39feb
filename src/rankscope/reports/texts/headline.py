"""The first lines of a report: the answer, then its limits; every word follows from the tests behind the groups.

"Significantly better" stands only where the corrected test says so, else "no significant difference"; a sentence names
two systems at most and counts the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.measures.direction import best_first
from rankscope.number_texts import decimal_text as short
from rankscope.number_texts import how_many, join_words
from rankscope.reports.texts.comparison_words import as_others, equivalent, verdict
from rankscope.reports.texts.estimates import Estimates, MeasureRow

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared, MeasureCompared


@dataclass(frozen=True)
class Headline:
    """One line that answers, and sentences that say how far the answer goes."""

    answer: str
    limits: tuple[str, ...] = ()


def headline_of(names: tuple[str, ...], estimates: Estimates, compared: Compared | None, queries: int) -> Headline:
    """The verdict on the first measure; `names` are the systems, the baseline first."""
    main = estimates.main or (estimates.rows[0] if estimates.rows else None)
    if main is None:
        return Headline("Nothing was asked for that is a number")
    if len(names) == 1:
        return _alone(names[0], main, queries)
    if compared is None:
        return _untested(names, main, queries)
    if len(compared.systems) == 1:
        return Headline(f"All {how_many(len(names), 'systems')} have equal values of {main.asked} on every query")
    if len(names) == 2:
        return Headline(_best(compared), tuple(verdict(compared)))
    limits = [*_rest(compared), *equivalent(compared), *_other_measures(compared), *_baseline(compared)]
    return Headline(_best(compared), tuple(limits))


def _alone(name: str, main: MeasureRow, queries: int) -> Headline:
    mean = main.means[0]
    count = "one query" if queries == 1 else f"{queries:,} queries"
    answer = f"{name} has a mean {main.asked} of {short(mean.value)} on {count}"
    if mean.has_interval and queries > 1:
        return Headline(answer, (f"The 95 % interval of the mean is {short(mean.low)} to {short(mean.high)}.",))
    return Headline(answer, (_no_interval(queries),))


def _no_interval(queries: int) -> str:
    if queries == 1:
        return "One query shows nothing about other queries: there is no interval and no test."
    return "Intervals and tests exist for plain means over queries only, and this is none."


def _untested(names: tuple[str, ...], main: MeasureRow, queries: int) -> Headline:
    values = [each.value for each in main.means]
    best = best_first(values, main.lower_is_better)[0]
    answer = (
        f"{names[best]} has the {_superlative(main)} {main.asked}, {short(values[best])}, of "
        f"{how_many(len(names), 'systems')}"
    )
    return Headline(answer, (_no_interval(queries),))


def _superlative(main: MeasureRow) -> str:
    return "lowest" if main.lower_is_better else "highest"


@dataclass(frozen=True)
class Around:
    """One system among the others by one measure, as the tests have it; equal systems stand under every name."""

    beaten: tuple[str, ...]
    ahead: tuple[str, ...]
    alike: tuple[str, ...]

    @classmethod
    def of(cls, compared: Compared, one: MeasureCompared, name: str) -> Around:
        """Those significantly worse than it, those significantly better, and the others."""
        sides: dict[str, list[str]] = {"beaten": [], "ahead": [], "alike": compared.names_of(name)[1:]}
        for pair in one.pairs:
            if name in (pair.first, pair.second):
                other = pair.second if pair.first == name else pair.first
                side = "alike" if not pair.better else "beaten" if pair.better == name else "ahead"
                sides[side] += compared.names_of(other)
        return cls(**{side: tuple(names) for side, names in sides.items()})

    @property
    def count(self) -> int:
        """How many others there are."""
        return len(self.beaten) + len(self.ahead) + len(self.alike)


def _mean(one: MeasureCompared, name: str) -> str:
    return short(float(one.means.mean[one.table.number(name)]))


def _best(compared: Compared) -> str:
    main = compared.main
    best = main.order[0]
    around = Around.of(compared, main, best)
    start = f"{best} has the best mean {main.measure}, {_mean(main, best)}{as_others(compared)}"
    if not around.alike and around.beaten:
        return f"{start}, and is significantly better than {_share(around.beaten, around.count)}"
    return f"{start}, but without a significant difference from {_share(around.alike, around.count)}"


def _share(found: tuple[str, ...], others: int) -> str:
    """How many of the others; the other one by name.

    >>> _share(("a",) * 11, 24), _share(("a",) * 3, 3), _share(("a",), 5), _share(("a",), 1)
    ('11 of the other 24 systems', 'all other 3 systems', '1 of the other 5 systems', 'a')
    """
    if others == 1:
        return found[0]
    if len(found) == others:
        return "both other systems" if others == 2 else f"all other {others} systems"
    return f"{len(found)} of the other {others} systems"


def _rest(compared: Compared) -> list[str]:
    """From whom the best one differs significantly, where it is not from all."""
    around = Around.of(compared, compared.main, compared.main.order[0])
    if around.count == 1 or not around.alike:
        return []
    if not around.beaten:
        return ["No system is significantly worse than it."]
    rest = around.beaten[0] if len(around.beaten) == 1 else f"the other {len(around.beaten)}"
    return [f"It is significantly better than {rest}."]


def _other_measures(compared: Compared) -> list[str]:
    """Measures by which another system has the best mean; those of one system in one sentence."""
    best = compared.main.order[0]
    by_system: dict[str, list[MeasureCompared]] = {}
    for one in compared.measures[1:]:
        if one.order[0] != best:
            by_system.setdefault(one.order[0], []).append(one)
    ordered = sorted(by_system.items(), key=lambda each: -len(each[1]))
    sentences = [_disagreeing(compared, name, found) for name, found in ordered[:2]]
    rest = [one.measure for _, found in ordered[2:] for one in found]
    return sentences + ([f"By {join_words(rest)} still others have the best mean."] if rest else [])


def _disagreeing(compared: Compared, name: str, found: list[MeasureCompared]) -> str:
    around = [Around.of(compared, one, name) for one in found]
    values = join_words([_mean(one, name) for one in found])
    start = f"By {join_words([one.measure for one in found])} the best mean is {name}'s, {values}"
    beaten = [len(each.beaten) for each in around]
    if not any(beaten):
        return f"{start}, but no system is significantly worse."
    if around[0].count == 1:
        shown = [one.measure for one, count in zip(found, beaten, strict=True) if count]
        return f"{start}: it is significantly better by {join_words(shown)}."
    counts = join_words([str(each) for each in beaten]) if len(set(beaten)) > 1 else str(beaten[0])
    return f"{start}: it is significantly better than {counts} of the other {around[0].count}."


def _baseline(compared: Compared) -> list[str]:
    """How many are better and worse than a named baseline, of three systems and more, unless it is the best."""
    main, first = compared.main, compared.stands_for(compared.baseline)
    if not compared.baseline:
        return []
    around = Around.of(compared, main, first)
    if around.count < 2 or main.order[0] == first:
        return []
    parts = [
        f"{how_many(len(around.ahead), 'systems')} {'is' if len(around.ahead) == 1 else 'are'} significantly better by "
        f"{main.measure}",
        *([f"{len(around.beaten)} worse"] if around.beaten else []),
        *([f"{len(around.alike)} without a significant difference"] if around.alike else []),
    ]
    return [f"Against the baseline {first} ({main.measure} {_mean(main, first)}), {', '.join(parts)}."]


def family_words(compared: Compared | None) -> str:
    """Over what verdicts are corrected: how many pairs and measures."""
    if compared is None:
        return ""
    from rankscope.statistics.pairs.trust import DECIDING

    families = compared.families
    names = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}
    level = short(1 - compared.level).rstrip("0")
    correction = names.get(families.correction, "")
    tests = f"verdicts: {DECIDING} tests"
    if not correction:
        return f"{tests}, not corrected, level {level}"
    pairs = len(families.primary.pairs)
    over = f"{correction} over {how_many(pairs, 'pairs')} by {compared.main.measure}" if pairs > 1 else correction
    others = sum(len(each.measures) for each in families.secondary if each.classes == ("",))
    if not others:
        return f"{tests}, {over}, level {level}" if pairs > 1 else f"{tests}, level {level}"
    times = f"{pairs:,} × {others}" if pairs > 1 else f"{others}"
    both = f"{over}, and separately" if pairs > 1 else over
    return f"{tests}, {both} over {times} other {'measure' if others == 1 else 'measures'}, level {level}"
