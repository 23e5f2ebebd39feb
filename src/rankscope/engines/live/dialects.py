"""The kinds of engines that can be asked; a new one adds its line here."""

from __future__ import annotations

from rankscope.engines.live.dialect import Dialect
from rankscope.engines.live.opensearch import OpenSearch
from rankscope.engines.live.solr import Solr

DIALECTS: dict[str, Dialect] = {
    "solr": Solr(),
    "opensearch": OpenSearch(),
    "elasticsearch": OpenSearch(),
}
