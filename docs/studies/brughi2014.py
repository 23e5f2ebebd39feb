"""Brughi, Gil, Badiella, Jove & Ramos (2014) re-enacted: does one image retrieval system beat another, and on what?

    python docs/studies/brughi2014.py [--systems rankers|simple] [--data FOLDER] [--seed N] [--figures FOLDER]

The analyses of the paper in its order, on 25 queries of 5 classes in a collection of 475 pictures: AP of each query,
confidence bands, one-way analysis of variance of the ten cells, comparison intervals. Then what it named as next steps:
the paired test, the mixed model, checks of the assumptions, the power of the design. Every sentence is made from
computed values. Read it with `brughi2014.md`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from brughi2014_data import SYSTEMS, Experiment, experiment

from rankscope.curves.curve import Curve
from rankscope.errors import RankscopeError
from rankscope.graphs import Graph, band_graph, comparison_intervals_graph
from rankscope.measures.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.comparison_words import listed, verdict
from rankscope.reports.rows import table as as_table
from rankscope.settings import Settings
from rankscope.statistics.assumptions import assumptions
from rankscope.statistics.band import Band
from rankscope.statistics.bands import band, difference_band
from rankscope.statistics.cells import Cells
from rankscope.statistics.compare import compare
from rankscope.statistics.compared import Compared
from rankscope.statistics.comparison_intervals import comparison_intervals
from rankscope.statistics.games_howell import games_howell
from rankscope.statistics.mixed import mixed
from rankscope.statistics.paired_and_unpaired import PairedAndUnpaired, paired_and_unpaired
from rankscope.statistics.paired_t import spread
from rankscope.statistics.power import (
    anova_power,
    paired_power,
    queries_needed,
    smallest_effect,
    smallest_significant_difference,
)
from rankscope.statistics.query_curves import precision_at_recall
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.transformations import logit
from rankscope.statistics.welch import welch

POINTS = 10  # recall levels: "quantiles" in the paper
LARGE = 0.4  # Cohen's f that counts as a large effect
MATTERS = 0.05  # a difference in AP that one would like to see
Words = Iterable[str]


def main(arguments: list[str] | None = None) -> None:
    """Print the study, and draw its two figures."""
    asked = _options(arguments)
    given = experiment(asked.data, asked.seed)
    systems = list(SYSTEMS[asked.systems](given))
    table = ScoreTable.of(evaluate_ranks(systems, ["AP"], Settings(seed=asked.seed)))
    if given.note:
        print(f"! {given.note}", file=sys.stderr)
    print("\n".join(_study(given, systems, table)))
    for name, graph in figures(systems).items():
        path = Path(asked.figures) / f"brughi2014-{asked.systems}-{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        for suffix in (".svg", ".png"):
            graph.save(path.with_suffix(suffix), width=120)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", choices=list(SYSTEMS), default=next(iter(SYSTEMS)), help="which two (%(default)s)")
    parser.add_argument("--data", metavar="FOLDER", help="where corel1k/ lies; else RANKSCOPE_DATA, ../shared/data")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (%(default)s)")
    parser.add_argument("--figures", metavar="FOLDER", default="brughi2014", help="for the figures (%(default)s)")
    return parser.parse_args(arguments)


def _study(given: Experiment, systems: list[RelevantRanks], table: ScoreTable) -> Words:
    """The whole study, part by part."""
    cells, whole = paired_and_unpaired(table), compare([table], seed=given.seed)
    yield from (f"{table.systems[0]} and {table.systems[1]}", str(given))
    yield from ("", "1. AP of each query", *_values(table))
    yield from ("", "2. Confidence bands, vertical averaging at 10 recall levels", *_bands(systems, given.seed))
    yield from ("", "3. One-way analysis of variance of the ten cells", *_anova(cells))
    yield from ("", "4. Comparison intervals (Tukey)", *_intervals(table))
    yield from ("", "5. The same queries under both systems: the paired test", *_paired(whole, cells))
    yield from ("", "6. Mixed model AP ~ system * class + (1 | query)", *_mixed(table))
    yield from ("", "7. What the analyses take for granted", *_assumed(table))
    yield from ("", "8. Power of the design", *_power(table, cells))
    yield from ("", "9. Conclusions", *_conclusions(table, whole, cells))


def _values(table: ScoreTable) -> Words:
    """Five values a cell, and its mean."""
    rows = []
    for label in table.class_names:
        part = table.where(label)
        for column, system in enumerate(table.systems):
            values = part.values[:, column]
            row: dict[str, object] = {"class": label, "system": system}
            row |= {f"query {number}": value for number, value in enumerate(values.tolist(), 1)}
            rows.append(row | {"mean": float(values.mean()), "sd": spread(values)})
    yield as_table(rows).rstrip("\n")
    first, second = table.values.mean(axis=0).tolist()
    yield f"Over all {len(table)} queries: {table.systems[0]} {first:.4f}, {table.systems[1]} {second:.4f}."


def _bands(systems: list[RelevantRanks], seed: int) -> Words:
    curves = [precision_at_recall(each, POINTS) for each in systems]
    point, whole = ([band(each, None, how, seed=seed) for each in curves] for how in ("t", "sup-t"))
    rows = []
    for column, x in enumerate(curves[0].x.tolist()):
        row: dict[str, object] = {"recall": x}
        for each in point:
            row |= {each.name: each.mean[column], f"{each.name} low": each.low[column]}
            row |= {f"{each.name} high": each.high[column]}
        rows.append(row)
    yield as_table(rows).rstrip("\n")
    yield (
        f"t bands (eq. 2), each point for itself: {point[0].critical[0]:.3f} standard errors to each side. For the whole "
        f"curve it takes {whole[0].critical.max():.3f} ({point[0].name}) and {whole[1].critical.max():.3f} "
        f"({point[1].name}): sup-t, {whole[0].resamples:,} resamples."
    )
    yield f"The two t bands overlap at {_overlapping(point)} of {POINTS} levels, which is no test."
    made = difference_band(curves[0], curves[1], seed=seed)
    apart = np.flatnonzero(~made.holds(np.zeros(POINTS)))
    where = "nowhere" if not apart.size else f"at recall {', '.join(f'{made.x[each]:.2f}' for each in apart)}"
    yield f"The band of the difference, for the whole curve and query by query, leaves out 0 {where}."


def _overlapping(bands: list[Band]) -> int:
    first, second = bands
    return int(((first.low <= second.high) & (second.low <= first.high)).sum())


def _anova(cells: PairedAndUnpaired) -> Words:
    made = cells.unpaired
    yield as_table(made.rows()).rstrip("\n")
    yield f"Root of the residual mean square: s = {made.mse**0.5:.4f}. {_differ(made.p)} The cells are systems and classes."


def _differ(p: float) -> str:
    return (
        f"Some of the cells differ (p = {p:.2g})." if p <= 0.05 else f"No difference of cells is shown (p = {p:.2g})."
    )


def _intervals(table: ScoreTable) -> Words:
    made = comparison_intervals(table)
    yield as_table(made.rows()).rstrip("\n")
    pairs = made.pairs
    yield (
        f"{int(pairs.different.sum())} of {pairs.p.size} pairs of cells have disjoint intervals, which is the test itself "
        f"because all cells have as many queries. Two means must differ by {pairs.width[0]:.4f}."
    )
    yield f"Systems within one class: {_within(made.cells, made.pairs.rows())}."


def _within(cells: Cells, rows: list[dict[str, object]]) -> str:
    """The pairs that compare systems on one class, in words."""
    label_of = dict(zip(cells.names, cells.labels, strict=True))
    own = [row for row in rows if label_of[str(row["first"])] == label_of[str(row["second"])]]
    told = [f"{label_of[str(row['first'])]} {row['difference']:+.3f} (p = {row['p']:.2g})" for row in own]
    apart = sum(bool(row["different"]) for row in own)
    return f"{apart} of {len(own)} differ; {'; '.join(told)}"


def _paired(whole: Compared, cells: PairedAndUnpaired) -> Words:
    yield from verdict(whole)
    wanted = ("class", "difference", "unpaired error", "unpaired p", "paired error", "paired p")
    yield as_table([{key: row[key] for key in wanted} for row in cells.rows()]).rstrip("\n")
    yield cells.why
    yield as_table(whole.main.class_rows()).rstrip("\n")
    yield f"{whole.main.classes[0].how}. p (mixed model) is not corrected, and no verdict rests on it."


def _mixed(table: ScoreTable) -> Words:
    fixed, random = mixed(table), mixed(table, random_classes=True)
    effect, other = fixed.overall[0], random.overall[0]
    yield (
        f"Classes fixed: {effect.difference:+.4f} [{effect.low:+.4f}, {effect.high:+.4f}], standard error "
        f"{effect.error:.4f}, {effect.freedom:g} degrees of freedom, p = {effect.p:.2g}."
    )
    yield (
        f"Variance of queries {fixed.query_variance:.5f}, residual {fixed.residual_variance:.5f}: {fixed.shared:.0%} of "
        f"what varies within a cell is the query's. {fixed.note}".rstrip()
    )
    yield (
        f"Classes as a sample of classes: {other.difference:+.4f} [{other.low:+.4f}, {other.high:+.4f}], standard error "
        f"{other.error:.4f}, {other.freedom:g} degrees of freedom, p = {other.p:.2g}; {random.note}."
    )


def _assumed(table: ScoreTable) -> Words:
    made = assumptions(table)
    yield as_table(made.rows()).rstrip("\n")
    far = made.outliers[0]
    yield (
        f"{made.beyond} values lie beyond 3 standard deviations; the farthest is query {far.query} under {far.system} "
        f"({far.value:.3f}, {far.standardised:+.2f})."
    )
    other, curved = welch(table), assumptions(logit(table))
    instead = games_howell(table)
    yield (
        f"Cells with a spread each: Welch F = {other.f:.2f}, p = {other.p:.2g}; Games-Howell calls "
        f"{int(instead.different.sum())} of {instead.p.size} pairs different. Logit of AP: Levene p = {curved.levene_p:.2g}."
    )
    read = "Spreads differ: read Welch and Games-Howell." if made.unequal_spread else "One spread will do."
    yield read


def _power(table: ScoreTable, cells: PairedAndUnpaired) -> Words:
    count, groups = len(table), len(cells.unpaired.cells)
    each = count * len(table.systems) // groups
    least = smallest_significant_difference(groups, each)
    sd = spread(table.differences(*table.systems))
    yield (
        f"One-way, {groups} cells of {each} queries: power {anova_power(LARGE, groups, each):.2f} for Cohen's f = {LARGE}; "
        f"the smallest difference that Tukey calls one is {least:.3f} s = {least * cells.unpaired.mse**0.5:.3f} AP."
    )
    yield (
        f"Paired, {count} queries, sd of differences {sd:.3f}: a true difference of {smallest_effect(count, sd):.3f} is "
        f"found in 80 % of such experiments, one of {MATTERS} in {float(paired_power(MATTERS, sd, count)):.0%}; "
        f"for {MATTERS} it takes {queries_needed(MATTERS, sd)} queries."
    )


def _conclusions(table: ScoreTable, whole: Compared, cells: PairedAndUnpaired) -> Words:
    made, effects = comparison_intervals(table), whole.main.classes[0].effects
    names = list(made.cells.names)
    rows = made.pairs.rows()
    unpaired = [
        label
        for label in table.class_names
        if any(
            row["different"] and {row["first"], row["second"]} == {f"{each}, {label}" for each in table.systems}
            for row in rows
        )
    ]
    paired = [each.label for each in effects if each.better]
    means = dict(zip(names, made.cells.mean.tolist(), strict=True))
    easiest, hardest = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    yield f"- {verdict(whole)[0]}"
    yield f"- As the paper tests it, the systems differ on {_classes(unpaired)}; query by query, on {_classes(paired)}."
    yield (
        f"- Classes matter: the means of the cells go from {means[hardest]:.3f} ({hardest}) to {means[easiest]:.3f} "
        f"({easiest}), and between cells lie {cells.unpaired.explained:.0%} of all squares."
    )
    random = mixed(table, random_classes=True).overall[0]
    said = "holds" if random.p <= 0.05 else "is not shown to hold"
    yield f"- For classes not asked, the difference {said} ({len(table.class_names)} classes as a sample, p = {random.p:.2g})."


def _classes(labels: list[str]) -> str:
    return f"{len(labels)} ({listed(labels)})" if labels else "no class"


def figures(systems: list[RelevantRanks]) -> dict[str, Graph]:
    """Figure 1: both curves with t bands, and the limits for the whole curve; figure 2: comparison intervals."""
    queries = [replace(each, classes=None) for each in systems]  # as in the paper: every query counts for itself
    graph = band_graph(queries, band="t", points=POINTS)
    for each in queries:
        wide = band(precision_at_recall(each, POINTS)).drawn()
        for limit in (wide.low, wide.high):
            graph = graph.curve(Curve(wide.x, limit), each.system, markers=0, light=True)
    subtitle = f"{len(queries[0])} queries; shaded: 95% t band, each point for itself; thin: sup-t, the whole curve"
    return {"figure-1": graph.described(subtitle=subtitle), "figure-2": comparison_intervals_graph(systems)}


if __name__ == "__main__":
    try:
        main()
    except RankscopeError as problem:
        sys.exit(f"brughi2014: {problem}")
