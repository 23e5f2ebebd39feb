"""The gate: may the candidate replace the baseline? The decision, and its result in numbers and sentences.

The gate: may the candidate replace the baseline?
It fails if a loss is shown (the one-sided 95 % limit of the change excludes 0) and the mean loss exceeds the
smallest effect that matters; by the rule `beyond` only if the limit itself exceeds it. It passes if the other limit
rules out a loss beyond that effect, unless so few queries changed that the gate could not have failed (below 60
queries; where none changed it passes). Else it is undecided. Several measures or classes are one family: Holm's steps
decide how strict each limit is, so that all together raise a false alarm in at most 5 % of cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import numpy as np

from rankscope.analysis.statistics.corrections import ALL_QUERIES, Family, holm, tested_levels
from rankscope.analysis.statistics.deciding_test import SEEN, Changes, caution
from rankscope.analysis.statistics.paired_tests import limits_within
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.proportions import binomial_limits
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.names import one_line, visible
from rankscope.core.rendering import Cell, Grid, as_json, grid_markdown
from rankscope.core.validation import FLAG, SEED, SHARE, Number, OneOf, Rule, WholeNumber, check, check_for_each
from rankscope.core.wording import how_many
from rankscope.measures.direction import direction_of, side_of, turned

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
        beyond = f" beyond {size_text(self.min_effect)}" if self.min_effect else ""
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
        return [check.row() for check in self.checks]

    def display(self) -> Display:
        return Display.of([self.sentence, *self.remarks], gate_grid(self), ".remarks")

    def to_markdown(self) -> str:
        return gate_markdown(self)


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


def size_text(value: float) -> str:
    """A size as people write it.

    >>> size_text(0.01), size_text(1.5), size_text(0.0)
    ('.01', '1.5', '0')
    """
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") or "0"


ALPHA = 0.05
EFFECT = Number(least=0)  # the smallest loss that matters
AT_ONCE = 1_000_000  # signs of a self-test drawn in one batch
GATE_RULES: dict[str, Rule] = {
    "rule": OneOf(get_args(RuleOfLoss)),
    "by_class": FLAG,
    "clusters": FLAG,
    "self_test": WholeNumber(least=0),
    "alpha": SHARE,
    "seed": SEED,
}


@dataclass(frozen=True, eq=False)
class _GateQuestion:
    """One measure on all queries or on one class: what is to be checked."""

    table: ScoreTable
    label: str
    changes: Changes
    units: tuple[str, ...]  # their names, in the order of the changes
    left_out: int
    min_effect: float

    def tested(self, rule: RuleOfLoss) -> float:
        """The loss that must be exceeded for sure."""
        return self.min_effect if rule == "beyond" else 0.0


def gate(
    tables: ScoreTable | Sequence[ScoreTable],
    min_effect: float | Sequence[float] = 0.0,
    *,
    rule: RuleOfLoss = "mean",
    by_class: bool = False,
    clusters: bool = False,
    self_test: int = 0,
    alpha: float = ALPHA,
    seed: int = 0,
) -> GateResult:
    """Check the second system of each table (one table a measure) against the first, on the queries that both have.

    `min_effect` is the smallest loss that matters, one for all measures or one each. A loss fails that is shown and
    whose mean is beyond it, by the rule `beyond` only one that is shown to be beyond it. `by_class` checks every class
    of queries too, as far as it has enough; `clusters` says that queries of one class depend on each other and count
    as one unit. Too few queries to show any loss are a `SettingError`: a gate that cannot fail is none.
    >>> table = ScoreTable.make({"old": [0.5, 0.6, 0.7, 0.4, 0.3, 0.8], "new": [0.4, 0.5, 0.5, 0.3, 0.2, 0.6]})
    >>> made = gate(table, min_effect=0.01)
    >>> made.verdict, round(made.checks[0].change, 4), round(made.checks[0].high, 4)
    ('fail', -0.1333, -0.0848)
    """
    rule, by_class, clusters, self_test, alpha, seed = check(locals(), **GATE_RULES).values()
    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    effects = check_for_each("min_effect", min_effect, len(given), EFFECT)
    parts, small = _parts(given, effects, by_class, clusters, alpha)
    p = np.array([part.changes.loss_p(beyond=part.tested(rule))[0] for part in parts])
    labels = dict.fromkeys(part.label for part in parts)
    family = Family(((given[0].systems[0], given[0].systems[1]),), tuple(t.measure for t in given), tuple(labels))
    checks = tuple(
        _check(part, raw, adjusted, tail, alpha, family.size, rule)
        for part, raw, adjusted, tail in zip(parts, p, holm(p), tested_levels(p, "holm", alpha), strict=True)
    )
    baseline, candidate = given[0].systems
    result = GateResult(
        baseline=baseline,
        candidate=candidate,
        checks=checks,
        family=family,
        alpha=alpha,
        rule=rule,
        seed=seed,
        unit="class" if clusters else "query",
        small_classes=small,
    )
    return replace(result, self_test=_self_test(parts, self_test, alpha, seed, rule)) if self_test else result


def _parts(
    tables: list[ScoreTable], effects: Sequence[float], by_class: bool, clusters: bool, alpha: float
) -> tuple[list[_GateQuestion], tuple[str, ...]]:
    """What is checked, and the classes that are too small to be."""
    if by_class and clusters:
        raise SettingError(
            "classes are either kinds of queries, each checked, or units whose queries depend on each other, not both"
        )
    if any(len(table.systems) != 2 for table in tables):
        raise SettingError(f"the gate compares two systems, got {', '.join(tables[0].systems)}")
    whole = [_part(table, ALL_QUERIES, effect, clusters) for table, effect in zip(tables, effects, strict=True)]
    classes = tables[0].class_names if by_class else ()
    need = fewest_units(alpha, len(tables) * (1 + len(classes)))
    for part in whole:
        _enough(part, need, clusters)
    inside = {
        label: [_part(t.where(label), label, e, False) for t, e in zip(tables, effects, strict=True)]
        for label in classes
    }
    small = tuple(label for label, some in inside.items() if min(len(part.changes) for part in some) < need)
    every = [whole, *(some for label, some in inside.items() if label not in small)]
    return [part for measure in zip(*every, strict=True) for part in measure], small


def fewest_units(alpha: float, tests: int) -> int:
    """How many queries it takes at least: with fewer, even the worst of all signs is no rare event.

    >>> fewest_units(0.05, 1), fewest_units(0.05, 3)
    (5, 6)
    """
    return math.ceil(math.log2(tests / alpha))


def _part(table: ScoreTable, label: str, effect: float, clusters: bool) -> _GateQuestion:
    change = table.gains[:, 1] - table.gains[:, 0]
    rows = np.flatnonzero(~np.isnan(change))
    queries = [table.queries[row] for row in rows.tolist()]
    left_out = int((~np.isnan(table.values)).any(axis=1).sum()) - rows.size
    names, units = queries, None
    if clusters:
        units = [table.labels[row] or f"query {name}" for row, name in zip(rows.tolist(), queries, strict=True)]
        names = np.unique(np.asarray(units, dtype=str)).tolist()
    return _GateQuestion(
        table=table,
        label=label,
        changes=Changes.of(change[rows], units),
        units=tuple(names),
        left_out=left_out,
        min_effect=effect,
    )


def _enough(part: _GateQuestion, need: int, clusters: bool) -> None:
    table, count = part.table, len(part.changes)
    if not part.units:
        raise SettingError(f"{' and '.join(table.systems)} share no query with a value of {table.measure}")
    if count < need:
        unit = "classes" if clusters else "queries"
        raise SettingError(
            f"{table.measure}: {how_many(count, unit)} cannot show a loss, regardless of the scores: give {need} at "
            "least. A gate that cannot fail is none."
        )


def _check(
    part: _GateQuestion, p: float, adjusted: float, tail: float, alpha: float, tests: int, rule: RuleOfLoss
) -> GateCheck:
    table, changes = part.table, part.changes
    both = table.complete()
    baseline, candidate = both.values.mean(axis=0).tolist()
    change, least, most = turned(changes.mean, *changes.limits(tail), table.lower_is_better)
    differing = int(np.count_nonzero(np.abs(changes.sums) > ROUNDING))
    low, high = limits_within(least, most, table.difference_bounds) if differing else (math.nan, math.nan)
    tested = part.tested(rule)
    # The smallest true loss that is caught in 80 % of cases: it must be shown, and seen to exceed the effect.
    losses = ShownEffects(-changes.spread, alpha / tests, sides=1, least=part.min_effect - tested)
    detectable = tested + losses.smallest()
    return GateCheck(
        measure=table.measure,
        label=part.label,
        baseline=baseline,
        candidate=candidate,
        change=change,
        low=float(low),
        high=float(high),
        p=float(p),
        adjusted=float(adjusted),
        min_effect=part.min_effect,
        queries=len(both),
        units=len(changes),
        differing=differing,
        left_out=part.left_out,
        level=float(1 - tail),
        lower_is_better=table.lower_is_better,
        detectable=math.inf if detectable > table.difference_bounds[1] else detectable,
        alpha=alpha,
        rule=rule,
    )


def _self_test(parts: list[_GateQuestion], trials: int, alpha: float, seed: int, rule: RuleOfLoss) -> SelfTest:
    """Swap the labels of the systems at random in each unit, the same for all measures, and apply the whole rule."""
    names = sorted({name for part in parts for name in part.units}, key=str.encode)
    place = {name: number for number, name in enumerate(names)}
    columns = [np.array([place[name] for name in part.units], dtype=np.int64) for part in parts]
    chance = np.random.default_rng([seed, 1])
    step, alarms = max(1, AT_ONCE // len(names)), 0
    for start in range(0, trials, step):
        drawn = chance.integers(0, 2, (min(step, trials - start), len(names)))
        alarms += _alarms(parts, columns, np.where(drawn > 0, 1.0, -1.0), alpha, rule)
    return SelfTest(trials, alarms, alpha, seed)


def _alarms(
    parts: list[_GateQuestion], columns: list[IntArray], signs: FloatArray, alpha: float, rule: RuleOfLoss
) -> int:
    """In how many trials (rows of signs) any check fails."""
    p, loss = np.empty((len(signs), len(parts))), np.empty((len(signs), len(parts)))
    for number, (part, chosen) in enumerate(zip(parts, columns, strict=True)):
        changes = part.changes
        p[:, number] = changes.loss_p(signs[:, chosen], part.tested(rule))
        loss[:, number] = -(signs[:, chosen] @ changes.sums) / changes.sizes.sum() - part.min_effect
    return int(((holm(p) <= alpha) & (loss > ROUNDING)).any(axis=1).sum())


# A gate's result as text for a terminal, Markdown for a job's summary, JSON for programs.

GATE_FORMATS = ("text", "json", "markdown")
GATE_SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "text"}
GATE_VERSION = 2  # 1 had changes turned so that more is better
HOW = {
    "mean": "The gate fails if a loss is shown (the limit of the change, one-sided at 95%, excludes 0) and its "
    "mean is beyond the smallest effect that matters",
    "beyond": "The gate fails if a loss beyond the smallest effect that matters is shown (the limit of the change, "
    "one-sided at 95%, is beyond it)",
}
PASSES = (
    "it passes if such a loss is ruled out (by the other limit); else it is undecided. The limits are the outer ones"
)


def render_gate(result: GateResult, format: str = "text", remarks: bool = True) -> str:
    """The result in one of the formats; for people with remarks or without them, JSON always has them."""
    if format == "json":
        return gate_json(result)
    return {"text": gate_text, "markdown": gate_markdown}[format](result, remarks)


def gate_text(result: GateResult, remarks: bool = True) -> str:
    """The verdict in one line, then each check where there are several, then what else must be said."""
    lines = [result.sentence]
    if len(result.checks) > 1:
        lines += [f"  {check.verdict}: {check.sentence}" for check in result.checks]
    lines += [f"  {power_sentence(check)}" for check in result.checks]
    if result.self_test is not None:
        lines.append(f"  {result.self_test.sentence}")
    return visible("\n".join([*lines, *(f"  ! {line}" for line in result.remarks if remarks)]) + "\n")


def gate_markdown(result: GateResult, remarks: bool = True) -> str:
    """A heading with the verdict, a table of the checks, and notes; made for a job's summary page."""
    notes = [power_sentence(check) for check in result.checks]
    if result.self_test is not None:
        notes.append(result.self_test.sentence)
    listed = "".join(f"- {line}\n" for line in [*notes, *(result.remarks if remarks else ()), gate_rule(result)])
    heading = f"### Gate: {result.verdict}, `{_code(result.candidate)}` against `{_code(result.baseline)}`"
    return visible(f"{heading}\n\n{grid_markdown(gate_grid(result))}\n{listed}")


