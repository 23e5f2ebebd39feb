"""Who asks: a name and password, a key or a token, from the environment alone, and never shown."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankscope.errors import SettingError

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
        _check(found)
        if USER in found:
            packed = b64encode(f"{found[USER]}:{found[PASSWORD]}".encode()).decode()
            return cls(f"Basic {packed}", (found[PASSWORD], packed))
        if API_KEY in found:
            return cls(f"ApiKey {found[API_KEY]}", (found[API_KEY],))
        return cls(f"Bearer {found[TOKEN]}", (found[TOKEN],)) if found else cls()

    @property
    def headers(self) -> dict[str, str]:
        """As a request carries them."""
        return {"Authorization": self.header} if self.header else {}

    def masked(self, text: str) -> str:
        """A text in which no secret stands, for messages that repeat what an engine wrote."""
        for each in self.secrets:
            text = text.replace(each, MASK)
        return text


def _check(found: Mapping[str, str]) -> None:
    kinds = [name for name in (USER, API_KEY, TOKEN) if name in found]
    problems = []
    if (USER in found) != (PASSWORD in found):
        problems.append(f"{USER} and {PASSWORD} belong together: set both, or none")
    if len(kinds) > 1:
        problems.append(f"{', '.join(kinds)} are set: an engine is told only one of them")
    problems += [f"{name} holds a sign that cannot be sent" for name in (API_KEY, TOKEN) if not _sendable(found, name)]
    if problems:
        raise SettingError.of(problems)


def _sendable(found: Mapping[str, str], name: str) -> bool:
    value = found.get(name, "x")
    return value.isascii() and value.isprintable()
