"""Formats of documents and of topics: what a format is, what a record is, and how the format of a file is recognised.

A document has an id and texts by the names of their fields; a topic has an id and parts. The format of a file is
recognised by how it begins; a new one adds its line here, before those that take any text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from rankscope.core.catalogue import Catalogue, Later
from rankscope.core.columns import plain_name
from rankscope.core.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix
from rankscope.inputs.values import id_text, is_unicode

# Documents from files and folders: formats, each an object as `format.DocumentFormat` describes it.

DOCUMENT_ENTRIES: dict[str, Later] = {  # in the order they are asked: signatures, marked text, tables, then any text
    "parquet": Later("rankscope.inputs.documents.row_files:PARQUET_DOCUMENTS"),
    "pdf": Later("rankscope.inputs.documents.single_files:PDF"),
    "jsonl": Later("rankscope.inputs.documents.row_files:JSON_DOCUMENTS"),
    "trec": Later("rankscope.inputs.documents.marked_files:TREC_DOCUMENTS"),
    "smart": Later("rankscope.inputs.documents.marked_files:SMART_DOCUMENTS"),
    "mbox": Later("rankscope.inputs.documents.marked_files:MAILBOX"),
    "html": Later("rankscope.inputs.documents.single_files:HTML"),
    "xml": Later("rankscope.inputs.documents.xml_files:XML_DOCUMENTS"),
    "tsv": Later("rankscope.inputs.documents.row_files:TSV_DOCUMENTS"),
    "csv": Later("rankscope.inputs.documents.row_files:CSV_DOCUMENTS"),
    "md": Later("rankscope.inputs.documents.single_files:MARKDOWN"),
    "txt": Later("rankscope.inputs.documents.single_files:PLAIN_TEXT"),
}
BINARY_DOCUMENTS = ("parquet", "pdf")
DOCUMENT_FORMATS: Catalogue[DocumentFormat] = Catalogue(
    "document format", DOCUMENT_ENTRIES, "rankscope.document_formats"
)


def document_format_of(source: Source, encoding: str = "utf-8") -> DocumentFormat:
    """The format of a file of documents; an `InputError` where it is none of those known, or the file is empty."""
    found = recognised_documents(source, encoding)
    if found is not None:
        return found
    what = "is in no format of documents known here: it is not text" if source.head(1) else "is empty"
    raise InputError.of(source.name, [what], f"Formats: {', '.join(DOCUMENT_FORMATS.names())}.")


def recognised_documents(source: Source, encoding: str = "utf-8") -> DocumentFormat | None:
    """The format of a file of documents: by how it begins, else by its name; None for what is no text, or nothing.

    A text that is of no other format is one document.
    """
    raw = source.head()
    text = texts.utf8_beginning(raw, encoding)
    for each in (*DOCUMENT_FORMATS.own(), *DOCUMENT_FORMATS.added()):
        if each.recognises(raw if each.name in BINARY_DOCUMENTS else text):
            return each
    if not raw or b"\0" in text:
        return None
    plain = without_suffix(source.name.lower(), COMPRESSED_SUFFIXES)
    named = (each for each in DOCUMENT_FORMATS if plain.endswith(each.suffixes))
    return next(named, DOCUMENT_FORMATS.find("txt"))


# What a format of documents is to the rest of rankscope.


class DocumentFormat(Protocol):
    """What reads documents of one format: an object, or a module with these names in it.

    `suffixes` are those of files that are of this format where nothing in them says so. `word` is what it
    counts: lines, rows or pages. `single` says that a file is one document, whose id is the name of the file.
    """

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def suffixes(self) -> tuple[str, ...]: ...
    @property
    def word(self) -> str: ...
    @property
    def single(self) -> bool: ...

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format, for sure."""
        ...

    def read(self, source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
        """The documents one after another; `name` is the id where the file is one document. Bad ones are problems."""
        ...


@dataclass(frozen=True)
class DocumentReader:
    """A format of documents made of its functions; without `recognises` only the name of a file tells it."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, str, Reading, Problems], Iterator[DocumentRecord]]
    recognises: Callable[[bytes], bool] = lambda head: False
    word: str = "line"
    single: bool = False


# A document as a file has it, and which of its names are id, title and text.

DOCUMENT_ID = ("id", "_id", "docno", "doc_id", "docid", "document_id", "passage_id", "pid")
TITLE_NAMES = ("title", "headline", "subject")
TEXT_NAMES = ("text", "body", "contents", "content")
NO_ID_ADVICE = f"A document has an id under one of these names: {', '.join(DOCUMENT_ID)}."


@lru_cache(maxsize=256)
def first_named(wanted: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    """The name that means one of those wanted, the first of them that is there; documents of a file are mostly alike.

    >>> first_named(DOCUMENT_ID, ("Title", "DocNo", "text"))
    'DocNo'
    """
    plain = {plain_name(name): name for name in reversed(names)}
    return next((plain[each] for each in wanted if each in plain), None)


class DocumentRecord(NamedTuple):
    """One document: the line or row it stands in, its id, and its texts by the names of their fields."""

    line: int
    id: str
    fields: dict[str, str]


def document_of(line: int, values: Mapping[str, Any], problems: Problems, word: str = "line") -> DocumentRecord | None:
    """A document from named values; numbers become text, and what is nested or empty is no field. None: a problem.

    >>> document_of(3, {"_id": 7, "text": "a fox", "metadata": {}, "year": 1999}, Problems("docs"))
    DocumentRecord(line=3, id='7', fields={'text': 'a fox', 'year': '1999'})
    """
    key = first_named(DOCUMENT_ID, tuple(values))
    if key is None or values[key] is None or values[key] == "":
        problems.add(f"{word} {line}", "has no id", NO_ID_ADVICE, line)
        return None
    name = id_text(values[key])
    if name is None or not name.strip():
        problems.add(f"{word} {line}", f"{key} can be no id: {shorten_value(values[key])}", NO_ID_ADVICE, line)
        return None
    fields = {each: text for each, value in values.items() if each != key and (text := _field_text(value)) is not None}
    return DocumentRecord(line, name, fields)


def _field_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return id_text(value) or repr(value)


# What a format of topics is to the rest of rankscope.

TOPIC_ID = ("id", "_id", "qid", "query_id", "query-id", "topic_id", "topic-id", "number", "num", "q_id", "topic")


SHORT_PARTS = {"description": "desc", "narrative": "narr"}  # parts as TREC calls them


class TopicRecord(NamedTuple):
    """One topic: the line or row it stands in, its id, and its parts by name, in small letters."""

    line: int
    id: str
    parts: dict[str, str]


class TopicFormat(Protocol):
    """What reads topics of one format: an object, or a module with these names; `word` is what it counts."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def word(self) -> str: ...

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format."""
        ...

    def read(self, source: Source, reading: Reading, problems: Problems) -> Iterator[TopicRecord]:
        """The topics one after another; bad ones are problems."""
        ...


@dataclass(frozen=True)
class TopicReader:
    """A format of topics made of its functions."""

    name: str
    about: str
    read: Callable[[Source, Reading, Problems], Iterator[TopicRecord]]
    recognises: Callable[[bytes], bool]
    word: str = "line"


def topic_of(line: int, values: Mapping[str, Any], problems: Problems, word: str = "line") -> TopicRecord | None:
    """A topic from named values, of which the texts are its parts; None: a problem.

    >>> topic_of(2, {"_id": 7, "text": "foxes", "metadata": {}}, Problems("topics"))
    TopicRecord(line=2, id='7', parts={'text': 'foxes'})
    """
    by_name = {name.strip().lower(): name for name in reversed([*values])}
    key = next((by_name[each] for each in TOPIC_ID if each in by_name), None)
    name = None if key is None else id_text(values[key])
    if key is None or name is None or not name.strip():
        what = "has no id" if key is None or values[key] in (None, "") else f"has no id: {shorten_value(values[key])}"
        problems.add(
            f"{word} {line}", what, f"A topic has an id under one of these names: {', '.join(TOPIC_ID)}.", line
        )
        return None
    texts = {plain: values[own] for plain, own in by_name.items() if own != key and isinstance(values[own], str)}
    if not all(is_unicode(text) for text in texts.values()):
        problems.add(f"{word} {line}", "holds half of a surrogate pair, which is no text", order=line)
        return None
    return TopicRecord(line, name.strip(), dict(reversed(texts.items())))


# Topics from files: formats, each with names, `recognises`, and `read`, which gives ids and parts.

TOPIC_ENTRIES: dict[str, Later] = {  # in the order they are asked
    "parquet": Later("rankscope.inputs.documents.row_files:PARQUET_TOPICS"),
    "jsonl": Later("rankscope.inputs.documents.row_files:JSON_TOPICS"),
    "trec": Later("rankscope.inputs.documents.marked_files:TREC_TOPICS"),
    "xml": Later("rankscope.inputs.documents.xml_files:XML_TOPICS"),
    "smart": Later("rankscope.inputs.documents.marked_files:SMART_TOPICS"),
    "csv": Later("rankscope.inputs.documents.row_files:CSV_TOPICS"),
    "tsv": Later("rankscope.inputs.documents.row_files:TSV_TOPICS"),
}
BINARY_TOPICS = ("parquet",)
TOPIC_FORMATS: Catalogue[TopicFormat] = Catalogue("topic format", TOPIC_ENTRIES, "rankscope.topic_formats")
