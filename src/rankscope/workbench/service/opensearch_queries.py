"""From the JSON of OpenSearch's queries to what they mean; a value that is not what it has to be is refused by name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from rankscope.core.catalogue import did_you_mean
from rankscope.engines.text.analysers import Analyser
from rankscope.engines.text.expansions import MoreLikeThis
from rankscope.engines.text.queries import (
    OPTIONAL,
    PROHIBITED,
    REQUIRED,
    BestOf,
    Boolean,
    Boost,
    Clause,
    Fuzzy,
    InField,
    MatchAll,
    MatchNothing,
    Node,
    Phrase,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
    any_of,
)
from rankscope.engines.text.query_parser import Language, parse_query
from rankscope.engines.text.regular_expressions import parse_regex
from rankscope.engines.text.segments import ID
from rankscope.engines.text.text_index import WHOLE
from rankscope.workbench.service.application import Refusal, ServiceLimits, matching_names
from rankscope.workbench.service.indexes import Served, all_but, check_fields, check_length, read_query

BOOL: Final = ("must", "should", "must_not", "filter", "minimum_should_match", "boost", "adjust_pure_negative", "_name")
BOUNDS: Final = ("gte", "gt", "lte", "lt", "boost")
MINIMUM: Final = re.compile(r"(-?\d{1,9})(%?)")
ANYWHERE: Final = "\0fields"  # stands for all fields while a text of several is read
MATCH: Final = ("query", "operator", "minimum_should_match", "fuzziness", "boost", "_name")
MULTI: Final = (*MATCH, "fields", "type", "tie_breaker", "slop")
STRING: Final = ("query", "default_field", "fields", "default_operator", "tie_breaker", "boost", "analyze_wildcard")
LIKE: Final = {  # of more_like_this, with what they mean in our own words
    "min_term_freq": "least_occurrences",
    "min_doc_freq": "least_documents",
    "max_doc_freq": "most_documents",
    "max_query_terms": "most_terms",
    "min_word_length": "shortest",
    "max_word_length": "longest",
}


class QueryReader:
    def __init__(self, served: Served, limits: ServiceLimits) -> None:
        self.served, self.limits, self.level = served, limits, 0
        self.kinds: Mapping[str, Callable[[Any], Node]] = {
            "match_all": lambda body: boosted(MatchAll(), object_of(body, "match_all")),
            "match_none": lambda body: MatchNothing(),
            "match": self.match,
            "match_phrase": self.match_phrase,
            "multi_match": self.multi_match,
            "query_string": self.query_string,
            "more_like_this": self.more_like_this,
            "term": lambda body: self._of_value(Term, body, "term"),
            "terms": self._terms,
            "ids": self._ids,
            "prefix": lambda body: self._of_value(Prefix, body, "prefix"),
            "wildcard": lambda body: self._of_value(Wildcard, body, "wildcard", "wildcard"),
            "regexp": self._regexp,
            "fuzzy": self._fuzzy,
            "range": self._range,
            "exists": self._exists,
            "bool": self._bool,
            "constant_score": self._constant_score,
            "dis_max": self._dis_max,
        }

    def read(self, body: Any) -> Node:
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

    def _value(self, body: Any, kind: str, *names: str) -> tuple[str, str, dict[str, Any]]:
        field, how = self.field_and_options(body, kind, "value", ("value", "boost", *names))
        value = text_of(how.get("value", how.get(kind)), "value")
        check_length(value, self.limits)
        return field, value, how

    def _of_value(self, make: Callable[[str, str], Node], body: Any, kind: str, *names: str) -> Node:
        field, value, how = self._value(body, kind, *names)
        return boosted(make(field, value), how)

    def _terms(self, body: Any) -> Node:
        how = dict(object_of(body, "terms"))
        boost = how.pop("boost", 1)
        if len(how) != 1:
            raise wrong(f"[terms] must name one field, and names {len(how)}")
        ((name, values),) = how.items()
        if not isinstance(values, list):
            raise wrong("[terms] must have a list of terms")
        terms = [text_of(value, "terms") for value in values]
        return constant(any_of(self.known(name), dict.fromkeys(terms)), number_of(boost, "boost"))

    def _ids(self, body: Any) -> Node:
        how = object_of(body, "ids", ("values", "boost"))
        names = [text_of(value, "values") for value in list_of(how.get("values", []))]
        return constant(any_of(ID, dict.fromkeys(names)), number_of(how.get("boost", 1), "boost"))

    def _regexp(self, body: Any) -> Node:
        field, value, how = self._value(body, "regexp")
        parse_regex(value)
        return boosted(Regex(field, value), how)

    def _fuzzy(self, body: Any) -> Node:
        field, value, how = self._value(body, "fuzzy", "fuzziness")
        return boosted(Fuzzy(field, value, edits_of(how.get("fuzziness", "AUTO"), len(value))), how)

    def _range(self, body: Any) -> Node:
        field, how = self.field_and_options(body, "range", "gte", BOUNDS)
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
        how = object_of(body, "exists", ("field", "boost"))
        return boosted(Range(self.known(text_of(how.get("field"), "field")), None, None), how)

    def _bool(self, body: Any) -> Node:
        how = object_of(body, "bool", BOOL)
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
        how = object_of(body, "constant_score", ("filter", "boost"))
        return constant(self.read(how.get("filter")), number_of(how.get("boost", 1), "boost"))

    def _dis_max(self, body: Any) -> Node:
        how = object_of(body, "dis_max", ("queries", "tie_breaker", "boost"))
        parts = [self.read(each) for each in list_of(how.get("queries", []))]
        if not parts:
            raise wrong("[dis_max] needs [queries]")
        return boosted(best_of(parts, number_of(how.get("tie_breaker", 0), "tie_breaker")), how)

    # queries of texts that are analysed

    def match(self, body: Any) -> Node:
        field, how = self.field_and_options(body, "match", "query", MATCH)
        return boosted(self.words(field, how), how)

    def match_phrase(self, body: Any) -> Node:
        field, how = self.field_and_options(body, "match_phrase", "query", ("query", "slop", "boost"))
        return boosted(self.phrase(field, how), how)

    def multi_match(self, body: Any) -> Node:
        """The same words in several fields: the best field counts, or the sum of all."""
        how = object_of(body, "multi_match", MULTI)
        kind = text_of(how.get("type", "best_fields"), "type")
        if kind not in ("best_fields", "most_fields", "phrase"):
            raise wrong(f"[multi_match] type [{kind[:40]}]: there are best_fields, most_fields and phrase")
        make: Callable[[str, dict[str, Any]], Node] = self.phrase if kind == "phrase" else self.words
        fields = self.fields(how.get("fields") or [self.served.index.default_field])
        parts = [_times(make(field, how), factor) for field, factor in fields]
        if kind == "most_fields":
            return boosted(Boolean(tuple(map(Clause, parts))), how)
        return boosted(best_of(parts, number_of(how.get("tie_breaker", 0), "tie_breaker")), how)

    def query_string(self, body: Any) -> Node:
        how = object_of(body, "query_string", STRING)
        text = text_of(how.get("query"), "query")
        operator = _operator(how.get("default_operator", "or"))
        if "fields" in how:
            fields, others = self.fields(how["fields"]), number_of(how.get("tie_breaker", 0), "tie_breaker")
            return boosted(self._in_fields(text, fields, others, operator == REQUIRED), how)
        field = self.known(text_of(how.get("default_field", self.served.index.default_field), "default_field"))
        return boosted(read_query(self.served, text, field, "AND" if operator else "OR", self.limits), how)

    def more_like_this(self, body: Any) -> Node:
        """The words that say most about texts or documents; not these documents themselves unless `include` says so."""
        how = object_of(body, "more_like_this")
        names = ("fields", "like", "include", "boost_terms", "minimum_should_match", "boost", *LIKE)
        only(how, names, "more_like_this")
        given = {ours: whole_of(how[theirs], theirs) for theirs, ours in LIKE.items() if theirs in how}
        if given.get("most_terms", 1) > self.limits.clauses - 1:
            raise wrong(f"[max_query_terms] is at most {self.limits.clauses - 1}")
        choosing = MoreLikeThis(**given, boost=bool(number_of(how.get("boost_terms", 0), "boost_terms")))
        fields = [field for field, _ in self.fields(how.get("fields") or [self.served.index.default_field])]
        if ID in fields:
            raise wrong("[more_like_this] compares words of texts: name fields of texts")
        texts, itself = self._liked(list_of(how.get("like", [])), fields)
        words = choosing.query(self.served.index.reader, texts)
        if isinstance(words, Boolean):
            words = replace(words, minimum=minimum_of(how.get("minimum_should_match", "30%"), len(words.clauses)))
        if itself and not how.get("include", False):
            words = Boolean((Clause(words, REQUIRED), *(Clause(Term(ID, name), PROHIBITED) for name in itself)))
        return boosted(words, how)

    def _liked(self, like: Sequence[Any], fields: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
        """Texts with their fields, and the ids of documents that they are of."""
        texts, itself = [], []
        for each in like:
            if isinstance(each, str):
                check_length(each, self.limits)
                texts += [(field, each) for field in fields]
                continue
            name = text_of(object_of(each, "like").get("_id"), "_id")
            number = self.served.number_of(name)
            row = {} if number is None else self.served.index.reader.stored(number)
            texts += [(field, row.get(field) or "") for field in fields]
            itself.append(name)
        if not like:
            raise wrong('[more_like_this] needs [like]: texts, or documents as {"_id": "..."}')
        return texts, itself

    def words(self, field: str, how: dict[str, Any]) -> Node:
        text = text_of(how.get("query"), "query")
        check_length(text, self.limits)
        parsed = self.served.index.parse(text, field, syntax="words")
        terms = [node for node in parsed.children if isinstance(node, Term)]
        if not terms:
            return MatchNothing()
        occur = _operator(how.get("operator", "or"))
        parts: list[Node] = [*terms]
        if "fuzziness" in how:
            parts = [Fuzzy(each.field, each.text, edits_of(how["fuzziness"], len(each.text))) for each in terms]
        clauses = tuple(Clause(part, occur) for part in parts)
        minimum = minimum_of(how.get("minimum_should_match", 0), len(terms)) if occur == OPTIONAL else 0
        return Boolean(clauses, minimum)

    def phrase(self, field: str, how: dict[str, Any]) -> Node:
        text = text_of(how.get("query"), "query")
        check_length(text, self.limits)
        found = self._analyser_of(field).analyse(text)
        if len(found) < 2:
            return Term(field, found[0][0]) if found else MatchNothing()
        terms, places = tuple(term for term, _ in found), tuple(at - found[0][1] for _, at in found)
        return Phrase(field, terms, places, whole_of(how.get("slop", 0), "slop"))

    def field_and_options(self, body: Any, what: str, main: str, names: Sequence[str]) -> tuple[str, dict[str, Any]]:
        """The one field of a query, and its options; a plain value is the main one."""
        found = object_of(body, what)
        if len(found) != 1:
            raise wrong(f"[{what}] must name one field, and names {len(found)}")
        ((name, value),) = found.items()
        how = value if isinstance(value, dict) else {main: value}
        only(how, names, what)
        return self.known(name), how

    def known(self, name: str) -> str:
        """A field as the index calls it; one that no document has is refused."""
        field = ID if name == "_id" else name.removesuffix(".keyword")
        if field != ID:
            self.served.index.reader.need_field(field)
        return field

    def fields(self, given: Any) -> list[tuple[str, float]]:
        """Fields with their boosts, as `title^2` or `ti*`."""
        found: dict[str, float] = {}
        for word in list_of(given):
            name, sign, factor = text_of(word, "fields").partition("^")
            here = matching_names(name, self.served.index.fields) or [self.known(name)]
            found |= dict.fromkeys(here, number_of(factor, "fields") if sign else 1.0)
        return list(found.items())

    def _analyser_of(self, field: str) -> Analyser:
        return WHOLE if field == ID else self.served.index.reader.analysers[field]

    def _in_fields(self, text: str, fields: Sequence[tuple[str, float]], others: float, every: bool) -> Node:
        """A text in Lucene's language whose words without a field are looked for in each of some fields."""
        check_length(text, self.limits)
        if not text.strip():
            return MatchNothing()
        kinds = {str(self._analyser_of(field)) for field, _ in fields}
        if len(kinds) > 1:
            raise wrong("[query_string] fields are analysed in different ways: use multi_match, or one default_field")
        language = Language(
            ANYWHERE,
            self._analyser_of(fields[0][0]),
            {**self.served.index.reader.analysers, ID: WHOLE},
            operator="AND" if every else "OR",
            leading=True,
        )
        node = _spread(parse_query(text, language), fields, others)
        check_fields(self.served, node)
        return all_but(node)


