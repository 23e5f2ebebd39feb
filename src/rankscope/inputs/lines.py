"""Lines of fields between blanks, as TREC files have them, read at full speed without trusting them.

Simple text, as nearly all files have it, is read by looking at its blanks: all blanks in one array prove at once
that every line has as many fields, and numbers are read eight digits at a time inside one machine word. Any other
text goes to the reader that cleans and explains (`lenient_lines`), block by block, with the same result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray, Lines
from rankscope.core.wording import join_words, mapping_advice
from rankscope.inputs.id_columns import BEFORE, WORD, IdColumn, TextIds, padded, words_at
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.run_rows import ROWS_LOOKED_AT, keep_freed_memory, prefetch
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import decode_text, is_utf8
from rankscope.inputs.values import parse_number


def rows_of_lines(source: Source, layout: LineLayout, problems: Problems, reading: Reading) -> Iterator[LineRows]:
    """All good rows of a source, block by block; what is wrong with the others is added to `problems`."""
    keep_freed_memory()
    reader: LineReader | None = None
    for raw in prefetch(_texts(source, reading.encoding, problems)):
        if reader is None:
            found = layout.fitting(raw, reading.comments, problems)
            if found is None:
                return
            reader = LineReader(found, problems, reading.comments)
        if reader.line == 1 and not reader.rest and b"\n" not in raw and b"\r" in raw.rstrip():
            problems.add(
                "", "ends its lines with carriage returns", "Convert the line ends to those of Unix or Windows."
            )
            return
        yield from reader.read(raw)
    if reader is not None:
        yield from reader.finish()


class LineReader:
    """Rows from one block after the other. The lines of a block's last query wait for the next, so that queries come
    whole where they fit into a block. `simple` says whether simple text is read at full speed.
    """

    def __init__(self, layout: LineLayout, problems: Problems, comments: bool, simple: bool = True) -> None:
        self.layout, self.problems, self.comments, self.simple = layout, problems, comments, simple
        self.line, self.rest, self.tidy, self.glanced = 1, b"", True, 0

    def read(self, raw: bytes, last: bool = False) -> Iterator[LineRows]:
        """The rows of what is left and of a block behind it."""
        raw, self.rest = self.rest + raw, b""
        rows = simple_rows(raw, self.layout, self.comments, self.line) if self.simple else None
        if rows is None:
            from rankscope.inputs.lenient_lines import read_lenient_lines

            rows, self.tidy, lines = read_lenient_lines(
                raw, self.layout, self.problems, self.comments, self.line, self.tidy
            )
            self.line += lines
        else:
            rows = rows if last else self._without_last_query(rows, raw)
            self.line += len(rows)
        self.glanced += len(rows)
        if self.layout.glance and self.glanced >= ROWS_LOOKED_AT:
            self.layout = replace(self.layout, glance="")
        if len(rows):
            yield rows

    def _without_last_query(self, rows: LineRows, raw: bytes) -> LineRows:
        query = rows.texts[self.layout.fields[0]]
        cut = int(query.starts()[-1])
        if cut == 0:
            return rows
        assert isinstance(query, TextIds)
        self.rest = raw[raw.rfind(b"\n", 0, int(query.start[cut]) - BEFORE) + 1 :]
        return rows.head(cut)

    def finish(self) -> Iterator[LineRows]:
        if self.rest:
            yield from self.read(b"", last=True)


def _texts(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    if is_utf8(encoding):
        yield from source.blocks()
    else:
        yield decode_text(source.whole(), encoding, problems)


def simple_rows(raw: bytes, layout: LineLayout, comments: bool, first_line: int) -> LineRows | None:
    """The rows of a text in which all lines have their fields and nothing is wrong; None for any other.

    >>> layout = LineLayout("run", ("query", "score"), ("query", "score"), ("score",), more_allowed=True)
    >>> rows = simple_rows(b"q1 2.5\\nq2 -1\\n", layout, comments=True, first_line=3)
    >>> rows.texts["query"].to_list(), rows.numbers["score"], rows.line
    (['q1', 'q2'], array([ 2.5, -1. ]), range(3, 5))
    """
    found = tokens_of(raw, len(layout.fields), comments)
    if found is None:
        return None
    texts, numbers = {}, {}
    for name in layout.wanted:
        column = layout.fields.index(name)
        start, end = found.start[:, column], found.end[:, column]
        if name not in layout.numbers:
            texts[name] = TextIds(found.buffer, start, end - start)
            continue
        values = decimals(found.buffer, start, end)
        if values is None:
            return None
        numbers[name] = values
    last = found.text(-1, layout.fields.index(layout.last)) if layout.last else ""
    glanced = None
    if layout.glance in layout.fields:
        column = layout.fields.index(layout.glance)
        start, end = found.start[:ROWS_LOOKED_AT, column], found.end[:ROWS_LOOKED_AT, column]
        glanced = decimals(found.buffer, start, end)
    lines = range(first_line, first_line + len(found))
    return LineRows(texts, numbers, lines, last=last, glanced=glanced)


# What lines of fields are made of, and what comes out of reading them.

LINES_LOOKED_AT = 1000  # lines of a beginning
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
        what = f"the {missing[0]} column is missing" if len(missing) == 1 else f"{join_words(missing)} are missing"
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
        # The fields of the first whole lines, blank lines and comments aside.
        beginning = head[: 1 << 16]
        whole = beginning[: beginning.rfind(b"\n") + 1] or beginning
        lines = (line.split() for line in whole.split(b"\n")[:LINES_LOOKED_AT])
        kept = (fields for fields in lines if fields and not (comments and fields[0].startswith(b"#")))
        rows = [[field.decode(errors="replace") for field in fields] for fields in kept]
        length, count = max(Counter(map(len, rows)).items(), key=lambda pair: pair[1], default=(0, 0))
        is_usual = 2 * count > len(rows)
        return form_of([row for row in rows if is_usual and len(row) == length], self.shorter)


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


def _first_fields(head: bytes, comments: bool) -> list[bytes]:
    """The fields of the first line that has any."""
    for line in head[: 1 << 16].split(b"\n"):
        fields = line.split()
        if fields and not (comments and fields[0].startswith(b"#")):
            return fields
    return []


# Where the fields of lines lie, found by looking at blanks alone, for text in which every line has as many fields.

TAB, NEWLINE, RETURN, SPACE, HASH = 9, 10, 13, 32, 35


@dataclass(frozen=True, eq=False)
class Tokens:
    """A text and where each field of each line begins and ends in it: one row a line, one column a field."""

    buffer: NDArray[np.uint8]
    start: IntArray
    end: IntArray

    def __len__(self) -> int:
        return len(self.start)

    def text(self, line: int, field: int) -> str:
        """One field of one line."""
        return self.buffer[self.start[line, field] : self.end[line, field]].tobytes().decode()


def tokens_of(raw: bytes, fields: int, comments: bool) -> Tokens | None:
    """The fields of a text of whole lines, of which only the last may lack its end; None where it is not so simple.

    >>> found = tokens_of(b"q1 0 a 1\\nq1  0\\tb 0\\n", 4, comments=True)
    >>> (found.end - found.start).tolist()
    [[2, 1, 1, 1], [2, 1, 1, 1]]
    >>> tokens_of(b"q1 0 a 1\\nq1 0 b\\n", 4, comments=True)
    """
    if not raw or not is_text(raw):
        return None
    buffer = padded(raw if raw.endswith(b"\n") else raw + b"\n")
    found = _between_single_blanks(buffer, fields) or _between_blanks(buffer, fields)
    if found is None or (comments and bool((buffer[found.start[:, 0]] == HASH).any())):
        return None
    return found


def is_text(raw: bytes) -> bool:
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _between_single_blanks(buffer: NDArray[np.uint8], fields: int) -> Tokens | None:
    """The fields, where one blank stands behind each."""
    blank = np.flatnonzero(buffer <= SPACE)
    if blank.size % fields or not _are_ends_of_fields(buffer[blank], fields):
        return None
    start = np.empty_like(blank)
    start[0] = BEFORE
    np.add(blank[:-1], 1, out=start[1:])
    if not (start < blank).all():
        return None
    return Tokens(buffer, start.reshape(-1, fields), blank.reshape(-1, fields))


def _are_ends_of_fields(blanks: NDArray[np.uint8], fields: int) -> bool:
    """Whether blanks are spaces or tabs but for each last one of a line, which is its end."""
    usual = _LINES.get(fields)
    if usual is None or usual.size < blanks.size:
        line = np.array([SPACE] * (fields - 1) + [NEWLINE], dtype=np.uint8)
        _LINES[fields] = usual = np.tile(line, blanks.size // fields)
    if (blanks == usual[: blanks.size]).all():
        return True
    lines = blanks.reshape(-1, fields)
    inner = lines[:, :-1]
    return bool((lines[:, -1] == NEWLINE).all() and ((inner == SPACE) | (inner == TAB)).all())


_LINES: dict[int, NDArray[np.uint8]] = {}  # the blanks of lines as they usually are, of as many as came so far


def _between_blanks(buffer: NDArray[np.uint8], fields: int) -> Tokens | None:
    """The same where several may stand side by side, before the first field and behind the last too."""
    text = buffer[BEFORE:-WORD]
    ink = text > SPACE
    blanks = text[~ink]
    if not (((blanks >= TAB) & (blanks <= RETURN)) | (blanks == SPACE)).all():
        return None
    border = np.flatnonzero(ink[1:] != ink[:-1]) + 1
    if ink[0]:
        border = np.concatenate([[0], border])
    if border.size == 0 or border.size % (2 * fields):
        return None
    border += BEFORE
    start, end = border[::2].reshape(-1, fields), border[1::2].reshape(-1, fields)
    line_end = np.flatnonzero(text == NEWLINE) + BEFORE
    if line_end.size != len(start) or (end[:, -1] > line_end).any() or (start[1:, 0] < line_end[:-1]).any():
        return None
    return Tokens(buffer, start, end)


# Numbers as texts have them, all rows of a column at once, each the nearest double to what is written.

MINUS, POINT, ZERO = 45, 46, 48
WRITTEN = re.compile(rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MOST_DIGITS = 19  # of which every number is below 2^64
MOST_PLACES = 22  # behind the point of 0.0...: 10^22 is a double
MOST_ONE_BY_ONE = 1 / 8  # of the rows: beyond that another reader is quicker
_EXACT = 1 << 53
_WHOLE_POWERS = np.array([10**n if n <= MOST_DIGITS else 0 for n in range(MOST_PLACES + 1)], dtype=np.uint64)
_POWERS = 10.0 ** np.arange(MOST_PLACES + 1)
_WIDE_POWERS = np.cumprod(np.r_[1, np.full(27, 10)].astype(np.longdouble))
_WIDE = np.finfo(np.longdouble).nmant == 63
_LAST_BYTES = np.array([0] + [((1 << 64) - 1) ^ ((1 << 8 * (WORD - n)) - 1) for n in range(1, 9)], dtype=np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_BEYOND_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_JOINING = (  # what a word is multiplied by, shifted by and cut to
    (np.uint64(10 * 256 + 1), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100 * 65536 + 1), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10000 * 2**32 + 1), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)


def decimals(buffer: NDArray[np.uint8], start: IntArray, end: IntArray) -> FloatArray | None:
    """The numbers in these places of a padded text; None where some are none, or where too many are written oddly.

    >>> from rankscope.inputs.id_columns import padded
    >>> decimals(padded(b"12.5 -3 1e-3"), BEFORE + np.array([0, 5, 8]), BEFORE + np.array([4, 7, 12]))
    array([ 1.25e+01, -3.00e+00,  1.00e-03])
    """
    negative = buffer[start] == MINUS
    any_negative = bool(negative.any())
    first = start + negative if any_negative else start
    places = _places_behind_the_point(buffer, first, end)
    behind = np.maximum(places, 0)
    whole_end = end - behind - (places >= 0)
    before = whole_end - first
    digits = before + behind
    plain = (digits > 0) & (digits <= MOST_DIGITS)
    if not plain.all():
        plain |= (before == 1) & (buffer[first] == ZERO) & (behind <= MOST_PLACES)
        before, behind = np.where(plain, before, 0), np.where(plain, behind, 0)
    words = words_at(buffer)
    mantissa, good = _digits(words, whole_end, before)
    part, part_good = _digits(words, end, behind)
    mantissa *= _WHOLE_POWERS[behind]
    mantissa += part
    plain &= good
    plain &= part_good
    values = _quotients(mantissa, behind, plain)
    if any_negative:
        np.negative(values, out=values, where=negative)
    return values if plain.all() else _one_by_one(values, buffer, start, end, np.flatnonzero(~plain))


def _places_behind_the_point(buffer: NDArray[np.uint8], first: IntArray, end: IntArray) -> IntArray:
    """How many characters stand behind the last point of each, as one number if that is so for all; -1 without one."""
    if first.size == 0:
        return first
    length = end - first
    usual = buffer[first[0] : end[0]].tobytes()[::-1].find(b".")
    if 0 <= usual < int(length.min()) and bool((buffer[end - 1 - usual] == POINT).all()):
        return np.array(usual)
    places = np.full(first.size, -1)
    for place in range(min(int(length.max()), BEFORE) - 1, -1, -1):
        at = end - 1 - place
        places[(buffer[at] == POINT) & (at >= first)] = place
    return places


def _digits(words: NDArray[np.uint64], end: IntArray, count: IntArray) -> tuple[NDArray[np.uint64], BoolArray]:
    """The whole number in the last `count` characters before each end, at most 24, and whether it is one.

    All must be digits, of which those in front of the last 19 are zeros.
    """
    total, good = _eight_digits(words, end, np.minimum(count, WORD))
    for done in range(WORD, int(count.max(initial=0)), WORD):
        more, fine = _eight_digits(words, end - done, np.clip(count - done, 0, WORD))
        total += more * np.uint64(10**done)
        good &= fine & (more < 10 ** (MOST_DIGITS - done))
    return total, good


def _eight_digits(words: NDArray[np.uint64], end: IntArray, count: IntArray) -> tuple[NDArray[np.uint64], BoolArray]:
    """The same for up to 8 characters: pairs of digits, then of pairs, then of fours are joined within the word."""
    digits = words[end - WORD]
    digits ^= _ZEROS
    digits &= _LAST_BYTES[count]
    good = (((digits + _BEYOND_NINE) | digits) & _HIGH_BITS) == 0
    for times, shift, keep in _JOINING:
        digits *= times
        digits >>= shift
        digits &= keep
    return digits, good


def _quotients(mantissa: NDArray[np.uint64], places: IntArray, plain: BoolArray) -> FloatArray:
    """Mantissa / 10^places, rounded once; rows that must be looked at one by one are struck from `plain`."""
    values = mantissa.astype(np.float64)
    values /= _POWERS[places]
    if mantissa.size == 0 or int(mantissa.max()) <= _EXACT:
        return values
    rows = np.flatnonzero(plain & (mantissa > _EXACT))
    if _WIDE:
        exact = mantissa[rows].astype(np.longdouble) / np.broadcast_to(_WIDE_POWERS[places], mantissa.shape)[rows]
        values[rows] = exact.astype(np.float64)
        rows = rows[np.abs(exact - values[rows]) * 2 == np.spacing(values[rows])]
    plain[rows] = False
    return values


def _one_by_one(
    values: FloatArray, buffer: NDArray[np.uint8], start: IntArray, end: IntArray, rows: IntArray
) -> FloatArray | None:
    if rows.size > max(1, MOST_ONE_BY_ONE * values.size):
        return None
    texts = [buffer[first:last].tobytes() for first, last in zip(start[rows].tolist(), end[rows].tolist(), strict=True)]
    if not all(WRITTEN.fullmatch(text) for text in texts):
        return None
    values[rows] = [float(text) for text in texts]
    return values
