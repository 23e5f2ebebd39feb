"""`rankscope search --engine`: how the run came about, how long the engine took, and what was odd."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from rankscope.engines.live.latency import Latency
    from rankscope.engines.live.live_run import LiveRun, Oddities

COLUMNS = ("p50", "p90", "p95", "p99", "max")
NOT_LIVE = ("similarity", "operator", "limit", "unmatched", "expand", "ties", "seed", "qrels")


def rank_live(
    words: tuple[str, ...], topics: str | None, quiet: bool, given: dict[str, Any], live: dict[str, Any]
) -> None:
    """Ask the engine for all topics, and say what came of it."""
    from rankscope.cli.output import progress_line, say
    from rankscope.facade.searching import search

    _check(words, topics, given["output"])
    shared = {name: value for name, value in given.items() if name not in NOT_LIVE}
    try:
        with progress_line(quiet) as show:
            shown = None if show is None else lambda done, whole: show("asking", done / whole)
            run = search(topics=topics, progress=shown, **shared, **live)
    except KeyboardInterrupt:
        if not quiet:
            say("stopped: give the same command again to go on")
        raise
    if not quiet:
        for line in _lines(run, live, given["output"]):
            say(line)


def chosen_options(names: tuple[str, ...]) -> list[str]:
    """Those of some options that were given on the command line, as they are written."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name.replace('_', '-')}" for name in names if source(name) == ParameterSource.COMMANDLINE]


def _check(words: tuple[str, ...], topics: str | None, output: str | None) -> None:
    """Everything about --engine that cannot be, at once."""
    from rankscope.cli.output import is_no_run
    from rankscope.errors import SettingError

    others = chosen_options(NOT_LIVE)
    problems = [f"'{words[0]}': --engine takes the place of an index and of a query"] if words else []
    problems += [] if topics else ["--engine needs --topics FILE"]
    problems += [] if output else ["--engine needs -o NAME.run"]
    problems += [f"{output}: a run is a list for programs; give -o NAME.run"] if output and is_no_run(output) else []
    problems += [f"{', '.join(others)}: an engine ranks by itself; --request FILE.json says how"] if others else []
    if problems:
        raise SettingError.of(problems)


def _lines(run: LiveRun, live: dict[str, Any], output: str) -> Iterator[str]:
    from rankscope.engines.live.address import EngineAddress
    from rankscope.engines.live.credentials import Credentials
    from rankscope.engines.live.results import latency_path
    from rankscope.inputs.formats import of_path

    address, latency = EngineAddress.parse(live["engine"]), run.latency
    again = f", {latency.retries:,} of them sent again" if latency.retries else ""
    more = "; earlier work went on" if run.resumed else ""
    yield f"{output}: {_count(latency.topics, 'topic')} from {address}{more}"
    yield f"  {_count(latency.requests, 'request')}, {live['workers']} at a time{again}; {latency_path(output)}:"
    yield from _table(latency)
    yield from _cautions(run.oddities, of_path(output).name == "trec")
    if address.is_open and Credentials.from_environment().header:
        yield "! credentials were sent unencrypted: give an address with https:// if there is one"


def _table(latency: Latency) -> Iterator[str]:
    """The percentiles; all pages only where there are more than the first ones."""
    rows = {
        "first page": latency.first_page,
        "all pages": latency.whole_topic if latency.requests > latency.topics else None,
        "engine's own": latency.engine_time,
    }
    yield f"  {'milliseconds':<14}" + "".join(f"{name:>10}" for name in COLUMNS)
    for name, row in rows.items():
        if row is not None:
            yield f"  {name:<14}" + "".join(f"{getattr(row, each):>10,.1f}" for each in COLUMNS)


def _cautions(odd: Oddities, has_ranks: bool) -> Iterator[str]:
    """What to know before the run is evaluated."""
    if odd.empty:
        yield f"! {_count(odd.empty, 'topic')} found nothing: is the field searched the right one?"
    if odd.tied and not odd.unordered:
        rule = "rank" if has_ranks else "given"
        yield f"  {_count(odd.tied, 'topic')} with equal scores: evaluate with --ties {rule} to keep the engine's order"
    if odd.unordered and has_ranks:
        yield f"! {_count(odd.unordered, 'topic')} not in the order of scores: evaluate with --ties rank"
    if odd.unordered and not has_ranks:
        yield f"! {_count(odd.unordered, 'topic')} not in the order of scores, which only NAME.run can hold"
    if odd.duplicates or odd.moved:
        dropped = f"{_count(odd.duplicates, 'document')} came twice and the first counts"
        moved = f"matches changed between the pages of {_count(odd.moved, 'topic')}"
        yield f"! {'; '.join([dropped] * bool(odd.duplicates) + [moved] * bool(odd.moved))}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
