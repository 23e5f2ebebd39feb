"""A live engine from beginning to end: topics in, a run and its latency out. Asking it needs httpx."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import takewhile
from pathlib import Path
from queue import Empty, Full, Queue
from random import Random
from threading import Event, Lock, Thread
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, Problem
from rankscope.core.wording import how_many, setting_usage
from rankscope.engines.live.endpoint import (
    API_KEY,
    DIALECTS,
    TOKEN,
    USER,
    WINDOW,
    Credentials,
    Dialect,
    EngineAddress,
    EngineFailure,
    EngineLimits,
    Extent,
    HttpRequest,
    Page,
    Place,
    short_text,
)
from rankscope.engines.live.live_run import (
    SEARCHING,
    Answers,
    LiveRun,
    TopicAnswer,
    TopicFailure,
    run_of_answers,
    written_run,
)
from rankscope.engines.resumable import remove_state
from rankscope.inputs.formats.registry import format_of_path
from rankscope.version import __version__

if TYPE_CHECKING:
    import httpx

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
        requests = json.dumps(self.requests, ensure_ascii=False, sort_keys=False)
        return {
            "engine": str(self.address),
            "request": dict(self.template),
            "topics": hashlib.sha256(requests.encode("utf-8", "surrogatepass")).hexdigest(),
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
                # Raise now where ids cannot be written in the format of the output, not after all topics were asked.
                chosen, first = format_of_path(output), run_of_answers(name, good.copy)
                chosen.write_run(first, io.BytesIO() if chosen.binary else io.StringIO())
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

    def _arriving(self, topics: Sequence[str]) -> Iterator[list[TopicAnswer | TopicFailure]]:
        """What comes of topics, in the order in which it comes."""
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


Task = TypeVar("Task")
Result = TypeVar("Result")


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
                # At least one, and whatever else has come, as much as there is room for.
                arrived = [done.get()]
                while len(arrived) < done.maxsize:
                    try:
                        arrived.append(done.get_nowait())
                    except Empty:
                        break
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
        with self._lock:
            self._at_work -= 1
            if not self._at_work:
                self._close()
        self._hand_over(None, done)

    def _hand_over(self, result: Result | BaseException | None, done: Queue[Result | BaseException | None]) -> None:
        """Wait until there is room, so that what is not yet taken stays little; not if nobody takes it any more."""
        while not self._stop.is_set():
            try:
                done.put(result, timeout=0.1)
            except Full:
                continue
            return


Ask = Callable[[HttpRequest], tuple[Page, float, int]]  # the page, its seconds, and how often it was asked again


@dataclass
class ArrivedRanking:
    """What has arrived of a ranking; a document that comes a second time stays where it was."""

    scores: dict[str, float] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    retries: int = 0
    received: int = 0
    totals: set[int] = field(default_factory=set)
    own: float | None = None
    last: Page | None = None

    def add(self, page: Page, seconds: float, retries: int) -> None:
        """One more page; the same one again means that the engine does not turn pages."""
        if self.last is not None and page.ids and page.ids == self.last.ids:
            raise EngineFailure("the same page comes again and again: this request cannot be paged")
        if self.last is None:
            self.own = page.took
        for item, score in zip(page.ids, page.scores, strict=True):
            self.scores.setdefault(item, score)
        self.milliseconds.append(1000 * seconds)
        self.retries += retries
        self.received += len(page.ids)
        self.totals |= set() if page.total is None else {page.total}
        self.last = page

    def answer(self, topic: str, depth: int) -> TopicAnswer:
        kept = list(self.scores.items())[:depth]
        return TopicAnswer(
            topic=topic,
            ids=tuple(item for item, _ in kept),
            scores=tuple(score for _, score in kept),
            milliseconds=tuple(self.milliseconds),
            own=self.own,
            retries=self.retries,
            duplicates=self.received - len(self.scores),
            moved=len(self.totals) > 1,
        )


@dataclass(frozen=True)
class Pager:
    """Asks for pages of one index; behind `WINDOW` documents a page begins where the last one ended."""

    dialect: Dialect
    url: str
    id_field: str
    extent: Extent
    ask: Ask

    def rank(self, topic: str, body: Mapping[str, Any]) -> TopicAnswer:
        ranking = ArrivedRanking()
        depth, size = self.extent.depth, self.extent.page_size
        place: Place | None = Place(0, min(size, depth), deep=depth > WINDOW)
        while place is not None:
            page, seconds, retries = self.ask(self.dialect.page_request(self.url, body, place, self.id_field))
            ranking.add(page, seconds, retries)
            place = self._next_place(place, page, ranking)
        return ranking.answer(topic, depth)

    def _next_place(self, place: Place, page: Page, ranking: ArrivedRanking) -> Place | None:
        """Where to go on; None where everything wanted or everything there is has come."""
        start, missing = place.start + len(page.ids), self.extent.depth - len(ranking.scores)
        more = len(page.ids) >= place.size or (page.total is not None and start < page.total)
        if not page.ids or missing <= 0 or not more:
            return None
        if place.deep and page.after is None:
            raise EngineFailure("the answer does not say where the next page begins")
        if place.deep:
            return None if page.after == place.after else replace(place, start=start, after=page.after)
        size = min(place.size, missing, WINDOW - start)
        return Place(start, size) if size > 0 else None


T = TypeVar("T")
LONGEST_ASKED = 120.0  # seconds that an engine may ask to wait; longer is left to the user


class Stopped(Exception):  # noqa: N818  (it says what happened)
    """The work is to end."""


class Gate:
    """Where all workers wait when the engine asks for it; `stop` ends every wait."""

    def __init__(self, stop: Event) -> None:
        self._stop, self._lock, self._until = stop, Lock(), 0.0

    def close_for(self, seconds: float) -> None:
        """Nobody asks for so long."""
        with self._lock:
            self._until = max(self._until, monotonic() + seconds)

    def pause(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Stopped

    def enter(self) -> None:
        while True:
            with self._lock:
                left = self._until - monotonic()
            if self._stop.is_set():
                raise Stopped
            if left <= 0:
                return
            self.pause(left)


class Patience:
    """Sends until there is an answer, or until it was sent often enough."""

    def __init__(self, limits: EngineLimits, gate: Gate, chance: Random | None = None) -> None:
        self._limits, self._gate, self._chance = limits, gate, chance or Random()

    def attempt(self, send: Callable[[], T]) -> tuple[T, int]:
        """What it gives, and how often it had to be tried again."""
        for tried in range(self._limits.retries + 1):
            self._gate.enter()
            try:
                return send(), tried
            except EngineFailure as failure:
                if not failure.again or tried == self._limits.retries:
                    reason = f"{failure.reason} (asked {tried + 1} times)" if tried else failure.reason
                    raise EngineFailure(reason, again=failure.again, for_all=failure.for_all) from None
                self._wait(failure, tried)
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, failure: EngineFailure, tried: int) -> None:
        """At least as long as the engine asks for, and that goes for all workers."""
        longest = min(self._limits.longest_wait, self._limits.first_wait * 2**tried)
        own = self._chance.uniform(longest / 2, longest)
        if failure.wait is not None:
            if failure.wait > LONGEST_ASKED:
                minutes = failure.wait / 60
                raise EngineFailure(f"{failure.reason}; it asks to wait {minutes:.0f} minutes", for_all=True)
            self._gate.close_for(failure.wait)
        self._gate.pause(own if failure.wait is None else min(own, self._limits.first_wait))


LARGEST_ANSWER = 32_000_000  # bytes of an answer, unpacked: a page of 10,000 ids and scores takes 1 to 2 million
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # what may be better a moment later
NOT_LET_IN = frozenset({401, 403, 407})
ErrorText = Callable[[Any], str]


class Sender:
    """Asks an engine, certificates verified and nothing from the environment but those: no proxy, no redirect."""

    def __init__(self, limits: EngineLimits, credentials: Credentials, error_text: ErrorText) -> None:
        import httpx

        self._seconds, self._credentials, self._error_text = limits.seconds, credentials, error_text
        self._client = httpx.Client(
            headers={"User-Agent": f"rankscope/{__version__}", "Accept": "application/json", **credentials.headers},
            verify=httpx.create_ssl_context(),
            trust_env=False,
            timeout=limits.seconds,
            limits=httpx.Limits(max_connections=limits.workers, max_keepalive_connections=limits.workers),
        )

    def close(self) -> None:
        self._client.close()

    def send(self, request: HttpRequest) -> tuple[Any, float]:
        """The answer read as JSON, and the seconds from the first byte sent to the last one received."""
        import httpx

        begun = perf_counter()
        try:
            status, headers, body = self._exchange(request, begun + self._seconds)
        except httpx.TimeoutException:
            raise self._too_slow() from None
        except httpx.ConnectError as error:
            words = short_text(str(error)) or "no connection"
            if "CERTIFICATE_VERIFY_FAILED" in words:
                advice = "set SSL_CERT_FILE to the certificate of your own authority, if it has one"
                raise EngineFailure(f"its certificate is not trusted: {advice}", for_all=True) from None
            raise EngineFailure(f"cannot be reached: {words}", again=True, for_all=True) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            words = short_text(str(error)) or type(error).__name__
            raise EngineFailure(f"the connection broke: {words}", again=True) from None
        seconds = perf_counter() - begun
        if status != HTTPStatus.OK:
            raise self._refusal(status, headers, body)
        return _decoded_answer(body, headers.get("Content-Type", "")), seconds

    def _exchange(self, request: HttpRequest, deadline: float) -> tuple[int, httpx.Headers, bytearray]:
        body = bytearray()
        headers = {"Content-Type": request.media_type}
        with self._client.stream("POST", request.url, content=request.content, headers=headers) as response:
            for piece in response.iter_bytes():
                body += piece
                if perf_counter() > deadline:
                    raise self._too_slow()
                if len(body) > LARGEST_ANSWER:
                    advice = f"{setting_usage('page_size')} asks for fewer documents at a time"
                    raise EngineFailure(
                        f"the answer is larger than {LARGEST_ANSWER / 1e6:g} MB: {advice}", for_all=True
                    )
            return response.status_code, response.headers, body

    def _too_slow(self) -> EngineFailure:
        usage = setting_usage("seconds")
        return EngineFailure(f"no answer within {self._seconds:g} seconds ({usage} allows more)", again=True)

    def _refusal(self, status: int, headers: httpx.Headers, body: bytearray) -> EngineFailure:
        """What a status other than 200 means, with what the engine says, else the beginning of what it sent."""
        try:
            words = self._error_text(json.loads(body))
        except (ValueError, RecursionError):
            words = ""
        text = body[:2000].decode("utf-8", "replace")
        said = self._credentials.masked(short_text(words or ("" if text.lstrip().startswith("<") else text)))
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        reason = f"HTTP {status} {phrase}".rstrip() + (f": {said}" if said else "")
        if status in PASSING:
            return EngineFailure(reason, again=True, wait=seconds_to_wait(headers.get("Retry-After")))
        if status in NOT_LET_IN:
            names = f"{USER} with its password, {API_KEY} or {TOKEN}"
            return EngineFailure(f"{reason} (credentials come from the environment: {names})", for_all=True)
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            target = self._credentials.masked(short_text(headers.get("Location", "")))
            return EngineFailure(f"{reason}; it leads to {target or 'nowhere'}: give that address", for_all=True)
        return EngineFailure(reason, for_all=status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED))


def seconds_to_wait(text: str | None) -> float | None:
    """What a Retry-After asks for, which is a number of seconds or a time.

    >>> seconds_to_wait("2"), seconds_to_wait("Thu, 01 Jan 1970 00:00:00 GMT"), seconds_to_wait("soon")
    (2.0, 0.0, None)
    """
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _decoded_answer(body: bytearray, media_type: str) -> Any:
    """The answer; one that was cut off may come whole another time, a page for people will not."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        shown = short_text(body[:80].decode("utf-8", "replace"))
    if media_type.startswith("text/html") or shown.startswith("<"):
        raise EngineFailure(
            f"it answers with a page for people, '{shown}': is this the address of an index?", for_all=True
        )
    raise EngineFailure(f"the answer is no whole JSON: '{shown}'", again=True)
