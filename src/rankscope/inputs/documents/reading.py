"""All documents of some files and folders, in tables that the memory can hold, with every problem told at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.errors import InputError, SettingError
from rankscope.inputs import irds
from rankscope.inputs.checks import Problems, file_of_line, line_in_file, raise_all, shorten_value
from rankscope.inputs.documents import DOCUMENT_FORMATS, format_of, recognised
from rankscope.inputs.documents.field_choice import FieldChoice
from rankscope.inputs.documents.folders import beir_corpus, files_below
from rankscope.inputs.documents.format import DocumentFormat
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.seen_ids import SeenIds
from rankscope.inputs.ids import is_unicode
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

if TYPE_CHECKING:
    import polars as pl

AT_ONCE: Final = 5_000  # documents
BYTES_AT_ONCE: Final = 8 << 20
ID: Final = "id"
Reader = Callable[[Problems], Iterator[Record]]


@dataclass(frozen=True)
class DocumentFile:
    """One file: what messages call it, how it is read, and what its places count; nothing where it is one document."""

    name: str
    read: Reader
    word: str = ""


@dataclass
class DocumentStream:
    """Documents as tables of text with an `id` column; iterate it as often as needed, nothing is kept.

    The first problem ends the tables; then all is read to the end, and an `InputError` tells every bad record. A
    second document of an id is one, and both places are named. `left_out` are files of a folder that hold no text.
    """

    files: Sequence[DocumentFile]
    choice: FieldChoice
    left_out: Sequence[str] = ()
    progress: Callable[[str, float], None] | None = None
    _seen: SeenIds = field(default_factory=SeenIds, init=False, repr=False)
    _current: Problems = field(default_factory=lambda: Problems(""), init=False, repr=False)  # of the file being read

    def __iter__(self) -> Iterator[pl.DataFrame]:
        self._seen = SeenIds()
        problems, names = Problems(self._name), set[str]()
        suspects: list[tuple[str, int]] = []
        count = 0
        for records in _portions(self._records(problems)):
            count += len(records)
            table, again = self._table(records, problems, names)
            if again and not suspects and not self._repeated(again):
                again = []  # other ids of the same hash
            suspects += again
            if not (problems.any or self._current.any or suspects):
                yield table
        for (name, place), earlier in self._repeated(suspects).items():
            what = f"id {shorten_value(name)} stands in {self._place(earlier)} already"
            problems.add(self._place(place), what, "Give each document an id of its own.", place)
        self._tell_missing(names, count, problems)
        problems.raise_if_any()

    @property
    def _name(self) -> str:
        return self.files[0].name if len(self.files) == 1 else "documents"

    def _records(self, problems: Problems) -> Iterator[tuple[int, Record]]:
        """All documents, each with its place among all files."""
        several = len(self.files) > 1
        for number, each in enumerate(self.files):
            own = self._current = Problems(each.name)
            try:
                for record in each.read(own):
                    yield line_in_file(number, record.line), record
            except InputError as error:
                _tell(error, own)
            problems.take_over(own, each.name if several else "", number)
            if self.progress is not None:
                self.progress("documents", (number + 1) / len(self.files))

    def _table(
        self, placed: Sequence[tuple[int, Record]], problems: Problems, names: set[str]
    ) -> tuple[pl.DataFrame, list[tuple[str, int]]]:
        """A table, and the documents whose ids may have been there before."""
        import polars as pl

        good = [(place, each) for place, each in placed if self._is_text(place, each, problems)]
        rows = [self.choice.fields(each.fields) for _, each in good]
        names.update(name for _, each in good for name in each.fields)
        columns = dict.fromkeys(name for row in rows for name in row)
        ids = pl.Series(ID, [each.id for _, each in good], dtype=pl.String)
        texts = [pl.Series(_column(name), [row.get(name) for row in rows], dtype=pl.String) for name in columns]
        again = self._seen.add(ids)
        suspects = [(good[row][1].id, good[row][0]) for row in np.flatnonzero(again).tolist()]
        return pl.DataFrame([ids, *texts]), suspects

    def _is_text(self, place: int, each: Record, problems: Problems) -> bool:
        texts = {**each.fields, ID: each.id}
        if all(map(str.isascii, texts.values())):
            return True
        wrong = [name for name, text in texts.items() if not is_unicode(text)]
        if wrong:
            what = f"{wrong[0]} holds half of a surrogate pair, which is no text"
            problems.add(self._place(place), what, order=place)
        return not wrong

    def _place(self, place: int) -> str:
        number, inside = file_of_line(place)
        file = self.files[number]
        where = f"{file.word} {inside}" if file.word else ""
        return ", ".join(filter(None, (file.name if len(self.files) > 1 or not where else "", where)))

    def _repeated(self, suspects: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Documents whose id an earlier one has, with the place of that; all is read again, for hashes can agree."""
        first = dict.fromkeys((name for name, _ in suspects), -1)
        for place, each in self._records(Problems(self._name)) if suspects else ():
            if first.get(each.id) == -1:
                first[each.id] = place
        return {each: first[each[0]] for each in suspects if first[each[0]] != each[1]}

    def _tell_missing(self, names: set[str], count: int, problems: Problems) -> None:
        """Fields that were asked for and that no document has; and that there is no document at all."""
        if not count and not problems.any:
            problems.add("", "no document found")
        for name in sorted(self.choice.wanted - names) if count else ():
            problems.add("", f"no document has a field '{name}'; there are: {', '.join(sorted(names))}")


