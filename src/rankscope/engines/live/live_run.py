"""The answers of an engine as a run: its order in the ranks, its scores as they were sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rankscope.engines.live.answer import TopicAnswer
from rankscope.engines.live.latency import Latency
from rankscope.inputs.run import Run

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.checks import Problems
    from rankscope.inputs.tables import Table

TOPICS_AT_ONCE = 20


@dataclass(frozen=True)
class Oddities:
    """How many topics found nothing, have ties, are not in the order of their scores, or changed while they were paged.

    `duplicates` counts documents that came a second time and were dropped.
    """

    empty: int = 0
    tied: int = 0
    unordered: int = 0
    moved: int = 0
    duplicates: int = 0

    @classmethod
    def of(cls, answers: Iterable[TopicAnswer]) -> Oddities:
        """Of all answers."""
        counted: Counter[str] = Counter()
        for each in answers:
            counted.update(
                empty=int(not each.ids),
                tied=int(each.has_ties),
                unordered=int(not each.is_ordered),
                moved=int(each.moved),
                duplicates=each.duplicates,
            )
        return cls(**counted)


class LiveRun(Run):
    """The run of an engine; `latency` is how long it took, `oddities` are what was odd about the answers."""

    latency: Latency
    oddities: Oddities
    resumed: bool = False


def run_of_answers(name: str, read: Callable[[], Iterable[TopicAnswer]]) -> LiveRun:
    """A run whose rows are read whenever they are asked for; they stand in the order of the engine."""

    def tables(_: Problems) -> Iterator[Table]:
        import polars as pl

        from rankscope.inputs.tables import Table

        waiting = iter(read())
        while some := list(islice(waiting, TOPICS_AT_ONCE)):
            yield Table.numbered(pl.concat(map(answer_table, some)))

    plain = Run.from_tables(name, tables)
    run = LiveRun(name, lambda _, problems, rank: plain.blocks(problems, rank), tag=name)
    run.in_order = True
    return run


def answer_table(answer: TopicAnswer) -> pl.DataFrame:
    """The rows of a topic."""
    import polars as pl

    return pl.DataFrame(
        {
            "query": pl.repeat(answer.topic, len(answer.ids), eager=True, dtype=pl.String),
            "item": pl.Series(answer.ids, dtype=pl.String),
            "score": pl.Series(answer.scores, dtype=pl.Float64),
            "rank": pl.int_range(1, len(answer.ids) + 1, eager=True, dtype=pl.Int64),
        }
    )
