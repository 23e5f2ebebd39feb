"""`select`: documents that match, highlighted and explained where that is asked for."""

from __future__ import annotations

import base64
import binascii

from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.asking import AnswerPage, explain_document, find_page
from rankscope.workbench.service.marking import Marking, mark_fields
from rankscope.workbench.service.patterns import is_pattern, matching
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.solr.documents import FieldList, document_list
from rankscope.workbench.service.solr.request import SolrRequest

FIRST_CURSOR = "*"


def select(asked: SolrRequest) -> Json:
    """The answer to a search, without its header."""
    shown = FieldList.of(asked.asked.all("fl"), asked.served.index.fields)
    start = _cursor_start(asked) if "cursorMark" in asked.asked else asked.start
    page = find_page(asked.served, asked.query, start, asked.rows, asked.sort, asked.field)
    found: Json = {"response": document_list(asked.served, page, start, shown)}
    if "cursorMark" in asked.asked:
        found["response"]["start"] = 0
        found["nextCursorMark"] = _next_cursor(asked, start, page)
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


def _next_cursor(asked: SolrRequest, start: int, page: AnswerPage) -> str:
    if not page.docs:
        return asked.asked.text("cursorMark")
    return base64.urlsafe_b64encode(str(start + len(page.docs)).encode()).decode()


def highlighted(asked: SolrRequest, page: AnswerPage) -> Json:
    """For each document, by its id, the pieces of fields in which words of the query stand."""
    marking = {field: _marking(asked, field) for field in _marked_fields(asked)}
    rows = asked.served.index.reader.stored_rows(page.docs)
    names = asked.served.index.reader.ids.gather(page.docs).to_list()
    return {
        name: mark_fields(asked.served, asked.own_query, row, marking) for name, row in zip(names, rows, strict=True)
    }


def _marked_fields(asked: SolrRequest) -> list[str]:
    there = asked.served.index.fields
    found: dict[str, None] = {}
    for word in asked.asked.words("hl.fl") or [asked.field]:
        here = matching(word, there)
        if not here and not is_pattern(word):
            asked.served.index.reader.need_field(word)
        found.update(dict.fromkeys(here))
    return list(found)


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
