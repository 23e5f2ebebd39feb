"""The read-only part of OpenSearch: searches, counts, documents by their ids, mappings, and what lists indexes."""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from rankscope.engines.text.explanations import NO_MATCH
from rankscope.engines.text.inspection import analyse_stepwise, overview
from rankscope.engines.text.queries import MatchAll, Node
from rankscope.engines.text.segments import ID
from rankscope.engines.text.similarities import Explanation
from rankscope.version import __version__
from rankscope.workbench.service.application import (
    Json,
    Parameters,
    Refusal,
    ServiceLimits,
    ServicePart,
    json_answer,
    json_bytes,
    matching_names,
    parameters_of,
    read_json,
    refusal_of,
    refuse_change,
    shown_number,
)
from rankscope.workbench.service.indexes import (
    POSITION,
    SCORE,
    AnswerPage,
    Marking,
    Served,
    ServedIndexes,
    SortKey,
    Turns,
    check_size,
    explain_document,
    filtered,
    find_page,
    mark_fields,
)
from rankscope.workbench.service.opensearch_queries import (
    ILLEGAL,
    QueryReader,
    list_of,
    object_of,
    only,
    text_of,
    truth_of,
    whole_of,
    wrong,
)

# A request to OpenSearch's part: which indexes, and what of them.


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
        return self.indexes.names_of(self.path.get("name", "_all"))

    @property
    def body(self) -> Any:
        return read_json(self.raw) if self.raw.strip() else None

    def search_request(self, served: Served, body: Any) -> OpenSearchRequest:
        return OpenSearchRequest.of(served, body, self.parameters, self.limits)


# Searches: one, many, those that are gone on with, and how many documents match.

MOST_AT_ONCE = 100  # searches of one request


def search(asked: OpenSearchCall) -> Json:
    """A search; with `scroll` one that can be gone on with."""
    request = asked.search_request(asked.served, asked.body)
    found = answer_search(request, asked.parameters.flag("rest_total_hits_as_int"))
    return {"_scroll_id": _scroll_id(request), **found} if "scroll" in asked.parameters else found


def scroll(asked: OpenSearchCall) -> Json:
    """The next documents of a search that was begun with `scroll`; nothing is kept between two of them."""
    body = object_of(asked.body or {}, "scroll")
    given = text_of(
        asked.path.get("scroll_id") or body.get("scroll_id") or asked.parameters.text("scroll_id"), "scroll_id"
    )
    try:
        kept = json.loads(base64.urlsafe_b64decode(given.encode()))
        served, inner = asked.indexes.find(kept["names"]), dict(kept["body"])
    except (ValueError, binascii.Error, KeyError, TypeError, AttributeError):
        raise Refusal(
            404, "no such scroll: begin a search with ?scroll=1m", "search_context_missing_exception"
        ) from None
    request = replace(OpenSearchRequest.of(served, inner, Parameters([]), asked.limits), deeper=True)
    found = answer_search(request, asked.parameters.flag("rest_total_hits_as_int"))
    return {"_scroll_id": _scroll_id(request), **found}


def _scroll_id(request: OpenSearchRequest) -> str:
    body = {**request.body, "from": request.start + request.rows}
    kept = {"names": ",".join(request.served.names), "body": body}
    return base64.urlsafe_b64encode(json.dumps(kept).encode()).decode()


def clear_scroll(asked: OpenSearchCall) -> Json:
    """Nothing was kept, so nothing has to be freed."""
    return {"succeeded": True, "num_freed": 0}


def multi_search(asked: OpenSearchCall) -> Json:
    """Searches one after the other: lines of JSON, the index and then the search, by turns."""
    lines = [line for line in asked.raw.splitlines() if line.strip()]
    if len(lines) % 2 or len(lines) > 2 * MOST_AT_ONCE:
        raise wrong(f"[msearch] has a line for the index and one for the search by turns, at most {MOST_AT_ONCE} times")
    responses: list[Json] = []
    for head, line in zip(lines[::2], lines[1::2], strict=True):
        try:
            name = object_of(read_json(head), "index").get("index") or asked.path.get("name", "_all")
            served = asked.indexes.find(",".join(text_of(each, "index") for each in list_of(name)))
            responses.append({**answer_search(asked.search_request(served, read_json(line))), "status": 200})
        except Exception as error:
            responses.append(error_body(refusal_of(error)))
    return {"took": 0, "responses": responses}


