"""What a file format is to the rest of rankscope."""

from __future__ import annotations

from typing import Any, Protocol

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source


class Format(Protocol):
    """A module, or an object with the same names in it, that reads and writes one format.

    `binary` says whether it reads and writes bytes or text; `has_parts` whether one file or folder can hold several
    rankings or judgements, one of which is chosen behind a `#`. It may have `shapes` too, `InputShape`s with examples,
    which the page of input shapes shows.
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
