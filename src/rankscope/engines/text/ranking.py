"""Many topics at once: a run, and the ranks of all judged documents, which are those that the run would have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rankscope.engines.text.hits import Hits
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.listing import Listing, Unmatched, as_written
from rankscope.engines.text.query.nodes import Node
from rankscope.engines.text.searching import Searcher
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

    return pl.DataFrame(
        {
            "query": pl.repeat(query, len(hits), eager=True, dtype=pl.String),
            "item": hits.ids,
            "score": pl.Series(as_written(hits.scores), dtype=pl.Float64),
            "rank": np.arange(1, len(hits) + 1),
        }
    )


@dataclass(frozen=True, eq=False)
class TopicLists:
    """How deep rankings of topics go, and what becomes of documents that do not match: of a run, or counted alone."""

    searcher: Searcher
    parse: Callable[[str], Node]
    depth: int | None = None
    unmatched: Unmatched = "missing"

    def hits(self, text: str) -> Hits:
        """The ranking of a topic."""
        query = self.parse(text)
        if self.depth is not None and self.unmatched == "missing":
            hits = self.searcher.search(query, self.depth + 1)
            if len(hits) <= self.depth or hits.scores[-1] != hits.scores[-2]:
                return hits.first(self.depth)
        docs, scores = self.listing(text, self._live).in_order()
        return Hits(docs, scores, len(docs), self.searcher.reader)

    def listing(self, text: str, there: Numbers | None) -> Listing:
        """What of the documents that are there is listed for a topic."""
        scores, matched = self.searcher.all_scores(self.parse(text))
        return Listing.of(scores, matched, there, self.depth, self.unmatched)

    @property
    def _live(self) -> Numbers | None:
        deleted = self.searcher.reader.deleted
        return None if deleted is None else ~deleted