def count_matches(asked: OpenSearchCall) -> Json:
    """How many documents match."""
    body = object_of({} if asked.body is None else asked.body, "body")
    only(body, ("query",), "count")
    served = asked.served
    request = asked.search_request(served, body)
    return {"count": find_page(served, request.query, 0, 0).total, "_shards": SHARDS}


# A search as OpenSearch reads it.

TRACKED: Final = ("track_scores", "track_total_hits")
IGNORED: Final = ("stored_fields", "timeout", "version", "seq_no_primary_term")
BODY: Final = ("query", "post_filter", "from", "size", "sort", "_source", "highlight", "explain", *TRACKED, *IGNORED)
IN_ADDRESS: Final = ("from", "size", "explain", *TRACKED)  # that may stand in the body too
QUERY_STRING: Final = {"q": "query", "df": "default_field", "default_operator": "default_operator"}  # of an address
SORTS: Final = {"_score": SCORE, "_doc": POSITION, "_id": ID}
USUAL_ROWS: Final = 10


@dataclass(frozen=True, eq=False)
class OpenSearchRequest:
    """A question as OpenSearch reads it: what the address says counts before what the body says."""

    served: Served
    body: Mapping[str, Any]
    limits: ServiceLimits
    deeper: bool = False  # whether there may be more documents before these than `window` says: a scroll

    @classmethod
    def of(cls, served: Served, body: Any, asked: Parameters, limits: ServiceLimits) -> OpenSearchRequest:
        found = dict(object_of({} if body is None else body, "body"))
        only(found, BODY, "search")
        found |= {name: asked.text(name) for name in IN_ADDRESS if name in asked}
        if "q" in asked:
            options = {ours: asked.text(name) for name, ours in QUERY_STRING.items() if name in asked}
            found["query"] = {"query_string": options}
        if "sort" in asked:
            parts = [word.strip().partition(":") for word in asked.text("sort").split(",")]
            found["sort"] = [{name: {"order": way}} if sign else name for name, sign, way in parts]
        source = source_of(asked)
        return cls(served, found | ({} if source is None else {"_source": source}), limits)

    @cached_property
    def query(self) -> Node:
        reader = QueryReader(self.served, self.limits)
        node = reader.read(self.body["query"]) if "query" in self.body else MatchAll()
        if "post_filter" in self.body:
            node = filtered(node, [reader.read(self.body["post_filter"])])
        check_size(node, self.limits)
        return node

    @property
    def start(self) -> int:
        return whole_of(self.body.get("from", 0), "from")

    @property
    def rows(self) -> int:
        rows = whole_of(self.body.get("size", USUAL_ROWS), "size", most=self.limits.window)
        if not self.deeper and self.start + rows > self.limits.window:
            raise wrong(
                f"from + size must be at most {self.limits.window}, and is {self.start + rows}: use a scroll", ILLEGAL
            )
        return rows

    @cached_property
    def sort(self) -> tuple[SortKey, ...]:
        return tuple(self._sort_key(each) for each in list_of(self.body.get("sort", [])))

    def _sort_key(self, given: Any) -> SortKey:
        if not isinstance(given, dict):
            name, how = text_of(given, "sort"), None
        elif len(given) == 1:
            ((name, how),) = given.items()
        else:
            raise wrong("[sort] must name one field at a time")
        way = how.get("order") if isinstance(how, dict) else how
        by = SORTS.get(name) or name.removesuffix(".keyword")
        if by not in (SCORE, POSITION, ID):
            self.served.index.reader.need_field(by)
        if way not in (None, "asc", "desc"):
            raise wrong("[sort] goes asc or desc")
        return SortKey(by, way == "desc" if way else by == SCORE)

    @property
    def shows_scores(self) -> bool:
        """Whether scores are told: where they are sorted by, or where it is asked for."""
        asked = self.flag("track_scores")
        return not self.sort or asked or any(key.by == SCORE for key in self.sort)

    def flag(self, name: str) -> bool:
        return truth_of(self.body.get(name, False), name)


def source_of(asked: Parameters) -> Any:
    if "_source_includes" in asked or "_source_excludes" in asked:
        return {"includes": asked.words("_source_includes"), "excludes": asked.words("_source_excludes")}
    if "_source" not in asked:
        return None
    text = asked.text("_source")
    return text == "true" if text in ("true", "false") else asked.words("_source")