def constant(node: Node, score: float = 1.0) -> Node:
    """The documents that match a query, all with one score.

    >>> print(constant(Term("body", "fox"), 2.0))
    +(body:fox)^0.0 +(*:*)^2.0
    """
    return Boolean((Clause(Boost(node, 0.0), REQUIRED), Clause(Boost(MatchAll(), score), REQUIRED)))


def _spread(node: Node, fields: Sequence[tuple[str, float]], others: float) -> Node:
    """A query of which each part without a field is the best of the same in each field."""
    if isinstance(node, InField):
        if node.field != ANYWHERE:
            return node
        return best_of([_times(replace(node, field=field), factor) for field, factor in fields], others)
    if isinstance(node, Boost):
        return replace(node, query=_spread(node.query, fields, others))
    if isinstance(node, Boolean):
        clauses = tuple(replace(each, query=_spread(each.query, fields, others)) for each in node.clauses)
        return replace(node, clauses=clauses)
    return node


def best_of(parts: Sequence[Node], others: float = 0.0) -> Node:
    """The best of some queries; one alone is itself."""
    return parts[0] if len(parts) == 1 else BestOf(tuple(parts), others)


def boosted(node: Node, how: dict[str, Any]) -> Node:
    return _times(node, number_of(how.get("boost", 1), "boost"))


