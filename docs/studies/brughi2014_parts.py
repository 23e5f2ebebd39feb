"""The parts of the study in words and tables; every number is computed from the scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from brughi2014_data import Experiment, RankedSystem, variables
from brughi2014_figures import POINTS

from rankscope.analysis.comparison.compare import Compared, compare
from rankscope.analysis.comparison.verdict_sentences import join_names, verdict_sentences
from rankscope.analysis.statistics.anova import welch
from rankscope.analysis.statistics.assumptions import assumptions
from rankscope.analysis.statistics.bands import Band, band, difference_band
from rankscope.analysis.statistics.collection_band import collection_band
from rankscope.analysis.statistics.explanatory_variables import explain, explained_words
from rankscope.analysis.statistics.mixed_model import PairedAndUnpaired, SystemEffect, mixed
from rankscope.analysis.statistics.multiple_comparisons import comparison_intervals, games_howell
from rankscope.analysis.statistics.paired_tests import spread
from rankscope.analysis.statistics.power import (
    anova_power,
    paired_power,
    queries_needed,
    smallest_effect,
    smallest_significant_difference,
)
from rankscope.analysis.statistics.query_curves import precision_at_recall
from rankscope.analysis.statistics.score_table import ScoreTable, logit
from rankscope.core.arrays import FloatArray
from rankscope.core.rendering import text_table as as_table
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.quadruple import random_average_precision
from rankscope.ranks.relevant_ranks import RelevantRanks

ALPHA = 0.05
LARGE = 0.4  # Cohen's f that counts as a large effect
MATTERS = 0.05  # a difference in AP that one would like to see
Words = Iterable[str]


def values(table: ScoreTable) -> Words:
    """AP of each query, cell by cell."""
    rows = []
    for label in table.class_names:
        part = table.where(label)
        for column, system in enumerate(table.systems):
            own = part.values[:, column]
            row: dict[str, object] = {"class": label, "system": system}
            row |= {f"query {number}": value for number, value in enumerate(own.tolist(), 1)}
            rows.append(row | {"mean": float(own.mean()), "sd": spread(own)})
    yield _table(rows)
    first, second = table.values.mean(axis=0).tolist()
    yield f"Over all {len(table)} queries: {table.systems[0]} {first:.4f}, {table.systems[1]} {second:.4f}."


def bands(systems: Sequence[RelevantRanks], seed: int, levels: int = POINTS) -> Words:
    """The bands of the paper, those for the whole curve, and the band of the difference."""
    curves = [precision_at_recall(each, levels) for each in systems]
    point, whole = ([band(each, None, how, seed=seed) for each in curves] for how in ("t", "unseen-unit"))
    yield _table([_level(point, column) for column in range(levels)])
    yield (
        f"t bands (eq. 2), each point by itself: {point[0].critical[0]:.3f} standard errors to each side. Bands for "
        f"the whole curve are {_wider(whole[0], point[0]):.2f} ({point[0].name}) and {_wider(whole[1], point[1]):.2f} "
        f"({point[1].name}) times as wide, median over the levels: one unseen query, {whole[0].resamples:,} draws."
    )
    over, _ = _overlaps(systems, seed, levels)
    yield f"The two t bands overlap at {over} of {levels} levels, which is no test."
    made = difference_band(curves[0], curves[1], seed=seed)
    apart = np.flatnonzero(~made.holds(np.zeros(levels)))
    where = f"at recall {', '.join(f'{made.x[each]:.2f}' for each in apart)}" if apart.size else "nowhere"
    yield f"The band of the difference, for the whole curve and query by query, leaves out 0 {where}."


def _wider(wide: Band, narrow: Band) -> float:
    return float(np.median((wide.high - wide.low) / (narrow.high - narrow.low)))


def _level(bands: list[Band], column: int) -> dict[str, object]:
    row: dict[str, object] = {"recall": float(bands[0].x[column])}
    for each in bands:
        row |= {each.name: float(each.mean[column]), f"{each.name} low": float(each.low[column])}
        row |= {f"{each.name} high": float(each.high[column])}
    return row


def one_way(cells: PairedAndUnpaired) -> Words:
    """The analysis of variance of the cells."""
    made = cells.unpaired
    yield _table(made.rows())
    shown = "Some cells differ" if made.p <= ALPHA else "No difference of cells is shown"
    yield f"{shown} (p = {made.p:.2g}). Root of the residual mean square: s = {made.mse**0.5:.4f}."


def intervals(table: ScoreTable, cells: PairedAndUnpaired) -> Words:
    """The comparison intervals, and what they say of the systems within each class."""
    made = comparison_intervals(table)
    yield _table(made.rows())
    yield (
        f"{int(made.pairs.different.sum())} of {made.pairs.p.size} pairs of cells have disjoint intervals: with as "
        f"many queries in each cell that is the test itself. Two means must differ by {made.pairs.width[0]:.4f}."
    )
    rows = cells.rows()
    told = "; ".join(f"{row['class']} {row['difference']:+.3f} (p = {row['unpaired Tukey p']:.2g})" for row in rows)
    yield f"Systems within one class: {len(_unpaired(cells))} of {len(rows)} differ; {told}."


def _unpaired(cells: PairedAndUnpaired) -> list[str]:
    """Classes on which the paper's test tells the systems apart."""
    return [str(row["class"]) for row in cells.rows() if float(str(row["unpaired Tukey p"])) <= ALPHA]


