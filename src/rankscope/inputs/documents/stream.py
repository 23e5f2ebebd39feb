"""All documents of some files and folders, in tables that the memory can hold, with every problem told at once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.core.arrays import BoolArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.wording import setting_usage
from rankscope.inputs import irds
from rankscope.inputs.documents.registry import (
    DOCUMENT_FORMATS,
    TEXT_NAMES,
    TITLE_NAMES,
    DocumentFormat,
    DocumentRecord,
    document_format_of,
    first_named,
    recognised_documents,
)
from rankscope.inputs.id_columns import Hashes
from rankscope.inputs.problems import Problems, file_of_line, line_in_file, raise_all, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source, packed_or_not
from rankscope.inputs.values import is_unicode

if TYPE_CHECKING:
    import polars as pl


# Which fields of documents are indexed, and under which names.

CONTENTS = "contents"
FIELD_NAME = re.compile(r"[^\s=+,:]+")


@dataclass(frozen=True)
class FieldChoice:
    """Fields by their new names, each with the names of the old ones that it joins; none: the usual ones.

    The usual ones are `contents`, which joins title and text and is what a search looks at, the title by itself, and
    all others as they are.
    >>> FieldChoice.parse("title,all=title+body").fields({"title": "A fox", "body": "in a den", "year": "1999"})
    {'title': 'A fox', 'all': 'A fox\\nin a den'}
    >>> FieldChoice.parse(None).fields({"title": "A fox", "text": "in a den", "year": "1999"})
    {'contents': 'A fox\\nin a den', 'title': 'A fox', 'year': '1999'}
    """

    joined: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def parse(cls, written: str | Sequence[str] | None) -> FieldChoice:
        """From text as people write it: `title,body`, or `contents=title+body`."""
        words = written.split(",") if isinstance(written, str) else list(written or ())
        pairs = [_new_and_old_names(word.strip()) for word in words]
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise SettingError(f"{setting_usage('fields')}: a field is named twice in {', '.join(names)}")
        return cls(tuple(pairs))

    @property
    def wanted(self) -> frozenset[str]:
        """The fields of documents that are asked for."""
        return frozenset(old for _, several in self.joined for old in several)

    def fields(self, given: Mapping[str, str]) -> dict[str, str]:
        """The fields of one document."""
        if not self.joined:
            return _usual_fields(given)
        chosen = {new: _joined_texts(given.get(old, "") for old in several) for new, several in self.joined}
        return {new: text for new, text in chosen.items() if text}


def _new_and_old_names(word: str) -> tuple[str, tuple[str, ...]]:
    new, mark, old = word.partition("=")
    several = tuple(each.strip() for each in (old if mark else new).split("+"))
    if not all(FIELD_NAME.fullmatch(each) for each in (new, *several)) or (not mark and len(several) > 1):
        how = "names with commas between, as title,body, or a new name for several, as contents=title+body"
        raise SettingError(f"{setting_usage('fields')} '{word}': write {how}")
    return new, several


def _usual_fields(given: Mapping[str, str]) -> dict[str, str]:
    names = tuple(given)
    title, text = first_named(TITLE_NAMES, names), first_named(TEXT_NAMES, names)
    contents = _joined_texts(given[name] for name in (title, text) if name is not None)
    fields = {CONTENTS: contents} if contents else {}
    if title is not None:
        fields["title"] = given[title]
    if len(names) == (title is not None) + (text is not None):
        return fields
    return fields | {name: value for name, value in given.items() if name not in (title, text, *fields)}


def _joined_texts(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))


# Files in a folder and below it: those that hold documents, with what each is called inside the folder.

BEIR_CORPUS = "corpus.jsonl"  # in a BEIR folder


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and path of all files in a folder and below, in byte order; hidden ones, and links that lead out, are not.

    Names are relative to the folder, with `/` between their parts.
    """
    inside = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted((each for each in folders if not each.startswith(".")), key=os.fsencode)
        for each in sorted(names, key=os.fsencode):
            path = Path(place) / each
            if each.startswith(".") or not path.is_file():
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                continue
            yield path.relative_to(folder).as_posix(), path


# Which ids were seen, in eight bytes each: a document whose id may have been there before is found.


@dataclass
class SeenIds:
    """Hashes of ids, sorted, in parts of which each is more than twice as long as the next."""

    parts: list[Hashes] = field(default_factory=list)

    def add(self, ids: pl.Series) -> BoolArray:
        """Remember ids; which of them may have been there before, in these or in earlier ones.

        >>> import polars as pl
        >>> seen = SeenIds()
        >>> seen.add(pl.Series(["a", "b", "a"])).tolist(), seen.add(pl.Series(["c", "b"])).tolist()
        ([False, False, True], [False, True])
        """
        hashes = ids.hash(0).to_numpy()
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        again = np.zeros(len(ids), dtype=np.bool_)
        again[order[1:][ordered[1:] == ordered[:-1]]] = True
        for known in self.parts:
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            again |= known[at] == hashes
        if len(ids):
            self._keep(ordered)
        return again

    def _keep(self, hashes: Hashes) -> None:
        self.parts.append(hashes)
        while len(self.parts) > 1 and len(self.parts[-2]) <= 2 * len(self.parts[-1]):
            joined = np.concatenate([self.parts.pop(-2), self.parts.pop()])
            self.parts.append(np.sort(joined, kind="stable"))


