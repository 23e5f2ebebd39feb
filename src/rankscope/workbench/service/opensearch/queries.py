"""From the JSON of a query to what it means; each kind of query by its own reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.query.nodes import (
    OPTIONAL,
    PROHIBITED,
    REQUIRED,
    Boolean,
    Boost,
    Clause,
    Fuzzy,
    MatchAll,
    MatchNothing,
    Node,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
    any_of,
)
from rankscope.engines.text.query.regular_expressions import parse_regex
from rankscope.workbench.service.asking import check_length
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.opensearch.body import list_of, number_of, object_of, only, text_of, wrong
from rankscope.workbench.service.opensearch.text_queries import TextQueries, best_of, boosted, edits_of, minimum_of
from rankscope.workbench.service.served import Served

BOOL: Final = ("must", "should", "must_not", "filter", "minimum_should_match", "boost", "adjust_pure_negative", "_name")
BOUNDS: Final = ("gte", "gt", "lte", "lt", "boost")


class QueryReader:
    """Reads the queries of one request."""

    def __init__(self, served: Served, limits: ServiceLimits) -> None:
        self.served, self.limits, self.level = served, limits, 0
        self.texts = TextQueries(served, limits)
        self.kinds: Mapping[str, Callable[[Any], Node]] = {
            "match_all": self._match_all,
            "match_none": lambda body: MatchNothing(),
            "match": self.texts.match,
            "match_phrase": self.texts.match_phrase,
            "multi_match": self.texts.multi_match,
            "query_string": self.texts.query_string,
            "more_like_this": self.texts.more_like_this,
            "term": self._term,
            "terms": self._terms,
            "ids": self._ids,
            "prefix": self._prefix,
            "wildcard": self._wildcard,
            "regexp": self._regexp,
            "fuzzy": self._fuzzy,
            "range": self._range,
            "exists": self._exists,
            "bool": self._bool,
            "constant_score": self._constant_score,
            "dis_max": self._dis_max,
        }

    def read(self, body: Any) -> Node:
        """What a query means."""
        found = object_of(body, "query")
        if len(found) != 1:
            raise wrong(f"[query] must name one kind of query, and names {len(found)}")
        ((kind, inner),) = found.items()
        if kind not in self.kinds:
            raise wrong(f"unknown query [{kind[:40]}]; there are: {', '.join(self.kinds)}")
        self.level += 1
        if self.level > self.limits.levels:
            raise wrong(f"queries stand in each other more than {self.limits.levels} deep")
        node = self.kinds[kind](inner)
        self.level -= 1
        return node

    def _match_all(self, body: Any) -> Node:
        return boosted(MatchAll(), object_of(body, "match_all"))

    def _value(self, body: Any, kind: str, *names: str) -> tuple[str, str, dict[str, Any]]:
        """The field, the value and the options of a query of one term."""
        field, how = self.texts.field_and_options(body, kind, "value", ("value", "boost", *names))
        value = text_of(how.get("value", how.get(kind)), "value")
        check_length(value, self.limits)
        return field, value, how

    def _term(self, body: Any) -> Node:
        field, value, how = self._value(body, "term")
        return boosted(Term(field, value), how)

    def _terms(self, body: Any) -> Node:
        how = dict(object_of(body, "terms"))
        boost = how.pop("boost", 1)
        if len(how) != 1:
            raise wrong(f"[terms] must name one field, and names {len(how)}")
        ((name, values),) = how.items()
        if not isinstance(values, list):
            raise wrong("[terms] must have a list of terms")
        terms = [text_of(value, "terms") for value in values]
        return constant(any_of(self.texts.known(name), dict.fromkeys(terms)), number_of(boost, "boost"))

    def _ids(self, body: Any) -> Node:
        how = object_of(body, "ids")
        only(how, ("values", "boost"), "ids")
        names = [text_of(value, "values") for value in list_of(how.get("values", []))]
        return constant(any_of(ID, dict.fromkeys(names)), number_of(how.get("boost", 1), "boost"))

    def _prefix(self, body: Any) -> Node:
        field, value, how = self._value(body, "prefix")
        return boosted(Prefix(field, value), how)

    def _wildcard(self, body: Any) -> Node:
        field, value, how = self._value(body, "wildcard", "wildcard")
        return boosted(Wildcard(field, value), how)

    def _regexp(self, body: Any) -> Node:
        field, value, how = self._value(body, "regexp")
        parse_regex(value)
        return boosted(Regex(field, value), how)

    def _fuzzy(self, body: Any) -> Node:
        field, value, how = self._value(body, "fuzzy", "fuzziness")
        return boosted(Fuzzy(field, value, edits_of(how.get("fuzziness", "AUTO"), len(value))), how)

    def _range(self, body: Any) -> Node:
        field, how = self.texts.field_and_options(body, "range", "gte", BOUNDS)
        bounds = {name: text_of(how[name], name) for name in BOUNDS[:4] if how.get(name) is not None}
        found = Range(
            field=field,
            lower=bounds.get("gt", bounds.get("gte")),
            upper=bounds.get("lt", bounds.get("lte")),
            include_lower="gt" not in bounds,
            include_upper="lt" not in bounds,
        )
        return boosted(found, how)

    def _exists(self, body: Any) -> Node:
        how = object_of(body, "exists")
        only(how, ("field", "boost"), "exists")
        return boosted(Range(self.texts.known(text_of(how.get("field"), "field")), None, None), how)

    def _bool(self, body: Any) -> Node:
        how = object_of(body, "bool")
        only(how, BOOL, "bool")
        parts = {name: [self.read(each) for each in list_of(how.get(name, []))] for name in BOOL[:4]}
        clauses = [Clause(each, REQUIRED) for each in parts["must"]]
        clauses += [Clause(each, OPTIONAL) for each in parts["should"]]
        clauses += [Clause(Boost(each, 0.0), REQUIRED) for each in parts["filter"]]
        clauses += [Clause(each, PROHIBITED) for each in parts["must_not"]]
        if not clauses:
            return boosted(MatchAll(), how)
        if all(clause.occur == PROHIBITED for clause in clauses):
            clauses.append(Clause(Boost(MatchAll(), 0.0), REQUIRED))
        minimum = minimum_of(how.get("minimum_should_match", 0), len(parts["should"]))
        return boosted(Boolean(tuple(clauses), minimum), how)

    def _constant_score(self, body: Any) -> Node:
        how = object_of(body, "constant_score")
        only(how, ("filter", "boost"), "constant_score")
        return constant(self.read(how.get("filter")), number_of(how.get("boost", 1), "boost"))

    def _dis_max(self, body: Any) -> Node:
        how = object_of(body, "dis_max")
        only(how, ("queries", "tie_breaker", "boost"), "dis_max")
        parts = [self.read(each) for each in list_of(how.get("queries", []))]
        if not parts:
            raise wrong("[dis_max] needs [queries]")
        return boosted(best_of(parts, number_of(how.get("tie_breaker", 0), "tie_breaker")), how)


def constant(node: Node, score: float = 1.0) -> Node:
    """The documents that match a query, all with one score.

    >>> print(constant(Term("body", "fox"), 2.0))
    +(body:fox)^0.0 +(*:*)^2.0
    """
    return Boolean((Clause(Boost(node, 0.0), REQUIRED), Clause(Boost(MatchAll(), score), REQUIRED)))
