"""How files are to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rankscope.inputs.expansion import MAX_RATIO
from rankscope.validation import FLAG, Number, Rule, check_fields, checked_once


class Encoding(Rule):
    """The name of a text encoding that Python knows."""

    def plain(self, value: Any) -> str:
        """The name as it was given."""
        try:
            "a".encode(value)
        except (LookupError, ValueError, TypeError):
            raise ValueError("must be a text encoding: utf-8, utf-16, latin-1, ...") from None
        return str(value)


class Mapped(Rule):
    """Which column is which; nothing is loaded where nothing is given."""

    def plain(self, value: Any) -> Any:
        """The pairs of role and name."""
        if not value:
            return ()
        from rankscope.inputs.column_map import Columns

        return Columns().plain(value)


class RolledUp(Rule):
    """How chunks become documents; nothing is loaded where nothing is given."""

    def plain(self, value: Any) -> Any:
        """A `RollUp`, or None."""
        if value is None:
            return None
        from rankscope.inputs.roll_up import roll_up_of

        return roll_up_of(value)


ENCODING = Encoding()


@dataclass(frozen=True)
class Reading:
    """The format (recognised from the file unless given), the encoding of text, and whether # begins a TREC comment.

    `max_ratio` is how many times its own size a packed file may become, beyond 1 GB. `columns` says which column is
    which, where names do not tell: {"query": NAME, "item": NAME}. `roll_up` says which document a chunk belongs to: a
    regular expression with one group, a file or a table of chunks and documents, or a dictionary. A choice that cannot
    be is a `SettingError`.
    """

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True
    max_ratio: float = MAX_RATIO
    columns: Any = ()
    roll_up: Any = None

    def only_for(self, value: str) -> Reading:
        """The same with the columns that a run (score) or judgements (grade) have: one map serves all files."""
        other = {"score": ("grade",), "grade": ("score", "rank")}[value]
        kept = tuple(each for each in self.columns if each[0] not in other)
        return self if kept == self.columns else replace(self, columns=kept)

    def __post_init__(self) -> None:
        check_fields(
            self,
            encoding=ENCODING,
            comments=FLAG,
            max_ratio=Number(least=1),
            columns=Mapped(),
            roll_up=RolledUp(),
        )


reading_of: Callable[..., Reading] = checked_once(Reading)  # for calls that come again and again


def reading_with(
    columns: Any, roll_up: Any, format: str | None, encoding: str, comments: bool, max_ratio: float
) -> Reading:
    """A `Reading` with what is seldom given: `columns` and `roll_up`, whose file is read anew every time."""
    if columns is None and roll_up is None:
        return reading_of(format, encoding, comments, max_ratio)
    return Reading(
        format=format, encoding=encoding, comments=comments, max_ratio=max_ratio, columns=columns, roll_up=roll_up
    )
