"""What the gate found, in numbers and in one sentence for each check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankscope.displayed import Tabular
from rankscope.measures.direction import direction_of, side_of, turned
from rankscope.number_texts import how_many
from rankscope.statistics.pairs.family import Family
from rankscope.statistics.pairs.sign_test import binomial_limits
from rankscope.statistics.pairs.trust import SEEN, caution

FEWEST_PLACES, MOST_PLACES = 3, 6
ROUNDING = 1e-12  # a mean that differs by less from the smallest effect is equal to it

Outcome = Literal["fail", "pass", "undecided"]
RuleOfLoss = Literal["mean", "beyond"]  # what must be shown of a loss that fails


def outcome_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Of all checks together: one that fails fails all, and all must pass to pass.

    >>> outcome_of(["pass", "undecided"]), outcome_of(["undecided", "fail"]), outcome_of(["pass", "pass"])
    ('undecided', 'fail', 'pass')
    """
    return "fail" if "fail" in outcomes else "undecided" if "undecided" in outcomes else "pass"


@dataclass(frozen=True)
class GateCheck:
    """One measure, on all queries or on one class; the change is the candidate minus the baseline."""

    measure: str
    label: str  # class of queries; "" for all
    baseline: float
    candidate: float
    change: float
    low: float  # limits of the change, each one-sided at `level`; NaN where no query changed
    high: float
    p: float
    adjusted: float  # for the family
    min_effect: float
    queries: int
    units: int
    differing: int  # units that changed
    left_out: int  # queries that only one system has
    level: float
    lower_is_better: bool
    detectable: float  # loss caught in 80 % of cases; NaN without spread, infinite where there is none
    alpha: float = 0.05
    rule: RuleOfLoss = "mean"

    @property
    def gain(self) -> tuple[float, float, float]:
        """The change with its limits, turned so that more is better."""
        return turned(self.change, self.low, self.high, self.lower_is_better)

    @property
    def unchanged(self) -> bool:
        """Whether no query changed: then there are no limits, and the gate passes."""
        return math.isnan(self.low)

    @property
    def loss_shown(self) -> bool:
        """Whether the limits hold losses only."""
        return self.gain[2] < 0 if self.rule == "beyond" else self.adjusted <= self.alpha

    @property
    def mean_beyond(self) -> bool:
        """Whether the mean loss exceeds the smallest effect that matters."""
        return -self.gain[0] > self.min_effect + ROUNDING

    @property
    def too_few_differ(self) -> bool:
        """Whether even a loss in all that differ would not be shown, and those that were not drawn may lose much.

        From 60 units on the many that did not change tell of the others.
        """
        least_p = 2.0**-self.differing
        return self.differing > 0 and self.units < SEEN and least_p > (1 - self.level) * (1 + 1e-9)

    @property
    def verdict(self) -> Outcome:
        """Fail where the rule's loss is shown, pass where a loss beyond the smallest effect is ruled out."""
        if self.adjusted <= self.alpha and self.mean_beyond:
            return "fail"
        return "pass" if self.unchanged or (self._within and not self.too_few_differ) else "undecided"

    @property
    def _within(self) -> bool:
        """Whether the limit of the change is no loss beyond the smallest effect."""
        return self.gain[1] >= -self.min_effect - ROUNDING

    @property
    def failed(self) -> bool:
        """Whether a loss is shown and its mean, or by the rule `beyond` its limit, exceeds the smallest effect."""
        return self.verdict == "fail"

    @property
    def name(self) -> str:
        """The measure, and the class if it is one."""
        return f"{self.measure} of {self.label}" if self.label else self.measure

    @property
    def places(self) -> int:
        """So many decimals that the smallest effect shows, and on which side of it the change and its limits lie."""
        text = f"{self.min_effect:.10f}".rstrip("0").partition(".")[2]
        away = [abs(abs(each) - self.min_effect) for each in (self.change, self.low, self.high)]
        least = max(FEWEST_PLACES, len(text) + 1)
        close = min((each for each in away if each > ROUNDING), default=1.0) if self.min_effect else 1.0
        return min(max(least, math.ceil(-math.log10(2 * close))), max(MOST_PLACES, least))

    @property
    def finding(self) -> str:
        """What may be said of a loss."""
        beyond = f" beyond {plain(self.min_effect)}" if self.min_effect else ""
        if self.unchanged:
            return f"no {'query' if self.units == self.queries else 'class'} changed"
        if self.verdict == "pass":
            return f"a loss is shown, one{beyond} is ruled out" if self.loss_shown else f"a loss{beyond} is ruled out"
        if self._within and self.too_few_differ:
            unit = "queries" if self.units == self.queries else "classes"
            return f"only {self.differing} of {self.units:,} {unit} changed, too few to rule out a loss{beyond}"
        if not self.loss_shown:
            chance = f"the mean loss is{beyond}, but may be chance" if beyond else "the mean loss may be chance"
            return chance if self.mean_beyond else f"a loss{beyond} is not ruled out"
        if not beyond:
            return "a loss is shown"
        if self.rule == "beyond":
            return f"a loss{beyond} is shown" if self.failed else f"a loss is shown, but none{beyond}"
        return f"a loss is shown, its mean is {'' if self.failed else 'not '}{beyond.strip()}"

    @property
    def sentence(self) -> str:
        """The change with its limits, and what may be said of a loss."""
        limits = "" if self.unchanged else f" [{self.limits(', ')}]"
        return f"{self.name} changed by {self.changed}{limits} on {how_many(self.queries)}; {self.finding}"

    def limits(self, between: str) -> str:
        """The limits of the change, with a word between them."""
        ends = (signed_text(each, self.places) for each in (self.low, self.high))
        return "none" if self.unchanged else between.join(ends)

    @property
    def changed(self) -> str:
        """The change, and whether it is for the better or the worse."""
        return with_side(self.change, self.lower_is_better, self.places)

    def row(self) -> dict[str, object]:
        """In plain numbers, for a table or JSON."""
        return {
            "measure": self.measure,
            "class": self.label or None,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "change": self.change,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "p_adjusted": self.adjusted,
            "min_effect": self.min_effect,
            "queries": self.queries,
            "units": self.units,
            "differing": self.differing,
            "left_out": self.left_out,
            "level": self.level,
            "better": direction_of(self.lower_is_better),
            "detectable_loss": self.detectable,
            "rule": self.rule,
            "verdict": self.verdict,
            "finding": self.finding,
        }


