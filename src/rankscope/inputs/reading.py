"""How files are to be read: format, encoding, names of columns, roll-up, and which scores are best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rankscope.core.caching import once
from rankscope.core.validation import FLAG, Number, OneOf, Rule, check_fields, checked_once
from rankscope.inputs.sources import MAX_RATIO


class Encoding(Rule):
    """The name of a text encoding that Python knows."""

    def plain(self, value: Any) -> str:
        try:
            "a".encode(value)
        except (LookupError, ValueError, TypeError):
            raise ValueError("must be a text encoding: utf-8, utf-16, latin-1, ...") from None
        return str(value)


class Mapped(Rule):
    """Which column is which, for files that have no columns of some roles; nothing is loaded where nothing is given."""

    def __init__(self, without: tuple[str, ...] = ()) -> None:
        self.without = without

    def plain(self, value: Any) -> Any:
        if not value:
            return ()
        from rankscope.inputs.column_map import Columns

        return Columns(self.without).plain(value)


class RolledUp(Rule):
    """How chunks become documents; nothing is loaded where nothing is given."""

    def plain(self, value: Any) -> Any:
        if value is None:
            return None
        from rankscope.inputs.roll_up import roll_up_of

        return roll_up_of(value)


ENCODING = Encoding()
FOREIGN = {"score": ("grade",), "grade": ("score", "rank")}  # the roles that a run (score) and judgements do not have


@dataclass(frozen=True)
class Reading:
    """The format (recognised from the file unless given), the encoding of text, and whether # begins a TREC comment.

    `max_ratio` is how many times its own size a packed file may become, beyond 1 GB. `columns` says which column is
    which, where names do not tell: {"query": NAME, "item": NAME}; `map_qrels` and `map_runs` say it of judgements and
    of runs alone, and win over `columns`. `roll_up` says which document a chunk belongs to: a
    regular expression with one group, a file or a table of chunks and documents, or a dictionary. A choice that cannot
    be is a `SettingError`. `scores`: whether the largest score is best (descending) or the smallest.
    """

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True
    max_ratio: float = MAX_RATIO
    columns: Any = ()
    roll_up: Any = None
    map_qrels: Any = ()
    map_runs: Any = ()
    scores: str = "descending"

    def only_for(self, value: str) -> Reading:
        """The same with the columns that a run (score) or judgements (grade) have, by the map of all and their own."""
        own = self.map_runs if value == "score" else self.map_qrels
        kept = tuple((role, name) for role, name in dict((*self.columns, *own)).items() if role not in FOREIGN[value])
        if kept == self.columns and not (self.map_qrels or self.map_runs):
            return self
        return replace(self, columns=kept, map_qrels=(), map_runs=())

    @once
    def maps(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The maps that were given, by the names of their settings."""
        given = {"columns": self.columns, "map_qrels": self.map_qrels, "map_runs": self.map_runs}
        return {name: each for name, each in given.items() if each}

    def __post_init__(self) -> None:
        check_fields(
            self,
            encoding=ENCODING,
            comments=FLAG,
            max_ratio=Number(least=1),
            columns=Mapped(),
            roll_up=RolledUp(),
            map_qrels=Mapped(FOREIGN["grade"]),
            map_runs=Mapped(FOREIGN["score"]),
            scores=OneOf(("descending", "ascending")),
        )


DEFAULT_READING = Reading()
reading_of: Callable[..., Reading] = checked_once(Reading)  # for calls that come again and again


def reading_with(
    columns: Any,
    roll_up: Any,
    format: str | None,
    encoding: str,
    comments: bool,
    max_ratio: float,
    map_qrels: Any = None,
    map_runs: Any = None,
    scores: str = "descending",
) -> Reading:
    """A `Reading` with what is seldom given: maps of columns, and `roll_up`, whose file is read anew every time."""
    maps = (columns, roll_up, map_qrels, map_runs)
    if all(each is None for each in maps) and scores == "descending":
        return reading_of(format, encoding, comments, max_ratio)
    return Reading(
        format=format,
        encoding=encoding,
        comments=comments,
        max_ratio=max_ratio,
        columns=columns,
        roll_up=roll_up,
        map_qrels=map_qrels,
        map_runs=map_runs,
        scores=scores,
    )
