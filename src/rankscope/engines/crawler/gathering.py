"""Gathering from beginning to end: addresses in, a table of documents out; how much, how fast, under which name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.core.validation import COUNT, Number, Optional, Text, WholeNumber, check_fields
from rankscope.core.wording import setting_usage
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.engines.crawler.state import Gathered

PACKAGES = ("httpx", "httpcore", "protego", "selectolax", "pypdf")
SUFFIX = ".parquet"


def gather_pages(
    addresses: Sequence[str],
    output: str | Path,
    rules: GatheringLimits,
    *,
    allow: Iterable[str] = (),
    restart: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **network: Any,
) -> Gathered:
    """Pages into a table; `network` are `resolve` and `network` of the `Fetcher`, for tests.

    Stopped work goes on when it is called again with the same addresses and rules.
    """
    for package in PACKAGES:
        import_extra(package, package, "gather")
    from rankscope.engines.crawler.addresses import Permitted, Scope, machine_of
    from rankscope.engines.crawler.crawler import Crawler, Pacer, ParsingWorker, Visitor
    from rankscope.engines.crawler.fetching import Fetcher
    from rankscope.engines.crawler.state import GATHERING, Gathered, GatheringState
    from rankscope.engines.resumable import remove_state

    seeds, permitted = _checked_addresses(addresses, output), Permitted.parse(allow)
    path, scope, pacer = GATHERING.place(output), Scope.of(seeds), Pacer(rules.pause)
    if restart:
        remove_state(path)
    opened = GatheringState.opened(path, rules.pages)
    with opened as state, closing(Fetcher(rules, permitted, **network)) as fetcher:
        chosen = {name: value for name, value in asdict(rules).items() if name not in ("pause", "contact")}
        settings = {"addresses": seeds, **chosen, "allow": sorted(map(str, permitted.networks))}
        resumed = state.begin(settings, seeds)
        if resumed:
            for seed in seeds:  # as if all hosts had answered just now: an earlier process may have asked them
                pacer.note_answer(machine_of(seed))
        with ParsingWorker() as worker:
            Crawler(state, scope, rules, Visitor(scope, fetcher, pacer), worker).crawl(progress)
        gathered = Gathered.of(state, output, resumed)
        if gathered.documents:
            state.write_documents(output)
    remove_state(path)
    if not gathered.documents:
        problems = [Problem(address, reason) for address, reason in gathered.left_out]
        raise InputError.of("nothing was gathered", problems, "No file was written.")
    return gathered


def _checked_addresses(addresses: Sequence[str], output: str | Path) -> list[str]:
    """The addresses in their one spelling; everything that is wrong with what was given, at once."""
    from rankscope.engines.crawler.addresses import page_address

    given = [addresses] if isinstance(addresses, str) else list(addresses)
    read = {each: page_address(str(each)) for each in given}
    problems = []
    for each in (str(each) for each, address in read.items() if address is None):
        if "://" not in each:
            problems.append(f"{each}: is no address of a page; did you mean https://{each} ?")
        elif "@" in each.partition("://")[2].partition("/")[0]:
            problems.append(f"{each}: must not hold a user name or a password: gathering never signs in")
        else:
            problems.append(f"{each}: is no address of a page, as https://example.org/docs/")
    if not given:
        problems.append("nothing to gather: give an address, as https://example.org/docs/")
    if not str(output).endswith(SUFFIX):
        problems.append(
            f"documents are written as {SUFFIX}, got '{output}': give {setting_usage('output', 'DOCS.parquet')}"
        )
    if problems:
        raise SettingError.of(problems)
    return list(dict.fromkeys(filter(None, read.values())))


AGENT_NAME = "rankscope"  # what robots.txt calls us
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
        return f"{AGENT_NAME}/{__version__} (obeys robots.txt{more})"