# What a search found, as OpenSearch shows it: source, highlights, explanations.

SHARDS: Final = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
PIECES: Final = ("pre_tags", "post_tags", "fragment_size", "number_of_fragments")
MARKING: Final = (*PIECES, "require_field_match", "encoder", "no_match_size", "type", "fields")
StoredRow = Mapping[str, str | None]


def answer_search(asked: OpenSearchRequest, total_as_number: bool = False) -> Json:
    begin = time.perf_counter()
    page = find_page(asked.served, asked.query, asked.start, asked.rows, asked.sort)
    hits = hits_of(asked, page)
    best = shown_number(page.best) if asked.shows_scores and page.best is not None else None
    return {
        "took": round((time.perf_counter() - begin) * 1000),
        "timed_out": False,
        "_shards": SHARDS,
        "hits": {
            "total": page.total if total_as_number else {"value": page.total, "relation": "eq"},
            "max_score": best,
            "hits": hits,
        },
    }


def hits_of(asked: OpenSearchRequest, page: AnswerPage) -> list[Json]:
    rows = asked.served.index.reader.stored_rows(page.docs)
    source = SourceFilter.of(asked.body.get("_source", True))
    marking = marking_of(asked.served, asked.body["highlight"], asked.limits.rows) if "highlight" in asked.body else {}
    explains = asked.flag("explain")
    found = []
    for number, score, row in zip(page.docs, page.scores, rows, strict=True):
        hit: Json = {"_index": asked.served.owner(number), "_id": row[ID]}
        hit["_score"] = shown_number(score) if asked.shows_scores else None
        hit |= source.show(row)
        if asked.sort:
            keys: Json = {**row, SCORE: shown_number(score), POSITION: number}
            hit["sort"] = [keys.get(key.by) for key in asked.sort]
        if marking and (marked := mark_fields(asked.served, asked.query, row, marking)):
            hit["highlight"] = marked
        if explains:
            hit["_explanation"] = explanation_of(explain_document(asked.served, asked.query, number))
        found.append(hit)
    return found


def explanation_of(found: Explanation) -> Json:
    return {
        "value": shown_number(found.value),
        "description": found.text,
        "details": [explanation_of(part) for part in found.parts],
    }


@dataclass(frozen=True)
class SourceFilter:
    """Which fields of a document are shown: none at all, or those of some patterns without those of others."""

    shown: bool = True
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Any) -> SourceFilter:
        """From `_source`: true, false, names, or what is included and excluded.

        >>> SourceFilter.of(["ti*"]).show({"id": "a", "title": "A fox", "body": "It is red."})
        {'_source': {'title': 'A fox'}}
        """
        if isinstance(given, bool):
            return cls(given)
        if not isinstance(given, dict):
            return cls(True, _patterns(given))
        only(given, ("include", "includes", "exclude", "excludes"), "_source")
        included, excluded = ([*given.get(name, []), *given.get(f"{name}s", [])] for name in ("include", "exclude"))
        return cls(True, _patterns(included), _patterns(excluded))

    def show(self, row: StoredRow) -> Json:
        """The part of a hit that has the texts; a field that the document does not have is left out."""
        if not self.shown:
            return {}
        names = [name for name, text in row.items() if name != ID and text is not None]
        if self.includes:
            names = [name for name in names if any(matching_names(each, [name]) for each in self.includes)]
        excluded = {name for name in names if any(matching_names(each, [name]) for each in self.excludes)}
        return {"_source": {name: row[name] for name in names if name not in excluded}}


def _patterns(given: Any) -> tuple[str, ...]:
    return tuple(text_of(each, "_source") for each in list_of(given))


def marking_of(served: Served, given: Any, most: int) -> dict[str, Marking]:
    """How each field is marked; what a field says itself counts before what is said for all."""
    how = object_of(given, "highlight", MARKING)
    listed = [object_of(each, "fields") for each in list_of(how.get("fields", {}))]
    found: dict[str, Marking] = {}
    for name, own in ((name, own) for each in listed for name, own in each.items()):
        only(object_of(own, name), MARKING, "highlight")
        found |= dict.fromkeys(served.fields_named(name), _marking({**how, **own}, most))
    return found


