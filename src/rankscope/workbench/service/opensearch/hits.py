"""What a search found, as OpenSearch shows it: source, highlights, explanations."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.segment import ID
from rankscope.workbench.service.answers import Json, shown_number
from rankscope.workbench.service.asking import POSITION, SCORE, AnswerPage, explain_document, find_page
from rankscope.workbench.service.marking import Marking, mark_fields
from rankscope.workbench.service.opensearch.body import list_of, object_of, only, text_of, truth_of, whole_of, wrong
from rankscope.workbench.service.opensearch.request import OpenSearchRequest
from rankscope.workbench.service.patterns import is_pattern, matching
from rankscope.workbench.service.served import Served

SHARDS: Final = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
MARKING: Final = (
    "pre_tags",
    "post_tags",
    "fragment_size",
    "number_of_fragments",
    "require_field_match",
    "encoder",
    "no_match_size",
    "type",
    "fields",
)
Row = Mapping[str, str | None]


def answer_search(asked: OpenSearchRequest, total_as_number: bool = False) -> Json:
    """The answer to a search."""
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
    """The documents of a page, each with all that is asked for."""
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
            hit["sort"] = [_sorted_by(key.by, number, score, row) for key in asked.sort]
        if marking and (marked := mark_fields(asked.served, asked.query, row, marking)):
            hit["highlight"] = marked
        if explains:
            hit["_explanation"] = explanation_of(explain_document(asked.served, asked.query, number))
        found.append(hit)
    return found


def _sorted_by(by: str, number: int, score: float, row: Row) -> object:
    if by == SCORE:
        return shown_number(score)
    return number if by == POSITION else row.get(by)


def explanation_of(found: Explanation) -> Json:
    """How a score is made, as OpenSearch writes it."""
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

    def show(self, row: Row) -> Json:
        """The part of a hit that has the texts; a field that the document does not have is left out."""
        if not self.shown:
            return {}
        fields = [name for name, text in row.items() if name != ID and text is not None and self._shows(name)]
        return {"_source": {name: row[name] for name in fields}}

    def _shows(self, name: str) -> bool:
        included = not self.includes or any(matching(each, [name]) for each in self.includes)
        return included and not any(matching(each, [name]) for each in self.excludes)


def _patterns(given: Any) -> tuple[str, ...]:
    return tuple(text_of(each, "_source") for each in list_of(given))


def marking_of(served: Served, given: Any, most: int) -> dict[str, Marking]:
    """How each field is marked; what a field says itself counts before what is said for all."""
    how = object_of(given, "highlight")
    only(how, MARKING, "highlight")
    listed = [object_of(each, "fields") for each in list_of(how.get("fields", {}))]
    found: dict[str, Marking] = {}
    for name, own in ((name, own) for each in listed for name, own in each.items()):
        only(object_of(own, name), MARKING, "highlight")
        here = matching(name, served.index.fields)
        if not here and not is_pattern(name):
            served.index.reader.need_field(name)
        found |= dict.fromkeys(here, _marking({**how, **own}, most))
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
