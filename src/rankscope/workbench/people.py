"""The people of a project: names and roles, invitations with a secret of which only a hash is kept, and pseudonyms."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final, NamedTuple

from rankscope.core.errors import SettingError
from rankscope.core.names import one_line
from rankscope.workbench.store.events import ROLES, Assessor, is_storable


TOKEN_BYTES: Final = 16
LONGEST_NAME: Final = 80
PROJECT: Final = Assessor(id=0, name="project", kind="project", role="admin", token_hash=None, active=1)
OWNER: Final = Assessor(id=1, name="owner", kind="human", role="admin", token_hash=None, active=1)


class Invitation(NamedTuple):
    """An assessor and the token that lets them in; it is shown once and kept nowhere."""

    assessor: Assessor
    token: str

    @property
    def path(self) -> str:
        """The address to open, behind that of the server."""
        return f"/enter/{self.token}"


def new_token() -> str:
    """A secret that nobody guesses.

    >>> len(new_token())
    22
    """
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What is kept of a token; it has 128 random bits, so a plain hash cannot be searched."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_person(name: str, role: str) -> None:
    """A `SettingError` with everything that is wrong with a name and a role."""
    problems = []
    is_one_line = 0 < len(name) <= LONGEST_NAME and one_line(name) == name and name.strip() == name
    if not is_one_line or not is_storable(name):
        problems.append(f"a name is one line of 1 to {LONGEST_NAME} signs, without spaces around it")
    if name == PROJECT.name:
        problems.append(f"'{PROJECT.name}' is what rankscope itself is called in a journal: choose another name")
    if role not in ROLES:
        problems.append(f"no role '{role}'. There are: {', '.join(ROLES)}")
    if problems:
        raise SettingError.of(problems)