def _marking(how: Mapping[str, Any], most: int) -> Marking:
    encoder = text_of(how.get("encoder", "default"), "encoder")
    if encoder not in ("default", "html"):
        raise wrong("[encoder] must be default or html")
    fragments = whole_of(how.get("number_of_fragments", 5), "number_of_fragments", most=most)
    return Marking(
        fragments=max(fragments, 1),
        size=whole_of(how.get("fragment_size", 100), "fragment_size") if fragments else 0,
        before=_tag(how.get("pre_tags", "<em>")),
        after=_tag(how.get("post_tags", "</em>")),
        own_field=truth_of(how.get("require_field_match", True), "require_field_match"),
        escape=encoder == "html",
        otherwise=whole_of(how.get("no_match_size", 0), "no_match_size"),
    )


def _tag(given: Any) -> str:
    return text_of(next(iter(list_of(given)), ""), "pre_tags and post_tags")


# Documents by their ids, and how the score of one is made.


def get_document(asked: OpenSearchCall) -> Json:
    """One document by its id."""
    found = _document(asked.served, asked.path["id"], source_of(asked.parameters))
    if not found["found"]:
        raise Refusal(404, f"no document '{asked.path['id'][:100]}'", facts=found)
    return found


def get_source(asked: OpenSearchCall) -> Json:
    """The texts of a document alone."""
    return get_document(asked)["_source"]


def multi_get(asked: OpenSearchCall) -> Json:
    """Documents by their ids."""
    body = object_of(asked.body, "body")
    only(body, ("docs", "ids"), "mget")
    wanted = [*({"_id": each} for each in list_of(body.get("ids", []))), *list_of(body.get("docs", []))]
    if len(wanted) > asked.limits.rows:
        raise wrong(f"[mget] gives at most {asked.limits.rows} documents at once")
    found = []
    for each in wanted:
        name = text_of(object_of(each, "docs").get("_index", asked.path.get("name", "_all")), "_index")
        found.append(_document(asked.indexes.find(name), text_of(each.get("_id"), "_id"), each.get("_source")))
    return {"docs": found}


def _document(served: Served, name: str, shown: Any) -> Json:
    number = served.number_of(name)
    if number is None:
        return {"_index": served.names[0], "_id": name, "found": False}
    row = served.index.reader.stored(number)
    head: Json = {"_index": served.owner(number), "_id": name, "_version": 1, "_seq_no": 0, "_primary_term": 1}
    return head | {"found": True} | SourceFilter.of(True if shown is None else shown).show(row)


def explain(asked: OpenSearchCall) -> Json:
    """How the score of one document is made."""
    served, name = asked.served, asked.path["id"]
    body = object_of({} if asked.body is None else asked.body, "body")
    only(body, ("query",), "explain")
    request, number = asked.search_request(served, body), served.number_of(name)
    head: Json = {"_index": served.names[0], "_id": name}
    if number is None:
        raise Refusal(404, f"no document '{name[:100]}'", facts={**head, "matched": False})
    found = explain_document(served, request.query, number)
    return {**head, "matched": not found.text.endswith(NO_MATCH), "explanation": explanation_of(found)}


# What there is: the service, its indexes and their fields, and how a text is analysed.

LIKE_VERSION = "2.19.0"  # the OpenSearch whose forms these answers have


def service_info(asked: OpenSearchCall) -> Json:
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


def index_mappings(asked: OpenSearchCall) -> Json:
    """The fields of indexes."""
    return {name: {"mappings": _mappings(asked, name)} for name in asked.names}


def index_descriptions(asked: OpenSearchCall) -> Json:
    """All that is known of indexes."""
    settings = {"index": {"number_of_shards": "1", "number_of_replicas": "0", "blocks": {"write": "true"}}}
    return {name: {"aliases": {}, "mappings": _mappings(asked, name), "settings": settings} for name in asked.names}


def _mappings(asked: OpenSearchCall, name: str) -> Json:
    reader = asked.indexes.indexes[name].reader
    return {
        "properties": {field: {"type": "text", "analyzer": str(reader.analysers[field])} for field in reader.fields}
    }


