"""The base of everything over HTTP, and the search service that speaks as Solr and OpenSearch do.

    from rankscope.workbench.service import search_application, running

    with running(search_application(["docs.index"])) as address:
        print(f"{address}/solr/docs/select?q=fox")

`serve` does the same until it is stopped. All of it needs the extra `web`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rankscope.core.caching import WEB_MODULES
from rankscope.workbench import find_names

if TYPE_CHECKING:
    from rankscope.workbench.service.application import ServiceLimits, ServicePart, create_application
    from rankscope.workbench.service.server import listen, run_application, running, search_application, serve

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
IN_APPLICATION: Final = ("ServiceLimits", "ServicePart", "create_application")
__getattr__ = find_names(
    __name__, {name: "application" if name in IN_APPLICATION else "server" for name in __all__}, WEB_MODULES
)