@dataclass(frozen=True)
class SelfTest:
    """How often the gate fails when the two systems' labels are swapped at random: every alarm is a false one."""

    trials: int
    alarms: int
    alpha: float
    seed: int

    @property
    def rate(self) -> float:
        """The share of false alarms."""
        return self.alarms / self.trials

    @property
    def sentence(self) -> str:
        """The rate with its 95 % interval."""
        low, high = binomial_limits(self.alarms, self.trials, 0.025)
        return (
            f"self-test: {self.alarms:,} false alarms in {how_many(self.trials, 'trials')} with labels swapped at "
            "random, "
            f"{self.rate:.1%} ({low:.1%} to {high:.1%}); at most {self.alpha:.0%} is promised"
        )


@dataclass(frozen=True, repr=False)
class GateResult(Tabular):
    """All checks of a candidate against a baseline: one that fails fails all, and all must pass to pass."""

    baseline: str
    candidate: str
    checks: tuple[GateCheck, ...]
    family: Family
    alpha: float = 0.05
    rule: RuleOfLoss = "mean"
    seed: int = 0
    unit: str = "query"
    small_classes: tuple[str, ...] = ()  # too few queries to be checked
    self_test: SelfTest | None = None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Outcome:
        """Fail where a check fails, pass where all pass."""
        return outcome_of([check.verdict for check in self.checks])

    @property
    def passed(self) -> bool:
        """Whether every check rules out a loss beyond its smallest effect."""
        return self.verdict == "pass"

    @property
    def failed(self) -> tuple[GateCheck, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.failed)

    @property
    def sentence(self) -> str:
        """The verdict and its reason, in one line."""
        word, count = self.verdict, len(self.checks)
        if count == 1:
            return f"{word}: {self.checks[0].sentence}"
        if word == "pass":
            return f"pass: {count} of {how_many(count, 'checks')} rule out a loss that matters"
        deciding = [check.sentence for check in self.checks if check.verdict == word]
        return f"{word}: {len(deciding)} of {how_many(count, 'checks')}: {'; '.join(deciding)}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be said with the verdict: family, units, what few may lack, queries left out, small classes."""
        lines = [] if len(self.checks) == 1 else [f"{self.family}; limits are those of Holm's steps"]
        if self.unit == "class":
            lines.append(
                "queries of one class depend on each other: "
                f"{how_many(self.checks[0].units, 'class was', 'classes were')} swapped, not queries"
            )
        lines += [
            f"{check.name}: left out: {how_many(check.left_out)} with a value for one system only"
            for check in self.checks
            if check.left_out
        ]
        lines += filter(None, [caution(self.checks[0].units, "classes" if self.unit == "class" else "queries")])
        if self.small_classes:
            lines.append(f"too few queries to check by themselves: {', '.join(self.small_classes)}")
        return (*lines, *self.notes)

    def rows(self) -> list[dict[str, object]]:
        """One row for each check."""
        return [check.row() for check in self.checks]


def power_sentence(check: GateCheck) -> str:
    """What so many queries can show at all.

    Without spread there is no telling.
    """
    if not check.detectable > 0:
        return f"{check.name}: every query changed by the same amount, so nothing can be said of power"
    if math.isinf(check.detectable):
        return f"{check.name}: {how_many(check.queries)} catch no loss in 80% of cases, however large it is"
    loss = f"{check.detectable:.{check.places}f}".removeprefix("0")
    return f"{check.name}: {how_many(check.queries)} catch a true loss of {loss} in 80% of cases"


def signed_text(value: float, places: int = FEWEST_PLACES) -> str:
    """A change with its sign and without the leading zero.

    >>> signed_text(0.0042), signed_text(-0.5, 4), signed_text(1.25), signed_text(-1e-9), signed_text(float("inf"))
    ('+.004', '-.5000', '+1.250', '+.000', '+inf')
    """
    text = f"{value:+.{places}f}"
    if float(text) == 0:
        text = "+" + text[1:]
    return text[0] + text[1:].removeprefix("0") if text[1:].startswith("0.") else text


def with_side(change: float, lower_is_better: bool, places: int = FEWEST_PLACES) -> str:
    """A change, and in a word whether it is for the better or the worse; none where it rounds to 0.

    >>> with_side(0.082, True), with_side(0.082, False), with_side(-0.0001, False)
    ('+.082 (worse)', '+.082 (better)', '+.000')
    """
    text = signed_text(change, places)
    return f"{text} ({side_of(change, lower_is_better)})" if float(text) else text


def plain(value: float) -> str:
    """A size as people write it.

    >>> plain(0.01), plain(1.5), plain(0.0)
    ('.01', '1.5', '0')
    """
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") or "0"
