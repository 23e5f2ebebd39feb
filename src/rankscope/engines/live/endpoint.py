"""An engine over HTTP: its kind and address, who asks, how much is asked at once and how deep."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, Number, WholeNumber, check_fields
from rankscope.core.wording import setting_usage
from rankscope.engines.live.dialects import DIALECTS

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


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
            usage = setting_usage("engine")
            if kind.lower() in ("http", "https"):
                kinds = ", ".join(f"{each}:{kind}://..." for each in DIALECTS)
                raise SettingError(f"{usage} begins with the kind of the engine: {kinds}")
            shown = kind if kind.isalpha() else ""
            known = ", ".join(f"{each}:URL" for each in DIALECTS)
            raise SettingError(f"{usage}: no engine '{shown}'{did_you_mean(shown, DIALECTS)} There are: {known}")
        problem = _address_problem(url)
        if problem:
            raise SettingError(f"{setting_usage('engine')}: {problem}")
        found = cls(kind.lower(), url.rstrip("/"))
        DIALECTS[found.kind].search_address(found.url)
        return found

    @property
    def is_open(self) -> bool:
        """Whether what is sent there travels unencrypted over a network."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in THIS_MACHINE

    def __str__(self) -> str:
        return f"{self.kind}:{self.url}"


def _address_problem(url: str) -> str:
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
    if parts.query or parts.fragment:
        return f"an address ends with the index; parameters belong into {setting_usage('request', 'FILE.json')}"
    return ""


USER, PASSWORD = "RANKSCOPE_ENGINE_USER", "RANKSCOPE_ENGINE_PASSWORD"
API_KEY, TOKEN = "RANKSCOPE_ENGINE_API_KEY", "RANKSCOPE_ENGINE_TOKEN"
MASK = "***"


@dataclass(frozen=True)
class Credentials:
    """What a request says of who asks; empty: nothing.

    >>> Credentials.from_environment({"RANKSCOPE_ENGINE_TOKEN": "s3cret"}).masked("no right for s3cret")
    'no right for ***'
    """

    header: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Credentials:
        """A name with a password, a key, or a token; more than one of them is an error."""
        given = os.environ if environment is None else environment
        found = {name: given[name] for name in (USER, PASSWORD, API_KEY, TOKEN) if given.get(name)}
        kinds = [name for name in (USER, API_KEY, TOKEN) if name in found]
        problems = []
        if (USER in found) != (PASSWORD in found):
            problems.append(f"{USER} and {PASSWORD} belong together: set both, or none")
        if len(kinds) > 1:
            problems.append(f"{', '.join(kinds)} are set: an engine is told only one of them")
        for name in (API_KEY, TOKEN):
            if name in found and not (found[name].isascii() and found[name].isprintable()):
                problems.append(f"{name} holds a sign that cannot be sent")
        if problems:
            raise SettingError.of(problems)
        if USER in found:
            packed = b64encode(f"{found[USER]}:{found[PASSWORD]}".encode()).decode()
            return cls(f"Basic {packed}", (found[PASSWORD], packed))
        if API_KEY in found:
            return cls(f"ApiKey {found[API_KEY]}", (found[API_KEY],))
        return cls(f"Bearer {found[TOKEN]}", (found[TOKEN],)) if found else cls()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": self.header} if self.header else {}

    def masked(self, text: str) -> str:
        """A text in which no secret stands, for messages that repeat what an engine wrote."""
        for each in self.secrets:
            text = text.replace(each, MASK)
        return text


@dataclass(frozen=True)
class EngineLimits:
    """`workers` ask at the same time, a request may take `seconds`, and is sent again `retries` times.

    The pause before that doubles from `first_wait` seconds on, up to `longest_wait`.
    """

    workers: int = 4
    retries: int = 5
    seconds: float = 30
    first_wait: float = 0.5
    longest_wait: float = 30

    def __post_init__(self) -> None:
        check_fields(
            self,
            workers=WholeNumber(least=1, most=256),
            retries=WholeNumber(least=0, most=100),
            seconds=Number(above=0, most=3600),
            first_wait=Number(least=0),
            longest_wait=Number(least=0),
        )


@dataclass(frozen=True)
class Extent:
    """How many documents of a topic are asked for, and how many at a time."""

    depth: int = 1000
    page_size: int = 1000

    def __post_init__(self) -> None:
        check_fields(self, depth=COUNT, page_size=WholeNumber(least=1, most=10_000))
