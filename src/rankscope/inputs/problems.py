"""Problems of an input, gathered until all are known: nothing is repaired silently, nothing stops at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from rankscope.core.arrays import IntArray, Lines
from rankscope.core.errors import InputError, Problem, ProblemReport

KEPT = 100
LINE_BITS = 40


@dataclass
class Problems:
    """The problems of one input so far; the first hundred by their order are kept, all are counted.

    `followers` are what may follow from another problem, such as a gap in the ranks where a line was bad: they are told
    only where there is no other. `alike` are problems that are told together: how many there are, and the first. What
    is told does not depend on the parts in which an input was read.
    """

    source: str
    advice: list[str] = field(default_factory=list)
    kept: list[tuple[int, Problem]] = field(default_factory=list)
    count: int = 0
    followers: list[tuple[int, Problem]] = field(default_factory=list)
    following: int = 0
    alike: dict[str, tuple[int, int, Problem]] = field(default_factory=dict)  # by what: their number, and the first

    def add(self, place: str, what: str, advice: str = "", order: int = 0) -> None:
        """One more problem; `order` (a line number) sorts the list in the end."""
        self.count += 1
        self.kept.append((order, Problem(place, what)))
        self._keep_first()
        self.advise(advice)

    def add_follower(self, place: str, what: str, order: int = 0) -> None:
        """One more that is told only where nothing else is wrong."""
        self.following += 1
        self.followers.append((order, Problem(place, what)))
        self._keep_first()

    def add_alike(self, what: str, place: str, example: str, order: int, number: int = 1) -> None:
        """So many problems of one sort, {count} and the plural's {s} in its words; the first is an example.

        >>> problems = Problems("runs")
        >>> problems.add_alike("{count} duplicate{s}.", "query q2", "item 'b'", order=7)
        >>> problems.add_alike("{count} duplicate{s}.", "query q1", "item 'a'", order=2, number=4)
        >>> print(problems.report())
        runs: 1 problem
          5 duplicates. The first: query q1: item 'a'
        """
        count, before, first = self.alike.get(what, (0, order, Problem(place, example)))
        self.alike[what] = (count + number, *min((before, first), (order, Problem(place, example)), key=itemgetter(0)))

    def _keep_first(self) -> None:
        for each in (self.kept, self.followers):
            if len(each) > 2 * KEPT:
                each[:] = _first(each)

    def advise(self, advice: str) -> None:
        """A sentence on what to do, said once."""
        if advice and advice not in self.advice:
            self.advice.append(advice)

    def more(self, number: int, what: str = "") -> None:
        """Problems that are only counted; `what` they are, if they are told together."""
        if what:
            count, order, first = self.alike[what]
            self.alike[what] = (count + number, order, first)
        else:
            self.count += number

    def take_over(self, other: Problems, file: str = "", number: int = 0) -> None:
        """All problems of another input, or of one of the files of this one: its name and number then."""
        for mine, theirs in ((self.kept, other.kept), (self.followers, other.followers)):
            mine += [(_order_in_file(number, order, problem), _in_file(problem, file)) for order, problem in theirs]
        self.count += other.count
        self.following += other.following
        self._keep_first()
        for what, (count, order, first) in other.alike.items():
            self.add_alike(what, _in_file(first, file).place, first.what, _order_in_file(number, order, first), count)
        for advice in other.advice:
            self.advise(advice)

    def add_rows(
        self, rows: IntArray, line: Lines, word: str, what: Callable[[int], str], files: Sequence[str] = ()
    ) -> None:
        """A problem for each of these rows: the line or row it came from, and what is wrong with it."""
        for row in rows[:KEPT].tolist():
            self.add(place_of_line(int(line[row]), word, files), what(row), order=int(line[row]))
        self.more(max(0, rows.size - KEPT))

    def report(self) -> ProblemReport:
        """All of it, in the order of the lines."""
        alike = [
            Problem("", f"{what.format(count=f'{count:,}', s='s' if count > 1 else '')} The first: {first}")
            for what, (count, _, first) in self.alike.items()
        ]
        told, count = (self.kept, self.count) if self.count or alike else (self.followers, self.following)
        listed = [*alike, *(problem for _, problem in _first(told))]
        return ProblemReport(self.source, listed, " ".join(sorted(self.advice)), count + len(alike))

    @property
    def any(self) -> bool:
        return bool(self.count or self.following or self.alike)

    def raise_if_any(self) -> None:
        """Raise an `InputError` with everything found, if anything was."""
        if self.any:
            raise InputError([self.report()])


def _first(problems: list[tuple[int, Problem]]) -> list[tuple[int, Problem]]:
    return sorted(problems, key=itemgetter(0))[:KEPT]


def _in_file(problem: Problem, file: str) -> Problem:
    return Problem(", ".join(filter(None, (file, problem.place))), problem.what)


def _order_in_file(number: int, order: int, problem: Problem) -> int:
    """What concerns a whole file comes before all lines."""
    return line_in_file(number, order) if problem.place or order else number - (1 << 62)


def line_in_file(number: int, line: int) -> int:
    """A line of one of several files as one whole number, in the order of the files and of their lines.

    >>> line_in_file(0, 17), file_of_line(line_in_file(3, 17))
    (17, (3, 17))
    """
    return (number << LINE_BITS) + line


def file_of_line(line: int) -> tuple[int, int]:
    """The number of the file, and the line in it."""
    return line >> LINE_BITS, line & ((1 << LINE_BITS) - 1)


def place_of_line(line: int, word: str, files: Sequence[str] = ()) -> str:
    """Where a row stood, in words.

    >>> place_of_line(17, "line"), place_of_line(line_in_file(1, 17), "row", ["a.parquet", "b.parquet"])
    ('line 17', 'b.parquet, row 17')
    """
    number, inside = file_of_line(line)
    return f"{files[number]}, {word} {inside}" if files else f"{word} {inside}"


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
