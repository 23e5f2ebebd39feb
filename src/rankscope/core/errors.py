"""Everything rankscope raises on purpose.

    RankscopeError
    ├── InputError       a file or table cannot be read as judgements, rankings or features
    │   └── SwappedInputs    judgements and rankings stand in each other's place
    ├── MeasureError     a measure does not exist, is written wrongly, or lacks what it needs
    ├── SettingError     a setting has a value it cannot have
    │   └── UnknownSetting   there is no setting of this name: a TypeError too, as Python raises for a wrong keyword
    ├── QueryError       a query is not written in the language that it is read in
    ├── TimeLimitError   a search took longer than it may
    ├── ForkError        a process was forked where it cannot work
    ├── RunnerError      workers cannot be reached, are of another version, or were lost
    └── MissingExtra     a part that is not installed is needed

Each carries its facts as attributes; its text is what a person reads on the terminal (exit code 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

SHOWN_PROBLEMS = 20
SHOWN_SIGNS = 80  # of a long query


class RankscopeError(Exception):
    """The root: catch this to catch everything rankscope raises on purpose.

    It travels between processes with all its facts, however its kind is made.
    """

    def __reduce__(self) -> tuple[Callable[..., RankscopeError], tuple[Any, ...]]:
        return _arrived, (type(self), self.args, vars(self))


def _arrived(kind: type[RankscopeError], args: tuple[Any, ...], facts: dict[str, Any]) -> RankscopeError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and where: `line 17`, `query 301`, or nothing when it concerns the whole file."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what


@dataclass(frozen=True)
class ProblemReport:
    """All problems of one input, and what to do about them."""

    source: str
    problems: Sequence[Problem]
    advice: str = ""
    total: int = field(default=0)

    @property
    def count(self) -> int:
        """How many problems there are, those not kept in `problems` included."""
        return max(self.total, len(self.problems))

    def __str__(self) -> str:
        head = f"{self.source}: {self.count} problem{'' if self.count == 1 else 's'}"
        shown = [f"  {problem}" for problem in self.problems[:SHOWN_PROBLEMS]]
        hidden = self.count - len(shown)
        more = [f"  ... and {hidden} more"] if hidden else []
        return "\n".join([head, *shown, *more, *([self.advice] if self.advice else [])])


class InputError(RankscopeError):
    """A file or table cannot be read as judgements, rankings or features; `reports` has one entry per input.

    >>> print(InputError.of("bm25.run", [Problem("line 17", "score must be a number, got 'n/a'")]))
    bm25.run: 1 problem
      line 17: score must be a number, got 'n/a'
    """

    def __init__(self, reports: Iterable[ProblemReport]) -> None:
        self.reports = tuple(reports)
        super().__init__("\n".join(map(str, self.reports)))

    @classmethod
    def of(cls, source: str, problems: Iterable[Problem | str], advice: str = "", total: int = 0) -> InputError:
        """An error about one input."""
        listed = [Problem("", problem) if isinstance(problem, str) else problem for problem in problems]
        return cls([ProblemReport(source, listed, advice, total)])


class SwappedInputs(InputError):  # noqa: N818  (it says what happened)
    """Judgements were given where rankings belong and the other way round: one line says all.

    >>> print(SwappedInputs("bm25.run", "qrels.txt"))
    bm25.run reads as rankings and qrels.txt as judgements: swapped? Judgements come first, then runs
    """

    def __init__(self, judgements: str, run: str) -> None:
        super().__init__(
            [
                ProblemReport(judgements, [Problem("", "holds rankings")]),
                ProblemReport(run, [Problem("", "judgements")]),
            ]
        )
        self.args = (
            f"{judgements} reads as rankings and {run} as judgements: swapped? Judgements come first, then runs",
        )


class MeasureError(RankscopeError):
    """A measure does not exist, is written wrongly, or lacks what it needs (a collection size, scores)."""


class SettingError(RankscopeError):
    """A setting has a value it cannot have, or two settings exclude each other; `problems` has a line for each.

    >>> print(SettingError.of(["seed=-1: must be 0 or more", "level=2: must be below 1"]))
    2 settings cannot be so:
      seed=-1: must be 0 or more
      level=2: must be below 1
    """

    def __init__(self, message: str, problems: Iterable[str] = ()) -> None:
        self.problems = tuple(problems) or (message,)
        super().__init__(message)

    @classmethod
    def of(cls, problems: Sequence[str]) -> SettingError:
        """One error for all that is wrong."""
        if len(problems) == 1:
            return cls(problems[0])
        return cls("\n  ".join([f"{len(problems)} settings cannot be so:", *problems]), problems)


class UnknownSetting(SettingError, TypeError):  # noqa: N818  (it names what is unknown)
    """A keyword that a function does not take; Python's own `TypeError` catches it too."""


class QueryError(RankscopeError):
    """A query is not written in the language that it is read in; `column` counts signs from 1.

    >>> print(QueryError("java AND", 9, "expected a term, but the query ends", advice="Quote AND to search for it."))
    column 9: expected a term, but the query ends
      java AND
              ^
    Quote AND to search for it.
    """

    def __init__(self, text: str, column: int, what: str, advice: str = "") -> None:
        self.text, self.column, self.what, self.advice = text, column, what, advice
        before, shown = _around(text, column)
        pointed = [f"  {shown}", f"  {' ' * before}^"] if shown.isprintable() else []
        super().__init__("\n".join([f"column {column}: {what}", *pointed, *([advice] if advice else [])]))


def _around(text: str, column: int) -> tuple[int, str]:
    """The part of a long text around a column, and how many signs of it stand before the column."""
    start = max(0, column - 1 - SHOWN_SIGNS // 2)
    return column - 1 - start, text[start : start + SHOWN_SIGNS]


class TimeLimitError(RankscopeError):
    """A search took longer than the `seconds` it was given."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        words = f"the search took longer than {seconds:g} second{'' if seconds == 1 else 's'}"
        super().__init__(f"{words}: ask for fewer words, or narrow it down")


class ForkError(RankscopeError):
    """The process was forked from one whose threads it would wait for; another start method is needed."""


class RunnerError(RankscopeError):
    """Work was to run elsewhere and cannot: workers are not reached, are of another version, or were lost."""


class MissingExtra(RankscopeError):  # noqa: N818  (it names what is missing)
    """Parts that are not installed are needed; the message names the extras to install.

    >>> print(MissingExtra("uvicorn, pillow", "web,images"))
    uvicorn, pillow are not installed. Install them with: pip install 'rankscope[web,images]'
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        verb, them = ("are", "them") if "," in package else ("is", "it")
        super().__init__(f"{package} {verb} not installed. Install {them} with: pip install 'rankscope[{extra}]'")