AT_ONCE: Final = 5_000  # documents
BYTES_AT_ONCE: Final = 8 << 20
ID_COLUMN: Final = "id"
Reader = Callable[[Problems], Iterator[DocumentRecord]]


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
        for records in _portions_of_documents(self._records(problems)):
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
        if not count and not problems.any:
            problems.add("", "no document found")
        for name in sorted(self.choice.wanted - names) if count else ():
            problems.add("", f"no document has a field '{name}'; there are: {', '.join(sorted(names))}")
        problems.raise_if_any()

    @property
    def _name(self) -> str:
        return self.files[0].name if len(self.files) == 1 else "documents"

    def _records(self, problems: Problems) -> Iterator[tuple[int, DocumentRecord]]:
        """All documents, each with its place among all files."""
        several = len(self.files) > 1
        for number, each in enumerate(self.files):
            own = self._current = Problems(each.name)
            try:
                for record in each.read(own):
                    yield line_in_file(number, record.line), record
            except InputError as error:
                for report in error.reports:
                    for problem in report.problems:
                        own.add(problem.place, problem.what)
                    own.advise(report.advice)
            problems.take_over(own, each.name if several else "", number)
            if self.progress is not None:
                self.progress("documents", (number + 1) / len(self.files))

    def _table(
        self, placed: Sequence[tuple[int, DocumentRecord]], problems: Problems, names: set[str]
    ) -> tuple[pl.DataFrame, list[tuple[str, int]]]:
        """A table, and the documents whose ids may have been there before."""
        import polars as pl

        good = [(place, each) for place, each in placed if self._is_text(place, each, problems)]
        rows = [self.choice.fields(each.fields) for _, each in good]
        names.update(name for _, each in good for name in each.fields)
        columns = dict.fromkeys(name for row in rows for name in row)
        ids = pl.Series(ID_COLUMN, [each.id for _, each in good], dtype=pl.String)
        # A field called as the id is kept under another name.
        kept_as = {name: f"{name}_field" if name == ID_COLUMN else name for name in columns}
        texts = [pl.Series(kept_as[name], [row.get(name) for row in rows], dtype=pl.String) for name in columns]
        again = self._seen.add(ids)
        suspects = [(good[row][1].id, good[row][0]) for row in np.flatnonzero(again).tolist()]
        return pl.DataFrame([ids, *texts]), suspects

    def _is_text(self, place: int, each: DocumentRecord, problems: Problems) -> bool:
        texts = {**each.fields, ID_COLUMN: each.id}
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
                files.append(
                    _document_file(source, source.name, how, forced or document_format_of(source, how.encoding))
                )
            except InputError as error:
                errors.append(error)
    raise_all(errors)
    if not files:
        raise SettingError("no file of documents found" + (f": {', '.join(left_out)}" if left_out else ""))
    return DocumentStream(files, FieldChoice.parse(fields), tuple(left_out), progress)


def _irds_reader(name: str, download: bool) -> Reader:
    return lambda _: irds.irds_documents(name, download)


def _document_file(source: Source, name: str, reading: Reading, format: DocumentFormat) -> DocumentFile:
    def read(problems: Problems) -> Iterator[DocumentRecord]:
        return format.read(source, name, reading, problems)

    return DocumentFile(name, read, "" if format.single else format.word)


def _in_folder(
    folder: Path, reading: Reading, forced: DocumentFormat | None, left_out: list[str]
) -> Iterator[DocumentFile]:
    corpus = packed_or_not(folder, BEIR_CORPUS)
    if corpus is not None and (forced is None or forced.name == "jsonl"):
        source = Source(str(corpus), max_ratio=reading.max_ratio)
        yield _document_file(source, source.name, reading, DOCUMENT_FORMATS.find("jsonl"))
        return
    for name, path in files_below(folder):
        source = Source(str(path), max_ratio=reading.max_ratio)
        found = forced or recognised_documents(source, reading.encoding)
        if found is None:
            left_out.append(name)
        else:
            yield _document_file(source, name, reading, found)


def _portions_of_documents(placed: Iterable[tuple[int, DocumentRecord]]) -> Iterator[list[tuple[int, DocumentRecord]]]:
    """Some thousand documents at a time, fewer where they are long."""
    waiting: list[tuple[int, DocumentRecord]] = []
    size = 0
    for each in placed:
        waiting.append(each)
        size += sum(map(len, each[1].fields.values()))
        if len(waiting) == AT_ONCE or size > BYTES_AT_ONCE:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting
