"""Formats of files of runs and judgements: which there are, how one is recognised, what reads and what writes it.

The format of a file is recognised by its first bytes; its name decides only what is written. A format loads when it
is named, or when a file may be of it: a new one adds its line to `KNOWN`. The shapes that its files may have are
declared with examples, of which the reference page and a test are made. What a format cannot hold its writer
refuses.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NoReturn, Protocol

from rankscope.core.catalogue import Catalogue, Later
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.wording import setting_value
from rankscope.inputs import texts
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix

if TYPE_CHECKING:
    import polars as pl


# What a file format is to the rest of rankscope.


class Format(Protocol):
    """What reads and writes one format: an object, or a module with these names in it.

    `binary` says whether it reads and writes bytes or text; `has_parts` whether one file or folder can hold several
    rankings or judgements, one of which is chosen behind a `#`. It may have `about` too, a sentence, and `shapes`,
    `InputShape`s with examples; pages show both.
    """

    @property
    def name(self) -> str: ...
    @property
    def suffixes(self) -> tuple[str, ...]: ...
    @property
    def binary(self) -> bool: ...
    @property
    def has_parts(self) -> bool: ...

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins like this is of this format."""
        ...

    def read_run(self, source: Source, reading: Reading) -> Run:
        """A run; its rows are read when they are asked for."""
        ...

    def read_qrels(self, source: Source, reading: Reading) -> Qrels: ...

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


# What is known of our formats before they are loaded, so that a file of text loads no reader of Parquet.

ANY_BEGIN, NO_BEGIN, JSON_BEGIN = b"", b"(?!)", rb"\s*[\[{]"
TREC_LINE = rb"(?:[^\s,;]+[ \t]+){3}[-+]?\d+(?:[ \t]+[-+.\deE]+[ \t]+\S+)?[ \t]*[\r\n]"  # fourth: rank or grade
TABLE_BEGIN = rb"[\r\n]*(?!" + TREC_LINE + rb")[^\r\n]*[,;\t]"  # a header has two names at least


@dataclass(frozen=True, eq=False)
class KnownFormat:
    """Where a format stands, what its files are called, and a pattern without which no file of it begins.

    >>> KnownFormat("parquet", "package.module:PARQUET", (".parquet", ".pq"), b"PAR1").may_begin(b"q1 0 a 1")
    False
    """

    name: str
    address: str
    suffixes: tuple[str, ...]
    begins: bytes = ANY_BEGIN

    def may_begin(self, head: bytes) -> bool:
        """Whether a file that begins so can be of this format; if so, the format itself decides."""
        return re.match(self.begins, head) is not None