def read_documents(
    paths: Iterable[str | Path],
    reading: Reading | None = None,
    fields: str | Sequence[str] | None = None,
    *,
    download: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> DocumentStream:
    """The documents of files, folders, standard input (`-`) and sets of ir_datasets (`irds:NAME`).

    What is a folder of BEIR gives its corpus; of any other folder all files in it and below are read. `reading.format`
    forces the format of every file. `fields` as `FieldChoice.parse` reads them.
    """
    how = reading or Reading()
    forced = DOCUMENT_FORMATS.find(how.format) if how.format else None
    files: list[DocumentFile] = []
    left_out: list[str] = []
    errors: list[InputError] = []
    for path in paths:
        if irds.is_irds(path):
            files.append(DocumentFile(str(path), _irds_reader(str(path), download), "document"))
        elif str(path) != "-" and os.path.isdir(path):
            files += _in_folder(Path(path), how, forced, left_out)
        else:
            source = Source.of(path, how.max_ratio)
            try:
                files.append(_file(source, source.name, how, forced or format_of(source, how.encoding)))
            except InputError as error:
                errors.append(error)
    raise_all(errors)
    if not files:
        raise SettingError("no file of documents found" + (f": {', '.join(left_out)}" if left_out else ""))
    return DocumentStream(files, FieldChoice.parse(fields), tuple(left_out), progress)


def _irds_reader(name: str, download: bool) -> Reader:
    return lambda _: irds.documents(name, download)


def _file(source: Source, name: str, reading: Reading, format: DocumentFormat) -> DocumentFile:
    def read(problems: Problems) -> Iterator[Record]:
        return format.read(source, name, reading, problems)

    return DocumentFile(name, read, "" if format.single else format.word)


def _in_folder(
    folder: Path, reading: Reading, forced: DocumentFormat | None, left_out: list[str]
) -> Iterator[DocumentFile]:
    corpus = beir_corpus(folder)
    if corpus is not None and (forced is None or forced.name == "jsonl"):
        source = Source(str(corpus), max_ratio=reading.max_ratio)
        yield _file(source, source.name, reading, DOCUMENT_FORMATS.find("jsonl"))
        return
    for name, path in files_below(folder):
        source = Source(str(path), max_ratio=reading.max_ratio)
        found = forced or recognised(source, reading.encoding)
        if found is None:
            left_out.append(name)
        else:
            yield _file(source, name, reading, found)


def _portions(placed: Iterable[tuple[int, Record]]) -> Iterator[list[tuple[int, Record]]]:
    """Some thousand documents at a time, fewer where they are long."""
    waiting: list[tuple[int, Record]] = []
    size = 0
    for each in placed:
        waiting.append(each)
        size += sum(map(len, each[1].fields.values()))
        if len(waiting) == AT_ONCE or size > BYTES_AT_ONCE:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def _tell(error: InputError, problems: Problems) -> None:
    """What ended the reading of one file, among its problems."""
    for report in error.reports:
        for each in report.problems:
            problems.add(each.place, each.what)
        problems.advise(report.advice)


def _column(name: str) -> str:
    """A field called as the id is kept under another name."""
    return f"{name}_field" if name == ID else name
