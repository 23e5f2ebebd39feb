"""Who is signed in: cookies that say it themselves, signed with the project's key, so that a restart ends nothing.

An invitation that is renewed or taken back ends every session that it began. A session that somebody ended is in the
journal, so that a restart does not begin it again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rankscope.workbench.store.rows import Assessor

LASTS: Final = 30 * 24 * 3600  # seconds
FORM: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)


@dataclass(eq=False)
class SessionCookies:
    """Makes and reads the values of cookies.

    >>> ann = Assessor(id=2, name="ann", kind="human", role="judge", token_hash="h", active=1)
    >>> sessions = SessionCookies(b"key", {2: ann}, ended=lambda session: False)
    >>> sessions.person(sessions.begin(ann)).name, sessions.person("2.0.0.0")
    ('ann', None)
    """

    key: bytes
    people: Mapping[int, Assessor]
    ended: Callable[[str], bool]  # as the journal says
    clock: Callable[[], float] = time.time
    _ended: set[str] = field(default_factory=set)  # and what may not be in it yet

    def begin(self, person: Assessor) -> str:
        """A new session."""
        said = f"{person.id}.{int(self.clock())}.{secrets.token_hex(16)}"
        return f"{said}.{self._signature(said, person)}"

    def person(self, value: str) -> Assessor | None:
        """Whose session it is; None where it is none, or has ended."""
        found = FORM.fullmatch(value)
        person = self.people.get(int(found[1])) if found else None
        if found is None or person is None or not person.active:
            return None
        if found[3] in self._ended or self.ended(found[3]):
            return None
        if self.clock() - int(found[2]) >= LASTS:  # one from the future is good: the clock may have been put back
            return None
        said = value.rpartition(".")[0]
        return person if hmac.compare_digest(self._signature(said, person), found[4]) else None

    def end(self, value: str) -> str | None:
        """A session counts no more; its name for the journal, or None where it was none."""
        if self.person(value) is None:
            return None
        session = value.split(".")[2]
        self._ended.add(session)
        return session

    def _signature(self, said: str, person: Assessor) -> str:
        return hashlib.blake2b(f"{said}.{person.token_hash}".encode(), digest_size=32, key=self.key).hexdigest()
