"""Queries with an id and one part or several: a title, a description, a narrative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankscope.catalogue import unknown_name
from rankscope.errors import SettingError
from rankscope.wording import setting_usage

USUAL = ("title", "text", "query", "keywords", "question")  # the part that is searched for where none is named


@dataclass(frozen=True)
class QuerySet:
    """Queries in the order of their file, each with its parts by name.

    >>> queries = QuerySet({"301": {"title": "organized crime", "desc": "Identify organizations."}})
    >>> queries.texts(), queries.texts("title+desc")
    ({'301': 'organized crime'}, {'301': 'organized crime\\nIdentify organizations.'})
    """

    parts: Mapping[str, Mapping[str, str]]
    name: str = "topics"

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the order they first come."""
        return tuple(dict.fromkeys(name for each in self.parts.values() for name in each))

    def texts(self, parts: str | Sequence[str] | None = None) -> dict[str, str]:
        """The text of each query: the parts asked for, as `title+desc`, else its title or what stands for one."""
        wanted = parts.split("+") if isinstance(parts, str) else list(parts or ())
        names = [name.strip().lower() for name in wanted] or [_usual(self.names)]
        missing = [name for name in names if name not in self.names]
        if missing:
            given = setting_usage("parts", "+".join(names))
            raise SettingError(f"{given}: {self.name} has {unknown_name('part', missing[0], self.names)}")
        return {query: "\n".join(filter(None, map(each.get, names))) for query, each in self.parts.items()}


def _usual(names: Sequence[str]) -> str:
    """The part that says most shortly what is wanted; of several languages that of the first."""
    endings = [(name, name.rpartition("-")[2]) for name in names]
    found = [name for usual in USUAL for name, ending in endings if usual in (name, ending)]
    return (found or [*names, "text"])[0]
