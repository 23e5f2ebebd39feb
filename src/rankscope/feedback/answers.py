"""Answers about feedback methods: tables with words on efficiency, convergence, example sets, assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.core.display import Display, Tabular
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import how_many
from rankscope.feedback.examples.scores import mean_or_nan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.feedback.normalization.baselines import Baseline
    from rankscope.feedback.normalization.consistency import Consistency
    from rankscope.feedback.normalization.example_sets import Convergence, ExampleGrowth
    from rankscope.feedback.normalization.generalisation import Generalisation
    from rankscope.feedback.study.sensitivity import Adaptation
    from rankscope.measures import Measure

VERSION = 1


@dataclass(frozen=True, eq=False)
class AnswerTable(HeadedTable):
    """A table under its heading, what must be said of it below."""

    rows: Rows


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Tabular):
    """The answer to a question: what it was computed from, tables, warnings, and the result itself for Python."""

    question: str
    facts: str
    tables: tuple[AnswerTable, ...]
    result: Any
    warnings: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        return Presentation([self.facts], self.tables, notes=self.warnings, spaced=True)

    def record(self) -> dict[str, Any]:
        tables = [{"heading": each.heading, "rows": list(each.rows), "note": each.note} for each in self.tables]
        whole = {"format": "rankscope.feedback", "version": VERSION, "question": self.question, "facts": self.facts}
        return {**whole, "tables": tables, "warnings": list(self.warnings)}

    def text(self) -> str:
        """For a terminal."""
        return self.render()

    def markdown(self) -> str:
        """For a page of text."""
        return self.render("markdown")

    def json(self) -> str:
        return self.render("json")

    def records(self) -> Rows:
        return [{"table": each.heading, **row} for each in self.tables for row in each.rows]

    def display(self) -> Display:
        words = [f"{self.question}: {self.facts}", *(each.note for each in self.tables if each.note), *self.warnings]
        return Display.of(words, self.tables[0].rows if self.tables else [], ".text()")

    def to_markdown(self) -> str:
        return self.markdown()


def sizes_of(items: int, topics: Sequence[str], methods: Sequence[str], more: str = "") -> str:
    """What was tried, in a line."""
    counts = (how_many(len(topics), "topics"), how_many(len(methods), "methods"), how_many(items, "items"))
    return ", ".join([*counts, *filter(None, [more])])


# Results about feedback methods as tables with words: efficiency, convergence, example sets, errors, assessors.

APPROACHES = {
    "I": "approach I: the best setting of the method itself",
    "II": "approach II: the best of all methods compared",
    "III": "approach III: the best of several classifiers",
}
CORRECTED_NOTE = (
    "0 is a random order, 1 the baseline: on a topic that cannot be learnt a random order has an MAE near 1."
)
REFERENCES = "Loss of calling c items relevant at random, and of calling none so, next to that of the winner."


def efficiency_tables(done: Generalisation) -> list[AnswerTable]:
    """Who set each baseline, what every method reached of it, and the topics that cannot be learnt."""
    how = done.rules
    note = (
        f"Baseline: {APPROACHES[how.approach]}, told all labels but those tested, least {how.loss} loss "
        f"(form {how.form}) over {how.folds} folds. Methods from {done.examples} + {done.examples} examples of the "
        "same folds, all marked rightly. MAE: mean over recall levels of precision over the baseline's; feasible "
        f"topics only. {done.intervals_told}{_errors_note(done)}"
    )
    return [
        AnswerTable("Mean efficiency", done.mean_rows(), note),
        AnswerTable("Baselines", [baseline_row(each) for each in done.baselines], REFERENCES),
        AnswerTable("Candidates", candidate_rows(done.baselines), "Mean loss over topics in each form of deciding."),
        AnswerTable("By topic", efficiency_by_topic(done)),
        AnswerTable("By topic, corrected for chance", efficiency_by_topic(done, corrected=True), CORRECTED_NOTE),
    ]


def _errors_note(done: Generalisation) -> str:
    """How the errors of a user enter."""
    if done.errors is None:
        return ""
    rates = {"miss": "of relevant items rejected", "alarm": "of irrelevant ones picked"}
    told = ", ".join(f"{done.errors.shares[name][0]:.3f} {words}" for name, words in rates.items())
    return (
        f" With errors: examples as {done.errors.user} gives them ({told}); {how_many(len(done.erring), 'draws')} "
        "of rates that his "
        "score leaves possible, and their spread is in the interval (Rubin's rule)."
    )


def baseline_row(one: Baseline) -> dict[str, object]:
    """The winner of one topic, its loss, and whether the topic can be learnt at all."""
    from rankscope.feedback.normalization.baselines import family_of

    loss = next((float(getattr(each, one.form)) for each in one.trials if each.candidate == one.winner), np.nan)
    family = family_of(one)
    return {
        "topic": one.topic,
        **({"method": family} if family else {}),
        "winner": one.winner or "-",
        "loss": loss,
        "random loss": one.references["random"],
        "all negative": one.references["all negative"],
        "feasible": "yes" if one.feasibility.feasible else f"no: {'; '.join(one.feasibility.reasons)}",
    }


def candidate_rows(baselines: Sequence[Baseline]) -> list[dict[str, object]]:
    """Each candidate with its mean losses over topics, and on how many it won."""
    trials = [(each, one) for one in baselines for each in one.trials]
    rows = []
    for name in dict.fromkeys(each.candidate for each, _ in trials):
        own = [(each, one) for each, one in trials if each.candidate == name]
        means = {form: mean_or_nan([getattr(each, form) for each, _ in own]) for form in ("test", "whole", "decisions")}
        rows.append({"candidate": name, **means, "won": sum(one.winner == name for _, one in own)})
    return rows


def efficiency_by_topic(done: Generalisation, corrected: bool = False) -> list[dict[str, object]]:
    """MAE of every method on every topic, or what of it is not chance; those of earlier studies too."""
    results = (*done.results, *done.earlier)
    topics = dict.fromkeys(each.topic for each in results)
    of = {(each.topic, each.method): each.corrected_mae if corrected else each.mae for each in results}
    methods = dict.fromkeys(each.method for each in results)
    return [{"topic": topic, **{name: of.get((topic, name)) for name in methods}} for topic in topics]


def replaced_lines(done: Generalisation) -> list[str]:
    """Which stored baselines a better one has taken the place of."""
    from rankscope.feedback.normalization.baselines import family_of

    now = {(each.topic, family_of(each)): each for each in done.baselines}
    return [
        f"topic '{old.topic}': {now[old.topic, family_of(old)].winner} has taken the place of {old.winner}; stored "
        "results are re-calibrated (efficiency times old over new precision)"
        for old in done.replaced
    ]


def efficiency_warnings(done: Generalisation) -> list[str]:
    """What must be read next to the numbers."""
    lines = replaced_lines(done)
    flagged = [each for each in done.results if each.recalibrate]
    lines += [
        f"{each.method} is above the baseline of topic '{each.topic}' (MAE {each.mae:.3f}): it may set a better one"
        for each in flagged
    ]
    weighted = str(done.rules.loss) != "zero-one" and done.rules.form == "test"
    if weighted:
        lines.append(
            "with form test every candidate calls as many items relevant as there are, so the weights of a loss change "
            "no choice: forms whole, tuned and (for classifiers) decisions respect them"
        )
    return lines


def convergence_table(results: Sequence[Convergence], corrected: bool = False) -> AnswerTable:
    """MAE of every method at every size of example sets, the mean over feasible topics, and with all that can be."""
    methods = dict.fromkeys(each.method for each in results)
    rows = []
    for name in methods:
        own = [each for each in results if each.method == name and each.full.feasible]
        shared = sorted(set.intersection(*(set(each.sizes) for each in own))) if own else []
        row: dict[str, object] = {"method": name}
        for size in shared:
            values = [(each.corrected_mae if corrected else each.mae)[each.sizes.index(size)] for each in own]
            row[f"{size} + {size}"] = mean_or_nan(values)
        row["all"] = mean_or_nan([each.full.corrected_mae if corrected else each.full.mae for each in own])
        rows.append(row | {"topics": len(own)})
    heading = "Efficiency by number of examples" + (", corrected for chance" if corrected else "")
    bias = {
        "I": "Under approach I 'all' is the method itself, so that it should come to about 1.",
        "II": "Under approach II a method that stays below 1 with all examples has a bias that no example removes.",
        "III": "Under approach III a method that stays below 1 with all examples has a bias that no example removes.",
    }
    return AnswerTable(heading, rows, f"MAE, mean over feasible topics. {bias[results[0].approach]}")


def growth_table(done: ExampleGrowth, measure: Measure, topics: int) -> AnswerTable:
    """One ranking from each example set, no rounds: a measure at each size, with the standard error over topics."""
    rows = []
    for name in done.ranks:
        mean = done.mean(name, measure)
        row: dict[str, object] = {"method": name}
        for size, value in zip(done.sizes, mean.value.tolist(), strict=True):
            row[f"{size[0]} + {size[1]}"] = value
        rows.append(row | {"error of last": float(mean.error[-1]), "failed": done.failed[name]})
    note = (
        f"{measure} of what is left to find, "
        f"mean over {how_many(topics, 'topics')} of {done.repeats} sets each. "
        "Sets grow: each holds the smaller one, and every method gets the same."
    )
    return AnswerTable(f"{measure} by positive + negative examples", rows, note)


def consistency_table(results: Sequence[Consistency], told: str) -> AnswerTable:
    """AP without the answer among the features, and with it at every gain."""
    rows = []
    for name in dict.fromkeys(each.method for each in results):
        row: dict[str, object] = {"method": name}
        own = [each for each in results if each.method == name]
        row["AP without"] = mean_or_nan([each.average_precision[0] for each in own if each.gain == own[0].gain])
        for gain in dict.fromkeys(each.gain for each in own):
            title = "AP with, 0 or 1" if gain is None else f"AP with, gain {gain:g}"
            row[title] = mean_or_nan([each.average_precision[1] for each in own if each.gain == gain])
        rows.append(row)
    note = (
        f"{told} among the features, as 0 and 1, or as 0 and so many mean standard deviations; the ideal system has 1."
    )
    return AnswerTable("With the answer among the features", rows, note)


def adaptation_tables(results: Sequence[Adaptation], measure: str) -> list[AnswerTable]:
    """Per method what feedback does for its giver and not for others; per topic how far assessors agree."""
    rows = []
    for name in dict.fromkeys(each.method for each in results):
        own = [each for each in results if each.method == name]
        rows.append(
            {
                "method": name,
                "by the own target": mean_or_nan([each.own for each in own]),
                "by those of others": mean_or_nan([each.others for each in own]),
                "adaptation": mean_or_nan([each.value for each in own]),
            }
        )
    topics = {each.topic: each for each in results}.values()
    overlaps = [
        {"topic": each.topic, "assessors": len(each.assessors), "mean overlap": each.overlap} for each in topics
    ]
    note = (
        f"{measure} in the last round with feedback from one assessor, scored by the target of the same or of another; "
        "the difference is what a method adapts to the one who gives feedback."
    )
    return [
        AnswerTable("Adaptation to the assessor", rows, note),
        AnswerTable("How far assessors agree", overlaps, "Items both call relevant over items either does (Jaccard)."),
    ]
