"""Which fields of documents are indexed, and under which names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankscope.errors import SettingError
from rankscope.inputs.documents.record import TEXT, TITLE, first_named
from rankscope.wording import setting_usage

CONTENTS = "contents"
NAME = re.compile(r"[^\s=+,:]+")


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
        pairs = [_pair(word.strip()) for word in words]
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
            return _usual(given)
        chosen = {new: _join(given.get(old, "") for old in several) for new, several in self.joined}
        return {new: text for new, text in chosen.items() if text}


def _pair(word: str) -> tuple[str, tuple[str, ...]]:
    new, mark, old = word.partition("=")
    several = tuple(each.strip() for each in (old if mark else new).split("+"))
    if not all(NAME.fullmatch(each) for each in (new, *several)) or (not mark and len(several) > 1):
        how = "names with commas between, as title,body, or a new name for several, as contents=title+body"
        raise SettingError(f"{setting_usage('fields')} '{word}': write {how}")
    return new, several


def _usual(given: Mapping[str, str]) -> dict[str, str]:
    names = tuple(given)
    title, text = first_named(TITLE, names), first_named(TEXT, names)
    contents = _join(given[name] for name in (title, text) if name is not None)
    fields = {CONTENTS: contents} if contents else {}
    if title is not None:
        fields["title"] = given[title]
    if len(names) == (title is not None) + (text is not None):
        return fields
    return fields | {name: value for name, value in given.items() if name not in (title, text, *fields)}


def _join(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))
