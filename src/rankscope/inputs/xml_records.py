"""XML read as a stream: the outermost elements of some names, each with its attributes and the text of what is in it.

Entities of one's own are taken only where they are a few plain letters, so that no small file becomes a large one; what
stands outside of the file is never read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from html.entities import html5
from typing import Any, Final
from xml.parsers import expat

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import LONGEST, TOO_LONG

LONGEST_ENTITY: Final = 64
INLINE = frozenset(  # elements that part no words
    {"a", "b", "i", "u", "it", "em", "tt", "sub", "sup", "bold", "strong", "small", "scp", "ss", "emph", "emph2"}
    | {"emph3", "link", "ref", "xref", "collectionlink", "unknownlink", "outsidelink", "wikipedialink", "weblink"}
    | {"span", "font"}
)
ROOT = re.compile(
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


def root_of(head: bytes) -> str:
    """The name of the outermost element of a file that begins so, in small letters; nothing where it is no XML.

    >>> root_of(b"<?xml version='1.0'?>\\n<!-- x -->\\n<Article id='a'>"), root_of(b"plain text")
    ('article', '')
    """
    found = ROOT.match(head.removeprefix(b"\xef\xbb\xbf"))
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
            self.open[-1][1].append(text if name in INLINE else f"\n{text}\n")
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
