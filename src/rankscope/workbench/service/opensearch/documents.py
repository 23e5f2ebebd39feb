"""Documents by their ids, and how the score of one is made."""

from __future__ import annotations

from typing import Any

from rankscope.engines.text.explaining import NO_MATCH
from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.asking import explain_document
from rankscope.workbench.service.opensearch.asked import OpenSearchCall
from rankscope.workbench.service.opensearch.body import list_of, object_of, only, text_of, wrong
from rankscope.workbench.service.opensearch.hits import SourceFilter, explanation_of
from rankscope.workbench.service.opensearch.request import source_of
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.served import Served


def document(asked: OpenSearchCall) -> Json:
    """One document by its id."""
    found = _document(asked.served, asked.path["id"], source_of(asked.parameters))
    if not found["found"]:
        raise Refusal(404, f"no document '{asked.path['id'][:100]}'", facts=found)
    return found


def source(asked: OpenSearchCall) -> Json:
    """The texts of a document alone."""
    found: Json = document(asked)["_source"]
    return found


def several_documents(asked: OpenSearchCall) -> Json:
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
