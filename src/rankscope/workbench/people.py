"""The people of a project: names and roles, invitations with a secret of which only a hash is kept, and pseudonyms."""

from __future__ import annotations

import hashlib
import secrets
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankscope.core.errors import SettingError
from rankscope.core.names import one_line
from rankscope.workbench.store.events import ROLES, Assessor, is_storable
from rankscope.workbench.store.writer import Writer

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


# Who may come in: invitations with a secret of 128 bits, of which only a hash is kept.

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
    if (
        not 0 < len(name.strip()) <= LONGEST_NAME
        or one_line(name) != name
        or name.strip() != name
        or not is_storable(name)
    ):
        problems.append(f"a name is one line of 1 to {LONGEST_NAME} signs, without spaces around it")
    if name == PROJECT.name:
        problems.append(f"'{PROJECT.name}' is what rankscope itself is called in a journal: choose another name")
    if role not in ROLES:
        problems.append(f"no role '{role}'. There are: {', '.join(ROLES)}")
    if problems:
        raise SettingError.of(problems)


def shown_names(project: Project, names: bool) -> dict[int, str]:
    """Assessors who did anything, under their names or under numbers."""
    active = sorted({event.assessor for event in project.state.events if event.kind != "leave"} - {PROJECT.id})
    return {
        each: project.assessors[each].name if names else f"assessor {place}" for place, each in enumerate(active, 1)
    }


# What every part of a project shares: the lock of its state, and the one that writes.


class ProjectPart(ABC):
    """Some of what can be done with a project; `Project` is all of it."""

    lock: AbstractContextManager[Any]
    changing: AbstractContextManager[Any]  # one change of people, queries, guidelines and pools after the other

    @property
    @abstractmethod
    def writer(self) -> Writer:
        """The one that writes; `Unavailable` where the project is only read."""


# Who works in a project: invitations, roles, and those whose labels come from a file.


class ProjectPeople(ProjectPart):
    """The people of a project, by number."""

    assessors: dict[int, Assessor]

    @abstractmethod
    def release(self, assessor: int, tab: str | None = None) -> None:
        """What an assessor was shown goes to others."""

    def assessor_named(self, name: str) -> Assessor:
        """Somebody by name; a `SettingError` where there is nobody of that name."""
        found = next((each for each in self.assessors.values() if each.name == name), None)
        if found is None:
            there = ", ".join(each.name for each in self.assessors.values() if each.id != PROJECT.id)
            raise SettingError(f"no assessor '{name}'. There are: {there}")
        return found

    def invite(self, name: str, role: str = "judge") -> Invitation:
        """Let somebody in, with one role; a second invitation of the same person ends the first."""
        check_person(name, role)
        known = next((each for each in self.assessors.values() if each.name == name), None)
        if known is not None and known.kind != "human":
            raise SettingError(f"'{name}' is a {known.kind} in this project: choose another name")
        token = new_token()
        return Invitation(self.put_assessor(name, kind="human", role=role, token=token_hash(token)), token)

    def revoke(self, name: str) -> None:
        """Let somebody in no more; what they marked stays."""
        with self.changing:
            found = self.assessor_named(name)
            self._store_assessor(found._replace(token_hash=None, active=0))
        self.release(found.id)

    def assessor_of_token(self, token: str) -> Assessor | None:
        """Whom a token lets in; None: nobody."""
        wanted = token_hash(token)
        found = (
            each
            for each in self.assessors.values()
            if each.token_hash and secrets.compare_digest(each.token_hash, wanted)
        )
        return next((each for each in found if each.active), None)

    def add_assessor(self, name: str, kind: str = "human") -> Assessor:
        """Somebody whose labels come from a file, or who was there before: no token."""
        known = next((each for each in self.assessors.values() if each.name == name), None)
        if known is not None and known.kind == kind:
            return known
        if known is not None:
            raise SettingError(f"'{name}' is {known.kind} in this project, not {kind}: choose another name")
        check_person(name, "judge")
        return self.put_assessor(name, kind=kind, role="judge", token=None)

    def put_assessor(self, name: str, *, kind: str, role: str, token: str | None) -> Assessor:
        """Somebody new, or known already in a new role or with a new token."""
        with self.changing:
            known = next((each for each in self.assessors.values() if each.name == name), None)
            number = max(self.assessors) + 1 if known is None else known.id
            return self._store_assessor(Assessor(number, name, kind=kind, role=role, token_hash=token, active=1))

    def _store_assessor(self, one: Assessor) -> Assessor:
        self.writer.change(lambda journal: journal.put_assessor(one))
        with self.lock:
            self.assessors[one.id] = one
        return one
