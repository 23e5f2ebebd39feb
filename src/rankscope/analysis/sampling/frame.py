"""The frame of judgements: all items that could have been drawn, in strata, and totals estimated from those drawn.

Strata are groups of items of one query from which some were drawn at random and judged. Everything that is summed is
0
for an item that is not relevant, so the relevant items drawn are all that totals need.

Student's interval of one stratified total, with Satterthwaite's degrees of freedom (1946), is for samples of many
pairs
from few strata, such as all pairs of a test stratified by a machine's grade. For the class size of one query it is no
good: where few relevant items are drawn it held the truth in .78 of simulated samples, and `intervals` takes its
place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.sampling.estimate import EstimatedRange
from rankscope.analysis.sampling.intervals import t_quantile
from rankscope.analysis.sampling.pools import PoolPlan, Rankings
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.wording import how_many, setting_usage
from rankscope.inputs.sampled_qrels import SampledQrels
from rankscope.ranks.ragged import sums_by

if TYPE_CHECKING:
    import polars as pl


ADVICE = (
    "A stratum that is not judged in full needs two judged items, so that its variance can be estimated. Judge more, "
    "or draw wider bands: rankscope project pool draws at least two of each."
)


@dataclass(frozen=True, eq=False)
class Frame:
    """Items (query, item) by stratum, with the grade of those that were judged (NaN: not judged).

    `strata.size` may be more than the items listed: then the others are known by number only.
    """

    queries: tuple[str, ...]
    table: pl.DataFrame  # query, item
    stratum: IntArray
    grade: FloatArray
    strata: Strata
    rel: float = 1.0
    name: str = "judgements"
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, rows: pl.DataFrame, sizes: pl.DataFrame | None = None, *, rel: float = 1.0, name: str = "judgements"
    ) -> Frame:
        """From rows (query, item, stratum, grade; below 0: not judged), queries and strata in the order they come.

        `sizes` (query, stratum, size) says how many items a stratum has where they are not all listed.
        """
        import polars as pl

        keys = rows.select("query", "stratum").unique(maintain_order=True)
        names = keys.get_column("query").unique(maintain_order=True)
        numbers = pl.DataFrame({"query": names}).with_row_index("number")
        keys = keys.join(numbers, on="query", maintain_order="left").sort("number", maintain_order=True)
        keys = keys.with_row_index("place")
        placed = rows.join(keys, on=["query", "stratum"], maintain_order="left")
        grade = placed.get_column("grade").cast(pl.Float64).to_numpy().copy()
        grade[grade < 0] = np.nan
        stratum = placed.get_column("place").to_numpy().astype(np.int64)
        size = np.bincount(stratum, minlength=keys.height)
        if sizes is not None:
            known = keys.join(sizes, on=["query", "stratum"], how="left", maintain_order="left").get_column("size")
            size = np.maximum(known.fill_null(0).to_numpy().astype(np.int64), size)
        strata = Strata(
            queries=names.len(),
            query=keys.get_column("number").to_numpy().astype(np.int64),
            name=tuple(keys.get_column("stratum").to_list()),
            size=size,
            judged=np.bincount(stratum[~np.isnan(grade)], minlength=keys.height),
        )
        frame = cls(
            queries=tuple(names.to_list()),
            table=placed.select("query", "item"),
            stratum=stratum,
            grade=grade,
            strata=strata,
            rel=rel,
            name=name,
        )
        frame._check()
        return frame

    def _check(self) -> None:
        """Every stratum that is not judged in full has two judged items; all that have not are told at once."""
        few = np.flatnonzero((self.strata.judged < 2) & (self.strata.judged < self.strata.size))
        if few.size:
            strata = self.strata
            problems = [
                f"query {self.queries[strata.query[each]]}, stratum {strata.name[each]}: "
                f"{strata.judged[each]} judged of {strata.size[each]:,}"
                for each in few.tolist()
            ]
            raise InputError.of(self.name, problems, ADVICE)

    @property
    def is_judged(self) -> BoolArray:
        return ~np.isnan(self.grade)

    @cached_property
    def drawn(self) -> IntArray:
        return np.flatnonzero(self.grade >= self.rel)

    @cached_property
    def unlisted(self) -> IntArray:
        """How many items of each stratum are known by number only."""
        return self.strata.size - np.bincount(self.stratum, minlength=len(self.strata))

    @cached_property
    def found(self) -> IntArray:
        return np.bincount(self.stratum[self.drawn], minlength=len(self.strata))


# From judgements to the frame they were drawn from: what says how they were drawn, and what is refused.

COLLECTION = "collection"
EXAMPLE = "'sample(1-10:all, 11-100:20%)'"
ROUNDING = 0.5  # items by which n/pi may miss a whole number of a stratum


def frame_of(
    judged: SampledQrels,
    rankings: Sequence[pl.DataFrame],
    drawn: str | None = None,
    *,
    rel: float = 1.0,
    collection_size: int | None = None,
) -> Frame:
    """The frame of judgements that say how they were drawn, or of which `drawn` says it.

    `drawn`: the pool of the runs (`rankings`, tables query, item, rank) as `rankscope project pool` writes it, such as
    'sample(1-10:all, 11-100:20%)', or 'collection': at random from the whole collection.
    """
    if drawn == COLLECTION:
        return _of_collection(judged, collection_size, rel)
    if drawn is not None:
        return _of_pool(judged, rankings, drawn, rel)
    if judged.has_strata and not judged.has_probabilities:
        return Frame.of(judged.table, rel=rel, name=judged.name)
    if judged.has_probabilities:
        return _of_probabilities(judged, rel)
    if (judged.table.get_column("grade") < 0).any():
        # -1 marks what was not judged of a pool: one stratum a query.
        import polars as pl

        return Frame.of(judged.table.with_columns(stratum=pl.lit("pool")), rel=rel, name=judged.name)
    of_runs, of_all = setting_usage("drawn", EXAMPLE), setting_usage("drawn", COLLECTION)
    raise SettingError(
        f"{judged.name} does not say how its items were drawn, and judgements that were not drawn at random allow no "
        "estimate. Give judgements with a column of probabilities (rankscope project export --probabilities), with -1 "
        f"for what was not judged of a pool, or say it: {of_runs} for a pool of these runs, {of_all} for a random "
        "sample of the whole collection."
    )


def _of_collection(judged: SampledQrels, collection_size: int | None, rel: float) -> Frame:
    import polars as pl

    if collection_size is None:
        size = setting_usage("collection_size", "D")
        raise SettingError(f"a sample of the whole collection needs its size: {size}")
    rows = judged.table.filter(pl.col("grade") >= 0).with_columns(stratum=pl.lit(COLLECTION))
    counts = rows.group_by("query", maintain_order=True).len()
    many = counts.filter(pl.col("len") > collection_size).get_column("query").to_list()
    if many:
        raise SettingError(f"more than {collection_size:,} items are judged of query {', '.join(map(str, many[:5]))}")
    sizes = counts.select("query", stratum=pl.lit(COLLECTION), size=pl.lit(collection_size))
    return Frame.of(rows, sizes, rel=rel, name=judged.name)


def _of_pool(judged: SampledQrels, rankings: Sequence[pl.DataFrame], drawn: str, rel: float) -> Frame:
    """The pool is made again from the runs, which must be all that it was made from."""
    import polars as pl

    plan = PoolPlan.parse(drawn)
    if plan.is_adaptive:
        raise SettingError(
            f"'{plan}' chooses items by what was found before, so they have no probabilities: draw a sample(...), or "
            f"export the judgements of '{plan} + sample(...)' with probabilities"
        )
    queries = judged.table.get_column("query").unique(maintain_order=True).to_list()
    candidates = plan.candidates(Rankings.of_tables(rankings, queries), 0).select("query", "item", "stratum")
    graded = judged.table.filter(pl.col("grade") >= 0).select("query", "item", "grade")
    rows = candidates.join(graded, on=["query", "item"], how="left", maintain_order="left")
    outside = graded.join(candidates, on=["query", "item"], how="anti").height
    frame = Frame.of(rows.with_columns(pl.col("grade").fill_null(-1.0)), rel=rel, name=judged.name)
    note = f"left out: {how_many(outside, 'judged items')} outside of this pool of the runs; were all its runs given?"
    return replace(frame, notes=(note,)) if outside else frame


def _of_probabilities(judged: SampledQrels, rel: float) -> Frame:
    """Strata are those named, or items of equal probability; sizes are counted where all items are listed."""
    import polars as pl

    table = judged.table
    if not judged.has_strata:
        table = table.with_columns(stratum=pl.format("pi {}", pl.col("pi").round(6)))
    keys = ["query", "stratum"]
    counted = table.group_by(keys, maintain_order=True).agg(
        pl.len().alias("listed"), (pl.col("grade") >= 0).sum().alias("judged"), pl.col("pi").mean()
    )
    is_listed = pl.col("listed") > pl.col("judged")
    whole = (pl.col("judged") / pl.col("pi")).round().cast(pl.Int64)
    sizes = counted.with_columns(size=pl.when(is_listed).then("listed").otherwise(whole))
    frame = Frame.of(table, sizes.select(*keys, "size"), rel=rel, name=judged.name)
    short = sizes.filter(is_listed & (pl.col("judged") < pl.col("pi") * pl.col("size") - ROUNDING))
    if not short.height:
        return frame
    open_items = float((short.get_column("pi") * short.get_column("size") - short.get_column("judged")).sum())
    note = (
        f"{round(open_items):,} items of {short.height:,} strata were drawn and are not judged: those judged are taken "
        "for a random part of those drawn, as they are where the order of judging was random"
    )
    return replace(frame, notes=(note,))


@dataclass(frozen=True, eq=False)
class Strata:
    """Of each stratum: the number of its query, its name, how many items it has (N) and how many are judged (n).

    A stratum not judged in full has at least two judged items.
    """

    queries: int
    query: IntArray
    name: tuple[str, ...]
    size: IntArray
    judged: IntArray

    def __len__(self) -> int:
        return self.size.size

    @cached_property
    def scale(self) -> FloatArray:
        """N/n: for how many items a judged one stands."""
        return self.size / np.maximum(self.judged, 1)

    @cached_property
    def pair_scale(self) -> FloatArray:
        """(N - 1)/(n - 1): for how many items one counts, given another judged one of its stratum."""
        return np.where(self.judged > 1, (self.size - 1) / np.maximum(self.judged - 1, 1), 1.0)

    @property
    def is_full(self) -> BoolArray:
        return self.judged == self.size

    def by_query(self, values: FloatArray) -> FloatArray:
        """Sums over the strata of each query."""
        return sums_by(self.query, values, self.queries)


@dataclass(frozen=True, eq=False)
class SampleTotals:
    """Estimated totals, one a query, with the variance of each by the draw of the sample."""

    value: FloatArray
    variance: FloatArray


def totals(strata: Strata, stratum: IntArray, value: FloatArray) -> SampleTotals:
    """T = sum of N ybar, variance sum of N^2 (1 - n/N) s^2/n, from the values of the relevant items drawn.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> found = totals(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.ones(13))
    >>> found.value.round(6).tolist(), np.sqrt(found.variance).round(4).tolist()
    ([67.0], [28.4361])
    """
    sums, squares = sums_by(stratum, value, len(strata)), sums_by(stratum, value * value, len(strata))
    return SampleTotals(strata.by_query(strata.scale * sums), strata.by_query(stratum_variance(strata, sums, squares)))


def stratum_variance(strata: Strata, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """What each stratum adds to the variance of a total; from sums of values, and of their squares, over the sample."""
    n = np.maximum(strata.judged, 1)
    spread = np.maximum(squares - sums * sums / n, 0.0) / np.maximum(n - 1, 1)
    return strata.size * (strata.size - strata.judged) * spread / n


# Resamples of a judged sample within its strata, rescaled so that their spread is that of the draw (Rao & Wu 1988).

RESAMPLES = 200


def rescaled_factors(
    strata: Strata, stratum: IntArray, chance: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """By what the weight of each hit is multiplied in each resample: 1 - f + f n m/(n - 1), f = sqrt(1 - n/N).

    `stratum` is that of each relevant item drawn; m counts how often it is among n - 1 draws with replacement from the
    n judged items of its stratum. A stratum that is judged in full does not vary.
    """
    factors = np.ones((resamples, stratum.size))
    found = np.bincount(stratum, minlength=len(strata))
    varies = ~strata.is_full & (found > 0)
    columns = np.flatnonzero(varies[stratum])
    if not columns.size:
        return factors
    varying = stratum[columns]
    n, size = strata.judged[varying], strata.size[varying]
    share = np.sqrt(1.0 - n / size)
    times = _times_drawn(varying, strata.judged, chance, resamples)
    factors[:, columns] = 1.0 - share + share * n / (n - 1) * times
    return factors


def _times_drawn(stratum: IntArray, judged: IntArray, chance: np.random.Generator, resamples: int) -> IntArray:
    """How often each hit is drawn: first how many draws of its stratum meet some hit, then which."""
    strata, found = np.unique(stratum, return_counts=True)
    n = judged[strata]
    met = chance.binomial(n - 1, found / n, size=(resamples, strata.size))
    order = np.argsort(stratum, kind="stable")
    start = np.cumsum(found) - found
    cell = np.repeat(np.arange(met.size), met.ravel())
    place = cell % strata.size
    hit = order[start[place] + (chance.random(cell.size) * found[place]).astype(np.int64)]
    return np.bincount(cell // strata.size * stratum.size + hit, minlength=resamples * stratum.size).reshape(
        resamples, stratum.size
    )


@dataclass(frozen=True)
class StratifiedTotal:
    """A total with its standard error, its degrees of freedom and its interval."""

    error: float
    freedom: float
    range: EstimatedRange


def stratified_total(strata: Strata, stratum: IntArray, value: FloatArray, level: float = 0.95) -> StratifiedTotal:
    """Of all strata together, from the values of the items drawn that have one; the others count as 0.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> found = stratified_total(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.ones(13))
    >>> round(found.error, 4), round(found.freedom, 2), round(found.range.low, 2), round(found.range.high, 2)
    (28.4361, 51.11, 9.92, 124.08)
    """
    sums = sums_by(stratum, value, len(strata))
    parts = stratum_variance(strata, sums, sums_by(stratum, value * value, len(strata)))
    whole, total = float(parts.sum()), float((strata.scale * sums).sum())
    if whole == 0:
        return StratifiedTotal(0.0, math.inf, EstimatedRange(total, total, total))
    freedom = whole**2 / float((parts**2 / np.maximum(strata.judged - 1, 1)).sum())
    half = t_quantile(level, freedom) * math.sqrt(whole)
    return StratifiedTotal(math.sqrt(whole), freedom, EstimatedRange(total, total - half, total + half))
