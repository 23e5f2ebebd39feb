"""`terms`, `get`, `admin/luke`: terms of fields, documents by their ids, and what an index holds."""

from __future__ import annotations

from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.looking import list_terms, overview
from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.solr.documents import FieldList
from rankscope.workbench.service.solr.request import SolrRequest


def terms(asked: SolrRequest) -> Json:
    """The terms of fields with how many documents have each: names and numbers by turns."""
    fields = asked.asked.words("terms.fl")
    if not fields:
        raise Refusal(400, "terms.fl is missing: name the fields whose terms are listed")
    by = asked.asked.text("terms.sort", "count")
    if by not in ("count", "index"):
        raise Refusal(400, f"terms.sort={by[:40]}: must be count or index")
    limit = asked.asked.whole("terms.limit", 10, least=-1, most=asked.limits.rows)
    prefix = asked.asked.text("terms.prefix")
    found: Json = {}
    for field in fields:
        listed = list_terms(
            asked.served.index,
            field,
            prefix,
            "documents" if by == "count" else "name",
            asked.limits.rows if limit < 0 else limit,
        )
        found[field] = [part for row in listed.terms for part in (row.term, row.documents)]
    return {"terms": found}


def get(asked: SolrRequest) -> Json:
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
