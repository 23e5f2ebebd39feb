"""The read-only part of Solr: select, mlt, terms, get, admin/ping and admin/luke."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rankscope.engines.text.expansions import MoreLikeThis
from rankscope.engines.text.inspection import list_terms, overview
from rankscope.engines.text.queries import PROHIBITED, REQUIRED, Boolean, Clause, Node, Term
from rankscope.engines.text.segments import ID
from rankscope.workbench.service.application import (
    FORM,
    JSON,
    Json,
    Parameters,
    Refusal,
    ServiceLimits,
    ServicePart,
    body_kind,
    json_answer,
    json_bytes,
    matching_names,
    parameters_of,
    read_json,
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
    read_query,
)

# What is asked of Solr: an index, and parameters from the address, a form or a body of JSON.

JSON_NAMES: Final = {  # of Solr's JSON requests, and what they are called elsewhere
    "query": "q",
    "filter": "fq",
    "limit": "rows",
    "offset": "start",
    "fields": "fl",
    "sort": "sort",
}
NOT_HERE: Final = {  # what would change the answer and is not done
    "defType": "queries are read in Lucene's language (defType=lucene)",
    "facet": "there are no facets",
    "group": "there are no groups",
    "stats": "there are no statistics",
    "collapse": "there are no groups",
    "rq": "nothing is ranked again",
    "bq": "write boosts in the query, as word^2",
    "bf": "write boosts in the query, as word^2",
    "json.facet": "there are no facets",
}
HARMLESS: Final = {"defType": {"lucene", ""}, "facet": {"false", "off"}, "group": {"false", "off"}, "stats": {"false"}}


async def read_parameters(request: Request) -> Parameters:
    found = parameters_of(request)
    if request.method in ("GET", "HEAD"):
        return found
    kind, body = body_kind(request), await request.body()
    if not body:
        return found
    if kind == FORM:
        return found + Parameters.of_text(body.decode("utf-8", "replace"))
    if kind in (JSON, "text/json"):
        return found + Parameters(_of_json(read_json(body)))
    raise Refusal(415, f"a body is a form ({FORM}) or JSON ({JSON})")


def _of_json(body: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(body, dict):
        raise Refusal(400, 'the body must be an object, as {"query": "fox"}')
    for name, value in body.items():
        if name == "params":
            if not isinstance(value, dict):
                raise Refusal(400, "params must be an object")
            for inner, each in value.items():
                yield from _texts(inner, each)
        elif name in JSON_NAMES:
            yield from _texts(JSON_NAMES[name], value)
        else:
            raise Refusal(400, f"the body has '{name[:40]}'; there are: {', '.join([*JSON_NAMES, 'params'])}")


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, bool):
            yield name, str(each).lower()
        elif isinstance(each, str | int | float):
            yield name, str(each)
        else:
            raise Refusal(400, f"{name[:40]} must be a text or a number")


@dataclass(frozen=True, eq=False)
class SolrRequest:
    served: Served
    asked: Parameters
    limits: ServiceLimits

    def __post_init__(self) -> None:
        problems = [
            f"{name}={value[:40]}: {why}"
            for name, why in NOT_HERE.items()
            for value in self.asked.all(name)
            if value not in HARMLESS.get(name, ())
        ]
        writer = self.asked.text("wt", "json")
        if writer != "json":
            problems.append(f"wt={writer[:40]}: answers are JSON (wt=json)")
        if problems:
            raise Refusal(400, "; ".join(problems))

    @cached_property
    def field(self) -> str:
        field = self.asked.text("df") or self.served.index.default_field
        if field != ID:
            self.served.index.reader.need_field(field)
        return field

    @cached_property
    def own_query(self) -> Node:
        if "q" not in self.asked:
            raise Refusal(400, "q is missing: say what to search for; q=*:* is everything")
        return self.parse(self.asked.text("q"))

    @cached_property
    def query(self) -> Node:
        node = filtered(self.own_query, [self.parse(each) for each in self.asked.all("fq") if each.strip()])
        check_size(node, self.limits)
        return node

    def parse(self, text: str) -> Node:
        if text.lstrip().startswith("{!"):
            raise Refusal(400, f"{text[:40]}: parameters in braces are not read; queries are Lucene's language")
        field, operator = self.field, self.asked.text("q.op", "OR").upper()
        if operator not in ("OR", "AND"):
            raise Refusal(400, f"q.op={operator[:40]}: must be OR or AND")
        return read_query(self.served, text, field, "AND" if operator == "AND" else "OR", self.limits)

    @property
    def start(self) -> int:
        return self.asked.whole("start", 0)

    @property
    def rows(self) -> int:
        return self.asked.whole("rows", 10, most=self.limits.rows)

    @cached_property
    def sort(self) -> tuple[SortKey, ...]:
        """What documents are sorted by; nothing: by their scores."""
        text = self.asked.text("sort")
        return tuple(self._sort_key(part) for part in text.split(",") if part.strip())

    def _sort_key(self, part: str) -> SortKey:
        match part.split():
            case [name, ("asc" | "desc") as way]:
                by = {"score": SCORE, "_docid_": POSITION}.get(name, name)
                if by not in (SCORE, POSITION, ID):
                    self.served.index.reader.need_field(by)
                return SortKey(by, way == "desc")
        raise Refusal(400, f"sort={part.strip()[:80]}: must be a field and asc or desc, as 'score desc, id asc'")


# `select`: documents that match, highlighted and explained where that is asked for.

FIRST_CURSOR = "*"


def select(asked: SolrRequest) -> Json:
    """The answer to a search, without its header."""
    shown = FieldList.of(asked.asked.all("fl"), asked.served.index.fields)
    start = _cursor_start(asked) if "cursorMark" in asked.asked else asked.start
    page = find_page(asked.served, asked.query, start, asked.rows, asked.sort, asked.field)
    found: Json = {"response": document_list(asked.served, page, start, shown)}
    if "cursorMark" in asked.asked:
        found["response"]["start"] = 0
        reached = base64.urlsafe_b64encode(str(start + len(page.docs)).encode()).decode()
        found["nextCursorMark"] = reached if page.docs else asked.asked.text("cursorMark")
    if asked.asked.flag("hl"):
        found["highlighting"] = highlighted(asked, page)
    debug = debugged(asked, page)
    return found | ({"debug": debug} if debug else {})


def _cursor_start(asked: SolrRequest) -> int:
    """Where a cursor stands: behind so many documents. The index does not change while it is served."""
    if asked.asked.whole("start", 0):
        raise Refusal(400, "cursorMark and start exclude each other")
    mark = asked.asked.text("cursorMark")
    if mark == FIRST_CURSOR:
        return 0
    try:
        return int(base64.urlsafe_b64decode(mark.encode()).decode())
    except (ValueError, binascii.Error):
        raise Refusal(400, f"cursorMark={mark[:40]}: begin with * and go on with each nextCursorMark") from None


def highlighted(asked: SolrRequest, page: AnswerPage) -> Json:
    """For each document, by its id, the pieces of fields in which words of the query stand."""
    wanted = asked.asked.words("hl.fl") or [asked.field]
    fields = dict.fromkeys(field for word in wanted for field in asked.served.fields_named(word))
    marking = {field: _marking(asked, field) for field in fields}
    rows = asked.served.index.reader.stored_rows(page.docs)
    names = asked.served.index.reader.ids.gather(page.docs).to_list()
    return {
        name: mark_fields(asked.served, asked.own_query, row, marking) for name, row in zip(names, rows, strict=True)
    }


def _marking(asked: SolrRequest, field: str) -> Marking:
    """How a field is marked: `f.FIELD.hl.snippets` counts before `hl.snippets`."""
    given = asked.asked

    def name_of(option: str) -> str:
        own = f"f.{field}.{option}"
        return own if own in given else option

    before = given.text("hl.tag.pre") or given.text("hl.simple.pre", "<em>")
    after = given.text("hl.tag.post") or given.text("hl.simple.post", "</em>")
    return Marking(
        fragments=given.whole(name_of("hl.snippets"), 1, least=1, most=asked.limits.rows),
        size=given.whole(name_of("hl.fragsize"), 100),
        before=before,
        after=after,
        own_field=given.flag("hl.requireFieldMatch"),
        escape=given.text("hl.encoder") == "html",
    )


def debugged(asked: SolrRequest, page: AnswerPage) -> Json:
    """How the query is read, and how each score is made; nothing where it is not asked for."""
    wanted = {"query", "results"} if asked.asked.flag("debugQuery") else set(asked.asked.words("debug"))
    wanted = {"query", "results"} if wanted & {"true", "all", "on"} else wanted
    found: Json = {}
    if "query" in wanted:
        text, parsed = asked.asked.text("q"), str(asked.own_query)
        found |= {"rawquerystring": text, "querystring": text, "parsedquery": parsed, "parsedquery_toString": parsed}
        found["QParser"] = "LuceneQParser"
        filters = [each for each in asked.asked.all("fq") if each.strip()]
        if filters:
            found |= {"filter_queries": filters, "parsed_filter_queries": [str(asked.parse(each)) for each in filters]}
    if "results" in wanted:
        names = asked.served.index.reader.ids.gather(page.docs).to_list()
        found["explain"] = {
            name: f"\n{explain_document(asked.served, asked.query, number, asked.field)}\n"
            for name, number in zip(names, page.docs, strict=True)
        }
    return found


# `mlt`: documents like the first that a query finds.


def more_like_this(asked: SolrRequest) -> Json:
    """The answer to a question for more, without its header: what it is like, and what is like it."""
    shown = FieldList.of(asked.asked.all("fl"), asked.served.index.fields)
    offset = asked.asked.whole("mlt.match.offset", 0)
    match = find_page(asked.served, asked.own_query, offset, 1, field=asked.field)
    found: Json = {}
    if asked.asked.flag("mlt.match.include", True):
        found["match"] = document_list(asked.served, match, offset, shown)
    if not match.docs:
        return found | {"response": {"numFound": 0, "start": 0, "numFoundExact": True, "docs": []}}
    query = similar_query(asked, match.docs[0])
    filters = [asked.parse(each) for each in asked.asked.all("fq") if each.strip()]
    node = filtered(query, filters)
    check_size(node, asked.limits)
    page = find_page(asked.served, node, asked.start, asked.rows, asked.sort, asked.field)
    found["response"] = document_list(asked.served, page, asked.start, shown)
    if asked.asked.text("mlt.interestingTerms", "none") != "none":
        found["interestingTerms"] = [str(each) for each in query.children[0].children]
    return found


def similar_query(asked: SolrRequest, number: int) -> Node:
    """The query that finds what is like a document, but for the document itself."""
    reader, given = asked.served.index.reader, asked.asked
    fields = given.words("mlt.fl")
    if not fields:
        raise Refusal(400, "mlt.fl is missing: name the fields whose words are compared")
    for field in fields:
        reader.need_field(field)
    choosing = MoreLikeThis(
        least_occurrences=given.whole("mlt.mintf", 2),
        least_documents=given.whole("mlt.mindf", 5),
        most_documents=given.whole("mlt.maxdf", 0) or None,
        most_terms=given.whole("mlt.maxqt", 25, least=1, most=asked.limits.clauses - 1),
        shortest=given.whole("mlt.minwl", 0),
        longest=given.whole("mlt.maxwl", 0),
        boost=given.flag("mlt.boost"),
    )
    row = reader.stored(number)
    words = choosing.query(reader, [(field, row.get(field) or "") for field in fields])
    itself = Term(ID, str(row[ID]))
    return Boolean((Clause(words, REQUIRED), Clause(itself, PROHIBITED)))


# `terms`, `get`, `admin/luke`: terms of fields, documents by their ids, and what an index holds.


def terms(asked: SolrRequest) -> Json:
    """The terms of fields with how many documents have each: names and numbers by turns."""
    fields = asked.asked.words("terms.fl")
    if not fields:
        raise Refusal(400, "terms.fl is missing: name the fields whose terms are listed")
    by = asked.asked.text("terms.sort", "count")
    if by not in ("count", "index"):
        raise Refusal(400, f"terms.sort={by[:40]}: must be count or index")
    order: Literal["documents", "name"] = "documents" if by == "count" else "name"
    limit = asked.asked.whole("terms.limit", 10, least=-1, most=asked.limits.rows)
    most = asked.limits.rows if limit < 0 else limit
    prefix = asked.asked.text("terms.prefix")
    found: Json = {}
    for field in fields:
        listed = list_terms(asked.served.index, field, prefix, order, most)
        found[field] = [part for row in listed.terms for part in (row.term, row.documents)]
    return {"terms": found}


def get_documents(asked: SolrRequest) -> Json:
    """One document by its `id`, or null; several by `ids`."""
    shown = FieldList.of(asked.asked.all("fl"), asked.served.index.fields)
    if "ids" in asked.asked:
        wanted = [name for value in asked.asked.all("ids") for name in value.split(",")]
        docs = [each for name in wanted[: asked.limits.rows] if (each := _document(asked, name, shown)) is not None]
        return {"response": {"numFound": len(docs), "start": 0, "numFoundExact": True, "docs": docs}}
    if "id" not in asked.asked:
        raise Refusal(400, "id is missing: name the document")
    return {"doc": _document(asked, asked.asked.text("id"), shown)}


def _document(asked: SolrRequest, name: str, shown: FieldList) -> Json | None:
    number = asked.served.number_of(name)
    return None if number is None else shown.show(asked.served.index.reader.stored(number), name, 0.0)


def luke(asked: SolrRequest) -> Json:
    """What the index holds."""
    seen = overview(asked.served.index)
    fields = {
        each.field: {
            "type": f"text ({each.analyser})",
            "schema": "ITS-----------",
            "docs": each.documents,
            "distinct": each.terms,
        }
        for each in seen.fields
    }
    return {
        "index": {
            "numDocs": seen.documents,
            "maxDoc": seen.documents + seen.deleted,
            "deletedDocs": seen.deleted,
            "segmentCount": len(seen.segments),
            "current": True,
            "hasDeletions": bool(seen.deleted),
        },
        "fields": {ID: {"type": "string", "schema": "I-S-----------", "docs": seen.documents}, **fields},
        "info": {"key": {"I": "Indexed", "T": "Tokenized", "S": "Stored"}},
    }


# The addresses of Solr's part: /solr/NAME/select and its kin, with and without a final slash.

PREFIX: Final = "/solr/"
HANDLERS: Final[dict[str, Callable[[SolrRequest], Json]]] = {
    "select": select,
    "query": select,
    "mlt": more_like_this,
    "terms": terms,
    "get": get_documents,
    "admin/luke": luke,
    "admin/ping": lambda asked: {"status": "OK"},
}


def solr_part(indexes: ServedIndexes, limits: ServiceLimits, turns: Turns) -> ServicePart:
    routes: list[BaseRoute] = [
        Route(f"{PREFIX}{{name}}/{path}{slash}", _endpoint(handler, indexes, limits, turns), methods=["GET", "POST"])
        for path, handler in HANDLERS.items()
        for slash in ("", "/")
    ]
    routes += [
        Route(f"{PREFIX}{{name}}/update{rest}", refuse_change, methods=["GET", "POST"])
        for rest in ("", "/", "/{rest:path}")
    ]
    return ServicePart(routes=routes, tell=error_answer, owns=lambda path: path.startswith(PREFIX))


def error_answer(refusal: Refusal) -> Response:
    body = {
        "responseHeader": {"status": refusal.status, "QTime": 0},
        "error": {"msg": refusal.message, "code": refusal.status},
    }
    return json_answer(body, refusal.status, refusal.headers)


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
        values = {name: asked.all(name) for name in asked.first}
        header["params"] = {name: each[0] if len(each) == 1 else each for name, each in values.items()}
    whole = found if asked.flag("omitHeader") else {"responseHeader": header, **found}
    return json_bytes(whole, asked.flag("indent"))


# Documents as Solr shows them: the fields that `fl` names.

SCORE_FIELD = "score"


@dataclass(frozen=True)
class FieldList:
    """Fields to show by the names they are shown under, and whether scores are shown.

    >>> FieldList.of(["*", "score"], ["title", "body"]).fields
    {'id': 'id', 'title': 'title', 'body': 'body'}
    >>> FieldList.of(["id,name:title"], ["title", "body"]).fields
    {'id': 'id', 'name': 'title'}
    """

    fields: dict[str, str]
    score: bool

    @classmethod
    def of(cls, given: Sequence[str], there: Sequence[str]) -> FieldList:
        """From values of `fl`, names with commas or spaces between; no name is every field."""
        words = [word for value in given for word in value.replace(",", " ").split()] or ["*"]
        fields: dict[str, str] = {}
        for word in words:
            alias, _, name = word.rpartition(":")
            if "(" in word or "[" in word:
                raise Refusal(400, f"fl={word[:40]}: functions are not shown; name fields, * or score")
            for each in matching_names(name, [ID, *there]):
                fields[alias or each] = each
        only_score = all(word == SCORE_FIELD for word in words)
        return cls({name: name for name in [ID, *there]} if only_score else fields, SCORE_FIELD in words)

    def show(self, row: dict[str, str | None], name: str, score: float) -> Json:
        """A document; a field that it does not have is left out."""
        values = {**row, ID: name}
        found: Json = {as_: values[field] for as_, field in self.fields.items() if values.get(field) is not None}
        if self.score:
            found[SCORE_FIELD] = shown_number(score)
        return found


def document_list(served: Served, page: AnswerPage, start: int, shown: FieldList) -> Json:
    rows = served.index.reader.stored_rows(page.docs)
    names = served.index.reader.ids.gather(page.docs).to_list()
    found: Json = {"numFound": page.total, "start": start}
    if shown.score:
        found["maxScore"] = shown_number(page.best or 0.0)
    listed = zip(rows, names, page.scores, strict=True)
    return found | {"numFoundExact": True, "docs": [shown.show(row, name, score) for row, name, score in listed]}
