"""A comparison for the terminal, for a page, for a program: the verdict first, then the tables it rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from rankscope.analysis.comparison.compare import Compared, MeasureCompared
from rankscope.analysis.statistics.anova import welch
from rankscope.analysis.statistics.deciding_test import DECIDING
from rankscope.analysis.statistics.explanatory_variables import Explained
from rankscope.analysis.statistics.multiple_comparisons import games_howell
from rankscope.analysis.statistics.named_tests import EVERY_TEST
from rankscope.core.catalogue import summary_of
from rankscope.core.names import visible
from rankscope.core.rendering import Rows, as_json, markdown_table, rows_csv, text_table
from rankscope.core.wording import how_many, join_words, percent_text, plain_number
from rankscope.reports.texts.comparison_words import verdict_sentences

MOST_PAIRS = 30
STRICT = ("holm", "bonferroni")  # corrections that multiply the smallest p-values by the size of the family
Part = tuple[str, Rows, str]  # heading, rows, what must be said below


def comparison_parts(comparison: Compared, one: MeasureCompared, every_pair: bool = False) -> list[Part]:
    """The tables of one measure, with their headings and notes."""
    pairs = [*_pairs(comparison, one, every_pair), *_equivalent(comparison, one, every_pair)]
    note = one.means.told
    if one.ranks is not None and len(comparison.systems) > 2:
        note += (
            f" No significant difference between systems that share a letter: {comparison.families.of(one.measure)}."
        )
    heading = f"{one.measure}{_role(comparison, one)}: systems"
    parts = ((heading, one.system_rows(), note), *pairs, *_classes(comparison, one), *_asked(one))
    return [part for part in parts if part[1]]


def _role(comparison: Compared, one: MeasureCompared) -> str:
    """What a measure decides, where there are several."""
    if len(comparison.measures) == 1:
        return ""
    return " (primary, decides)" if comparison.families.is_primary(one.measure) else " (secondary)"


def _pairs(comparison: Compared, one: MeasureCompared, every_pair: bool) -> list[Part]:
    rows, which = _shown_pairs(one, one.pair_rows(comparison.families.correction), every_pair)
    heading = f"{one.measure}{_role(comparison, one)}: second minus first{which}"
    tests = f"p: {DECIDING} test, the larger p; {comparison.families.of(one.measure)}."
    if one.tukey is not None:
        how = f"{one.tukey.permutations:,} {'all' if one.tukey.exact else 'random'} permutations within {one.unit}"
        tests += f" Tukey: randomised HSD over all pairs, {how}; in addition to the verdict, which does not rest on it."
    told, level = _levels_told(rows)
    return [(heading, told, f"{tests} Limits: of these tests, {level}.")]


def _shown_pairs(one: MeasureCompared, rows: Rows, every_pair: bool) -> tuple[Rows, str]:
    """The rows of pairs, of many only neighbours in the ranking; and what the heading says of that."""
    if len(rows) <= MOST_PAIRS or every_pair or one.ranks is None:
        return rows, ""
    order = one.ranks.systems
    neighbours = {frozenset(each) for each in pairwise(order)}
    chosen = [row for row in rows if frozenset((row["first"], row["second"])) in neighbours]
    chosen.sort(key=lambda row: min(order.index(str(row["first"])), order.index(str(row["second"]))))
    return chosen, " (neighbours in the ranking)"


def _equivalent(comparison: Compared, one: MeasureCompared, every_pair: bool) -> list[Part]:
    """What two one-sided tests say of each pair, where a margin was given."""
    if not one.equivalences:
        return []
    rows, which = _shown_pairs(one, one.equivalence_rows(comparison.families.correction), every_pair)
    margin = plain_number(one.equivalences[0].margin)
    told, level = _levels_told([{key: value for key, value in row.items() if key != "margin"} for row in rows])
    note = (
        f"p: two one-sided {DECIDING} tests against ±{margin}, the larger p; "
        f"{comparison.equivalence_family(one.measure)}. Limits: of these tests, {level}; a pair is equivalent where "
        "both lie within the margin, and different where the table above shows a difference."
    )
    return [(f"{one.measure}: equivalence within ±{margin}{which}", told, note)]


def _levels_told(rows: Rows) -> tuple[Rows, str]:
    """Rows for people, whose level stands in a column only where it differs, and in words at which level limits are."""
    levels = {percent_text(float(str(row["level"]))) for row in rows}
    if len(levels) == 1:
        return [{key: value for key, value in row.items() if key != "level"} for row in rows], f"at {levels.pop()}"
    told = [row | {"level": percent_text(float(str(row["level"])))} for row in rows]
    return told, "each at the level at which the correction held that pair"


def _classes(comparison: Compared, one: MeasureCompared) -> list[Part]:
    parts: list[Part] = []
    if one.classes:
        note = f"{one.classes[0].how}; {one.classes[0].note}".rstrip("; ") + "."
        parts.append((f"{one.measure}: within classes", _levels_told(one.class_rows())[0], note))
    if one.cells is not None and one.cells.rows():
        cells = one.cells
        head = f"One-way analysis of variance of the cells: F = {cells.unpaired.f:.3f}, p = {cells.unpaired.p:.3g}. "
        note = (head + cells.why).replace("F = nan, p = nan. ", "not possible. ")
        heading = f"{one.measure}: cells as independent samples, and query by query"
        parts.append((heading, [_named(row) for row in cells.rows()], note))
    if one.assumed is not None:
        instead = ""
        if one.assumed.unequal_spread:  # the tests to read
            other, pairs = welch(one.table), games_howell(one.table)
            first = other.note if math.isnan(other.f) else f"Welch F = {other.f:.3f}, p = {other.p:.3g}"
            some = f"{int(pairs.different.sum()):,} of {how_many(pairs.p.size, 'pairs')} of cells"
            instead = f"spreads differ: read instead {first}; Games-Howell calls {some} different"
        note = "; ".join(filter(None, (one.assumed.standing_out, instead, one.assumed.note)))
        parts.append((f"{one.measure}: what the analysis of variance takes for granted", one.assumed.rows(), note))
    return parts


def _asked(one: MeasureCompared) -> list[Part]:
    """The tests asked for by name."""
    return [
        (
            f"{one.measure}: {each.test}",
            [dict(row) for row in each.rows],
            f"{summary_of(EVERY_TEST.find(each.test))} In addition to the verdict, which does not rest on it.",
        )
        for each in one.asked
    ]


def _named(row: dict[str, object]) -> dict[str, object]:
    """The row of a cell with p-values named as in the other tables, so that none is printed as 0."""
    names = {"unpaired p": "p (unpaired)", "unpaired Tukey p": "p (Tukey)", "paired p": "p (paired)"}
    return {names.get(key, key): value for key, value in row.items()}


def comparison_notes(comparison: Compared) -> list[str]:
    """Queries that were left out, and what so few queries or classes cannot show, or not in so large a family."""
    left_out = [
        f"{one.measure}: {one.left_out:,} {'query' if one.left_out == 1 else 'queries'} left out, because not every "
        "system has a value there"
        for one in comparison.measures
        if one.left_out
    ]
    equal = [
        f"{name} has the values of {other} on every query and is compared once, as {other}"
        for name, other in comparison.same.items()
    ]
    return left_out + equal + few_notes(comparison)


def few_notes(comparison: Compared) -> list[str]:
    """Where no difference, however large, could be shown, by a whole family or some pairs; else what few may lack."""
    lines = []
    hopeless: dict[tuple[str, int, str], list[MeasureCompared]] = {}
    for one in comparison.measures:
        if 2.0 ** (1 - len(one.units)) * _factor(comparison, one) > 1 - comparison.level:
            family = comparison.families.of(one.measure)
            hopeless.setdefault((family, len(one.units), one.unit), []).append(one)
        elif len(comparison.systems) > 2 and one.undecidable:
            some = f"{len(one.undecidable):,} of {how_many(len(one.pairs), 'pair', 'pairs')}"
            most = max(one.differing(each) for each in one.undecidable)
            lines.append(
                f"{one.measure}: in {some} so few {one.unit} differ (at most {most}) that no difference could be "
                "significant at the level of the correction"
            )
    for (family, units, unit), found in hopeless.items():
        least, factor = 2.0 ** (1 - units), _factor(comparison, found[0])
        by = "" if found[0] is comparison.main else f"{join_words([one.measure for one in found])}: "
        corrected = f", {plain_number(min(1.0, least * factor))} when corrected over the {family}" if factor > 1 else ""
        fewer = "Compare fewer systems, or have more" if least <= 1 - comparison.level else "Have more"
        lines.append(
            f"{by}{how_many(units, unit)} cannot make any difference significant: the smallest p-value possible is "
            f"{plain_number(least)}{corrected}. {fewer} {unit}"
        )
    told = comparison.main in [one for found in hopeless.values() for one in found]
    return lines if told or not comparison.main.caution else [*lines, comparison.main.caution]


def _factor(comparison: Compared, one: MeasureCompared) -> int:
    """By how much the correction multiplies the smallest p-values of a family where all are equal."""
    return comparison.families.size_of(one.measure) if comparison.families.correction in STRICT else 1


def comparison_text(comparison: Compared, every_pair: bool = False, notes: bool = True) -> str:
    """Plain text; of measures after the first only systems and pairs."""
    lines = ["\n".join(verdict_sentences(comparison)), ""]
    for number, one in enumerate(comparison.measures):
        parts = comparison_parts(comparison, one, every_pair)
        further = [*parts[:2], *_equivalent(comparison, one, every_pair), *_asked(one)]
        for heading, rows, note in parts if number == 0 else further:
            lines += [heading, text_table(rows).rstrip("\n"), note, ""]
    return visible(
        "\n".join([*lines, *(f"! {line}" for line in comparison_notes(comparison) if notes)]).rstrip("\n") + "\n"
    )


def comparison_markdown(comparison: Compared, every_pair: bool = False, notes: bool = True) -> str:
    """For a pull request or a notebook."""
    first, *rest = verdict_sentences(comparison)
    lines = [f"**{first}**", "", *(f"{line}\n" for line in rest)]
    for one in comparison.measures:
        for heading, rows, note in comparison_parts(comparison, one, every_pair):
            lines += [f"### {heading}", "", markdown_table(rows), note, ""]
    return visible(
        "\n".join([*lines, *(f"- {line}" for line in comparison_notes(comparison) if notes)]).rstrip("\n") + "\n"
    )


def comparison_json(comparison: Compared, every_pair: bool = True, notes: bool = True) -> str:
    """Everything, every pair and every note included in any case."""
    return as_json(
        {
            "format": "rankscope.compare",
            "version": 1,
            "verdict": verdict_sentences(comparison),
            "level": comparison.level,
            "seed": comparison.seed,
            "primary": comparison.main.measure,
            "family": str(comparison.families.primary),
            "families": str(comparison.families).splitlines(),
            "same": dict(comparison.same),
            "measures": [_json_measure(comparison, one) for one in comparison.measures],
            "notes": comparison_notes(comparison),
            "write_up": comparison.write_up(),
        }
    )


def _json_measure(comparison: Compared, one: MeasureCompared) -> dict[str, Any]:
    correction, equivalence = comparison.families.correction, None
    if one.equivalences:
        margin, family = one.equivalences[0].margin, comparison.equivalence_family(one.measure)
        equivalence = {"margin": margin, "family": family, "pairs": one.equivalence_rows(correction)}
    return {
        "measure": one.measure,
        "role": "primary" if comparison.families.is_primary(one.measure) else "secondary",
        "queries": len(one.table),
        "unit": one.unit,
        "intervals": one.means.words,
        "left_out": one.left_out,
        "systems": one.system_rows(),
        "pairs": one.pair_rows(correction),
        "equivalence": equivalence,
        "groups": [list(group) for group in one.ranks.groups] if one.ranks is not None else [],
        "classes": one.class_rows(),
        "cells": one.cells.rows() if one.cells is not None else [],
        "why": one.cells.why if one.cells is not None else "",
        "assumptions": one.assumed.rows() if one.assumed is not None else [],
        "tests": {each.test: [dict(row) for row in each.rows] for each in one.asked},
    }


def comparison_csv(comparison: Compared, every_pair: bool = True, notes: bool = True) -> str:
    """Every pair by every measure with all digits, one row each; empty where there is not a number."""
    return rows_csv(pair_records(comparison))


def pair_records(comparison: Compared) -> list[dict[str, object]]:
    """Every pair by every measure as one row, for programs."""
    return [row for one in comparison.measures for row in _csv_rows(comparison, one)]


def _csv_rows(comparison: Compared, one: MeasureCompared) -> Iterator[dict[str, object]]:
    """The pairs of a measure next to the means of both systems, under names without blanks."""
    correction = comparison.families.correction
    names = {f"p ({correction})": "p_adjusted", "p (Tukey)": "p_tukey", "d/sd": "d_sd"}
    means = dict(zip(one.table.systems, one.means.mean.tolist(), strict=True))
    equivalent = [
        {
            "margin": each.margin,
            "equivalence_low": each.low,
            "equivalence_high": each.high,
            "p_equivalence": each.p,
            "p_equivalence_adjusted": each.adjusted,
            "outcome": each.outcome,
        }
        for each in one.equivalences
    ] or [{} for _ in one.pairs]
    for row, last in zip(one.pair_rows(correction), equivalent, strict=True):
        lead = {"measure": one.measure, "first": row["first"], "second": row["second"]}
        both = {"first_mean": means[str(row["first"])], "second_mean": means[str(row["second"])]}
        yield (
            lead
            | both
            | {names.get(key, key): value for key, value in row.items() if key not in lead}
            | {"correction": correction, "queries": len(one.table)}
            | last
        )


COMPARISON_FORMATS: dict[str, Callable[[Compared, bool, bool], str]] = {
    "text": comparison_text,
    "markdown": comparison_markdown,
    "json": comparison_json,
    "csv": comparison_csv,
}


# What variables of the queries explain, in words and tables.

EXPLAINED_HEADING = "What variables of the queries explain"


def explained_words(done: Explained) -> str:
    """What was fitted, how to read it, and what the variables take away."""
    shared = (
        "Pairs by their own differences, because the variance of queries comes out below 0."
        if done.paired
        else f"Variance of queries {done.plain_query:.5f} without the variables, {done.query_variance:.5f} with them; "
        f"residual {done.plain_residual:.5f} and {done.residual_variance:.5f}."
    )
    note = f" {done.note}." if done.note else ""
    return (
        f"Mixed model of {done.measure} of {how_many(done.queries, 'queries')}: system * (class + variables) + (1 "
        "| query), REML. "
        f"Slopes are for one standard deviation of a variable. {shared} p values are for each slope alone, and no "
        f"verdict rests on them.{note}"
    )


def with_explained(text: str, done: Explained, format: str) -> str:
    """A comparison with the table below it: text, Markdown, or a key of its JSON."""
    if format == "json":
        return as_json({**json.loads(text), "explained": {"words": explained_words(done), "rows": done.rows()}})
    if format == "markdown":
        return f"{text.rstrip()}\n\n## {EXPLAINED_HEADING}\n\n{markdown_table(done.rows())}\n{explained_words(done)}\n"
    return f"{text.rstrip()}\n\n{EXPLAINED_HEADING}\n\n{text_table(done.rows())}{explained_words(done)}\n"