def paired(table: ScoreTable, whole: Compared, cells: PairedAndUnpaired) -> Words:
    """The verdict of the paired tests, and how much pairing is worth."""
    yield from verdict_sentences(whole)
    yield _paired_error(table)
    names = {"class": "class", "difference": "difference", "unpaired error": "error, unpaired"}
    names |= {"unpaired p": "p (unpaired)", "paired error": "error, paired", "paired p": "p (paired)"}
    yield _table([{names[key]: row[key] for key in names} for row in cells.rows()])
    yield cells.why
    yield _table(whole.main.class_rows())
    yield f"{whole.main.classes[0].how}. p (mixed model) is not corrected, and no verdict rests on it."


def _paired_error(table: ScoreTable) -> str:
    """The standard error of the mean difference, classes not looked at."""
    own = table.differences(*table.systems)
    error = spread(own) / len(own) ** 0.5
    told = f"{error:.4f} = {spread(own):.4f} / sqrt({len(own)})"
    return f"Mean difference {float(own.mean()):+.4f}, paired standard error {told}."


def mixed_model(table: ScoreTable) -> Words:
    """Queries random; then classes random too."""
    fixed, random = mixed(table), mixed(table, random_classes=True)
    own = table.differences(*table.systems)
    error = spread(own) / len(own) ** 0.5
    yield (
        f"Classes fixed: {_effect(fixed.overall[0])}. The paired error of section 5, {error:.4f}, holds how far the "
        "classes differ too; this one speaks of the five classes alone."
    )
    yield (
        f"Variance of queries {fixed.query_variance:.5f}, residual {fixed.residual_variance:.5f}: {fixed.shared:.0%} "
        f"of what varies within a cell is the query's{'; ' * bool(fixed.note)}{fixed.note}."
    )
    yield f"Classes as a sample of classes: {_effect(random.overall[0])}; {random.note}."


def _effect(made: SystemEffect) -> str:
    return (
        f"{made.difference:+.4f} [{made.low:+.4f}, {made.high:+.4f}], standard error {made.error:.4f}, "
        f"{made.freedom:g} degrees of freedom, p = {made.p:.2g}"
    )


def assumed(table: ScoreTable) -> Words:
    """Checks of the residuals, and the tests that do without one spread."""
    made, curved = assumptions(table), assumptions(logit(table))
    yield _table(made.rows())
    if made.outliers:
        far = made.outliers[0]
        yield (
            f"{made.beyond} of {made.residuals.size} values lie beyond 3 standard deviations; the farthest is query "
            f"{far.query} under {far.system} ({far.value:.3f}, {far.standardised:+.2f})."
        )
    other, instead = welch(table), games_howell(table)
    first = other.note if math.isnan(other.f) else f"F = {other.f:.2f}, p = {other.p:.2g}"
    yield (
        f"A spread for each cell. Welch: {first}. Games-Howell: {int(instead.different.sum())} of {instead.p.size} "
        f"pairs differ. Logit of AP: Levene p = {curved.levene_p:.2g}."
    )
    if made.unequal_spread:
        yield "Spreads differ: sections 3 and 4 take one for granted, and so does the mixed model per class."