KNOWN = (  # in the order they are asked: signatures first, then what looks like JSON or a header; TREC takes any text
    KnownFormat("parquet", "rankscope.inputs.formats.columnar:PARQUET", (".parquet", ".pq"), b"PAR1"),
    KnownFormat("arrow", "rankscope.inputs.formats.columnar:ARROW", (".arrow", ".feather", ".ipc"), rb"ARROW1|\xff{4}"),
    KnownFormat("mteb", "rankscope.inputs.formats.benchmarks:MTEB", ("_predictions.json",), JSON_BEGIN),
    KnownFormat("json", "rankscope.inputs.formats.json_files:JSON", (".json",), JSON_BEGIN),
    KnownFormat("jsonl", "rankscope.inputs.formats.json_files:JSON_LINES", (".jsonl", ".ndjson"), JSON_BEGIN),
    KnownFormat("letor", "rankscope.inputs.formats.headerless:LETOR", (), rb"(?:\s*#[^\n]*\n)*\s*[-+.\de]+\s+qid:"),
    KnownFormat(
        "msmarco", "rankscope.inputs.formats.headerless:MSMARCO", (), rb"\s*[^\t\r\n]+\t[^\t\r\n]+\t1\r?(?:\n|$)"
    ),
    KnownFormat("tsv", "rankscope.inputs.formats.delimited:TSV", (".tsv", ".tab"), TABLE_BEGIN),
    KnownFormat("csv", "rankscope.inputs.formats.delimited:CSV", (".csv",), TABLE_BEGIN),
    KnownFormat("beir", "rankscope.inputs.formats.benchmarks:BEIR", (), NO_BEGIN),
    KnownFormat("headerless", "rankscope.inputs.formats.headerless:NUMBERED", (), NO_BEGIN),
    KnownFormat(
        "trec", "rankscope.inputs.formats.trec:TREC", (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
    ),
)


# Formats of files, each an object as `format.Format` describes it: names, `recognises`, readers and writers.

RANKS_SUFFIX = ".ranks.parquet"
NUL, NEWLINE = b"\0", b"\n"
LZ4_BEGIN = b"\x04\x22\x4d\x18"
OUR_SUFFIXES = tuple(
    suffix + packed for each in KNOWN for suffix in each.suffixes for packed in ("", *COMPRESSED_SUFFIXES)
)
FORMATS: Catalogue[Format] = Catalogue(
    "file format", {each.name: Later(each.address) for each in KNOWN}, "rankscope.formats"
)


def format_of_file(source: Source, encoding: str = "utf-8") -> Format:
    """The format of a file, by its first bytes; of a folder, by what lies in it."""
    if source.is_folder:
        from rankscope.inputs.formats.benchmarks import BEIR_ADVICE, is_beir_folder

        if is_beir_folder(Path(source.path)):
            return FORMATS.find("beir")
        raise InputError.of(source.name, ["is a folder, and not one of a kind known here"], BEIR_ADVICE)
    head = source.head()
    text = texts.utf8_beginning(head, encoding)
    ours = source.address.lower().endswith(OUR_SUFFIXES)  # then no other package need be asked
    possible = (FORMATS.find(each.name) for each in KNOWN if each.may_begin(head) or each.may_begin(text))
    for each in chain(() if ours else FORMATS.added(), possible):  # those of other packages first: TREC takes any text
        if each.recognises(head if each.binary else text):
            return each
    where = f"a NUL byte in line {head.count(NEWLINE, 0, head.find(NUL)) + 1}"
    raise InputError.of(
        source.name, [f"is in no format known here: it is not text ({where})"], _advice_on_formats(head)
    )


def _advice_on_formats(head: bytes) -> str:
    """Whoever redirects a program's output on Windows may get UTF-16; ranx packs with lz4."""
    if head.startswith(LZ4_BEGIN):
        return "It is packed with lz4: unpack it first (lz4 -d), or save it as JSON or Parquet."
    if encoding := texts.BYTE_ORDER_MARKS.get(head[:2]):
        return f"It begins like {encoding} text: give {setting_value('encoding', encoding)}."
    return f"Formats: {', '.join((*(each.name for each in FORMATS.added()), *FORMATS.own_names()))}."


def all_shapes() -> list[InputShape]:
    """Every shape that the readers declare, in the order in which formats are asked; those of other packages last."""
    readers = (*FORMATS.own(), *FORMATS.added())
    return [shape for each in readers for shape in getattr(each, "shapes", ())]


def format_of_path(path: str | Path) -> Format:
    """The format to write, by the path's suffix; TREC text where nothing else fits.

    >>> format_of_path("bm25.jsonl.gz").name, format_of_path("input.bm25").name
    ('jsonl', 'trec')
    """
    plain = without_suffix(Path(path).name, COMPRESSED_SUFFIXES).lower()
    fitting = [(suffix, each.name) for each in FORMATS.added() for suffix in each.suffixes]
    fitting += [(suffix, each.name) for each in KNOWN for suffix in each.suffixes]
    ending = [(len(suffix), name) for suffix, name in fitting if plain.endswith(suffix)]
    return FORMATS.find(max(ending, key=lambda pair: pair[0])[1] if ending else "trec")


def read_run(source: Source, reading: Reading) -> Run:
    """A run in any format."""
    reading = reading.only_for("score")
    chosen = _chosen_format(source, reading)
    run = chosen.read_run(source, reading)
    run.notes |= dict.fromkeys((*source.notes, *_map_elsewhere(chosen, reading)))
    return run


def read_qrels(source: Source, reading: Reading) -> Qrels:
    reading = reading.only_for("grade")
    chosen = _chosen_format(source, reading)
    qrels = chosen.read_qrels(source, reading)
    more = (*source.notes, *_map_elsewhere(chosen, reading))
    return replace(qrels, notes=(*qrels.notes, *more)) if more else qrels


def _map_elsewhere(chosen: Format, reading: Reading) -> tuple[str, ...]:
    """A note where columns were mapped, but not those of a format that has none."""
    if not reading.columns or chosen.name not in ("trec", "letor", "mteb"):
        return ()
    from rankscope.inputs.column_map import ELSEWHERE

    return (ELSEWHERE,)


def _chosen_format(source: Source, reading: Reading) -> Format:
    chosen = FORMATS.find(reading.format) if reading.format else recognised_format(source, reading)
    if source.part and not chosen.has_parts:
        raise InputError.of(source.name, [f"format {chosen.name} has no parts, so nothing can stand behind a #"])
    return chosen


def recognised_format(source: Source, reading: Reading) -> Format:
    """The format of a file; a text whose columns are numbered, or named and of no other form, is a table.

    TREC text stays what it is where columns are named, or where the numbers leave out the score or the grade: then they
    are those of another file.
    """
    chosen = format_of_file(source, reading.encoding)
    if not reading.columns or chosen.name not in ("trec", "csv", "tsv", "msmarco", "letor"):
        return chosen
    if all(name.isdecimal() for _, name in reading.columns):
        whole = {role for role, _ in reading.columns} & {"score", "rank", "grade"}
        return chosen if chosen.name == "trec" and not whole else FORMATS.find("headerless")
    is_trec = chosen.name == "trec" and re.match(
        TREC_LINE, texts.utf8_beginning(source.head(), reading.encoding).lstrip()
    )
    return chosen if is_trec or chosen.name == "letor" else FORMATS.find("csv")


def write_file(value: Run | Qrels, path: str | Path, format: str | None = None) -> None:
    """Write a run or judgements, in the format and compression the path's suffixes say unless `format` is given.

    The file appears whole or not at all, equal values give equal bytes, and what a format cannot hold is an
    `InputError`.
    """
    chosen = FORMATS.find(format) if format else format_of_path(path)
    if without_suffix(str(path).lower(), COMPRESSED_SUFFIXES).endswith(RANKS_SUFFIX):
        raise SettingError(f"*{RANKS_SUFFIX} is the name of a saved reduction; name the file otherwise")
    with (
        atomic(path, "wb") as stored,
        _compressed(stored, Path(path).suffix.lower()) as raw,
        _text_file(raw, chosen) as file,
    ):
        if isinstance(value, Run):
            chosen.write_run(value, file)
        else:
            chosen.write_qrels(value, file)


@contextmanager
def _compressed(stored: BinaryIO, suffix: str) -> Iterator[Any]:
    """A file that compresses what is written to it, without a time or name in it; the stored file stays open."""
    if suffix not in COMPRESSED_SUFFIXES:
        yield stored
        return
    with _compressor(stored, suffix) as raw:
        yield raw


def _compressor(stored: BinaryIO, suffix: str) -> Any:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(filename="", mode="wb", fileobj=stored, mtime=0)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2File(stored, "wb")
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(stored, "wb")
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(stored, closefd=False)


@contextmanager
def _text_file(raw: BinaryIO, chosen: Format) -> Iterator[IO[Any]]:
    if chosen.binary:
        yield raw
        return
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    yield text
    text.detach()


# A shape of input as its reader declares it: the reference page and a test are made from these.

HOLDS_RUN, HOLDS_JUDGEMENTS, HOLDS_EITHER = "a run", "judgements", "a run or judgements"


@dataclass(frozen=True)
class Example:
    """A small file: its name, its text, whether it is read as a run or as judgements, and the columns it needs named.

    A folder is written as several files, the name of each before its text.
    """

    file: str
    text: str
    holds: str = HOLDS_RUN
    columns: str = ""


@dataclass(frozen=True)
class InputShape:
    """What a shape is called, what it holds, a sentence or two about it, and examples that are read in the tests."""

    name: str
    holds: str
    about: str
    examples: tuple[Example, ...]
    format: str = "json"  # the name for --input-format

    @property
    def anchor(self) -> str:
        """Its name as a word, for file names.

        >>> InputShape("Solr response", HOLDS_RUN, "", ()).anchor
        'solr-response'
        """
        kept = "".join(each if each.isalnum() else " " for each in self.name.lower())
        return "-".join(kept.split())


# What the writers of several formats share: refusing what a format cannot hold, and whole numbers without a point.


def refuse_ids(table: pl.DataFrame, place: str, rules: Mapping[str, str], format: str) -> None:
    """Raise if an id matches a pattern, said in words, that the format could not be read back with."""
    problems = Problems(place, advice=[f"{format} cannot hold such ids; choose another format, such as Parquet."])
    for name in [each for each in table.columns if each in ("query", "item")]:
        ids = table.get_column(name).unique(maintain_order=True)
        for words, pattern in rules.items():
            for each in ids.filter(ids.str.contains(pattern)).to_list():
                problems.add("", f"{name} id {shorten_value(each)} {words}")
    problems.raise_if_any()


def refuse_duplicates(table: pl.DataFrame, place: str, format: str) -> None:
    """Raise if an item stands twice under a query: a JSON object has each name once."""
    problems = Problems(place, advice=[f"{format} holds an item once per query; choose another format, such as CSV."])
    pairs = table.select("query", "item")
    for query, item in pairs.filter(pairs.is_duplicated()).unique(maintain_order=True).iter_rows():
        problems.add(f"query {query}", f"item {shorten_value(item)} is there twice")
    problems.raise_if_any()


def refuse_infinite(table: pl.DataFrame, place: str, value: str, format: str) -> None:
    """Raise if a number is infinite, for which JSON has no word."""
    import polars as pl

    infinite = table.filter(pl.col(value).is_infinite())
    if infinite.height:
        what = f"{value} of item '{infinite.item(0, 'item')}' of query {infinite.item(0, 'query')} is infinite"
        raise InputError.of(place, [what], f"{format} has no word for it; choose another format, such as CSV.")


def with_whole_numbers(table: pl.DataFrame, value: str) -> pl.DataFrame:
    """The table with a column of whole numbers as integers; unchanged if one of them is not whole."""
    import polars as pl

    column = table.get_column(value)
    whole = column.cast(pl.Int64, strict=False)
    return table.with_columns(whole) if bool((whole.cast(pl.Float64) == column).fill_null(False).all()) else table
