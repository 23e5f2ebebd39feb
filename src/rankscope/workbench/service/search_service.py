"""The search service: indexes that answer as Solr and OpenSearch do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from starlette.applications import Starlette

from rankscope.engines.text.text_index import Index
from rankscope.workbench.service.application import ServicePart, create_application
from rankscope.workbench.service.indexes import ServedIndexes, Turns, find_page
from rankscope.workbench.service.limits import Proxies, ServiceLimits, hosts_of, is_loopback
from rankscope.workbench.service.opensearch import opensearch_part
from rankscope.workbench.service.server import address_of, listen, run_application
from rankscope.workbench.service.solr import solr_part

Indexes = Mapping[str, Index] | Sequence[str | Path]
PORT = 8384


def search_application(
    indexes: Indexes | ServedIndexes,
    *,
    similarity: str = "bm25",
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    limits: ServiceLimits | None = None,
) -> Starlette:
    """An ASGI application that searches indexes, by name or those of folders, as Solr and OpenSearch do."""
    from rankscope.workbench.pages.openapi import description_part

    allowed = limits or ServiceLimits()
    served = indexes if isinstance(indexes, ServedIndexes) else ServedIndexes.of(indexes, similarity)
    parts = search_parts(served, allowed)
    return create_application([description_part(parts), *parts], hosts_of(host, allow_hosts), allowed)


def search_parts(served: ServedIndexes, limits: ServiceLimits) -> list[ServicePart]:
    """The parts of an application that search; they share the turns that searches take."""
    turns = Turns(limits)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            yield
        finally:
            turns.close()

    solr = replace(solr_part(served, limits, turns), lifespan=lifespan)
    return [solr, opensearch_part(served, limits, turns)]


def serve(
    indexes: Indexes,
    *,
    similarity: str = "bm25",
    host: str = "127.0.0.1",
    port: int = PORT,
    allow_hosts: Iterable[str] = (),
    trusted_proxies: Iterable[str] = (),
    limits: ServiceLimits | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve indexes until Ctrl-C or SIGTERM; `say` gets the lines that tell where, and what is exposed.

    The connections of one address are limited, those of `trusted_proxies` (this machine, if none are named) are not.
    """
    proxies = Proxies.of(trusted_proxies)
    served = ServedIndexes.of(indexes, similarity)
    application = search_application(served, host=host, allow_hosts=allow_hosts, limits=limits)
    with listen(host, port) as listening:
        for name in served.indexes:  # load what the first search loads, so that nobody waits for it
            one = served.find(name)
            page = find_page(one, one.index.parse("a", syntax="lucene"), 0, 1)
            one.index.reader.stored_rows(page.docs)
        for line in start_lines(served, address_of(listening), host):
            say(line)
        run_application(application, listening, proxies=proxies)


def start_lines(served: ServedIndexes, address: str, host: str) -> list[str]:
    """Where the service is, what it serves, and who can reach it."""
    lines = [f"serving at {address}; Ctrl-C ends it"]
    for name, index in served.indexes.items():
        count = len(index)
        lines.append(f"  {name}: {count:,} document{'' if count == 1 else 's'}")
        lines.append(f"    Solr        {address}/solr/{name}/select?q=...")
        lines.append(f"    OpenSearch  {address}/{name}/_search?q=...")
    if not is_loopback(host):
        whole = "all texts of these indexes" if len(served.indexes) > 1 else "all texts of this index"
        lines.append(f"! {host} is not this machine alone: whoever reaches it can read {whole}, without a password")
    return lines