def power(table: ScoreTable, cells: PairedAndUnpaired) -> Words:
    """What the design could have found."""
    count, groups = len(table), len(cells.unpaired.cells)
    each = count * len(table.systems) // groups
    least = smallest_significant_difference(groups, each)
    sd = spread(table.differences(*table.systems))
    yield (
        f"One-way, {groups} cells of {each} queries: power {anova_power(LARGE, groups, each):.2f} for Cohen's f = "
        f"{LARGE}; the smallest difference that Tukey calls one is {least:.3f} s = "
        f"{least * cells.unpaired.mse**0.5:.3f} AP."
    )
    yield (
        f"Paired, {count} queries, sd of differences {sd:.3f}: a true difference of {smallest_effect(count, sd):.3f} "
        f"is found in 80 % of such experiments, one of {MATTERS} in {float(paired_power(MATTERS, sd, count)):.0%}; "
        f"for {MATTERS} it takes {queries_needed(MATTERS, sd)} queries."
    )


def conclusions(table: ScoreTable, whole: Compared, cells: PairedAndUnpaired) -> Words:
    """What may be said, in the order of what it rests on."""
    shown = [each.label for each in whole.main.classes[0].effects if each.better]
    made = cells.unpaired.cells
    means = dict(zip(made.names, made.mean.tolist(), strict=True))
    easiest, hardest = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    random = mixed(table, random_classes=True).overall[0]
    said = "holds" if random.p <= ALPHA else "is not shown to hold"
    yield f"- {verdict_sentences(whole)[0]}"
    yield f"- As the paper tests it they differ on {_named(_unpaired(cells))}; query by query on {_named(shown)}."
    yield (
        f"- Classes matter: means of cells go from {means[hardest]:.3f} ({hardest}) to {means[easiest]:.3f} "
        f"({easiest}); between cells lie {cells.unpaired.explained:.0%} of all squares."
    )
    count = len(table.class_names)
    yield f"- For classes not asked the difference {said} ({count} classes as a sample, p = {random.p:.2g})."


def beside_paper(systems: Sequence[RelevantRanks], table: ScoreTable, cells: PairedAndUnpaired, seed: int) -> Words:
    """What the paper's text says of its figure 3, and what this experiment has of it."""
    yield _areas(systems, seed)
    yield _by_trapezia(systems, seed)
    first, second = table.values.mean(axis=0).tolist()
    over, _ = _overlaps(systems, seed)
    yield (
        "Figure 3a: the paper has 0.30 (bag of words) and 0.25 (SIFT matching) and bands that overlap throughout; here "
        f"{first:.2f} ({table.systems[0]}) and {second:.2f} ({table.systems[1]}), and bands that overlap at {over} of "
        f"{POINTS} levels."
    )
    spreads = [float(np.mean([spread(part[:, column]) for part in _by_class(table)])) for column in (0, 1)]
    alike = len(cells.rows()) - len(_unpaired(cells))
    yield (
        "Figure 3b: the paper finds no difference in 4 of 5 classes and slightly less spread in SIFT matching; here "
        f"none in {alike} of {len(cells.rows())}, and spreads within a class of {spreads[0]:.3f} ({table.systems[0]}) "
        f"and {spreads[1]:.3f} ({table.systems[1]}) on average."
    )
    sizes = zip(systems[0].collection.tolist(), systems[0].relevant.tolist(), strict=True)
    level = float(np.mean([random_average_precision(d, c) for d, c in sizes]))
    least = min(cells.unpaired.cells.mean)
    yield f"A random order has a mean AP of {level:.3f}; means of cells go down to {least:.3f}."


def _areas(systems: Sequence[RelevantRanks], seed: int) -> str:
    """AP as it is usual, and by the paper's trapezia, as printed and from the start."""
    names = {"AP": "usual", "AP(area=printed)": "trapezia as printed", "AP(area=oxford)": "trapezia from k = 1"}
    scores = evaluate_ranks(systems, list(names), Settings(seed=seed))
    told = [f"{name} {_values(scores, measure)}" for measure, name in names.items()]
    return f"Mean AP, {' and '.join(each.system for each in systems)}: {'; '.join(told)}."