def _times(node: Node, factor: float) -> Node:
    return node if factor == 1 else Boost(node, factor)


def _operator(given: Any) -> Any:
    found = {"or": OPTIONAL, "and": REQUIRED}.get(text_of(given, "operator").lower())
    if found is None:
        raise wrong("[operator] must be or, or and")
    return found


def edits_of(fuzziness: Any, length: int) -> int:
    """How many edits are allowed: 0, 1, 2, or AUTO, which goes by the length of the word.

    >>> edits_of("AUTO", 2), edits_of("AUTO", 5), edits_of("AUTO", 6), edits_of(1, 9)
    (0, 1, 2, 1)
    """
    if isinstance(fuzziness, str) and fuzziness.upper() == "AUTO":
        return int(length > 2) + int(length > 5)
    return whole_of(fuzziness, "fuzziness", most=2)


def minimum_of(given: Any, count: int) -> int:
    """How many of so many clauses must match: a number, a share, or how many may be missing.

    >>> minimum_of(2, 5), minimum_of("-1", 5), minimum_of("75%", 5), minimum_of("-25%", 5)
    (2, 4, 3, 4)
    """
    found = MINIMUM.fullmatch(str(given).strip()) if isinstance(given, str | int) else None
    if found is None:
        raise wrong("[minimum_should_match] must be a number or a share, as 2, -1, 75% or -25%")
    number = int(found[1])
    if found[2]:
        share = int(abs(number) * count / 100)
        number = share if number >= 0 else -share
    return max(number if number >= 0 else count + number, 0)


