"""A live engine from beginning to end: topics in, a run and its latency out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Any

from rankscope.engines.live.address import EngineAddress
from rankscope.engines.live.answer import TopicAnswer, TopicFailure
from rankscope.engines.live.course import Course
from rankscope.engines.live.credentials import Credentials
from rankscope.engines.live.dialects import DIALECTS
from rankscope.engines.live.limits import EngineLimits, Extent
from rankscope.engines.live.live_run import LiveRun
from rankscope.engines.live.results import check_writable, run_in_memory, written_run
from rankscope.engines.live.state import KIND, Answers, forgetting_nothing, open_answers
from rankscope.engines.live.topics import digest_of
from rankscope.extras import import_extra
from rankscope.resumable import remove_state

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
            "topics": digest_of(self.requests),
            "id_field": self.id_field,
            "depth": self.extent.depth,
            "page_size": self.extent.page_size,
        }

    def run(
        self, name: str, output: str | Path | None = None, restart: bool = False, progress: Progress | None = None
    ) -> LiveRun:
        """The run; with an output it is written there, and its latency next to it. Stopped work goes on."""
        import_extra("httpx", "httpx", "gather")
        state = None if output is None else KIND.place(output)
        if restart and state is not None:
            remove_state(state)
        with open_answers(state) as answers:
            resumed = answers.begin(self.settings)
            with forgetting_nothing(answers, state):
                self._ask_all(answers, name, output, progress)
            if output is None:
                run = run_in_memory(list(answers.read(self.requests)), name)
            else:
                run = written_run(answers, tuple(self.requests), name, output, self._conditions)
        if state is not None:
            remove_state(state)
        run.resumed = resumed
        return run

    @property
    def _conditions(self) -> dict[str, Any]:
        """Under which times were measured."""
        extent = {"depth": self.extent.depth, "page_size": self.extent.page_size}
        return {"engine": str(self.address), "workers": self.limits.workers, **extent}

    def _ask_all(self, answers: Answers, name: str, output: str | Path | None, progress: Progress | None) -> None:
        """Every topic without an answer; an `InputError` names those that did not get one."""
        there = answers.topics()
        missing = [topic for topic in self.requests if topic not in there]
        done, course, unchecked = len(there), Course(), output is not None
        for arrived in self._arriving(missing):
            good = [each for each in arrived if isinstance(each, TopicAnswer)]
            answers.record(good)
            if output is not None and unchecked and any(each.ids for each in good):
                check_writable(good, name, output)
                unchecked = False
            course.note(arrived)
            done += len(arrived)
            if progress is not None:
                progress(done, len(self.requests))
            if course.is_hopeless:
                break
        answered = len(answers.topics())
        if answered < len(self.requests):
            raise course.error(str(self.address), answered, len(self.requests), output is not None)

    def _arriving(self, topics: Sequence[str]) -> Iterator[list[TopicAnswer | TopicFailure]]:
        """What comes of topics, in the order in which it comes."""
        from rankscope.engines.live.asking import Asker, Crew, ask_topic
        from rankscope.engines.live.paging import Pager
        from rankscope.engines.live.patience import Gate, Patience
        from rankscope.engines.live.sending import Sender

        if not topics:
            return
        dialect, stop = DIALECTS[self.address.kind], Event()
        sender = Sender(self.limits, self.credentials, dialect.error_text)
        asker = Asker(sender, Patience(self.limits, Gate(stop)), dialect, self.id_field)
        pager = Pager(dialect=dialect, url=self.address.url, id_field=self.id_field, extent=self.extent, ask=asker.ask)

        hopeless = Event()

        def ask(topic: str) -> TopicAnswer | TopicFailure:
            found = ask_topic(pager, topic, self.requests[topic])
            if isinstance(found, TopicFailure) and found.for_all:
                hopeless.set()
            return found

        waiting = takewhile(lambda _: not hopeless.is_set(), topics)
        with closing(Crew(ask, self.limits.workers, stop, sender.close).work(waiting)) as arriving:
            yield from arriving