def _by_trapezia(systems: Sequence[RelevantRanks], seed: int) -> str:
    """The verdict where the paper's own AP decides."""
    scores = evaluate_ranks(systems, ["AP(area=printed)"], Settings(seed=seed))
    whole = compare([ScoreTable.of(scores)], seed=seed)
    return f"By the trapezia as printed: {verdict_sentences(whole)[0]}"


def collection_bands(systems: Sequence[RankedSystem], given: Experiment, levels: int = POINTS) -> Words:
    """How far the curves would move with other pictures, the queries being the same."""
    labels = np.array(given.labels)
    relevant = labels[given.queries][:, None] == labels[None, :]
    relevant[np.arange(given.queries.size), given.queries] = False
    made = [collection_band(each.order(given), relevant, levels, seed=given.seed) for each in systems]
    rows = []
    for place in range(levels):
        row: dict[str, object] = {"recall": float(made[0].levels[place])}
        for system, own in zip(systems, made, strict=True):
            row |= {system.name: float(own.mean[place]), f"{system.name} low": float(own.low[place])}
            row |= {f"{system.name} high": float(own.high[place])}
        rows.append(row)
    yield _table(rows)
    apart = int(((made[0].low > made[1].high) | (made[1].low > made[0].high)).sum())
    yield (
        f"95% bands for the whole curve over {made[0].resamples:,} collections drawn from these pictures (each picture "
        f"a Poisson number of times, for all queries at once), the queries fixed. They are apart at {apart} of "
        f"{levels} levels. Bands of section 2 draw queries and keep the pictures; neither holds the other's chance."
    )


def explained_by(table: ScoreTable, given: Experiment) -> Words:
    """What brightness and contrast of the query explain, classes taken out."""
    done = explain(table, variables(given))
    yield _table(done.rows())
    yield explained_words(done)


def beside_variants(systems: Sequence[RelevantRanks], bag: RelevantRanks, seed: int) -> Words:
    """Mean AP of vocabularies and ways of matching, and the paper's own pair by the one procedure."""
    names = {"AP": "AP", "AP(area=printed)": "AP, trapezia as printed"}
    scores = evaluate_ranks(systems, list(names), Settings(seed=seed))
    tables = {words: ScoreTable.of(scores, measure) for measure, words in names.items()}
    columns = {
        words: dict(zip(own.systems, own.values.mean(axis=0).tolist(), strict=True)) for words, own in tables.items()
    }
    yield _table(
        [{"system": each.system, **{words: own[each.system] for words, own in columns.items()}} for each in systems]
    )
    bags = {name: value for name, value in columns["AP"].items() if "word" in name}
    best = max(bags, key=bags.__getitem__)
    yield f"Of the vocabularies {best} has the highest mean; the paper found 50 words best."
    paper = next(each for each in systems if each.system == "SIFT, LO-RANSAC")
    both = ScoreTable.of(evaluate_ranks([bag, paper], ["AP"], Settings(seed=seed)))
    yield f"As the paper has it, bag of words and SIFT, LO-RANSAC: {verdict_sentences(compare([both], seed=seed))[0]}"


def _values(scores: Scores, measure: str) -> str:
    tables = ScoreTable.of(scores, measure).values.mean(axis=0)
    return " and ".join(f"{value:.4f}" for value in tables.tolist())


def _overlaps(systems: Sequence[RelevantRanks], seed: int, levels: int = POINTS) -> tuple[int, list[Band]]:
    """At how many levels the t bands overlap, and the bands."""
    point = [band(precision_at_recall(each, levels), None, "t", seed=seed) for each in systems]
    over = (point[0].low <= point[1].high) & (point[1].low <= point[0].high)
    return int(over.sum()), point


def _by_class(table: ScoreTable) -> list[FloatArray]:
    return [table.where(label).values for label in table.class_names]


def _named(labels: list[str]) -> str:
    return f"{join_names(sorted(labels))} ({len(labels)})" if labels else "no class"


def _table(rows: Sequence[dict[str, object]]) -> str:
    return as_table(rows).rstrip("\n")
