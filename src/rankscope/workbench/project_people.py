"""Who works in a project: invitations, roles, and those whose labels come from a file."""

from __future__ import annotations

import secrets
from abc import abstractmethod

from rankscope.errors import SettingError
from rankscope.workbench.people import PROJECT, Invitation, check_person, new_token, token_hash
from rankscope.workbench.project_part import ProjectPart
from rankscope.workbench.store.rows import Assessor


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
        known = next((each for each in self.assessors.values() if each.name == name), None)
        number = max(self.assessors) + 1 if known is None else known.id
        return self._store_assessor(Assessor(id=number, name=name, kind=kind, role=role, token_hash=token, active=1))

    def _store_assessor(self, one: Assessor) -> Assessor:
        self.writer.change(lambda journal: journal.put_assessor(one))
        with self.lock:
            self.assessors[one.id] = one
        return one
