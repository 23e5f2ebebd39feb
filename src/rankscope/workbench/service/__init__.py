"""The base of everything over HTTP, and the search service that speaks as Solr and OpenSearch do.

    from rankscope.workbench.service import search_application, running

    with running(search_application(["docs.index"])) as address:
        print(f"{address}/solr/docs/select?q=fox")

`serve` does the same until it is stopped. All of it needs the extra `web`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.workbench.service.application import ServicePart, create_application
    from rankscope.workbench.service.limits import ServiceLimits
    from rankscope.workbench.service.search_service import search_application, serve
    from rankscope.workbench.service.server import listen, run_application, running

_PLACES = {
    "ServiceLimits": "limits",
    "ServicePart": "application",
    "create_application": "application",
    "listen": "server",
    "run_application": "server",
    "running": "server",
    "search_application": "search_service",
    "serve": "search_service",
}

__all__ = [
    "ServiceLimits",
    "ServicePart",
    "create_application",
    "listen",
    "run_application",
    "running",
    "search_application",
    "serve",
]


def __getattr__(name: str) -> Any:
    """A name that is loaded when it is used."""
    from importlib import import_module

    from rankscope.core.caching import WEB_MODULES, need_extras

    if name in _PLACES:
        need_extras(*WEB_MODULES)
        return getattr(import_module(f"rankscope.workbench.service.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'rankscope.workbench.service' has no attribute '{name}'")
