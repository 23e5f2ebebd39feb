"""`mlt`: documents like the first that a query finds."""

from __future__ import annotations

from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.more_like_this import MoreLikeThis
from rankscope.engines.text.query.nodes import PROHIBITED, REQUIRED, Boolean, Clause, Node, Term
from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.asking import check_size, filtered, find_page
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.solr.documents import FieldList, document_list
from rankscope.workbench.service.solr.request import SolrRequest


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
