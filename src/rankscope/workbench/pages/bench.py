"""What all pages of one served project share."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.workbench.item_numbers import ItemNumbers
from rankscope.workbench.pages.rates import Bucket, WrongTokens
from rankscope.workbench.pages.sessions import SessionCookies
from rankscope.workbench.people import new_token, token_hash
from rankscope.workbench.project import Project
from rankscope.workbench.service.hosts import Proxies

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

    def keep(self, make: Callable[[Workbench], T]) -> T:
        """What `make` gives for this workbench, made once: matrices, caches, sessions of feedback."""
        if make not in self._kept:
            with self._making:
                if make not in self._kept:
                    self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

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
