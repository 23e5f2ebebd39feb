"""XML of INEX, CLEF, TREC and others: articles and topics, read as a stream of the outermost elements of some names.

Entities of one's own are taken only where they are a few plain letters, so that no small file becomes a large one;
what stands outside of the file is never read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from html.entities import html5
from pathlib import PurePosixPath
from typing import Any, Final
from xml.parsers import expat

from rankscope.core.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.documents.marked_files import BLANKS
from rankscope.inputs.documents.registry import SHORT_PARTS, DocumentReader, DocumentRecord, TopicReader, TopicRecord
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix
from rankscope.inputs.texts import LONGEST, TOO_LONG

# XML of INEX, CLEF and others: whole articles, one a file or many.

ARTICLE_TAGS = ("article", "doc", "document", "image", "record", "page", "patent-document", "book")
ID_ATTRIBUTES = ("id", "docno", "docid", "doc_id", "ucid", "xml:id")
ID_ELEMENTS = ("docno", "docid", "doc_id", "id", "recordid", "identifier")
TITLE_TAGS = ("title", "atl", "ti", "headline", "name", "title-en", "title-de", "title-fr", "invention-title")
ARTICLE_ADVICE = f"Documents are elements called {', '.join(ARTICLE_TAGS)}."


def is_xml(head: bytes) -> bool:
    """It begins as XML does, and is no page of HTML."""
    root = xml_root_of(head)
    return bool(root) and root != "html" and (root in ARTICLE_TAGS or head.lstrip().startswith(b"<?xml"))


def read_xml_documents(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    """A document from each article; one that has no id takes the name of its file, if it is alone there."""
    nameless: list[XmlRecord] = []
    count = 0
    for each in xml_records(source, reading.encoding, ARTICLE_TAGS, (ID_ELEMENTS, TITLE_TAGS), problems):
        count += 1
        found = article_id(each)
        if found:
            yield DocumentRecord(each.line, found, _article_fields(each))
        elif nameless:
            problems.add(f"line {each.line}", f"<{each.name}> has no id", order=each.line)
        else:
            nameless.append(each)
    if nameless and count == 1:
        path = PurePosixPath(without_suffix(name, COMPRESSED_SUFFIXES))
        id = str(path.with_suffix("")) if path.suffix.lower() == ".xml" else str(path)
        yield DocumentRecord(nameless[0].line, id, _article_fields(nameless[0]))
    elif nameless:
        problems.add(f"line {nameless[0].line}", f"<{nameless[0].name}> has no id", order=nameless[0].line)
    if not count and not problems.count:
        problems.add("", "holds no article", ARTICLE_ADVICE)


def article_id(each: XmlRecord) -> str:
    """What an element is called: by an attribute, by an element in it, or by the attribute of its name."""
    own = next((each.attributes[key] for key in ID_ATTRIBUTES if each.attributes.get(key)), "")
    inner = next((each.parts[key] for key in ID_ELEMENTS if each.parts.get(key)), "")
    return (own or inner or each.attributes_of.get("name", {}).get("id", "")).strip()


def _article_fields(each: XmlRecord) -> dict[str, str]:
    title = next((text for key, text in each.parts.items() if key in TITLE_TAGS and text), "")
    text = BLANKS.sub("\n", each.text).strip()
    return {key: value for key, value in {"title": " ".join(title.split()), "text": text}.items() if value}


XML_DOCUMENTS = DocumentReader(
    name="xml",
    about="XML of INEX, CLEF and others: <article>, <doc>, <document>, <image>, <record>, <page>",
    suffixes=(".xml",),
    read=read_xml_documents,
    recognises=is_xml,
)


# XML topics of INEX, CLEF and TREC: an element for each, with a number and parts.

TOPIC_TAGS = ("topic", "inex_topic", "inex-topic", "top", "query")
TOPIC_ATTRIBUTES = ("number", "id", "topic_id", "topic-id", "num", "qid", "ct_no")
TOPIC_ELEMENTS = ("identifier", "num", "number", "id")
TOPIC_ADVICE = f"Topics are elements called {', '.join(TOPIC_TAGS)}."


def is_xml_topics(head: bytes) -> bool:
    """It begins as XML does, and an element for a topic stands in its beginning."""
    return bool(xml_root_of(head)) and re.search(rb"<(?:inex[_-])?(?:topic|top|query)[\s>]", head, re.I) is not None


def read_xml_topics(source: Source, reading: Reading, problems: Problems) -> Iterator[TopicRecord]:
    """A topic from each outermost element of these names."""
    count = 0
    for each in xml_records(source, reading.encoding, TOPIC_TAGS, (), problems):
        count += 1
        own = next((each.attributes[key] for key in TOPIC_ATTRIBUTES if each.attributes.get(key)), "")
        number = (own or next((each.parts[key] for key in TOPIC_ELEMENTS if each.parts.get(key)), "")).strip()
        if number:
            texts = {
                SHORT_PARTS.get(key, key): " ".join(text.split())
                for key, text in each.parts.items()
                if key not in TOPIC_ELEMENTS
            }
            parts = {key: text for key, text in texts.items() if text} or {"text": " ".join(each.text.split())}
            yield TopicRecord(each.line, number, parts)
        else:
            problems.add(f"line {each.line}", f"<{each.name}> has no number", order=each.line)
    if not count and not problems.any:
        problems.add("", "holds no topic", TOPIC_ADVICE)


XML_TOPICS = TopicReader(
    name="xml",
    about="XML of INEX, CLEF and TREC: <topic>, <inex_topic> or <query> with a number and parts",
    read=read_xml_topics,
    recognises=is_xml_topics,
)


# XML read as a stream: the outermost elements of some names, each with its attributes and the text of what is in it.

LONGEST_ENTITY: Final = 64
INLINE_TAGS = frozenset(  # elements that part no words
    {"a", "b", "i", "u", "it", "em", "tt", "sub", "sup", "bold", "strong", "small", "scp", "ss", "emph", "emph2"}
    | {"emph3", "link", "ref", "xref", "collectionlink", "unknownlink", "outsidelink", "wikipedialink", "weblink"}
    | {"span", "font"}
)
XML_ROOT = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*<([A-Za-z_][\w.-]*)", re.DOTALL
)


@dataclass
class XmlRecord:
    """An element: its attributes, the first text of each element in it by name, and all text in it."""

    name: str
    line: int
    attributes: dict[str, str]
    parts: dict[str, str] = field(default_factory=dict)
    attributes_of: dict[str, dict[str, str]] = field(default_factory=dict)
    text: str = ""


def xml_root_of(head: bytes) -> str:
    """The name of the outermost element of a file that begins so, in small letters; nothing where it is no XML.

    >>> xml_root_of(b"<?xml version='1.0'?>\\n<!-- x -->\\n<Article id='a'>"), xml_root_of(b"plain text")
    ('article', '')
    """
    found = XML_ROOT.match(head.removeprefix(b"\xef\xbb\xbf"))
    return found[1].decode().lower() if found else ""


def xml_records(
    source: Source, encoding: str, names: Collection[str], aside: Sequence[Collection[str]], problems: Problems
) -> Iterator[XmlRecord]:
    """The outermost elements of these names. Of each group of `aside` the first element is kept out of their text.

    Names are in small letters. A file that is not well formed is a problem with its line, and
    what came before the mistake is given.
    """
    collector = _Collector(frozenset(names), aside)
    parser = expat.ParserCreate(None if texts.is_utf8(encoding) else encoding)
    collector.listen_to(parser)
    try:
        for chunk in source.chunks():
            parser.Parse(chunk, False)
            yield from collector.taken()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        what = f"is not well-formed XML: {expat.errors.messages.get(error.code, error)} (column {error.offset + 1})"
        problems.add(f"line {error.lineno}", what, order=error.lineno)
    except _RefusedError as error:
        problems.add(f"line {parser.CurrentLineNumber}", str(error), order=parser.CurrentLineNumber)
    except (LookupError, ValueError) as error:
        raise InputError.of(source.name, [f"cannot be read as XML: {error}"]) from None
    yield from collector.taken()


class _RefusedError(Exception):
    """What is well formed and not read all the same."""


class _Collector:
    """Listens to expat; each open element of a record gathers its text, and hands it up when it ends."""

    def __init__(self, names: frozenset[str], aside: Sequence[Collection[str]]) -> None:
        self.names, self.aside = names, [frozenset(each) for each in aside]
        self.waiting: list[frozenset[str]] = []  # groups of which none has come yet
        self.records: list[XmlRecord] = []
        self.record: XmlRecord | None = None
        self.open: list[tuple[str, list[str]]] = []
        self.size = 0
        self.line: Callable[[], int] = lambda: 0

    def listen_to(self, parser: Any) -> None:
        parser.buffer_text = True
        parser.UseForeignDTD(True)
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.characters
        parser.SkippedEntityHandler = self.skipped
        parser.EntityDeclHandler = self.entity
        parser.ExternalEntityRefHandler = lambda *_: 1
        self.line = lambda: int(parser.CurrentLineNumber)

    def taken(self) -> Iterator[XmlRecord]:
        done, self.records = self.records, []
        yield from done

    def start(self, name: str, attributes: dict[str, str]) -> None:
        plain = name.lower()
        given = {each.lower(): value for each, value in attributes.items()}
        if self.record is None:
            if plain in self.names:
                self.record, self.size = XmlRecord(plain, self.line(), given), 0
                self.open, self.waiting = [(plain, [])], list(self.aside)
            return
        self.record.attributes_of.setdefault(plain, given)
        self.open.append((plain, []))

    def end(self, _: str) -> None:
        if self.record is None:
            return
        name, gathered = self.open.pop()
        text = "".join(gathered)
        if not self.open:
            self.record.text = text
            self.records.append(self.record)
            self.record = None
            return
        self.record.parts.setdefault(name, text.strip())
        group = next((each for each in self.waiting if name in each and text.strip()), None)
        if group is None:
            self.open[-1][1].append(text if name in INLINE_TAGS else f"\n{text}\n")
        else:
            self.waiting.remove(group)

    def characters(self, text: str) -> None:
        if self.record is None:
            return
        self.size += len(text)
        if self.size > LONGEST:
            raise _RefusedError(f"<{self.record.name}> is {TOO_LONG}")
        self.open[-1][1].append(text)

    def skipped(self, name: str, is_parameter: bool) -> None:
        """An entity that the file does not declare: one of HTML, or a blank."""
        if not is_parameter:
            self.characters(html5.get(f"{name};", " "))

    def entity(self, name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        if value is None or is_parameter or len(value) > LONGEST_ENTITY or "&" in value:
            raise _RefusedError(f"declares the entity '{name}', which is not taken: write its text where it is meant")
