"""Formats of files, each an object as `format.Format` describes it: names, `recognises`, readers and writers.

The format of a file is recognised by its first bytes; its name decides only what is written. A format loads when it is
named, or when a file may be of it: a new one adds its line in `known`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from rankscope.catalogue import Catalogue, Later
from rankscope.errors import InputError, SettingError
from rankscope.files import atomic
from rankscope.inputs import texts
from rankscope.inputs.formats.format import Format
from rankscope.inputs.formats.known import KNOWN, TREC_LINE
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix
from rankscope.wording import setting_value

if TYPE_CHECKING:
    from rankscope.inputs.shapes.shape import InputShape

RANKS_SUFFIX = ".ranks.parquet"
NUL, NEWLINE = b"\0", b"\n"
LZ4 = b"\x04\x22\x4d\x18"
OUR_SUFFIXES = tuple(
    suffix + packed for each in KNOWN for suffix in each.suffixes for packed in ("", *COMPRESSED_SUFFIXES)
)
FORMATS: Catalogue[Format] = Catalogue(
    "file format", {each.name: Later(each.address) for each in KNOWN}, "rankscope.formats"
)


def of_file(source: Source, encoding: str = "utf-8") -> Format:
    """The format of a file, by its first bytes; of a folder, by what lies in it."""
    if source.is_folder:
        return _of_folder(source)
    head = source.head()
    text = texts.beginning(head, encoding)
    ours = source.address.lower().endswith(OUR_SUFFIXES)  # then no other package need be asked
    for each in _possible(head, text, ours):
        if each.recognises(head if each.binary else text):
            return each
    where = f"a NUL byte in line {head.count(NEWLINE, 0, head.find(NUL)) + 1}"
    raise InputError.of(source.name, [f"is in no format known here: it is not text ({where})"], _advice(head))


def _possible(head: bytes, text: bytes, ours: bool) -> Iterator[Format]:
    """Formats in the order they are asked: those that other packages add first, for TREC takes any text."""
    yield from () if ours else FORMATS.added()
    yield from (FORMATS.find(each.name) for each in KNOWN if each.may_begin(head) or each.may_begin(text))


def _of_folder(source: Source) -> Format:
    from rankscope.inputs.formats.beir import ADVICE, recognises_folder

    if recognises_folder(Path(source.path)):
        return FORMATS.find("beir")
    raise InputError.of(source.name, ["is a folder, and not one of a kind known here"], ADVICE)


def _advice(head: bytes) -> str:
    """Whoever redirects a program's output on Windows may get UTF-16; ranx packs with lz4."""
    if head.startswith(LZ4):
        return "It is packed with lz4: unpack it first (lz4 -d), or save it as JSON or Parquet."
    if encoding := texts.BYTE_ORDER_MARKS.get(head[:2]):
        return f"It begins like {encoding} text: give {setting_value('encoding', encoding)}."
    return f"Formats: {', '.join((*(each.name for each in FORMATS.added()), *FORMATS.own_names()))}."


def all_shapes() -> list[InputShape]:
    """Every shape that the readers declare, in the order in which formats are asked; those of other packages last."""
    readers = (*FORMATS.own(), *FORMATS.added())
    return [shape for each in readers for shape in getattr(each, "shapes", ())]


def of_path(path: str | Path) -> Format:
    """The format to write, by the path's suffix; TREC text where nothing else fits.

    >>> of_path("bm25.jsonl.gz").name, of_path("input.bm25").name
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
    chosen = _chosen(source, reading)
    run = chosen.read_run(source, reading)
    run.notes |= dict.fromkeys((*source.notes, *_map_elsewhere(chosen, reading)))
    return run


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements in any format."""
    reading = reading.only_for("grade")
    chosen = _chosen(source, reading)
    qrels = chosen.read_qrels(source, reading)
    more = (*source.notes, *_map_elsewhere(chosen, reading))
    return replace(qrels, notes=(*qrels.notes, *more)) if more else qrels


def _map_elsewhere(chosen: Format, reading: Reading) -> tuple[str, ...]:
    """A note where columns were mapped, but not those of a format that has none."""
    if not reading.columns or chosen.name not in ("trec", "letor", "mteb"):
        return ()
    from rankscope.inputs.column_map import ELSEWHERE

    return (ELSEWHERE,)


def _chosen(source: Source, reading: Reading) -> Format:
    chosen = FORMATS.find(reading.format) if reading.format else recognised(source, reading)
    if source.part and not chosen.has_parts:
        raise InputError.of(source.name, [f"format {chosen.name} has no parts, so nothing can stand behind a #"])
    return chosen


def recognised(source: Source, reading: Reading) -> Format:
    """The format of a file; a text whose columns are numbered, or named and of no other form, is a table.

    TREC text stays what it is where columns are named, or where the numbers leave out the score or the grade: then they
    are those of another file.
    """
    chosen = of_file(source, reading.encoding)
    if not reading.columns or chosen.name not in ("trec", "csv", "tsv", "msmarco", "letor"):
        return chosen
    if all(name.isdecimal() for _, name in reading.columns):
        whole = {role for role, _ in reading.columns} & {"score", "rank", "grade"}
        return chosen if chosen.name == "trec" and not whole else FORMATS.find("headerless")
    is_trec = chosen.name == "trec" and re.match(TREC_LINE, texts.beginning(source.head(), reading.encoding).lstrip())
    return chosen if is_trec or chosen.name == "letor" else FORMATS.find("csv")


def write(value: Run | Qrels, path: str | Path, format: str | None = None) -> None:
    """Write a run or judgements, in the format and compression the path's suffixes say unless `format` is given.

    The file appears whole or not at all, equal values give equal bytes, and what a format cannot hold is an
    `InputError`.
    """
    chosen = FORMATS.find(format) if format else of_path(path)
    if without_suffix(str(path).lower(), COMPRESSED_SUFFIXES).endswith(RANKS_SUFFIX):
        raise SettingError(f"*{RANKS_SUFFIX} is the name of a saved reduction; name the file otherwise")
    with (
        atomic(path, "wb") as stored,
        _compressed(stored, Path(path).suffix.lower()) as raw,
        _text(raw, chosen) as file,
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
def _text(raw: BinaryIO, chosen: Format) -> Iterator[IO[Any]]:
    if chosen.binary:
        yield raw
        return
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    yield text
    text.detach()