def analyse_text(asked: OpenSearchCall) -> Json:
    """What the analyser of a field makes of a text."""
    body = object_of(asked.body or {}, "body")
    only(body, ("text", "field"), "analyze")
    index = asked.served.index
    field = text_of(body.get("field", index.default_field), "field")
    index.reader.need_field(field)
    text = "\n".join(text_of(each, "text") for each in list_of(body.get("text", "")))
    found = analyse_stepwise(text, index.reader.analysers[field])
    tokens: list[Json] = []
    for each in found.tokens:
        term = each.steps[-1] if each.steps else each.token
        if term is not None:
            place = {"start_offset": each.start, "end_offset": each.end, "position": each.position}
            tokens.append({"token": term, **place, "type": "word"})
    return {"tokens": tokens}


def cat_indices(asked: OpenSearchCall) -> list[Json]:
    """One row for each index, as `_cat/indices` has it."""
    seen = {name: overview(asked.indexes.indexes[name]) for name in asked.names}
    return [
        {
            "health": "green",
            "status": "open",
            "index": name,
            "uuid": name,
            "pri": "1",
            "rep": "0",
            "docs.count": str(each.documents),
            "docs.deleted": str(each.deleted),
            "store.size": f"{each.bytes}b",
            "pri.store.size": f"{each.bytes}b",
        }
        for name, each in seen.items()
    ]


def cluster_health(asked: OpenSearchCall) -> Json:
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


# Refusals as OpenSearch words them.

ERROR_KINDS: Final = {  # the usual kind of each status, where a refusal names none
    400: "illegal_argument_exception",
    403: "cluster_block_exception",
    404: "resource_not_found_exception",
    405: "method_not_allowed_exception",
    408: "timeout_exception",
    413: "content_too_long_exception",
    414: "too_long_http_line_exception",
    421: "misdirected_request_exception",
    503: "rejected_execution_exception",
}


def error_body(refusal: Refusal) -> Json:
    if refusal.facts:
        return dict(refusal.facts)
    cause = {"type": refusal.kind or ERROR_KINDS.get(refusal.status, "exception"), "reason": refusal.message}
    return {"error": {"root_cause": [cause], **cause}, "status": refusal.status}


def error_answer(refusal: Refusal) -> Response:
    return json_answer(error_body(refusal), refusal.status, refusal.headers)


# The addresses of OpenSearch's part.

READ, ASK = ("GET",), ("GET", "POST")
ADDRESSES: Final[tuple[tuple[str, tuple[str, ...], Callable[[OpenSearchCall], Any]], ...]] = (
    ("/", READ, service_info),
    ("/_search", ASK, search),
    ("/{name}/_search", ASK, search),
    ("/_search/scroll", ASK, scroll),
    ("/_search/scroll", ("DELETE",), clear_scroll),
    ("/_search/scroll/{scroll_id}", ASK, scroll),
    ("/_search/scroll/{scroll_id}", ("DELETE",), clear_scroll),
    ("/_msearch", ASK, multi_search),
    ("/{name}/_msearch", ASK, multi_search),
    ("/_count", ASK, count_matches),
    ("/{name}/_count", ASK, count_matches),
    ("/_mget", ASK, multi_get),
    ("/{name}/_mget", ASK, multi_get),
    ("/{name}/_doc/{id:path}", READ, get_document),
    ("/{name}/_source/{id:path}", READ, get_source),
    ("/{name}/_explain/{id:path}", ASK, explain),
    ("/_mapping", READ, index_mappings),
    ("/{name}/_mapping", READ, index_mappings),
    ("/{name}/_mappings", READ, index_mappings),
    ("/{name}/_analyze", ASK, analyse_text),
    ("/_cat/indices", READ, cat_indices),
    ("/_cat/indices/{name}", READ, cat_indices),
    ("/_cluster/health", READ, cluster_health),
    ("/{name}", READ, index_descriptions),
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
    routes += [Route(path, refuse_change, methods=["POST", "PUT"]) for path in CHANGES]
    return ServicePart(routes=routes, tell=error_answer)


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
        # Rows as lines with columns below each other, as `_cat` prints them.
        names = list(found[0])
        lines = [*([names] if asked.parameters.flag("v") else []), *([row[name] for name in names] for row in found)]
        wide = [max(len(line[place]) for line in lines) for place in range(len(names))]
        cells = [[f"{cell:<{size}}" for cell, size in zip(line, wide, strict=True)] for line in lines]
        return "".join(f"{' '.join(each).rstrip()}\n" for each in cells)
    return json_bytes(found, asked.parameters.flag("pretty"))
