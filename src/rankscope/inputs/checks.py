"""Problems of an input, gathered until all are known: nothing is repaired silently, nothing stops at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rankscope.arrays import IntArray, Lines
from rankscope.errors import InputError, Problem, ProblemReport

KEPT = 100


@dataclass
class Problems:
    """The problems of one input so far; the first hundred are kept, all are counted."""

    source: str
    advice: list[str] = field(default_factory=list)
    kept: list[tuple[int, Problem]] = field(default_factory=list)
    count: int = 0

    def add(self, place: str, what: str, advice: str = "", order: int = 0) -> None:
        """One more problem; `order` (a line number) sorts the list in the end."""
        self.count += 1
        if len(self.kept) < KEPT:
            self.kept.append((order, Problem(place, what)))
        self.advise(advice)

    def advise(self, advice: str) -> None:
        """A sentence on what to do, said once."""
        if advice and advice not in self.advice:
            self.advice.append(advice)

    def more(self, number: int) -> None:
        """Problems that are only counted."""
        self.count += number

    def add_rows(self, rows: IntArray, line: Lines, word: str, what: Callable[[int], str]) -> None:
        """A problem for each of these rows: the line or row it came from, and what is wrong with it."""
        for row in rows[:KEPT].tolist():
            self.add(f"{word} {line[row]}", what(row), order=int(line[row]))
        self.more(max(0, rows.size - KEPT))

    def report(self) -> ProblemReport:
        """All of it, in the order of the lines."""
        ordered = [problem for _, problem in sorted(self.kept, key=lambda entry: entry[0])]
        return ProblemReport(self.source, ordered, " ".join(self.advice), self.count)

    def raise_if_any(self) -> None:
        """Raise an `InputError` with everything found, if anything was."""
        if self.count:
            raise InputError([self.report()])


def raise_all(errors: Iterable[InputError]) -> None:
    """One error from several inputs' errors, each report once."""
    reports: dict[str, ProblemReport] = {}
    for error in errors:
        for report in error.reports:
            reports.setdefault(str(report), report)
    if reports:
        raise InputError(reports.values())


def shorten_value(text: object, width: int = 40) -> str:
    """A value as it stood in the file, cut where it is long.

    >>> shorten_value("n/a")
    "'n/a'"
    """
    try:
        written = repr(text)
    except ValueError:  # Python writes no number of more than some thousand digits
        written = f"a number of {text.bit_length():,} bits" if isinstance(text, int) else type(text).__name__
    return written if len(written) <= width else written[: width - 4] + "...'"
