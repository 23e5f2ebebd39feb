"""A live engine from beginning to end: topics in, a run and its latency out; what is said of topics that fail."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Any

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, Problem
from rankscope.core.wording import how_many
from rankscope.engines.live.dialects import DIALECTS, EngineFailure, HttpRequest, Page
from rankscope.engines.live.endpoint import Credentials, EngineAddress, EngineLimits, Extent
from rankscope.engines.live.live_run import (
    SEARCHING,
    Answers,
    LiveRun,
    TopicAnswer,
    TopicFailure,
    run_of_answers,
    written_run,
)
from rankscope.engines.live.requests import digest_of_requests
from rankscope.engines.resumable import remove_state
from rankscope.inputs.formats.registry import format_of_path

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LiveSearch:
    """An engine, the request of each topic and the template it was made from, and how far and how fast it is asked."""

    address: EngineAddress
    requests: Mapping[str, Mapping[str, Any]]
    template: Mapping[str, Any]
    id_field: str
    extent: Extent
    limits: EngineLimits
    credentials: Credentials

    @property
    def settings(self) -> dict[str, Any]:
        """What the result depends on."""
        return {
            "engine": str(self.address),
            "request": dict(self.template),
            "topics": digest_of_requests(self.requests),
            "id_field": self.id_field,
            "depth": self.extent.depth,
            "page_size": self.extent.page_size,
        }

    def run(
        self, name: str, output: str | Path | None = None, restart: bool = False, progress: Progress | None = None
    ) -> LiveRun:
        """The run; with an output it is written there, and its latency next to it. Stopped work goes on."""
        import_extra("httpx", "httpx", "gather")
        state = None if output is None else SEARCHING.place(output)
        if restart and state is not None:
            remove_state(state)
        with Answers.opened(":memory:" if state is None else state) as answers:
            resumed = answers.begin(self.settings)
            try:
                self._ask_all(answers, name, output, progress)
            except BaseException:
                if state is not None and not answers.topics():
                    answers.close()
                    remove_state(state)  # nothing could go on from it
                raise
            if output is None:
                found = list(answers.read(self.requests))
                run = run_of_answers(name, lambda: found)
                run.note(lambda: found)
            else:
                extent = {"depth": self.extent.depth, "page_size": self.extent.page_size}
                conditions = {"engine": str(self.address), "workers": self.limits.workers, **extent}
                run = written_run(answers, tuple(self.requests), name, output, conditions)
        if state is not None:
            remove_state(state)
        run.resumed = resumed
        return run

    def _ask_all(self, answers: Answers, name: str, output: str | Path | None, progress: Progress | None) -> None:
        """Every topic without an answer; an `InputError` names those that did not get one."""
        there = answers.topics()
        missing = [topic for topic in self.requests if topic not in there]
        done, course, unchecked = len(there), Course(), output is not None
        for arrived in self._arriving(missing):
            good = [each for each in arrived if isinstance(each, TopicAnswer)]
            answers.record(good)
            if output is not None and unchecked and any(each.ids for each in good):
                self._check_writable(good, name, output)
                unchecked = False
            course.note(arrived)
            done += len(arrived)
            if progress is not None:
                progress(done, len(self.requests))
            if course.in_a_row >= IN_A_ROW or any(each.for_all for each in course.failures):
                break  # the others would fail too
        answered = len(answers.topics())
        if answered < len(self.requests):
            raise course.error(str(self.address), answered, len(self.requests), output is not None)

    def _check_writable(self, answers: Sequence[TopicAnswer], name: str, output: str | Path) -> None:
        """Raise now where ids cannot be written in the format of the output, not after all topics were asked."""
        chosen = format_of_path(output)
        chosen.write_run(run_of_answers(name, lambda: answers), io.BytesIO() if chosen.binary else io.StringIO())

    def _arriving(self, topics: Sequence[str]) -> Iterator[list[TopicAnswer | TopicFailure]]:
        """What comes of topics, in the order in which it comes."""
        from rankscope.engines.live.asking import Crew, Gate, Pager, Patience, Sender

        if not topics:
            return
        dialect, stop = DIALECTS[self.address.kind], Event()
        sender = Sender(self.limits, self.credentials, dialect.error_text)
        patience = Patience(self.limits, Gate(stop))

        def page(request: HttpRequest) -> tuple[Page, float, int]:
            def attempt() -> tuple[Page, float]:
                data, seconds = sender.send(request)
                return dialect.read_page(data, self.id_field), seconds

            (found, seconds), again = patience.attempt(attempt)
            return found, seconds, again

        pager = Pager(dialect=dialect, url=self.address.url, id_field=self.id_field, extent=self.extent, ask=page)
        hopeless = Event()

        def ask(topic: str) -> TopicAnswer | TopicFailure:
            try:
                return pager.rank(topic, self.requests[topic])
            except EngineFailure as failure:
                if failure.for_all:
                    hopeless.set()
                return TopicFailure(topic, failure.reason, failure.again, failure.for_all)

        waiting = takewhile(lambda _: not hopeless.is_set(), topics)
        with closing(Crew(ask, self.limits.workers, stop, sender.close).work(waiting)) as arriving:
            yield from arriving


# How asking goes: which topics failed, whether it makes sense to go on, and what is said in the end.

IN_A_ROW = 8  # topics that fail for a passing reason before it is taken for one that does not pass
MOST_NAMED = 5  # topics that are named with one reason


@dataclass
class Course:
    """The topics that failed so far, and how many of them in a row for a reason that should have passed."""

    failures: list[TopicFailure] = field(default_factory=list)
    in_a_row: int = 0

    def note(self, arrived: Iterable[TopicAnswer | TopicFailure]) -> None:
        """What came of some more topics."""
        for each in arrived:
            if isinstance(each, TopicAnswer):
                self.in_a_row = 0
            else:
                self.failures.append(each)
                self.in_a_row += each.again

    def error(self, engine: str, answered: int, topics: int, resumable: bool) -> InputError:
        """All failures, those of one reason together, and what to do."""
        by_reason: dict[tuple[str, bool], list[str]] = {}
        for each in self.failures:
            by_reason.setdefault((each.reason, each.for_all), []).append(each.topic)
        problems = []
        for (reason, for_all), topics_of in by_reason.items():
            more = f" and {len(topics_of) - MOST_NAMED:,} more" if len(topics_of) > MOST_NAMED else ""
            plural = "" if len(topics_of) == 1 else "s"
            named = f"topic{plural} {', '.join(topics_of[:MOST_NAMED])}{more}"
            problems.append(Problem("" if for_all else named, reason))
        left = topics - answered - len(self.failures)
        given_up = f" {how_many(left, 'more topic was', 'more topics were')} not asked for." if left else ""
        kept = f" The {how_many(answered, 'answer is', 'answers are')} kept: the same command asks for the others."
        kept = kept if resumable and answered else ""
        return InputError.of(engine, problems, f"No run was written.{given_up}{kept}")
