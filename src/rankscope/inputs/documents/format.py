"""What a format of documents is to the rest of rankscope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.record import Record
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source


class DocumentFormat(Protocol):
    """What reads documents of one format: an object, or a module with these names in it.

    `suffixes` are those of files that are of this format where nothing in them says so. `word` is what it
    counts: lines, rows or pages. `single` says that a file is one document, whose id is the name of the file.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  (attributes, explained above)
    @property
    def about(self) -> str: ...  # noqa: D102
    @property
    def suffixes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def word(self) -> str: ...  # noqa: D102
    @property
    def single(self) -> bool: ...  # noqa: D102

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format, for sure."""
        ...

    def read(self, source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
        """The documents one after another; `name` is the id where the file is one document. Bad ones are problems."""
        ...


@dataclass(frozen=True)
class DocumentReader:
    """A format of documents made of its functions; without `recognises` only the name of a file tells it."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, str, Reading, Problems], Iterator[Record]]
    recognises: Callable[[bytes], bool] = lambda head: False
    word: str = "line"
    single: bool = False
