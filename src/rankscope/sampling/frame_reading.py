"""From judgements to the frame they were drawn from: what says how they were drawn, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankscope.errors import SettingError
from rankscope.inputs.sampled_qrels import SampledQrels
from rankscope.number_texts import how_many
from rankscope.sampling.frame import Frame
from rankscope.sampling.pools import parse_pool
from rankscope.sampling.pools.rankings import Rankings
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    import polars as pl

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
        return _of_one_sample(judged, rel)
    of_runs, of_all = setting_usage("drawn", EXAMPLE), setting_usage("drawn", COLLECTION)
    raise SettingError(
        f"{judged.name} does not say how its items were drawn, and judgements that were not drawn at random allow no "
        "estimate. Give judgements with a column of probabilities (rankscope project export --probabilities), with -1 "
        f"for what was not judged of a pool, or say it: {of_runs} for a pool of these runs, {of_all} for a random "
        "sample of the whole collection."
    )


def _of_one_sample(judged: SampledQrels, rel: float) -> Frame:
    """-1 marks what was not judged of a pool: one stratum a query."""
    import polars as pl

    return Frame.of(judged.table.with_columns(stratum=pl.lit("pool")), rel=rel, name=judged.name)


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

    plan = parse_pool(drawn)
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
    return replace(frame, notes=_notes(short))


def _notes(short: pl.DataFrame) -> tuple[str, ...]:
    if not short.height:
        return ()
    open_items = float((short.get_column("pi") * short.get_column("size") - short.get_column("judged")).sum())
    return (
        f"{round(open_items):,} items of {short.height:,} strata were drawn and are not judged: those judged are taken "
        "for a random part of those drawn, as they are where the order of judging was random",
    )
