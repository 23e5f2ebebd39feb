"""What all pages of one served project share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.workbench.item_numbers import ItemNumbers
from rankscope.workbench.pages.rates import Bucket, WrongTokens
from rankscope.workbench.pages.sessions import Sessions
from rankscope.workbench.people import new_token, token_hash
from rankscope.workbench.project import Project

if TYPE_CHECKING:
    from rankscope.workbench.pages.addresses import Address

T = TypeVar("T")
RATE = 20.0  # changes a second of one person
BURST = 3  # seconds' worth of them at once


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How a project is reached: the port, the address that people open where a proxy stands before it, and how often.

    `public` is that address without a path, as https://judging.example.org.
    """

    port: int = 8384
    public: str | None = None
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

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.project.secret, self.project.assessors)
        self.changes = Bucket(self.reach.rate, BURST * self.reach.rate)
        self.wrong_tokens = WrongTokens()

    @cached_property
    def title(self) -> str:
        """What pages call the project."""
        return self.project.folder.resolve().name

    @cached_property
    def query_numbers(self) -> Callable[[], ItemNumbers]:
        """Queries under numbers that say nothing; made anew where queries were added."""
        key = hashlib.blake2b(self.project.secret, digest_size=32, person=b"queries").digest()
        return lambda: ItemNumbers(key, len(self.project.queries))

    def number_of(self, item: str) -> int:
        """What pages call an item."""
        return self.project.numbers.number(self.project.places[item])

    def item_of(self, number: int) -> str:
        """Which item a number means; an `IndexError` where it means none."""
        return self.project.items[self.project.numbers.place(number)].id

    def keep(self, make: Callable[[Workbench], T]) -> T:
        """What `make` gives for this workbench, made once: matrices, caches, sessions of feedback."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def take_start_token(self, token: str) -> bool:
        """Whether this is the token of the start; it is good for one time."""
        if self.start_token is None or token_hash(token) != token_hash(self.start_token):
            return False
        self.start_token = None
        return True
