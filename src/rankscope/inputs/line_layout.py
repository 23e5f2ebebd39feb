"""What lines of fields are made of, and what comes out of reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rankscope.arrays import FloatArray, Lines
from rankscope.inputs.checks import Problems
from rankscope.inputs.id_columns import IdColumn
from rankscope.inputs.numbers import parse_number
from rankscope.wording import mapping_advice

LOOKED_AT = 1000  # lines of a beginning
CONSTANT = ("q0", "0")  # what nearly all files have between query and item
MOST_GRADE = 10


@dataclass(frozen=True)
class LineLayout:
    """Which fields a line has, which are wanted, which of them are numbers, and whether more fields may follow.

    `shorter` are the forms that such files have where columns were left out, the likeliest first.
    """

    kind: str
    fields: tuple[str, ...]
    wanted: tuple[str, ...]
    numbers: tuple[str, ...]
    more_allowed: bool
    last: str = ""  # a field of which the last row alone is wanted
    shorter: tuple[tuple[str, ...], ...] = ()
    glance: str = ""  # a number that is looked at in the first rows, whatever stands there
    map_name: str = ""  # the setting that says which column is which

    @property
    def reads(self) -> str:
        """The rule, for messages."""
        return f"A {self.kind} line reads: {' '.join(self.fields)}."

    def want(self, *names: str) -> LineLayout:
        """The same layout with more fields read."""
        wanted = tuple(name for name in self.fields if name in self.wanted or name in names)
        return replace(self, wanted=wanted)

    def fitting(self, head: bytes, comments: bool, problems: Problems) -> LineLayout | None:
        """The layout of a text that begins so: this one, or one without the fields at the end that nobody wants.

        None, and a problem, where all lines lack other columns. A text of a single line without its end may be cut off.
        """
        form = self._shorter_form(head, comments)
        if form is None:
            return self
        if form == self.fields[: len(form)] and not {*self.fields[len(form) :]} & {*self.wanted}:
            if b"\n" not in head:
                return self
            numbers = tuple(name for name in self.numbers if name in form)
            return replace(self, fields=form, numbers=numbers, more_allowed=False, last="", shorter=())
        missing = [name for name in self.fields if name not in form]
        what = f"the {missing[0]} column is missing" if len(missing) == 1 else f"{_listed(missing)} are missing"
        if "grade" in form and "grade" not in self.fields:
            what = "judgements in place of a run?"
            problems.advise("Judgements come first, then runs.")
        problems.add("", f"has {len(form)} columns ({' '.join(form)}), not {len(self.fields)}: {what}", self.reads)
        if not {*missing} & {*self.wanted} - ({"score"} if "rank" in form else set()):
            problems.advise(mapping_advice("To read it as it is, give {}.", map_of_form(form), self.map_name))
        return None

    def _shorter_form(self, head: bytes, comments: bool) -> tuple[str, ...] | None:
        """The form of a text whose first lines all lack the same columns."""
        if not self.shorter or len(_first_fields(head, comments)) >= len(self.fields):
            return None
        return form_of(_alike(_fields_of_lines(head, comments)), self.shorter)


@dataclass(frozen=True)
class LineRows:
    """Wanted fields of a block of lines, all present and all numbers numbers, with the line each row came from."""

    texts: Mapping[str, IdColumn]
    numbers: Mapping[str, FloatArray]
    line: Lines
    last: str = ""
    glanced: FloatArray | None = None  # of the first rows, NaN where there was no number

    def __len__(self) -> int:
        return len(self.line)

    def head(self, count: int) -> LineRows:
        """The first rows."""
        texts = {name: column.slice(0, count) for name, column in self.texts.items()}
        numbers = {name: column[:count] for name, column in self.numbers.items()}
        glanced = None if self.glanced is None else self.glanced[:count]
        return LineRows(texts, numbers, self.line[:count], last=self.last, glanced=glanced)


def form_of(rows: Sequence[Sequence[str]], forms: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The first of these forms that rows of one length have, by what stands in their columns; None for no form.

    A wrong number here and there does not matter: it is told when the rows are read.
    >>> forms = (("query", "item", "rank"), ("query", "item", "score"))
    >>> form_of([["q1", "a", "1"], ["q1", "b", "2"]], forms), form_of([["q1", "a", "1"], ["q1", "b", "0"]], forms)
    (('query', 'item', 'rank'), ('query', 'item', 'score'))
    """
    columns = list(zip(*rows, strict=True))  # none of no rows
    fitting = (form for form in forms if len(form) == len(columns))
    return next((form for form in fitting if all(_fits(name, form, columns) for name in form)), None)


def map_of_form(form: Sequence[str]) -> str:
    """The numbers of the columns that are read.

    >>> map_of_form(("query", "Q0", "item", "score"))
    'query=1,item=3,score=4'
    """
    roles = [(name, place) for place, name in enumerate(form, 1) if name in ("query", "item", "rank", "score", "grade")]
    return ",".join(f"{name}={place}" for name, place in roles)


def _fits(name: str, form: tuple[str, ...], columns: list[tuple[str, ...]]) -> bool:
    """Whether a column may hold what the form says; ranks without scores must count from 1, or they may be scores."""
    column = columns[form.index(name)]
    if name in ("Q0", "iteration"):
        return len(set(column)) == 1 and (column[0].lower() in CONSTANT or len(column) > 2)
    if name == "tag":
        return len(set(column)) == 1
    if name not in ("rank", "score", "grade"):
        return True
    numbers = [parse_number(value.replace(",", ".")) for value in column]
    if name == "rank" and "score" not in form:
        steps = pairwise([("", 0.0), *zip(columns[0], (number or 0 for number in numbers), strict=True)])
        return _mostly(rank == (last + 1 if query == before else 1) for (before, last), (query, rank) in steps)
    if name == "score" or (name == "grade" and "Q0" not in form):
        return _mostly(number is not None for number in numbers)
    least = -MOST_GRADE if name == "grade" else 0
    most = MOST_GRADE if name == "grade" else float("inf")
    return _mostly(number is not None and number.is_integer() and least <= number <= most for number in numbers)


def _mostly(fit: Iterable[bool]) -> bool:
    listed = list(fit)
    return sum(listed) * 3 > len(listed) * 2


def _alike(rows: list[list[str]]) -> list[list[str]]:
    """The rows of the length that most of them have; none where no length is that of most."""
    length, count = max(Counter(map(len, rows)).items(), key=lambda pair: pair[1], default=(0, 0))
    return [row for row in rows if len(row) == length] if 2 * count > len(rows) else []


def _first_fields(head: bytes, comments: bool) -> list[bytes]:
    """The fields of the first line that has any."""
    for line in head[: 1 << 16].split(b"\n"):
        fields = line.split()
        if fields and not (comments and fields[0].startswith(b"#")):
            return fields
    return []


def _fields_of_lines(head: bytes, comments: bool) -> list[list[str]]:
    """The fields of the first whole lines, blank lines and comments aside."""
    beginning = head[: 1 << 16]
    whole = beginning[: beginning.rfind(b"\n") + 1] or beginning
    lines = (line.split() for line in whole.split(b"\n")[:LOOKED_AT])
    kept = (fields for fields in lines if fields and not (comments and fields[0].startswith(b"#")))
    return [[field.decode(errors="replace") for field in fields] for fields in kept]


def _listed(names: Sequence[str]) -> str:
    """Two names or more in a sentence.

    >>> _listed(["Q0", "rank", "tag"])
    'Q0, rank and tag'
    """
    return f"{', '.join(names[:-1])} and {names[-1]}"
