"""A request to OpenSearch's part: which indexes, and what of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.opensearch.request import OpenSearchRequest
from rankscope.workbench.service.reading import Parameters, read_json
from rankscope.workbench.service.served import Served, ServedIndexes


@dataclass(frozen=True, eq=False)
class OpenSearchCall:
    """A request: indexes, names from the address, parameters, and the body as it came."""

    indexes: ServedIndexes
    limits: ServiceLimits
    path: dict[str, str]
    parameters: Parameters
    raw: bytes

    @property
    def served(self) -> Served:
        """The index that is asked, or several as one; without a name all of them."""
        return self.indexes.find(self.path.get("name", "_all"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the indexes that are asked for; without a name all of them."""
        return self.indexes.names_of(self.path.get("name", "_all"))

    @property
    def body(self) -> Any:
        """The body, where there is one."""
        return read_json(self.raw) if self.raw.strip() else None

    def search_request(self, served: Served, body: Any) -> OpenSearchRequest:
        """The search that a body asks for."""
        return OpenSearchRequest.of(served, body, self.parameters, self.limits)
