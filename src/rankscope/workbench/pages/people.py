"""Who may come in: invitations, shown once, renewed and taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.validation import OneOf
from rankscope.workbench.pages.access import origin_of
from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.people import LONGEST_NAME, OWNER, PROJECT
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.store.rows import ROLES


class PersonView(TypedDict):
    """Somebody, and whether they may come in; machines and labels from files cannot."""

    name: str
    kind: str
    role: str
    invited: bool
    active: bool
    is_owner: bool


class PeopleView(TypedDict):
    """Everybody."""

    people: list[PersonView]
    roles: list[str]


class InvitedView(TypedDict):
    """An invitation; its link is shown this once and kept nowhere."""

    name: str
    role: str
    link: str


@dataclass(frozen=True)
class InviteAsked:
    """Who is invited."""

    name: Annotated[str, Words(LONGEST_NAME, least=1), "a name that is not taken, or somebody whose link is renewed"]
    role: Annotated[str, OneOf(ROLES, exactly=True), "what they may do"] = "judge"


@dataclass(frozen=True)
class RevokeAsked:
    """Who comes in no more."""

    name: Annotated[str, Words(LONGEST_NAME, least=1), "somebody who was invited"]


@address("GET", "/people", role="admin", title="People", template="people.html")
def people(visit: Visit) -> PeopleView:
    """Who may come in, and as what."""
    found: list[PersonView] = []
    for each in visit.project.assessors.values():
        if each.id == PROJECT.id:
            continue
        found.append(
            {
                "name": each.name,
                "kind": each.kind,
                "role": each.role,
                "invited": each.token_hash is not None,
                "active": bool(each.active),
                "is_owner": each.id == OWNER.id,
            }
        )
    return {"people": found, "roles": list(ROLES)}


@address("POST", "/people", role="admin", template="invited.html")
def invite(visit: Visit, asked: InviteAsked) -> InvitedView:
    """Invite somebody, or renew a link; an earlier link of theirs lets nobody in any more."""
    _check_not_owner(asked.name)
    invitation = visit.project.invite(asked.name.strip(), asked.role)
    link = f"{origin_of(visit.bench, visit.request)}{invitation.path}"
    return {"name": invitation.assessor.name, "role": asked.role, "link": link}


@address("POST", "/people/revoke", role="admin")
def revoke(visit: Visit, asked: RevokeAsked) -> Changed:
    """Let somebody in no more; what they marked stays."""
    _check_not_owner(asked.name)
    visit.project.revoke(asked.name)
    return Changed("/people")


def _check_not_owner(name: str) -> None:
    if name.strip() == OWNER.name:
        raise Refusal(409, "the owner comes in by the link that is printed when the service is started")


ADDRESSES = (people, invite, revoke)
