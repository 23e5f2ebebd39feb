"""Pages of the web to documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankscope.calling import public

if TYPE_CHECKING:
    from rankscope.gathering.gathered import Gathered


@public
def gather(
    addresses: str | Sequence[str],
    output: str | Path,
    *,
    pages: int = 1000,
    depth: int = 3,
    megabytes: float = 5,
    seconds: float = 10,
    pause: float = 1,
    allow: str | Sequence[str] = (),
    contact: str | None = None,
    restart: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """Pages of the hosts that are named to a Parquet table of documents (id, title, text), which `index` reads.

    Links are followed only inside of the folders that `addresses` lie in. robots.txt is obeyed, a host is asked for one
    page at a time with `pause` seconds between, and addresses that are not public are refused unless `allow` names
    them. Interrupted work continues when it is called again in the same way, unless `restart` is true.
    """
    from rankscope.gathering.gather import gather_pages
    from rankscope.gathering.rules import GatheringLimits

    rules = GatheringLimits(
        pages=pages, depth=depth, megabytes=megabytes, seconds=seconds, pause=pause, contact=contact
    )
    given = [addresses] if isinstance(addresses, str) else list(addresses)
    allowed = [allow] if isinstance(allow, str) else list(allow)
    return gather_pages(given, output, rules, allow=allowed, restart=restart, progress=progress)
