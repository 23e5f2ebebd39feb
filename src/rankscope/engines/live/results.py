"""What is left of an engine's answers: the run, and its latency in a file next to it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankscope.engines.live.answer import TopicAnswer
from rankscope.engines.live.latency import Latency
from rankscope.engines.live.live_run import LiveRun, Oddities, run_of_answers
from rankscope.engines.live.state import Answers
from rankscope.files import atomic
from rankscope.inputs.formats import OUR_SUFFIXES, of_path, write
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import without_suffix

LATENCY = ".latency.json"


def latency_path(output: str | Path) -> Path:
    """Where the latency of a run lies.

    >>> latency_path("runs/mine.run.gz").as_posix()
    'runs/mine.latency.json'
    """
    path = Path(output)
    return path.with_name(f"{without_suffix(path.name, OUR_SUFFIXES)}{LATENCY}")


def run_in_memory(answers: Sequence[TopicAnswer], name: str) -> LiveRun:
    """The run of answers that are there."""
    return _described(run_of_answers(name, lambda: answers), lambda: answers)


def written_run(
    answers: Answers, topics: Sequence[str], name: str, output: str | Path, conditions: Mapping[str, Any]
) -> LiveRun:
    """The run, written with its latency; its rows are read from the file from then on."""

    def read() -> Iterable[TopicAnswer]:
        return answers.read(topics)

    write(run_of_answers(name, read), output)
    stored = Run.from_path(output, Reading())
    run = _described(LiveRun(name, lambda _, problems, rank: stored.blocks(problems, rank), stored.source), read)
    with atomic(latency_path(output)) as file:
        json.dump(run.latency.record(**conditions), file, indent=2)
        file.write("\n")
    return run


def check_writable(answers: Sequence[TopicAnswer], name: str, output: str | Path) -> None:
    """Raise now where ids cannot be written in the format of the output, not after all topics were asked."""
    chosen = of_path(output)
    chosen.write_run(run_of_answers(name, lambda: answers), io.BytesIO() if chosen.binary else io.StringIO())


def _described(run: LiveRun, read: Callable[[], Iterable[TopicAnswer]]) -> LiveRun:
    run.latency, run.oddities = Latency.of(read()), Oddities.of(read())
    return run
