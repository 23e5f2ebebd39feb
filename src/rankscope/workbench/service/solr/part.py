"""The addresses of Solr's part: /solr/NAME/select and its kin, with and without a final slash."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rankscope.workbench.service.answers import Json, json_answer, json_bytes
from rankscope.workbench.service.application import ServicePart
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.reading import Parameters
from rankscope.workbench.service.refusals import READ_ONLY, Refusal
from rankscope.workbench.service.served import ServedIndexes
from rankscope.workbench.service.solr.looking import get, luke, terms
from rankscope.workbench.service.solr.request import SolrRequest, read_parameters
from rankscope.workbench.service.solr.selecting import select
from rankscope.workbench.service.solr.similar import more_like_this
from rankscope.workbench.service.turns import Turns

PREFIX: Final = "/solr/"
HANDLERS: Final[dict[str, Callable[[SolrRequest], Json]]] = {
    "select": select,
    "query": select,
    "mlt": more_like_this,
    "terms": terms,
    "get": get,
    "admin/luke": luke,
    "admin/ping": lambda asked: {"status": "OK"},
}


def solr_part(indexes: ServedIndexes, limits: ServiceLimits, turns: Turns) -> ServicePart:
    """What answers as Solr does."""
    routes: list[BaseRoute] = [
        Route(f"{PREFIX}{{name}}/{path}{slash}", _endpoint(handler, indexes, limits, turns), methods=["GET", "POST"])
        for path, handler in HANDLERS.items()
        for slash in ("", "/")
    ]
    routes += [
        Route(f"{PREFIX}{{name}}/update{rest}", _refuse, methods=["GET", "POST"]) for rest in ("", "/", "/{rest:path}")
    ]
    return ServicePart(routes=routes, tell=tell, owns=lambda path: path.startswith(PREFIX))


def tell(refusal: Refusal) -> Response:
    """A refusal as Solr words it."""
    body = {
        "responseHeader": {"status": refusal.status, "QTime": 0},
        "error": {"msg": refusal.message, "code": refusal.status},
    }
    return json_answer(body, refusal.status, refusal.headers)


async def _refuse(_request: Request) -> Response:
    raise Refusal(403, READ_ONLY)


def _endpoint(
    handler: Callable[[SolrRequest], Json], indexes: ServedIndexes, limits: ServiceLimits, turns: Turns
) -> Callable[[Request], object]:
    async def answer(request: Request) -> Response:
        asked = await read_parameters(request)
        names = asked.text("collection") or request.path_params["name"]
        return json_answer(await turns.run(lambda: _answered(handler, asked, indexes, names, limits)))

    answer.__doc__ = handler.__doc__  # what /openapi.json says of it
    return answer


def _answered(
    handler: Callable[[SolrRequest], Json], asked: Parameters, indexes: ServedIndexes, names: str, limits: ServiceLimits
) -> bytes:
    begin = time.perf_counter()
    served = indexes.find(names)
    found = handler(SolrRequest(served, asked, limits))
    header: Json = {"status": 0, "QTime": round((time.perf_counter() - begin) * 1000)}
    if asked.text("echoParams", "explicit") != "none":
        header["params"] = {name: _echoed(asked.all(name)) for name in asked.first}
    whole = found if asked.flag("omitHeader") else {"responseHeader": header, **found}
    return json_bytes(whole, asked.flag("indent"))


def _echoed(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values
