"""What there is: the service, its indexes and their fields, and how a text is analysed."""

from __future__ import annotations

from rankscope.engines.text.looking import AnalysedToken, analyse_stepwise, overview
from rankscope.version import __version__
from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.opensearch.asked import OpenSearchCall
from rankscope.workbench.service.opensearch.body import list_of, object_of, only, text_of

LIKE_VERSION = "2.19.0"  # the OpenSearch whose forms these answers have


def info(asked: OpenSearchCall) -> Json:
    """Who answers."""
    return {
        "name": "rankscope",
        "cluster_name": "rankscope",
        "cluster_uuid": "rankscope",
        "version": {
            "distribution": "opensearch",
            "number": LIKE_VERSION,
            "build_type": f"rankscope {__version__}, read-only",
            "minimum_wire_compatibility_version": "7.10.0",
            "minimum_index_compatibility_version": "7.0.0",
        },
        "tagline": "The OpenSearch Project: https://opensearch.org/",
    }


def mapping(asked: OpenSearchCall) -> Json:
    """The fields of indexes."""
    return {name: {"mappings": _mappings(asked, name)} for name in asked.names}


def described(asked: OpenSearchCall) -> Json:
    """All that is known of indexes."""
    settings = {"index": {"number_of_shards": "1", "number_of_replicas": "0", "blocks": {"write": "true"}}}
    return {name: {"aliases": {}, "mappings": _mappings(asked, name), "settings": settings} for name in asked.names}


def _mappings(asked: OpenSearchCall, name: str) -> Json:
    reader = asked.indexes.indexes[name].reader
    return {
        "properties": {field: {"type": "text", "analyzer": str(reader.analysers[field])} for field in reader.fields}
    }


def analyse(asked: OpenSearchCall) -> Json:
    """What the analyser of a field makes of a text."""
    body = object_of(asked.body or {}, "body")
    only(body, ("text", "field"), "analyze")
    index = asked.served.index
    field = text_of(body.get("field", index.default_field), "field")
    index.reader.need_field(field)
    text = "\n".join(text_of(each, "text") for each in list_of(body.get("text", "")))
    found = analyse_stepwise(text, index.reader.analysers[field])
    kept = [(each.steps[-1] if each.steps else each.token, each) for each in found.tokens]
    return {"tokens": [_token(term, each) for term, each in kept if term is not None]}


def _token(term: str, token: AnalysedToken) -> Json:
    place = {"start_offset": token.start, "end_offset": token.end, "position": token.position}
    return {"token": term, **place, "type": "word"}


def indexes(asked: OpenSearchCall) -> list[Json]:
    """One row for each index, as `_cat/indices` has it."""
    return [_row(asked, name) for name in asked.names]


def _row(asked: OpenSearchCall, name: str) -> Json:
    seen = overview(asked.indexes.indexes[name])
    return {
        "health": "green",
        "status": "open",
        "index": name,
        "uuid": name,
        "pri": "1",
        "rep": "0",
        "docs.count": str(seen.documents),
        "docs.deleted": str(seen.deleted),
        "store.size": f"{seen.bytes}b",
        "pri.store.size": f"{seen.bytes}b",
    }


def health(asked: OpenSearchCall) -> Json:
    """A service that answers is well."""
    names = asked.names
    return {
        "cluster_name": "rankscope",
        "status": "green",
        "timed_out": False,
        "number_of_nodes": 1,
        "number_of_data_nodes": 1,
        "active_primary_shards": len(names),
        "active_shards": len(names),
        "unassigned_shards": 0,
    }
