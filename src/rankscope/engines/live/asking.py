"""Topics asked by several workers at once; what comes of each, in the order in which it comes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from typing import Any, Generic, TypeVar

from rankscope.engines.live.answer import TopicAnswer, TopicFailure
from rankscope.engines.live.dialect import Dialect
from rankscope.engines.live.failure import EngineFailure
from rankscope.engines.live.page import HttpRequest, Page
from rankscope.engines.live.paging import Pager
from rankscope.engines.live.patience import Patience, Stopped
from rankscope.engines.live.sending import Sender

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Asker:
    """One page at a time, patiently."""

    sender: Sender
    patience: Patience
    dialect: Dialect
    id_field: str

    def ask(self, request: HttpRequest) -> tuple[Page, float, int]:
        """A page, the seconds of the attempt that gave it, and how many attempts failed before."""
        (page, seconds), again = self.patience.attempt(lambda: self._page(request))
        return page, seconds, again

    def _page(self, request: HttpRequest) -> tuple[Page, float]:
        data, seconds = self.sender.send(request)
        return self.dialect.read_page(data, self.id_field), seconds


def ask_topic(pager: Pager, topic: str, body: Mapping[str, Any]) -> TopicAnswer | TopicFailure:
    """The ranking of a topic, or why there is none."""
    try:
        return pager.rank(topic, body)
    except EngineFailure as failure:
        return TopicFailure(topic, failure.reason, failure.again, failure.for_all)


class Crew(Generic[Task, Result]):
    """Threads that each take the next task until none is left, or until `stop` is set; the last one to leave `close`s.

    Whoever takes the results need not wait for those that are still at work, and neither need a process that ends.
    """

    def __init__(self, do: Callable[[Task], Result], workers: int, stop: Event, close: Callable[[], None]) -> None:
        self._do, self._workers, self._stop, self._close = do, workers, stop, close
        self._lock, self._at_work = Lock(), workers

    def work(self, tasks: Iterable[Task]) -> Generator[list[Result], None, None]:
        """Results as they come, those that are there at the same time together; what a worker raises is raised here."""
        waiting, done = iter(tasks), Queue[Result | BaseException | None](self._workers)
        for _ in range(self._workers):
            Thread(target=self._take_turns, args=(waiting, done), daemon=True).start()
        running = self._workers
        try:
            while running:
                arrived = _all_there(done)
                running -= arrived.count(None)
                for each in arrived:
                    if isinstance(each, BaseException):
                        raise each
                yield [each for each in arrived if each is not None and not isinstance(each, BaseException)]
        finally:
            self._stop.set()

    def _take_turns(self, waiting: Iterator[Task], done: Queue[Result | BaseException | None]) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    task = next(waiting, None)
                if task is None:
                    break
                self._hand_over(self._do(task), done)
        except Stopped:
            pass
        except BaseException as error:  # it is raised where the results are taken
            self._hand_over(error, done)
        self._leave()
        self._hand_over(None, done)

    def _hand_over(self, result: Result | BaseException | None, done: Queue[Result | BaseException | None]) -> None:
        """Wait until there is room, so that what is not yet taken stays little; not if nobody takes it any more."""
        while not self._stop.is_set():
            try:
                done.put(result, timeout=0.1)
            except Full:
                continue
            return

    def _leave(self) -> None:
        with self._lock:
            self._at_work -= 1
            if not self._at_work:
                self._close()


def _all_there(queue: Queue[Any]) -> list[Any]:
    """At least one, and whatever else has come, as much as there is room for."""
    found = [queue.get()]
    while len(found) < queue.maxsize:
        try:
            found.append(queue.get_nowait())
        except Empty:
            break
    return found
