"""What is asked of Solr: an index, and parameters from the address, a form or a body of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from starlette.requests import Request

from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.query.nodes import Node
from rankscope.workbench.service.asking import POSITION, SCORE, Operator, SortKey, check_size, filtered, read_query
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.reading import FORM, JSON, Parameters, kind_of, parameters_of, read_json
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.served import Served

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
    """All parameters of a request."""
    found = parameters_of(request)
    if request.method in ("GET", "HEAD"):
        return found
    kind, body = kind_of(request), await request.body()
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
    """A question as Solr reads it."""

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
        """Where words are looked up that name no field."""
        field = self.asked.text("df") or self.served.index.default_field
        if field != ID:
            self.served.index.reader.need_field(field)
        return field

    @cached_property
    def own_query(self) -> Node:
        """What `q` means."""
        if "q" not in self.asked:
            raise Refusal(400, "q is missing: say what to search for; q=*:* is everything")
        return self.parse(self.asked.text("q"))

    @cached_property
    def query(self) -> Node:
        """What `q` means, narrowed by every `fq`."""
        node = filtered(self.own_query, [self.parse(each) for each in self.asked.all("fq") if each.strip()])
        check_size(node, self.limits)
        return node

    def parse(self, text: str) -> Node:
        """What one text means."""
        if text.lstrip().startswith("{!"):
            raise Refusal(400, f"{text[:40]}: parameters in braces are not read; queries are Lucene's language")
        return read_query(self.served, text, self.field, self._operator, self.limits)

    @property
    def _operator(self) -> Operator:
        asked = self.asked.text("q.op", "OR").upper()
        if asked not in ("OR", "AND"):
            raise Refusal(400, f"q.op={asked[:40]}: must be OR or AND")
        return "AND" if asked == "AND" else "OR"

    @property
    def start(self) -> int:
        """How many documents are passed over."""
        return self.asked.whole("start", 0)

    @property
    def rows(self) -> int:
        """How many documents are wanted."""
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
