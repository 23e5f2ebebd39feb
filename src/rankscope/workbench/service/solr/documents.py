"""Documents as Solr shows them: the fields that `fl` names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.engines.text.index.segment import ID
from rankscope.workbench.service.answers import Json, shown_number
from rankscope.workbench.service.asking import AnswerPage
from rankscope.workbench.service.patterns import matching
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.served import Served

SCORE = "score"


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
            for each in matching(name, [ID, *there]):
                fields[alias or each] = each
        only_score = all(word == SCORE for word in words)
        return cls({name: name for name in [ID, *there]} if only_score else fields, SCORE in words)

    def show(self, row: dict[str, str | None], name: str, score: float) -> Json:
        """A document; a field that it does not have is left out."""
        values = {**row, ID: name}
        found: Json = {as_: values[field] for as_, field in self.fields.items() if values.get(field) is not None}
        if self.score:
            found[SCORE] = shown_number(score)
        return found


def document_list(served: Served, page: AnswerPage, start: int, shown: FieldList) -> Json:
    """The documents of an answer as `response` holds them."""
    rows = served.index.reader.stored_rows(page.docs)
    names = served.index.reader.ids.gather(page.docs).to_list()
    found: Json = {"numFound": page.total, "start": start}
    if shown.score:
        found["maxScore"] = shown_number(page.best or 0.0)
    listed = zip(rows, names, page.scores, strict=True)
    return found | {"numFoundExact": True, "docs": [shown.show(row, name, score) for row, name, score in listed]}
