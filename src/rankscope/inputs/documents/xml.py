"""XML of INEX, CLEF and others: whole articles, one a file or many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.trec_sgml import BLANKS
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix
from rankscope.inputs.xml_records import XmlRecord, root_of, xml_records

ARTICLES = ("article", "doc", "document", "image", "record", "page", "patent-document", "book")
ID_ATTRIBUTES = ("id", "docno", "docid", "doc_id", "ucid", "xml:id")
ID_ELEMENTS = ("docno", "docid", "doc_id", "id", "recordid", "identifier")
TITLES = ("title", "atl", "ti", "headline", "name", "title-en", "title-de", "title-fr", "invention-title")
ADVICE = f"Documents are elements called {', '.join(ARTICLES)}."


def recognises(head: bytes) -> bool:
    """It begins as XML does, and is no page of HTML."""
    root = root_of(head)
    return bool(root) and root != "html" and (root in ARTICLES or head.lstrip().startswith(b"<?xml"))


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each article; one that has no id takes the name of its file, if it is alone there."""
    nameless: list[XmlRecord] = []
    count = 0
    for each in xml_records(source, reading.encoding, ARTICLES, (ID_ELEMENTS, TITLES), problems):
        count += 1
        found = identifier(each)
        if found:
            yield Record(each.line, found, _fields(each))
        elif nameless:
            problems.add(f"line {each.line}", f"<{each.name}> has no id", order=each.line)
        else:
            nameless.append(each)
    if nameless and count == 1:
        yield Record(nameless[0].line, _stem(name), _fields(nameless[0]))
    elif nameless:
        problems.add(f"line {nameless[0].line}", f"<{nameless[0].name}> has no id", order=nameless[0].line)
    if not count and not problems.count:
        problems.add("", "holds no article", ADVICE)


def identifier(each: XmlRecord) -> str:
    """What an element is called: by an attribute, by an element in it, or by the attribute of its name."""
    own = next((each.attributes[key] for key in ID_ATTRIBUTES if each.attributes.get(key)), "")
    inner = next((each.parts[key] for key in ID_ELEMENTS if each.parts.get(key)), "")
    return (own or inner or each.attributes_of.get("name", {}).get("id", "")).strip()


def _fields(each: XmlRecord) -> dict[str, str]:
    title = next((text for key, text in each.parts.items() if key in TITLES and text), "")
    text = BLANKS.sub("\n", each.text).strip()
    return {key: value for key, value in {"title": " ".join(title.split()), "text": text}.items() if value}


def _stem(name: str) -> str:
    path = PurePosixPath(without_suffix(name, COMPRESSED_SUFFIXES))
    return str(path.with_suffix("")) if path.suffix.lower() == ".xml" else str(path)


XML_DOCUMENTS = DocumentReader(
    name="xml",
    about="XML of INEX, CLEF and others: <article>, <doc>, <document>, <image>, <record>, <page>",
    suffixes=(".xml",),
    read=read,
    recognises=recognises,
)
