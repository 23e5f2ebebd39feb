"""Gathering from beginning to end: addresses in, a table of documents out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError, Problem, SettingError
from rankscope.extras import import_extra
from rankscope.gathering.rules import GatheringLimits
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.gathering.gathered import Gathered

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
    from rankscope.gathering.addresses import Scope, machine_of
    from rankscope.gathering.crawling import Crawler
    from rankscope.gathering.fetching import Fetcher
    from rankscope.gathering.gathered import Gathered, write_documents
    from rankscope.gathering.pacing import Pacer
    from rankscope.gathering.permitted import Permitted
    from rankscope.gathering.state import open_state, state_path
    from rankscope.gathering.visiting import Visitor
    from rankscope.gathering.worker import ParsingWorker
    from rankscope.resumable import remove_state

    seeds, permitted = _checked(addresses, output), Permitted.parse(allow)
    path, scope, pacer = state_path(output), Scope.of(seeds), Pacer(rules.pause)
    if restart:
        remove_state(path)
    with open_state(path, rules.pages) as state, closing(Fetcher(rules, permitted, **network)) as fetcher:
        resumed = state.begin(_settings(seeds, rules, permitted.networks), seeds)
        if resumed:
            pacer.note_all(map(machine_of, seeds))
        with ParsingWorker() as worker:
            Crawler(state, scope, rules, Visitor(scope, fetcher, pacer), worker).crawl(progress)
        gathered = Gathered.of(state, output, resumed)
        if gathered.documents:
            write_documents(state, output)
    remove_state(path)
    if not gathered.documents:
        raise _nothing(gathered)
    return gathered


def _checked(addresses: Sequence[str], output: str | Path) -> list[str]:
    """The addresses in their one spelling; everything that is wrong with what was given, at once."""
    from rankscope.gathering.addresses import page_address

    given = [addresses] if isinstance(addresses, str) else list(addresses)
    read = {each: page_address(str(each)) for each in given}
    problems = [f"{each}: {_unusable(str(each))}" for each, address in read.items() if address is None]
    if not given:
        problems.append("nothing to gather: give an address, as https://example.org/docs/")
    if not str(output).endswith(SUFFIX):
        problems.append(
            f"documents are written as {SUFFIX}, got '{output}': give {setting_usage('output', 'DOCS.parquet')}"
        )
    if problems:
        raise SettingError.of(problems)
    return list(dict.fromkeys(filter(None, read.values())))


def _unusable(address: str) -> str:
    if "://" not in address:
        return f"is no address of a page; did you mean https://{address} ?"
    if "@" in address.partition("://")[2].partition("/")[0]:
        return "must not hold a user name or a password: gathering never signs in"
    return "is no address of a page, as https://example.org/docs/"


def _settings(seeds: list[str], rules: GatheringLimits, networks: Iterable[object]) -> dict[str, Any]:
    """What the result depends on."""
    chosen = {name: value for name, value in asdict(rules).items() if name not in ("pause", "contact")}
    return {"addresses": seeds, **chosen, "allow": sorted(map(str, networks))}


def _nothing(gathered: Gathered) -> InputError:
    problems = [Problem(address, reason) for address, reason in gathered.left_out]
    return InputError.of("nothing was gathered", problems, "No file was written.")
