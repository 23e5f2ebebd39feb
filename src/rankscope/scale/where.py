"""Where a reduction is worked on, and in how much memory: nothing here changes a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.inputs.reading import Reading, reading_of
from rankscope.inputs.run import SMALL, Run
from rankscope.ranks.reduce import Progress, reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings

if TYPE_CHECKING:
    from rankscope.inputs.part_files import PartFiles
    from rankscope.running.runner import Runner

HOME = "home"


def silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Where:
    """`on`: home, processes:N, dask://HOST:PORT or spark. `memory`: for each part; None: half of what is free.

    `work`: a folder for finished parts, so that stopped work continues. `digest`: whether files are hashed, which reads
    them whole. `shuffle`: "auto" brings the rows of a query together where they are scattered, "none" counts them where
    they lie. `say` is told what is going to happen.
    """

    on: str | Runner = HOME
    memory: str | int | None = None
    work: str | Path | None = None
    digest: bool = True
    shuffle: Literal["auto", "none"] = "auto"
    say: Callable[[str], None] = field(default=silent, repr=False)


def reduce_where(
    qrels: Any,
    run: Any,
    settings: Settings | None = None,
    *,
    junk: Any = (),
    keep_scores: bool = False,
    reading: Reading | None = None,
    progress: Progress | None = None,
    where: Where | None = None,
    result: str | Path | None = None,
) -> RelevantRanks:
    """Ranks of all judged items of a run, as `ranks.reduce` gives them, bit for bit, for runs of any size.

    At home a run that fits into memory is reduced as a whole. `result` is the file that the ranks are to be saved in:
    finished parts lie next to it until the work has ended well.
    >>> reduce_where({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}).ranks
    array([2])
    """
    settings, where = settings or Settings(), where or Where()
    reading = reading or reading_of(comments=settings.comments, scores=settings.scores)
    run = Run.of(run, reading)
    files = files_of_run(run)
    if files is None or fits(files, reading, where):
        return reduce(qrels, run, settings, junk=junk, keep_scores=keep_scores, reading=reading, progress=progress)
    from rankscope.scale.reducing import reduce_in_parts

    return reduce_in_parts(
        qrels,
        run.name,
        files,
        settings,
        junk=junk,
        keep_scores=keep_scores,
        reading=reading,
        progress=progress,
        where=where,
        result=result,
    )


def files_of_run(run: Run) -> PartFiles | None:
    """The files of a run; None for what is no file that can be read again and again, or is rolled up as a whole."""
    from rankscope.inputs.part_files import PartFiles

    source = None if run.rolled_up else run.source
    if source is None or isinstance(source, PartFiles):
        return source
    return None if source.address == "-" or source.part or source.is_folder else PartFiles.of_one(source)


def fits(files: PartFiles, reading: Reading, where: Where) -> bool:
    """Whether all is to be done here and at once; a file that cannot be read is told so there."""
    if where.on != HOME or where.shuffle == "none":
        return False
    if where.memory is None and files.size < SMALL:
        return True
    from rankscope.errors import InputError
    from rankscope.running.memory import memory_of
    from rankscope.scale.estimate import size_of

    try:
        return size_of(files, reading).memory <= memory_of(where.memory)
    except InputError:
        return True
