"""The addresses of OpenSearch's part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from rankscope.workbench.service.answers import Json, json_answer, json_bytes
from rankscope.workbench.service.application import ServicePart
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.opensearch import describing, documents, searching
from rankscope.workbench.service.opensearch.asked import OpenSearchCall
from rankscope.workbench.service.opensearch.errors import tell
from rankscope.workbench.service.reading import parameters_of
from rankscope.workbench.service.refusals import READ_ONLY, Refusal
from rankscope.workbench.service.served import ServedIndexes
from rankscope.workbench.service.turns import Turns

READ, ASK = ("GET",), ("GET", "POST")
ADDRESSES: Final[tuple[tuple[str, tuple[str, ...], Callable[[OpenSearchCall], Any]], ...]] = (
    ("/", READ, describing.info),
    ("/_search", ASK, searching.search),
    ("/{name}/_search", ASK, searching.search),
    ("/_search/scroll", ASK, searching.scroll),
    ("/_search/scroll", ("DELETE",), searching.clear_scroll),
    ("/_search/scroll/{scroll_id}", ASK, searching.scroll),
    ("/_search/scroll/{scroll_id}", ("DELETE",), searching.clear_scroll),
    ("/_msearch", ASK, searching.several_searches),
    ("/{name}/_msearch", ASK, searching.several_searches),
    ("/_count", ASK, searching.count),
    ("/{name}/_count", ASK, searching.count),
    ("/_mget", ASK, documents.several_documents),
    ("/{name}/_mget", ASK, documents.several_documents),
    ("/{name}/_doc/{id:path}", READ, documents.document),
    ("/{name}/_source/{id:path}", READ, documents.source),
    ("/{name}/_explain/{id:path}", ASK, documents.explain),
    ("/_mapping", READ, describing.mapping),
    ("/{name}/_mapping", READ, describing.mapping),
    ("/{name}/_mappings", READ, describing.mapping),
    ("/{name}/_analyze", ASK, describing.analyse),
    ("/_cat/indices", READ, describing.indexes),
    ("/_cat/indices/{name}", READ, describing.indexes),
    ("/_cluster/health", READ, describing.health),
    ("/{name}", READ, describing.described),
)
CHANGES: Final = (  # what would change an index
    "/_bulk",
    "/_reindex",
    "/_refresh",
    "/_update_by_query",
    "/_delete_by_query",
    "/{name}/_bulk",
    "/{name}/_doc",
    "/{name}/_doc/{id:path}",
    "/{name}/_create/{id:path}",
    "/{name}/_update/{id:path}",
    "/{name}/_update_by_query",
    "/{name}/_delete_by_query",
    "/{name}/_refresh",
    "/{name}/_close",
    "/{name}/_open",
)


def opensearch_part(indexes: ServedIndexes, limits: ServiceLimits, turns: Turns) -> ServicePart:
    """What answers as OpenSearch does; it owns all addresses that no other part owns."""
    routes: list[BaseRoute] = [
        Route(f"{path}{slash}", _endpoint(handler, indexes, limits, turns), methods=[*methods])
        for path, methods, handler in ADDRESSES
        for slash in (("",) if path.endswith(("/", ":path}")) else ("", "/"))
    ]
    routes += [Route(path, _refuse, methods=["POST", "PUT"]) for path in CHANGES]
    return ServicePart(routes=routes, tell=tell)


async def _refuse(_request: Request) -> Response:
    raise Refusal(403, READ_ONLY)


def _endpoint(
    handler: Callable[[OpenSearchCall], Any], indexes: ServedIndexes, limits: ServiceLimits, turns: Turns
) -> Callable[[Request], object]:
    async def answer(request: Request) -> Response:
        asked = OpenSearchCall(
            indexes=indexes,
            limits=limits,
            path=request.path_params,
            parameters=parameters_of(request),
            raw=await request.body(),
        )
        found = await turns.run(lambda: _answered(handler, asked))
        return PlainTextResponse(found) if isinstance(found, str) else json_answer(found)

    answer.__doc__ = handler.__doc__  # what /openapi.json says of it
    return answer


def _answered(handler: Callable[[OpenSearchCall], Any], asked: OpenSearchCall) -> bytes | str:
    found = handler(asked)
    if isinstance(found, list) and asked.parameters.text("format") != "json":
        return _table(found, asked.parameters.flag("v"))
    return json_bytes(found, asked.parameters.flag("pretty"))


def _table(rows: list[Json], head: bool) -> str:
    """Rows as lines with columns below each other, as `_cat` prints them."""
    names = list(rows[0])
    lines = [*([names] if head else []), *([row[name] for name in names] for row in rows)]
    wide = [max(len(line[place]) for line in lines) for place in range(len(names))]
    cells = [[f"{cell:<{size}}" for cell, size in zip(line, wide, strict=True)] for line in lines]
    return "".join(f"{' '.join(each).rstrip()}\n" for each in cells)
