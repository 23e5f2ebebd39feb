"""What all pages of one served project share: how it is reached, who is signed in, and how often somebody may ask.

A cookie says itself whose it is, signed with the project's key, so that a restart ends nothing. An invitation that is
renewed or taken back ends every session that it began; a session that somebody ended is in the journal.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import os
import re
import secrets
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rankscope.workbench.project import Project
from rankscope.workbench.service.application import Proxies
from rankscope.workbench.sources import ItemNumbers
from rankscope.workbench.store.events import Assessor, new_token, token_hash

if TYPE_CHECKING:
    from rankscope.workbench.pages.addresses import Address


T = TypeVar("T")
RATE = 20.0  # changes a second of one person
MOST_QUERIES = 1 << 20
BURST = 3  # seconds' worth of them at once


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How a project is reached: the port, the address that people open where a proxy stands before it, and how often.

    `public` is that address without a path, as https://judging.example.org; `proxies` are believed who they ask for.
    """

    port: int = 8384
    public: str | None = None
    proxies: Proxies = field(default_factory=Proxies)
    tls: bool = False
    rate: float = RATE

    @property
    def is_encrypted(self) -> bool:
        """Whether what people send can be read by nobody else."""
        return self.tls or (self.public or "").startswith("https://")

    @property
    def cookie(self) -> str:
        """The cookie's name; the port is in it, since cookies of one host are shared across ports."""
        return f"rankscope-{self.port}"


@dataclass(eq=False)
class Workbench:
    """A project that is served, and who may do what in it."""

    project: Project
    reach: Reach = field(default_factory=Reach)
    start_token: str | None = field(default_factory=new_token)  # lets the owner in, once
    pages: Sequence[Address] = ()
    _kept: dict[Any, Any] = field(default_factory=dict)
    _reported: dict[str, float] = field(default_factory=dict)  # until when it need not be told again

    def __post_init__(self) -> None:
        project = self.project
        self.sessions = SessionCookies(
            project.session_key, project.assessors, ended=lambda session: session in project.state.ended
        )
        self.changes = Bucket(self.reach.rate, BURST * self.reach.rate)
        self.wrong_tokens = WrongTokens()
        self._queries: list[str] = []  # by place
        self._endings: list[Callable[[], object]] = []
        self._making = threading.RLock()  # what is made may need something else

    def report(self, trouble: str) -> None:
        """Tell whoever runs the service, in one line, and the same not again for a minute."""
        now = time.monotonic()
        if now >= self._reported.get(trouble, now):
            self._reported = {trouble: now + 60}
            print(f"! {' '.join(trouble.split())}", file=sys.stderr, flush=True)

    def without_places(self, text: str) -> str:
        """A text without the folder of the project, and the one of temporary files."""
        for place in (self.project.folder, self.project.folder.resolve(), Path(tempfile.gettempdir())):
            text = text.replace(f"{place}{os.sep}", "").replace(str(place), self.title)
        return text

    @cached_property
    def title(self) -> str:
        """What pages call the project."""
        return self.project.folder.resolve().name

    @cached_property
    def _query_numbers(self) -> ItemNumbers:
        """A permutation of more numbers than there will be queries: those of old queries stay when some are added."""
        key = hashlib.blake2b(self.project.secret, digest_size=32, person=b"queries").digest()
        return ItemNumbers(key, MOST_QUERIES)

    def query_number(self, name: str) -> int:
        """What pages call a query."""
        return self._query_numbers.number(self.project.queries[name].place)

    def query_of(self, number: int) -> str:
        """Which query a number means; an `IndexError` where it means none."""
        if len(self._queries) != len(self.project.queries):
            self._queries = list(self.project.queries)
        return self._queries[self._query_numbers.place(number)]

    def number_of(self, item: str) -> int:
        """What pages call an item."""
        return self.project.numbers.number(self.project.places[item])

    def item_of(self, number: int) -> str:
        """Which item a number means; an `IndexError` where it means none."""
        return self.project.items[self.project.numbers.place(number)].id

    def keep(self, make: Callable[[Workbench], T], as_of: object = None) -> T:
        """What `make` gives for this workbench, made once, and anew when `as_of` is another."""
        kept: tuple[object, T] | None = self._kept.get(make)
        if kept is None or kept[0] != as_of:
            with self._making:
                kept = self._kept.get(make)
                if kept is None or kept[0] != as_of:
                    kept = self._kept[make] = as_of, make(self)
        return kept[1]

    def on_close(self, end: Callable[[], object]) -> None:
        """Call something when the pages are served no more."""
        self._endings.append(end)

    def close(self) -> None:
        """End what pages began: processes, caches."""
        while self._endings:
            self._endings.pop()()

    def is_start_token(self, token: str) -> bool:
        """Whether this is the token of the start."""
        return self.start_token is not None and token_hash(token) == token_hash(self.start_token)

    def use_up(self, token: str) -> None:
        """The token of the start is good for one time; others are for as long as the invitation."""
        if self.is_start_token(token):
            self.start_token = None


