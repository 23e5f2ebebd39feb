"""Links to documents of an index that a service shows, as `rankscope serve` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from rankscope.errors import SettingError
from rankscope.wording import setting_usage

SUFFIX = ".index"
SOLR = "solr"


@dataclass(frozen=True)
class ServedLinks:
    """Where a service shows the documents of an index.

    >>> ServedLinks.of("http://127.0.0.1:8384", [Path("notes.index")]).link("a b.md")
    'http://127.0.0.1:8384/solr/notes/get?id=a%20b.md'
    >>> ServedLinks.of("http://localhost:9200/notes", []).link("a b.md")
    'http://localhost:9200/notes/_doc/a%20b.md'
    """

    address: str
    is_solr: bool

    @classmethod
    def of(cls, url: str, folders: Sequence[Path]) -> ServedLinks:
        """From the address of a service, which calls an index as its folder without `.index`, or of an index there."""
        usage = setting_usage("served", "URL")
        try:
            parts = urlsplit(url.strip())
            known = parts.port is None or parts.port > 0
        except ValueError:
            known = False
        if not known or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise SettingError(f"{usage} is the address of a service or of an index there, as http://127.0.0.1:8384")
        if "@" in parts.netloc:
            raise SettingError(f"{usage}: a user name or a password does not belong into an address")
        path = [each for each in parts.path.split("/") if each]
        if path in ([], [SOLR]):
            path = [SOLR, ",".join(folder.resolve().name.removesuffix(SUFFIX) for folder in folders)]
        return cls(f"{parts.scheme}://{parts.netloc}/{'/'.join(path)}", SOLR in path)

    def link(self, document: str) -> str:
        """The address of a document."""
        name = quote(document, safe="")
        return f"{self.address}/get?id={name}" if self.is_solr else f"{self.address}/_doc/{name}"
