"""Sentences say what was computed: each number, sign, better and worse of the golden ones is computed again.

Means, sign-flip p-values and Holm's steps are made here from the scores, without the package; limits must lie where the
p-value meets the level. A sentence is read whole: no digit and no word of quality may be left that no rule has read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.families import convolved_p
from rankscope.analysis.statistics.deciding_test import skew_t_p
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.core.arrays import FloatArray
from tests.reports.texts.sentences import EFFECT, RESAMPLES, Case, cases

ALPHA = 0.05
CASES = cases()
N = r"[+\-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)"
NAMES = r"[A-I](?:(?:, [A-I])*(?:, \d more| and [A-I]| and \d more))?"
LABELS = r"k\d(?:(?:, k\d)* and k\d)?"
CONSTANT = ("80 %", "80%", "if 1 in 20 queries", "P@5", "R@5")


class Facts:
    """What is true of the scores of a case."""

    def __init__(self, case: Case) -> None:
        self.case, self.measures = case, list(case.scores)
        ordered = sorted(case.scores[self.measures[0]], key=lambda name: name != case.baseline)
        self.systems = [name for name in ordered if name not in self.repeated]

    @cached_property
    def repeated(self) -> dict[str, str]:
        """Systems whose scores are all those of an earlier one."""
        found: dict[str, str] = {}
        for first, second in combinations(self.case.scores[self.measures[0]], 2):
            if all(each[first] == each[second] for each in self.case.scores.values()):
                found.setdefault(second, first)
        return found if len(self.case.scores[self.measures[0]]) > 2 else {}

    def values(self, measure: str) -> FloatArray:
        """Queries that all systems have, systems in their order."""
        table = np.stack([self.case.column(measure, name) for name in self.systems], axis=1)
        return table[~np.isnan(table).any(axis=1)]

    def copies(self, system: str) -> list[str]:
        """Other systems that have all its scores."""
        return [name for name, other in self.repeated.items() if other == system]

    def left_out(self, measure: str) -> int:
        return len(self.case.column(measure, self.systems[0])) - len(self.values(measure))

    def differences(self, measure: str, first: str, second: str, label: str = "") -> FloatArray:
        values = self.values(measure)
        chosen = values[:, self.systems.index(second)] - values[:, self.systems.index(first)]
        if not label:
            return np.asarray(chosen)
        assert self.case.classes is not None
        return np.asarray(chosen[np.array(self.case.classes * self.case.times) == label])

    def gain(self, difference: float) -> float:
        return -difference if self.case.lower else difference

    def mean(self, measure: str, name: str) -> float:
        return float(self.values(measure)[:, self.systems.index(name)].mean())

    @cached_property
    def order(self) -> list[str]:
        """Systems from the best mean to the worst."""
        return sorted(self.systems, key=lambda name: -self.gain(self.mean(self.measures[0], name)))

    @cached_property
    def adjusted(self) -> dict[tuple[str, str, str, str], tuple[float, float]]:
        """p by Holm for each measure, class and pair, and the level of its step; the first measure is apart."""
        pairs = list(combinations(self.systems, 2))
        labels = sorted(set(self.case.classes or ()))
        primary = [(self.measures[0], "", *pair) for pair in pairs]
        others = [(measure, "", *pair) for measure in self.measures[1:] for pair in pairs]
        others += [(self.measures[0], label, *pair) for label in labels for pair in pairs if len(pairs) == 1]
        found: dict[tuple[str, str, str, str], tuple[float, float]] = {}
        for family in (primary, others):
            p = [two_sided(self.differences(measure, a, b, label)) for measure, label, a, b in family]
            found.update(zip(family, holm(p), strict=True))
        return found

    def better(self, measure: str, first: str, second: str, label: str = "") -> str:
        """The system that is shown to be better, if any."""
        difference = float(self.differences(measure, first, second, label).mean())
        p = self.adjusted[measure, label, first, second][0]
        if p > ALPHA or abs(difference) < 1e-12:
            return ""
        return second if self.gain(difference) > 0 else first

    @cached_property
    def equivalent(self) -> dict[tuple[str, str], tuple[float, float]]:
        """p of two one-sided tests by Holm for each pair of the first measure, and the level of its step."""
        pairs = list(combinations(self.systems, 2))
        p = [self._both_sides(*pair) for pair in pairs]
        return dict(zip(pairs, holm(p), strict=True))

    def _both_sides(self, first: str, second: str) -> float:
        differences, margin = self.differences(self.measures[0], first, second), self.case.within or 0.0
        return max(_one_sided(differences + margin), _one_sided(margin - differences))

    def outcome(self, pair: tuple[str, str]) -> tuple[bool, bool]:
        """Whether two systems are equivalent, and whether they differ."""
        return self.equivalent[pair][0] <= ALPHA, bool(self.shown[frozenset(pair)])

    @cached_property
    def shown(self) -> dict[frozenset[str], str]:
        return {frozenset(pair): self.better(self.measures[0], *pair) for pair in combinations(self.systems, 2)}


def two_sided(differences: FloatArray) -> float:
    """The larger p of sign flips, counted here, and of skew t."""
    if not differences.any():
        return 1.0
    return max(flips_p(differences), float(skew_t_p(differences[None])[0]))


def flips_p(differences: FloatArray) -> float:
    """The two-sided p of sign flips; of thousands by their normal limit."""
    if differences.size > 2_000:
        return math.erfc(abs(float(differences.sum())) / math.sqrt(2 * float((differences**2).sum())))
    return convolved_p(differences, 2**14)


def holm(p: list[float]) -> list[tuple[float, float]]:
    """Corrected p-values, and the level at which each was held."""
    order, count, top, going = np.argsort(p, kind="stable").tolist(), len(p), 0.0, True
    held, level = [(1.0, 0.0)] * count, ALPHA
    for place, index in enumerate(order):
        if going:
            level = ALPHA / (count - place)
        top = max(top, min(1.0, (count - place) * p[index]))
        going = going and p[index] <= level
        held[index] = (top, level)
    return held


def number(text: str) -> float:
    """A number as sentences write it."""
    return float(text.replace("−", "-").replace(",", ""))


def says(text: str, value: float, slack: float = 0.0) -> bool:
    """Whether a number in a sentence is this one, rounded; a sign must be that of the value."""
    plain = text.replace("−", "-").replace(",", "")
    places = len(plain.partition(".")[2])
    near = abs(float(plain) - value) <= 0.5 * 10**-places * (1 + 1e-6) + slack
    return near and (float(plain) == 0 or math.copysign(1, float(plain)) == math.copysign(1, value))


def says_p(text: str, p: float) -> bool:
    if text.startswith("p <"):
        return text == "p < .001" and p < 0.001
    return says(text.removeprefix("p = "), p, 0.003 * p)


def holds_limits(differences: FloatArray, low: str, high: str, level: float, range_: float = 1.0) -> bool:
    """Where the p-value of the differences less a limit is the level, unless the limit is that of the range."""
    for text, side in ((low, -1), (high, 1)):
        limit = number(text)
        if abs(limit) == range_:
            least = two_sided(differences - side * range_)
            if not (least > level or differences.size < 6 or math.isclose(least, level, rel_tol=0.1)):
                return False
            continue
        inside, outside = limit - side * 0.00051, limit + side * 0.00051
        if not (two_sided(differences - inside) >= level * 0.97 and two_sided(differences - outside) <= level * 1.03):
            return False
    return True


def names_of(text: str | None) -> list[str]:
    """The systems or classes of a list in words; `2 more` are as many unknown ones."""
    found = re.findall(r"\b(?:[A-I]|k\d)\b", text or "")
    more = re.search(r"(\d) more", text or "")
    return found + ["?"] * (int(more[1]) if more else 0)


def is_list(text: str | None, wanted: list[str]) -> bool:
    found = names_of(text)
    known = [each for each in found if each != "?"]
    return len(found) == len(wanted) and known == wanted[: len(known)]


LIMITS = rf"\[(?P<low>{N}), (?P<high>{N})\]"
Check = Callable[[Facts, dict[str, Any]], bool]
RULES: list[tuple[str, Check]] = []


def rule(pattern: str) -> Callable[[Check], Check]:
    """A kind of sentence, and what must be true where it is said."""

    def kept(check: Check) -> Check:
        RULES.append((pattern, check))
        return check

    return kept


def on_classes(facts: Facts, text: str, better: str) -> bool:
    """The clause on classes: where the better one is better too, where it is worse, where nothing is shown."""
    if facts.case.classes is None:
        return not text
    measure, (first, second) = facts.measures[0], facts.systems
    labels = sorted(set(facts.case.classes))
    by_class = {label: facts.better(measure, first, second, label) for label in labels}
    if not better:
        told = {label: name for name, label in re.findall(r"([A-I]) is significantly better on class (k\d)", text)}
        return told == {label: name for label, name in by_class.items() if name}
    won = [label for label in labels if by_class[label] == better]
    lost = [label for label in labels if by_class[label] not in ("", better)]
    left = [label for label in labels if not by_class[label]]
    if len(left) == len(labels):
        return text == "; on no class alone is it significant"
    largest = max(won, key=lambda each: abs(facts.differences(measure, first, second, each).mean()), default="")
    found = {
        "won": re.search(rf"chiefly on class ({LABELS})", text),
        "lost": re.search(rf"but significantly worse on class(?:es)? ({LABELS})", text),
        "left": re.search(rf"no significant difference on class(?:es)? ({LABELS})", text),
    }
    told = {name: sorted(names_of(match[1])) if match else [] for name, match in found.items()}
    chiefly = [largest] if largest and len(won) < len(labels) else []
    every = ("on every class" in text) == (len(won) == len(labels))
    return every and told == {"won": chiefly, "lost": lost, "left": left}


@rule(
    rf"(?P<better>\w) is significantly better than (?P<worse>\w) by (?P<size>{N}) (?P<measure>\S+) "
    rf"{LIMITS} \((?P<n>{N}) quer(?:y|ies), (?P<p>p [<=] {N})\)(?P<classes>.*)\."
)
def _one_is_better(facts: Facts, said: dict[str, Any]) -> bool:
    measure, (first, second) = facts.measures[0], facts.systems
    differences = facts.differences(measure, first, second)
    turn = 1 if differences.mean() > 0 else -1
    p, level = facts.adjusted[measure, "", first, second]
    return (
        said["measure"] == measure
        and said["better"] == facts.better(measure, first, second)
        and said["worse"] == ({first, second} - {said["better"]}).pop()
        and says(said["size"], abs(float(differences.mean())))
        and number(said["low"]) > 0
        and holds_limits(turn * differences, said["low"], said["high"], level)
        and number(said["n"]) == differences.size
        and says_p(said["p"], p)
        and on_classes(facts, said["classes"], said["better"])
    )


@rule(
    rf"No significant difference in (?P<measure>\S+): (?P<second>\w) minus (?P<first>\w) is (?P<difference>{N}) "
    rf"{LIMITS} \((?P<n>{N}) quer(?:y|ies), (?P<p>p [<=] {N})\)(?P<classes>[^.]*)\."
    rf"(?: So many queries show a true difference of (?P<power>{N}) in 80 % of such experiments\.)?"
    rf"(?: Only (?P<few>{N}) of (?P<all>{N}) queries differ: the smallest p-value possible is (?P<least>{N})\.)?"
    r"(?P<same> No query differs at all: are these two the same\?)?"
)
def _no_difference(facts: Facts, said: dict[str, Any]) -> bool:
    measure, (first, second) = facts.measures[0], facts.systems
    differences = facts.differences(measure, first, second)
    p, level = facts.adjusted[measure, "", first, second]
    moving = int((np.abs(differences) > 1e-12).sum())
    return (
        (said["first"], said["second"], said["measure"]) == (first, second, measure)
        and not facts.better(measure, first, second)
        and says(said["difference"], float(differences.mean()))
        and number(said["low"]) <= 0 <= number(said["high"])
        and holds_limits(differences, said["low"], said["high"], level)
        and number(said["n"]) == differences.size
        and says_p(said["p"], p)
        and bool(said["same"]) == (moving == 0)
        and (said["few"] is None or _few(said, moving, differences.size))
        and (said["power"] is None or _power(said["power"], ShownEffects(differences, level / 2).smallest()))
        and on_classes(facts, said["classes"], "")
    )


def _few(said: dict[str, Any], moving: int, count: int) -> bool:
    told = number(said["few"]) == moving and number(said["all"]) == count and 2.0 ** (1 - moving) > ALPHA
    return told and says(said["least"], 2.0 ** (1 - moving))


def _power(text: str, value: float) -> bool:
    return value <= 1 and says(text, value)


@rule(r"Secondary, corrected together: (?P<told>.*)\.")
def _secondary(facts: Facts, said: dict[str, Any]) -> bool:
    first, second = facts.systems
    main = facts.better(facts.measures[0], first, second)
    told: set[str] = set()
    for part in said["told"].split("; "):
        alone = re.fullmatch(
            rf"by (\S+) (?:no significant difference, ({N})|(\w) is significantly better by ({N})) "
            rf"\[({N}), ({N})\], (p [<=] {N})",
            part,
        )
        if alone:
            measure, none, better, size, low, high, p = alone.groups()
            differences = facts.differences(measure, first, second)
            adjusted, level = facts.adjusted[measure, "", first, second]
            turn = -1 if better and differences.mean() < 0 else 1
            good = (
                (better or "") == facts.better(measure, first, second)
                and says(none or size, turn * float(differences.mean()))
                and holds_limits(turn * differences, low, high, level)
                and says_p(p, adjusted)
            )
            told.add(measure)
        else:
            summed = re.fullmatch(r"by (.+?) (?:no significant difference|(\w) is significantly better( too)?)", part)
            if summed is None:
                return False
            measures = re.split(r", | and ", summed[1])
            good = all((summed[2] or "") == facts.better(measure, first, second) for measure in measures)
            good = good and bool(summed[3]) == bool(summed[2] and summed[2] == main)
            told.update(measures)
        if not good:
            return False
    return told == set(facts.measures[1:])


@rule(
    rf"(?P<best>\w) has the best mean, (?P<mean>{N}) (?P<measure>\S+)(?: \[(?P<low>{N}), (?P<high>{N})\])?"
    rf"(?:, as ha(?:s|ve) (?P<equal>{NAMES}))?; (?:no significant difference from (?P<alike>{NAMES}))?(?:, but )?"
    rf"(?:significantly better than (?P<beaten>both others|all \d+|the other \d+|{NAMES}))?\."
)
def _the_best(facts: Facts, said: dict[str, Any]) -> bool:
    best, measure = facts.order[0], facts.measures[0]
    rest = facts.order[1:]
    alike = [name for name in rest if not facts.shown[frozenset((best, name))]]
    beaten = [name for name in rest if facts.shown[frozenset((best, name))] == best]
    mean = facts.mean(measure, said["best"])
    equal = [name for name in rest if math.isclose(facts.mean(measure, name), mean, abs_tol=1e-9)]
    equal = [copy for name in (best, *equal) for copy in (name, *facts.copies(name))][1:]
    count = {"both others": 2, None: 0}.get(said["beaten"])
    if count is None:
        digits = re.search(r"\d+", said["beaten"])
        count = int(digits[0]) if digits else len(names_of(said["beaten"]))
    of_mean = mean_intervals(facts.values(measure), resamples=RESAMPLES)
    ends = [float(each[facts.systems.index(best)]) for each in (of_mean.low, of_mean.high)]
    inside = said["low"] is None or (says(said["low"], ends[0]) and says(said["high"], ends[1]))
    return (
        math.isclose(mean, facts.mean(measure, best))
        and says(said["mean"], mean)
        and inside
        and (said["low"] is None) == (len(facts.values(measure)) < 2)
        and is_list(said["alike"], alike)
        and is_list(said["equal"], equal)
        and count == len(beaten)
    )


@rule(
    r"(?P<side>Significantly better than|Significantly worse than|No significant difference from) "
    r"(?P<first>\w): (?P<others>.*)\."
)
def _against_the_first(facts: Facts, said: dict[str, Any]) -> bool:
    first = facts.systems[0]
    told = re.findall(rf"\b([A-I])\b(?: \(by ({N})\))?", said["others"])
    wanted = {
        name: {
            name: "Significantly better than",
            first: "Significantly worse than",
            "": "No significant difference from",
        }[facts.shown[frozenset((first, name))]]
        for name in facts.systems[1:]
    }
    sizes = all(
        not size or says(size, abs(facts.mean(facts.measures[0], name) - facts.mean(facts.measures[0], first)))
        for name, size in told
    )
    right = [name for name, _ in told] == [name for name, side in wanted.items() if side == said["side"]]
    return (
        said["first"] == first
        and right
        and sizes
        and all(bool(s) == (said["side"] != "No significant difference from") for _, s in told)
    )


@rule(
    rf"(?P<differ>{N}) of (?P<pairs>{N}) pairs differ significantly"
    rf"(?:; (?P<alike>{N}) of (?P<close>{N}) neighbours in the ranking do not)?\."
)
def _pairs_that_differ(facts: Facts, said: dict[str, Any]) -> bool:
    neighbours = [frozenset(pair) for pair in pairwise(facts.order)]
    return (
        number(said["differ"]) == sum(map(bool, facts.shown.values()))
        and number(said["pairs"]) == len(facts.shown)
        and number(said["close"]) == len(neighbours)
        and number(said["alike"]) == sum(not facts.shown[each] for each in neighbours)
    )


@rule(
    rf"(?P<start>That|Neither that|) ?(?P<first>[A-I]) and (?P<second>[A-I]) (?P<what>are|differ nor that they are) "
    rf"equivalent within ±(?P<margin>{N}) (?P<measure>\S+) (?P<shown>is (?:not )?shown )?"
    rf"\((?P<level>[\d.]+)% limits of the difference \[(?P<low>{N}), (?P<high>{N})\], two one-sided tests, "
    rf"(?P<p>p [=<] [\d.]+)\)(?P<also>, although they differ)?\."
)
def _one_equivalent(facts: Facts, said: dict[str, Any]) -> bool:
    pair = (said["first"], said["second"])
    equivalent, different = facts.outcome(pair)
    p, level = facts.equivalent[pair]
    words = (said["start"], said["what"], said["shown"], bool(said["also"]))
    wanted: tuple[str, str, str | None, bool] = ("", "are", None, different)
    if not equivalent:
        wanted = (
            ("That", "are", "is not shown ", False)
            if different
            else ("Neither that", "differ nor that they are", "is shown ", False)
        )
    low, high = number(said["low"]), number(said["high"])
    differences = facts.differences(said["measure"], *pair)
    limits = True
    for limit, turn in ((low, 1), (high, -1)):
        inside, outside = (turn * differences - turn * limit - away for away in (0.00051, -0.00051))
        limits = limits and _one_sided(inside) >= level * 0.97 and _one_sided(outside) <= level * 1.03
    return (
        words == wanted
        and number(said["margin"]) == facts.case.within
        and said["measure"] == facts.measures[0]
        and float(said["level"]) == 100 * (1 - 2 * level)
        and limits
        and says_p(said["p"], p)
    )


@rule(
    rf"Equivalent within ±(?P<margin>{N}) (?P<measure>\S+): (?P<equal>{N}) of (?P<pairs>{N}) pairs"
    rf"(?: \((?P<named>[^)]*)\))?(?:, (?P<also>{N}) of them also significantly different)?"
    rf"; significantly different and not shown to be equivalent: (?P<apart>{N}); neither shown: (?P<open>{N})\."
)
def _many_equivalent(facts: Facts, said: dict[str, Any]) -> bool:
    found = {pair: facts.outcome(pair) for pair in combinations(facts.systems, 2)}
    equal = [pair for pair, (equivalent, _) in found.items() if equivalent]
    named = re.findall(r"\b([A-I]) and ([A-I])\b", said["named"] or "")
    more = re.search(r"and (\d) more", said["named"] or "")
    return (
        number(said["margin"]) == facts.case.within
        and said["measure"] == facts.measures[0]
        and number(said["equal"]) == len(equal) == len(named) + (int(more[1]) if more else 0)
        and named == equal[: len(named)]
        and number(said["pairs"]) == len(found)
        and number(said["also"] or "0") == sum(found[pair][1] for pair in equal)
        and number(said["apart"]) == sum(different and not same for same, different in found.values())
        and number(said["open"]) == sum(not different and not same for same, different in found.values())
    )


@rule(
    rf"(?P<n>{N}) quer(?:y|ies) cannot make any difference significant: the smallest p-value possible is (?P<least>{N})"
    rf"(?:, (?P<corrected>{N}) when corrected over the primary family of (?P<tests>{N}) tests: (?P<pairs>{N}) pairs of "
    r"systems, Holm)?\. (?P<advice>Compare fewer systems, or have more queries|Have more queries)"
)
def _nothing_can_be_shown(facts: Facts, said: dict[str, Any]) -> bool:
    count, tests = len(facts.values(facts.measures[0])), len(facts.shown)
    least = 2.0 ** (1 - count)
    fewer = "Compare fewer" if least <= ALPHA else "Have more"
    corrected = said["corrected"] is None or says(said["corrected"], min(1.0, least * tests), 0.0005)
    named = said["tests"] is None or number(said["tests"]) == number(said["pairs"]) == tests
    return (
        number(said["n"]) == count
        and says(said["least"], least, 0.0005)
        and least * tests > ALPHA
        and corrected
        and named
        and said["advice"].startswith(fewer)
        and not any(facts.shown.values())
    )


@rule(
    rf"(?P<measure>\S+): in (?P<few>{N}) of (?P<pairs>{N}) pairs so few queries differ \(at most (?P<most>{N})\) that "
    "no difference could be significant at the level of the correction"
)
def _pairs_of_few(facts: Facts, said: dict[str, Any]) -> bool:
    measure, few, pairs = said["measure"], [], list(combinations(facts.systems, 2))
    for pair in pairs:
        moving = int((facts.differences(measure, *pair) != 0).sum())
        if 2.0 ** (1 - moving) > facts.adjusted[measure, "", *pair][1]:
            few.append(moving)
    return (number(said["few"]), number(said["pairs"]), number(said["most"])) == (len(few), len(pairs), max(few))


@rule(rf"(?P<measure>\S+): (?P<count>{N}) quer(?:y|ies) left out, because not every system has a value there")
def _left_out(facts: Facts, said: dict[str, Any]) -> bool:
    return 0 < number(said["count"]) == facts.left_out(said["measure"])


@rule(rf"(?P<measure>\S+): left out: (?P<count>{N}) quer(?:y|ies) with a value for one system only")
def _of_one_system_only(facts: Facts, said: dict[str, Any]) -> bool:
    first, second = (np.isnan(facts.case.column(said["measure"], name)) for name in facts.systems)
    return number(said["count"]) == int((first != second).sum()) > 0


@rule(r"(?P<name>\w) has the values of (?P<other>\w) on every query and is compared once, as (?P<again>\w)")
def _the_same(facts: Facts, said: dict[str, Any]) -> bool:
    return facts.repeated[said["name"]] == said["other"] == said["again"]


@rule(
    rf"if 1 in 20 queries gains or loses much, a sample of (?P<n>{N}) lacks all of these in (?P<share>{N}) % of cases, "
    "and no test can see it"
)
def _missed(facts: Facts, said: dict[str, Any]) -> bool:
    count = len(facts.values(facts.measures[0]))
    return number(said["n"]) == count < 60 and says(said["share"], 100 * 0.95**count)


DIFFERENCE = (
    rf"[A-I] minus [A-I] {N} \([\d.]+% confidence limits \[{N}, {N}\]"
    rf"(?:, d = {N})?, (?:p = {N}|p < \.001)\)"
)


def _is_difference(facts: Facts, text: str, measure: str) -> tuple[bool, tuple[str, str]]:
    """Whether a difference of a paragraph is true, and of which two systems it is."""
    found = re.fullmatch(
        rf"([A-I]) minus ([A-I]) ({N}) \(([\d.]+)% confidence limits \[({N}), ({N})\]"
        rf"(?:, d = ({N}))?, (p [=<] [\d.]+)\)",
        text,
    )
    assert found is not None, text
    more, less = found[1], found[2]
    differences = facts.differences(measure, less, more)
    key = (measure, "", *((more, less) if (measure, "", more, less) in facts.adjusted else (less, more)))
    p, level = facts.adjusted[key]
    deviation = float(differences.std(ddof=1))
    turned = (
        facts.order.index(more) < facts.order.index(less) if not facts.case.baseline else less == facts.case.baseline
    )
    true = (
        turned
        and says(found[3], float(differences.mean()))
        and math.isclose(float(found[4]), 100 * (1 - level), abs_tol=0.051 * 100 * level)
        and holds_limits(differences, found[5], found[6], level)
        and says(found[7], float(differences.mean()) / deviation)
        and says_p(found[8], p)
    )
    return true, (less, more)


@rule(
    rf"We compared (?P<systems>[A-I](?:(?:, [A-I])* and [A-I])|{N} systems) by (?P<measure>\S+) on (?P<n>{N}) queries"
    rf"(?:; (?P<left>{N}) quer(?:y|ies) for which not every system has a value w(?:as|ere) left out)?\."
)
def _we_compared(facts: Facts, said: dict[str, Any]) -> bool:
    named = re.findall(r"\b[A-I]\b", said["systems"])
    count = re.match(N, said["systems"])
    return (
        (named == facts.systems if count is None else number(count[0]) == len(facts.systems))
        and said["measure"] == facts.measures[0]
        and number(said["n"]) == len(facts.values(said["measure"]))
        and number(said["left"] or "0") == facts.left_out(said["measure"])
    )


@rule(rf"The mean (?P<measure>\S+) was (?P<means>{N} for [A-I](?:, {N} for [A-I])* and {N} for [A-I])\.")
def _the_means(facts: Facts, said: dict[str, Any]) -> bool:
    told = re.findall(rf"({N}) for ([A-I])", said["means"])
    return [name for _, name in told] == facts.order and all(
        says(mean, facts.mean(facts.measures[0], name)) for mean, name in told
    )


@rule(
    rf"The best mean (?P<measure>\S+) was (?P<best>{N}) \((?P<first>[A-I])\), "
    rf"the worst (?P<worst>{N}) \((?P<last>[A-I])\)\."
)
def _best_and_worst(facts: Facts, said: dict[str, Any]) -> bool:
    ends = (said["first"], said["last"])
    return ends == (facts.order[0], facts.order[-1]) and all(
        says(said[which], facts.mean(said["measure"], name))
        for which, name in zip(("best", "worst"), ends, strict=True)
    )


@rule(rf"The difference, (?P<difference>{DIFFERENCE}), was (?P<no>not )?significant\.")
def _the_difference(facts: Facts, said: dict[str, Any]) -> bool:
    true, pair = _is_difference(facts, said["difference"], facts.measures[0])
    return true and bool(said["no"]) == (not facts.shown[frozenset(pair)])


@rule(rf"So many queries show a true difference of (?P<least>{N}) in 80 % of simulated experiments\.")
def _would_have_shown(facts: Facts, said: dict[str, Any]) -> bool:
    differences = facts.differences(facts.measures[0], *facts.systems)
    return _power(said["least"], ShownEffects(differences, ALPHA / 2).smallest())


@rule(
    rf"(?P<kind>Significant differences|Differences that were not significant) from (?P<first>[A-I]): "
    rf"(?P<told>{DIFFERENCE}(?:; {DIFFERENCE})*)(?:; and (?P<more>{N}) more)?\."
)
def _differences_from(facts: Facts, said: dict[str, Any]) -> bool:
    read_ = [_is_difference(facts, each, facts.measures[0]) for each in said["told"].split("; ")]
    shown = said["kind"].startswith("Significant")
    others = [name for name in facts.order if name != said["first"]]
    wanted = [name for name in others if bool(facts.shown[frozenset((said["first"], name))]) == shown]
    told = [next(name for name in pair if name != said["first"]) for _, pair in read_]
    return (
        said["first"] == (facts.case.baseline or facts.order[0])
        and all(true for true, _ in read_)
        and told == wanted[: len(told)]
        and len(wanted) == len(told) + number(said["more"] or "0")
    )


@rule(
    rf"Secondary measures(?:, corrected together over (?P<tests>{N}) tests)?: "
    rf"(?P<told>\S+ {DIFFERENCE}, (?:not )?significant(?:; \S+ {DIFFERENCE}, (?:not )?significant)*)\."
)
def _secondary_differences(facts: Facts, said: dict[str, Any]) -> bool:
    told = said["told"].split("; ")
    right = len(told) == len(facts.measures) - 1 and number(said["tests"] or "1") == len(told)
    for each, measure in zip(told, facts.measures[1:], strict=True):
        name, rest = each.split(" ", 1)
        text, words = rest.rsplit("), ", 1)
        true, _ = _is_difference(facts, text + ")", measure)
        right = right and true and name == measure
        right = right and (words == "significant") == bool(facts.better(measure, *facts.systems))
    return right


@rule(rf"Secondary measures, corrected together over (?P<tests>{N}) tests: (?P<measures>\S+) \(see the table\)\.")
def _secondary_named(facts: Facts, said: dict[str, Any]) -> bool:
    return [said["measures"]] == facts.measures[1:] and number(said["tests"]) == len(facts.shown)


@rule(
    rf"Per-query differences were tested by two two-sided tests that must both reject at (?P<alpha>{N}), sign flips "
    r"\(Fisher's randomisation test\) and a t test corrected for skewness \(after Hall (?P<hall>\d+)\); "
    "p is the larger of the two, the limits enclose all differences that they do not reject, and d is the mean "
    "difference over the standard "
    r"deviation of the differences\."
)
def _how_tested(facts: Facts, said: dict[str, Any]) -> bool:
    return number(said["alpha"]) == ALPHA and said["hall"] == "1992"


@rule(
    rf"p-values are corrected over (?P<pairs>{N}) pairs by Holm's step-down method \((?P<year>\d+)\), and "
    r"limits are at the level at which each pair was held\."
)
def _how_corrected(facts: Facts, said: dict[str, Any]) -> bool:
    return number(said["pairs"]) == len(facts.shown) and said["year"] == "1979"


@rule(r"Computed with (?P<title>\w+) (?P<version>[\d.]+) \((?P<authors>[\w ]+), (?P<year>\d+)\)\.")
def _cited(facts: Facts, said: dict[str, Any]) -> bool:
    cited = (Path(__file__).parents[3] / "CITATION.cff").read_text(encoding="utf-8")
    wanted = (
        rf'title: "{said["title"]}:',
        f'name: "{said["authors"]}"',
        f"version: {said['version']}\n",
        f'date-released: "{said["year"]}-',
    )
    return all(each in cited for each in wanted)


def _losses(facts: Facts, label: str) -> FloatArray:
    first, second = facts.systems
    differences = facts.differences(facts.measures[0], first, second, label)
    return differences if facts.case.lower else -differences


def _one_sided(losses: FloatArray) -> float:
    """p of a loss: all signs whose sum is at least this; its other side is what two-sided p leaves."""
    if not losses.any():
        return 1.0
    both = flips_p(losses)
    flips = both / 2 if losses.mean() > 0 else 1.0 if abs(losses.sum()) < 1e-12 else 1 - both / 2
    return max(flips, float(skew_t_p(losses[None], "greater")[0]))


def _gate_p(facts: Facts) -> dict[str, tuple[float, float]]:
    labels = ["", *sorted(set(facts.case.classes or ()))]
    return dict(zip(labels, holm([_one_sided(_losses(facts, label)) for label in labels]), strict=True))


@rule(
    rf"(?P<verdict>pass|fail|undecided): (?P<measure>\S+)(?: of (?P<label>\w+))? changed by (?P<change>{N})"
    rf"(?: \((?P<side>better|worse)\))? (?:\[(?P<low>{N}), (?P<high>{N})\] )?on (?P<n>{N}) queries; (?P<finding>.*)"
)
def _gate(facts: Facts, said: dict[str, Any]) -> bool:
    losses = _losses(facts, said["label"] or "")
    p, level = _gate_p(facts)[said["label"] or ""]
    gain = -float(losses.mean())
    change = -gain if facts.case.lower else gain
    side = "" if float(said["change"]) == 0 and abs(gain) < 1e-12 else "better" if gain > 0 else "worse"
    same = not losses.any()
    limits, worst = (said["low"] is None) == same, gain
    if limits and not same:
        low, high = number(said["low"]), number(said["high"])
        worst, best = (-high, -low) if facts.case.lower else (low, high)
        for limit, turn in ((worst, 1), (best, -1)):
            slack = 0.51 * 10.0 ** -len(said["low"].partition(".")[2])
            inside, outside = (turn * (losses + limit + turn * away) for away in (slack, -slack))
            limits = limits and _one_sided(-inside) >= level * 0.97 and _one_sided(-outside) <= level * 1.03
    shown, beyond, ruled_out = p <= ALPHA, -gain > EFFECT + 1e-9, worst >= -EFFECT - 1e-9
    moving = int(np.count_nonzero(losses))
    few = moving > 0 and losses.size < 60 and 2.0**-moving > level
    verdict = "fail" if shown and beyond else "pass" if ruled_out and not few else "undecided"
    only = f"only {moving} of {losses.size} queries changed, too few to rule out a loss beyond .01"
    findings = {
        ("fail", True): "a loss is shown, its mean is beyond .01",
        ("pass", True): "a loss is shown, one beyond .01 is ruled out",
        ("pass", False): "a loss beyond .01 is ruled out",
        ("undecided", True): "a loss is shown, its mean is not beyond .01",
        ("undecided", False): "the mean loss is beyond .01, but may be chance"
        if beyond
        else "a loss beyond .01 is not ruled out",
    }
    return (
        said["measure"] == facts.measures[0]
        and says(said["change"], change)
        and (said["side"] or "") == side
        and limits
        and number(said["n"]) == losses.size
        and said["verdict"] == verdict
        and said["finding"] == ("no query changed" if same else only if few and ruled_out else findings[verdict, shown])
    )


@rule(
    rf"(?P<measure>\S+)(?: of (?P<label>\w+))?: (?P<n>{N}) queries catch a true loss of (?P<loss>{N}) in 80% of cases"
)
def _catches(facts: Facts, said: dict[str, Any]) -> bool:
    labels = 1 + len(set(facts.case.classes or ()))
    losses = _losses(facts, said["label"] or "")
    value = ShownEffects(losses, ALPHA / labels, 1, EFFECT).smallest()
    return number(said["n"]) == losses.size and _power(said["loss"], value)


@rule(rf"(?P<measure>\S+): (?P<n>{N}) queries catch no loss in 80% of cases, however large it is")
def _catches_nothing(facts: Facts, said: dict[str, Any]) -> bool:
    losses = _losses(facts, "")
    return number(said["n"]) == losses.size and ShownEffects(losses, ALPHA, 1, EFFECT).smallest() > 1


@rule(r"(?P<measure>\S+): every query changed by the same amount, so nothing can be said of power")
def _no_spread(facts: Facts, said: dict[str, Any]) -> bool:
    return float(np.ptp(_losses(facts, ""))) < 1e-12


@rule(
    rf"family of (?P<tests>{N}) tests: 1 pair of systems x \(all queries \+ (?P<classes>{N}) classes\), Holm; "
    "limits are those of Holm's steps"
)
def _family(facts: Facts, said: dict[str, Any]) -> bool:
    return number(said["tests"]) - 1 == number(said["classes"]) == len(set(facts.case.classes or ()))


def read(sentence: str, facts: Facts) -> list[str]:
    """What is wrong with a sentence; nothing where all is true and all was read."""
    for pattern, check in RULES:
        match = re.fullmatch(pattern, sentence)
        if match is None:
            continue
        unread = list(sentence)
        for name in match.groupdict():
            start, end = match.span(name)
            unread[max(start, 0) : max(end, 0)] = " " * (max(end, 0) - max(start, 0))
        rest = "".join(unread)
        for known in (*CONSTANT, ".01", "1 pair of systems"):
            rest = rest.replace(known, "")
        left = [f"not read: {rest}"] if re.search(r"\d", rest) else []
        return left + ([] if check(facts, match.groupdict()) else [f"not true: {sentence}"])
    return [f"no rule reads: {sentence}"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.command} {case.name}")
def test_every_sentence_is_that_of_the_golden_file_and_true(case: Case) -> None:
    assert case.said() == case.sentences
    facts = Facts(case)
    assert [wrong for sentence in case.sentences for wrong in read(sentence, facts)] == []


def test_there_are_200_and_every_rule_reads_one() -> None:
    said = [sentence for case in CASES for sentence in case.sentences]
    assert len(said) >= 200
    unused = [pattern for pattern, _ in RULES if not any(re.fullmatch(pattern, each) for each in said)]
    assert unused == []


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.times == 1], ids=lambda case: f"{case.command} {case.name}"
)
def test_another_number_or_word_is_noticed(case: Case) -> None:
    facts = Facts(case)
    for sentence in dict.fromkeys(case.sentences):
        for wrong in _changed(sentence):
            assert read(wrong, facts), wrong


def _changed(sentence: str) -> list[str]:
    """The sentence with one of its numbers, names or words of quality changed."""
    changed = []
    for match in re.finditer(rf"(?<![\w@.]){N}(?![\w%@])", sentence):
        digits = re.sub(r"\d", lambda digit: str((int(digit[0]) + 5) % 10), match[0])
        changed.append(sentence[: match.start()] + digits + sentence[match.end() :])
        if match[0][0] in "+-\u2212" and match[0].strip("+-\u2212.0"):
            turned = {"+": "-", "-": "+", "\u2212": "+"}[match[0][0]] + match[0][1:]
            changed.append(sentence[: match.start()] + turned + sentence[match.end() :])
    for word, other in (("better", "worse"), ("worse", "better"), ("pass", "fail"), ("is shown,", "is not shown,")):
        if word in sentence:
            changed.append(sentence.replace(word, other))
    return [each for each in changed if each != sentence]