# Who is signed in: cookies that say it themselves, signed with the project's key, so that a restart ends nothing.

SESSION_SECONDS: Final = 30 * 24 * 3600
COOKIE_FORM: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)


@dataclass(eq=False)
class SessionCookies:
    """Makes and reads the values of cookies.

    >>> ann = Assessor(id=2, name="ann", kind="human", role="judge", token_hash="h", active=1)
    >>> sessions = SessionCookies(b"key", {2: ann}, ended=lambda session: False)
    >>> sessions.person(sessions.begin(ann)).name, sessions.person("2.0.0.0")
    ('ann', None)
    """

    key: bytes
    people: Mapping[int, Assessor]
    ended: Callable[[str], bool]  # as the journal says
    clock: Callable[[], float] = time.time
    _ended: set[str] = field(default_factory=set)  # and what may not be in it yet

    def begin(self, person: Assessor) -> str:
        said = f"{person.id}.{int(self.clock())}.{secrets.token_hex(16)}"
        return f"{said}.{self._signature(said, person)}"

    def person(self, value: str) -> Assessor | None:
        """Whose session it is; None where it is none, or has ended."""
        found = COOKIE_FORM.fullmatch(value)
        person = self.people.get(int(found[1])) if found else None
        if found is None or person is None or not person.active:
            return None
        if found[3] in self._ended or self.ended(found[3]):
            return None
        if self.clock() - int(found[2]) >= SESSION_SECONDS:  # one from the future is good: clocks are put back
            return None
        said = value.rpartition(".")[0]
        return person if hmac.compare_digest(self._signature(said, person), found[4]) else None

    def end(self, value: str) -> str | None:
        """A session counts no more; its name for the journal, or None where it was none."""
        if self.person(value) is None:
            return None
        session = value.split(".")[2]
        self._ended.add(session)
        return session

    def _signature(self, said: str, person: Assessor) -> str:
        return hashlib.blake2b(f"{said}.{person.token_hash}".encode(), digest_size=32, key=self.key).hexdigest()


# How often somebody may change something, and how often somebody may guess a token.

MOST_KEPT = 10_000  # addresses that are remembered


@dataclass(eq=False)
class Bucket:
    """So many a second, and `burst` at once: each takes one, and they come back with time.

    >>> bucket = Bucket(rate=20, burst=2, clock=lambda: 0.0)
    >>> [bucket.wait("ann"), bucket.wait("ann"), bucket.wait("ann"), bucket.wait("bob")]
    [0.0, 0.0, 0.05, 0.0]
    """

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[Hashable, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, who: Hashable) -> float:
        """Take one: 0 where there is one, else the seconds until there is."""
        now = self.clock()
        left, then = self._left.get(who, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        enough = left >= 1
        self._left[who] = (left - enough, now)
        self._left.move_to_end(who)
        while len(self._left) > MOST_KEPT:
            self._left.popitem(last=False)
        return 0.0 if enough else (1 - left) / self.rate


@dataclass(eq=False)
class WrongTokens:
    """Counts wrong tokens of each address: `most` within a minute, and the address has to wait.

    >>> wrong = WrongTokens(most=2, clock=lambda: 0.0)
    >>> wrong.add("a"), wrong.wait("a"), wrong.add("a"), wrong.wait("a"), wrong.wait("b")
    (None, 0, None, 60, 0)
    """

    most: int = 5
    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    _times: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def add(self, address: str) -> None:
        self._times[address] = [*self._recent(address), self.clock()][-self.most :]
        self._times.move_to_end(address)
        while len(self._times) > MOST_KEPT:
            self._times.popitem(last=False)

    def wait(self, address: str) -> int:
        """Seconds until the address may try again; 0: now."""
        recent = self._recent(address)
        return math.ceil(recent[0] + self.seconds - self.clock()) if len(recent) >= self.most else 0

    def _recent(self, address: str) -> list[float]:
        since = self.clock() - self.seconds
        return [each for each in self._times.get(address, []) if each > since]