# Parts of a body of JSON, each of the kind that it has to be; what is not is refused with its name.

PARSING = "parsing_exception"
ILLEGAL = "illegal_argument_exception"


def wrong(message: str, kind: str = PARSING) -> Refusal:
    return Refusal(400, message, kind)


def object_of(value: Any, what: str, known: Iterable[str] | None = None) -> dict[str, Any]:
    """An object, perhaps one that has no other names than these."""
    if not isinstance(value, dict):
        raise wrong(f"[{what}] must be an object")
    if known is not None:
        only(value, known, what)
    return value


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def text_of(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise wrong(f"[{what}] must be a text")
    return str(value)


def number_of(value: Any, what: str) -> float:
    """A number that is not negative, as a boost has to be."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise wrong(f"[{what}] must be a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise wrong(f"[{what}] must be a number from 0 on")
    return float(value)


def whole_of(value: Any, what: str, least: int = 0, most: int = 2**31 - 1) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(f"[{what}] must be a whole number from {least} to {most}", ILLEGAL)
    return value


def truth_of(value: Any, what: str) -> bool:
    found = {"true": True, "false": False, "": True}.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise wrong(f"[{what}] must be true or false")
    return found


def only(value: Mapping[str, Any], allowed: Iterable[str], what: str) -> None:
    """Refuse names that are not known: whoever wrote them expects something of them."""
    known = list(allowed)
    for name in value:
        if name not in known:
            near = did_you_mean(name[:40], known)
            raise wrong(f"[{what}] does not know [{name[:40]}]{near} There are: {', '.join(known)}")
