"""Judgements of chunks as judgements of documents: the highest grade of a document's chunks is its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.roll_up import RollUp
from rankscope.inputs.series_ids import SeriesIds, as_series
from rankscope.number_texts import how_many


def rolled_qrels(qrels: Qrels, roll_up: RollUp) -> Qrels:
    """Judgements of documents; an id that belongs to no chunk is that of a document, and stays.

    >>> import re
    >>> judged = Qrels.of({"q": {"d1#0": 0, "d1#4": 2, "d2": 1}})
    >>> rolled_qrels(judged, RollUp(pattern=re.compile(r"^(.*)#"))).to_dict()
    {'q': {'d1': 2, 'd2': 1}}
    """
    document, alone = roll_up.documents(as_series(qrels.item))
    if alone.all():
        note = "no judged item is a chunk of the roll-up: they are judgements of documents"
        return _copy(qrels, notes=(*qrels.notes, note), rolled_up=True)
    frame = pl.DataFrame(
        {"query": as_series(qrels.query), "document": document, "grade": qrels.grade, "row": np.arange(len(qrels))}
    )
    best = frame.group_by("query", "document", maintain_order=True).agg(
        pl.col("grade").max(), pl.col("row").get(pl.col("grade").arg_max())
    )
    note = f"{how_many(len(qrels), 'judgements')} rolled up to {best.height:,} of documents: the highest grade counts"
    return _copy(
        qrels,
        query=SeriesIds(best.get_column("query").rechunk()),
        item=SeriesIds(best.get_column("document").rechunk()),
        grade=best.get_column("grade").to_numpy().copy(),
        line=qrels.line[best.get_column("row").to_numpy()],
        notes=(*qrels.notes, note),
        rolled_up=True,
    )


def has_chunks(qrels: Qrels, roll_up: RollUp) -> bool:
    """Whether any judged item is a chunk.

    >>> import re
    >>> has_chunks(Qrels.of({"q": {"d1": 2}}), RollUp(pattern=re.compile(r"^(.*)#")))
    False
    """
    return not bool(roll_up.documents(as_series(qrels.item))[1].all())


def _copy(qrels: Qrels, **changed: object) -> Qrels:
    """The same judgements as columns, some of them changed."""
    whole = Qrels(
        query=qrels.query,
        item=qrels.item,
        grade=qrels.grade,
        line=qrels.line,
        name=qrels.name,
        digest=qrels.digest,
        word=qrels.word,
        notes=qrels.notes,
        files=qrels.files,
    )
    return replace(whole, **changed)  # type: ignore[arg-type]
