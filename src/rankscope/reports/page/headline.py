"""The first lines of a report: the answer, its limits, and the result in a few plain sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.analysis.comparison.estimates import Estimates, MeasureRow
from rankscope.analysis.comparison.verdict_sentences import as_others, equivalence_sentences, verdict_sentences
from rankscope.core.wording import decimal_text as short
from rankscope.core.wording import how_many, join_words
from rankscope.measures.direction import best_first

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared, MeasureCompared


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
        mean = main.means[0]
        answer = f"{names[0]} has a mean {main.asked} of {short(mean.value)} on "
        answer += "one query" if queries == 1 else f"{queries:,} queries"
        if mean.has_interval and queries > 1:
            return Headline(answer, (f"The 95 % interval of the mean is {short(mean.low)} to {short(mean.high)}.",))
        return Headline(answer, (_no_interval(queries),))
    if compared is None:
        values = [each.value for each in main.means]
        best, most = best_first(values, main.lower_is_better)[0], "lowest" if main.lower_is_better else "highest"
        lead = f"{names[best]} has the {most} {main.asked}, {short(values[best])}, of {how_many(len(names), 'systems')}"
        return Headline(lead, (_no_interval(queries),))
    if len(compared.systems) == 1:
        return Headline(f"All {how_many(len(names), 'systems')} have equal values of {main.asked} on every query")
    if len(names) == 2:
        return Headline(_best(compared), tuple(verdict_sentences(compared)))
    limits = [*_rest(compared), *equivalence_sentences(compared), *_other_measures(compared), *_baseline(compared)]
    return Headline(_best(compared), tuple(limits))


def _no_interval(queries: int) -> str:
    if queries == 1:
        return "One query shows nothing about other queries: there is no interval and no test."
    return "Intervals and tests exist for plain means over queries only, and this is none."


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
        return f"{start}, and is significantly better than {_share_of_others(around.beaten, around.count)}"
    return f"{start}, but without a significant difference from {_share_of_others(around.alike, around.count)}"


def _share_of_others(found: tuple[str, ...], others: int) -> str:
    """How many of the others; the other one by name.

    >>> _share_of_others(("a",) * 11, 24), _share_of_others(("a",) * 3, 3)
    ('11 of the other 24 systems', 'all other 3 systems')
    >>> _share_of_others(("a",), 5), _share_of_others(("a",), 1)
    ('1 of the other 5 systems', 'a')
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
    from rankscope.analysis.statistics.deciding_test import DECIDING

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


# The result in a few plain sentences: what each system finds.

SENTENCES = 2
PLAIN: tuple[tuple[str, str], ...] = (  # measures that can be told without their name, the plainest first
    (r"Rprec", "Looking at as many results as there are relevant items, one finds {share} of 100 of them"),
    (r"success@1", "The first result is relevant for {share} of 100 queries"),
    (r"P@(\d+)", "Of the first {scope} results {items} are relevant"),
    (r"R@(\d+)", "Among the first {scope} results stand {share} of 100 relevant items"),
)


def plain_sentences(names: tuple[str, ...], estimates: Estimates) -> tuple[str, ...]:
    """What each system finds, the best first; nothing of what tests say."""
    main = estimates.main
    if main is None:
        if not estimates.rows:
            return ("Nothing was asked for that is a number.",)
        return (_named(estimates.rows[0], names, list(range(len(names)))),)
    order = best_first([each.value for each in main.means], main.lower_is_better)
    sentences: list[str] = []
    for pattern, sentence in PLAIN:
        for row in estimates.rows:
            found = re.fullmatch(pattern, row.asked)
            if found is None or len(sentences) == (SENTENCES if len(order) < 3 else 1):
                continue
            scope = int(found[1]) if found.groups() else 1
            values = [{"share": _share(each.value), "items": f"{each.value * scope:.1f}"} for each in row.means]
            kind = "share" if "{share}" in sentence else "items"
            others = order[1:] if len(order) < 3 else [0] if order[0] != 0 else order[1:2]
            rest = "".join(f", {values[each][kind]} with {names[each]}" for each in others)
            by = f" with {names[order[0]]}{rest}" if rest else ""
            sentences.append(f"{sentence.format(scope=scope, **values[order[0]])}{by}.")
    return tuple(sentences) or (_named(main, names, order),)


def _share(value: float) -> str:
    """So many of 100; one decimal where whole numbers would say too little.

    >>> _share(0.583), _share(0.004), _share(0.999), _share(1.0)
    ('58', '0.4', '99.9', '100')
    """
    return f"{100 * value:.0f}" if value in (0, 1) or 0.095 <= value < 0.985 else f"{100 * value:.1f}"


def _named(row: MeasureRow, names: tuple[str, ...], order: list[int]) -> str:
    return f"{row.asked} is " + ", ".join(f"{row.means[each].value:.4f} for {names[each]}" for each in order) + "."
