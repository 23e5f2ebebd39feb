"""Why a page gives no document."""

from __future__ import annotations


class NoDocument(Exception):  # noqa: N818  (it says what becomes of the page)
    """A page gives no document, and the reason reads on from its address.

    `asked` says whether its host was asked for the page itself; `unreachable` that the host did not answer at all.
    """

    def __init__(self, reason: str, *, asked: bool = True, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.asked, self.unreachable = reason, asked, unreachable
