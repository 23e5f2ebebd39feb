"""How much is gathered, how fast, and under which name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankscope.errors import SettingError
from rankscope.validation import COUNT, Number, Optional, Text, WholeNumber, check_fields
from rankscope.version import __version__
from rankscope.wording import setting_usage

NAME = "rankscope"  # what robots.txt calls us
CONTACT = re.compile(r"[!-~](?:[ -~]{0,198}[!-~])?")


@dataclass(frozen=True)
class GatheringLimits:
    """Limits of one gathering: `depth` counts links from the addresses given, `pages` those that are asked for.

    >>> GatheringLimits(contact="me@example.org").agent.partition("(")[2]
    'obeys robots.txt; me@example.org)'
    """

    pages: int = 1000
    depth: int = 3
    megabytes: float = 5
    seconds: float = 10
    pause: float = 1
    contact: str | None = None

    def __post_init__(self) -> None:
        check_fields(
            self,
            pages=COUNT,
            depth=WholeNumber(least=0),
            megabytes=Number(above=0, most=1000),
            seconds=Number(above=0, most=3600),
            pause=Number(least=0, most=86400),
            contact=Optional(Text()),
        )
        if self.contact is not None and (not CONTACT.fullmatch(self.contact) or set(self.contact) & set("()")):
            raise SettingError(
                f"{setting_usage('contact')} must be an address or a page in plain letters, without brackets"
            )

    @property
    def bytes(self) -> int:
        """How large a page may be, unpacked."""
        return int(self.megabytes * 1_000_000)

    @property
    def agent(self) -> str:
        """How we introduce ourselves to servers."""
        more = f"; {self.contact}" if self.contact else ""
        return f"{NAME}/{__version__} (obeys robots.txt{more})"
