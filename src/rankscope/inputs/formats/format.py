"""What a file format is to the rest of rankscope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from rankscope.errors import InputError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    from rankscope.inputs.shapes.shape import InputShape


class Format(Protocol):
    """What reads and writes one format: an object, or a module with these names in it.

    `binary` says whether it reads and writes bytes or text; `has_parts` whether one file or folder can hold several
    rankings or judgements, one of which is chosen behind a `#`. It may have `about` too, a sentence, and `shapes`,
    `InputShape`s with examples; pages show both.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  (attributes, explained above)
    @property
    def suffixes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def binary(self) -> bool: ...  # noqa: D102
    @property
    def has_parts(self) -> bool: ...  # noqa: D102

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins like this is of this format."""
        ...

    def read_run(self, source: Source, reading: Reading) -> Run:
        """A run; its rows are read when they are asked for."""
        ...

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgements, all at once."""
        ...

    def write_run(self, run: Run, file: Any) -> None:
        """Write a run so that reading gives the same ids and scores; refuse what the format cannot hold."""
        ...

    def write_qrels(self, qrels: Qrels, file: Any) -> None:
        """Write judgements so that reading gives the same ids and grades; refuse what the format cannot hold."""
        ...


@dataclass(frozen=True)
class FileFormat:
    """A format made of its functions."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read_run: Callable[[Source, Reading], Run]
    read_qrels: Callable[[Source, Reading], Qrels]
    write_run: Callable[[Run, Any], None]
    write_qrels: Callable[[Qrels, Any], None]
    shapes: tuple[InputShape, ...] = ()
    binary: bool = False
    has_parts: bool = False


def refusal(what: str, advice: str = "") -> Callable[[Source | Run | Qrels, Any], NoReturn]:
    """What stands for reading or writing in a format that cannot hold it: it raises this sentence."""

    def refuse(given: Source | Run | Qrels, _: Any) -> NoReturn:
        raise InputError.of(given.place if isinstance(given, Run) else given.name, [what], advice)

    return refuse