def gate_rule(result: GateResult) -> str:
    """When a gate of this rule fails and passes."""
    return f"{HOW[result.rule]}; {PASSES} of sign flips and skew t."


def _code(name: str) -> str:
    return one_line(name.replace("\n", " ")).replace("`", "'")


def gate_grid(result: GateResult) -> Grid:
    """One row for each each."""
    with_class = any(each.label for each in result.checks)
    rows = []
    for each in result.checks:
        cells = {"measure": Cell(each.measure, number=False)}
        cells |= {"class": Cell(each.label or "all", number=False)} if with_class else {}
        cells |= {
            "baseline": Cell(f"{each.baseline:.{each.places}f}"),
            "candidate": Cell(f"{each.candidate:.{each.places}f}"),
            "change": Cell(each.changed),
            "limits": Cell(each.limits(" to "), number=False),
            "queries": Cell(f"{each.queries:,}"),
            "smallest effect": Cell(f"{each.min_effect:g}"),
            "verdict": Cell(each.verdict, number=False, best=each.failed),
            "finding": Cell(each.finding, number=False),
        }
        rows.append(cells)
    return Grid(tuple(rows[0]), tuple(tuple(cells.values()) for cells in rows))


def gate_json(result: GateResult) -> str:
    """One object; what is undefined or infinite is null."""
    whole = {
        "format": "rankscope.gate",
        "version": GATE_VERSION,
        "verdict": result.verdict,
        "rule": result.rule,
        "reason": result.sentence,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "alpha": result.alpha,
        "seed": result.seed,
        "unit": result.unit,
        "family": str(result.family),
        "checks": result.rows(),
        "self_test": None if result.self_test is None else asdict(result.self_test) | {"rate": result.self_test.rate},
        "remarks": list(result.remarks),
    }
    return as_json(whole)
