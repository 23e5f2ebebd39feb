"""Where an engine is: its kind and the address of one index, as `solr:http://localhost:8983/solr/papers`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from rankscope.catalogue import did_you_mean
from rankscope.engines.live.credentials import PASSWORD, USER
from rankscope.engines.live.dialects import DIALECTS
from rankscope.errors import SettingError
from rankscope.wording import setting_usage

HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class EngineAddress:
    """The kind of an engine and where its index answers.

    >>> print(EngineAddress.parse("solr:http://localhost:8983/solr/papers/"))
    solr:http://localhost:8983/solr/papers
    """

    kind: str
    url: str

    @classmethod
    def parse(cls, text: str) -> EngineAddress:
        """From `KIND:URL`; what could hold a password is never repeated."""
        kind, _, url = text.strip().partition(":")
        if kind.lower() not in DIALECTS:
            raise SettingError(_unknown_kind(kind))
        problem = _problem(url)
        if problem:
            raise SettingError(f"{setting_usage('engine')}: {problem}")
        found = cls(kind.lower(), url.rstrip("/"))
        DIALECTS[found.kind].search_address(found.url)
        return found

    @property
    def is_open(self) -> bool:
        """Whether what is sent there travels unencrypted over a network."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in HERE

    def __str__(self) -> str:
        return f"{self.kind}:{self.url}"


def _unknown_kind(kind: str) -> str:
    usage = setting_usage("engine")
    if kind.lower() in ("http", "https"):
        return f"{usage} begins with the kind of the engine: {', '.join(f'{each}:{kind}://...' for each in DIALECTS)}"
    shown = kind if kind.isalpha() else ""
    known = ", ".join(f"{each}:URL" for each in DIALECTS)
    return f"{usage}: no engine '{shown}'{did_you_mean(shown, DIALECTS)} There are: {known}"


def _problem(url: str) -> str:
    """What is wrong with an address, without repeating any of it that could be a password."""
    try:
        parts = urlsplit(url)
        port_is_known = parts.port is None or parts.port > 0
    except ValueError:
        return "this is no address of a host, as http://localhost:8983/solr/NAME"
    if parts.username is not None or "@" in parts.netloc:
        return f"a user name or a password does not belong into an address: set {USER} and {PASSWORD} instead"
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_known:
        return "this is no address of a host, as http://localhost:8983/solr/NAME"
    return _more_than_an_index(parts)


def _more_than_an_index(parts: SplitResult) -> str:
    if parts.query or parts.fragment:
        return f"an address ends with the index; parameters belong into {setting_usage('request', 'FILE.json')}"
    return ""
