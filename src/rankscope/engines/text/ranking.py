"""Many topics at once: a run, and the ranks of all judged documents, which are those that the run would have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from rankscope.engines.text.hits import Hits
from rankscope.inputs.run import Run

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.checks import Problems
    from rankscope.inputs.tables import Table

TOPICS_AT_ONCE = 20


def run_of(topics: Mapping[str, str], search: Callable[[str], Hits], name: str) -> Run:
    """A run of what a search finds for each topic; it searches whenever the rows are asked for."""

    def read(_: Problems) -> Iterator[Table]:
        import polars as pl

        from rankscope.inputs.tables import Table

        waiting = iter(topics.items())
        while some := list(islice(waiting, TOPICS_AT_ONCE)):
            yield Table.numbered(pl.concat([hits_table(query, search(text)) for query, text in some]))

    return Run.from_tables(name, read)


def hits_table(query: str, hits: Hits) -> pl.DataFrame:
    """Hits as rows of a run; scores are the shortest decimals of their 32 bits, so that equal ones stay equal."""
    import polars as pl

    scores = pl.Series("score", hits.scores, dtype=pl.Float32).cast(pl.String).cast(pl.Float64)
    return pl.DataFrame({"query": pl.repeat(query, len(hits), eager=True), "item": hits.ids, "score": scores})
