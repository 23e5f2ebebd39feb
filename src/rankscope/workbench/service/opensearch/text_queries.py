"""Queries of texts that are analysed: match, match_phrase, multi_match, query_string, more_like_this."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.more_like_this import MoreLikeThis
from rankscope.engines.text.query.nodes import (
    OPTIONAL,
    PROHIBITED,
    REQUIRED,
    BestOf,
    Boolean,
    Boost,
    Clause,
    Fuzzy,
    InField,
    MatchNothing,
    Node,
    Phrase,
    Term,
)
from rankscope.engines.text.query.parser import Language, parse_query
from rankscope.engines.text.text_index import WHOLE
from rankscope.workbench.service.asking import all_but, check_fields, check_length, read_query
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.opensearch.body import list_of, number_of, object_of, only, text_of, whole_of, wrong
from rankscope.workbench.service.patterns import matching
from rankscope.workbench.service.served import Served

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


@dataclass(frozen=True, eq=False)
class TextQueries:
    """Reads queries of texts for one index."""

    served: Served
    limits: ServiceLimits

    def match(self, body: Any) -> Node:
        """Any of some words, all of them, or at least so many."""
        field, how = self.field_and_options(body, "match", "query", MATCH)
        return boosted(self.words(field, how), how)

    def match_phrase(self, body: Any) -> Node:
        """Words one after the other."""
        field, how = self.field_and_options(body, "match_phrase", "query", ("query", "slop", "boost"))
        return boosted(self.phrase(field, how), how)

    def multi_match(self, body: Any) -> Node:
        """The same words in several fields: the best field counts, or the sum of all."""
        how = object_of(body, "multi_match")
        only(how, MULTI, "multi_match")
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
        """A text in Lucene's language."""
        how = object_of(body, "query_string")
        only(how, STRING, "query_string")
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
        """The terms of a text as a group."""
        text = text_of(how.get("query"), "query")
        check_length(text, self.limits)
        parsed = self.served.index.parse(text, field, syntax="words")
        terms = [node for node in parsed.children if isinstance(node, Term)]
        if not terms:
            return MatchNothing()
        occur = _operator(how.get("operator", "or"))
        parts = [_fuzzy(term, how["fuzziness"]) if "fuzziness" in how else term for term in terms]
        clauses = tuple(Clause(part, occur) for part in parts)
        minimum = minimum_of(how.get("minimum_should_match", 0), len(terms)) if occur == OPTIONAL else 0
        return Boolean(clauses, minimum)

    def phrase(self, field: str, how: dict[str, Any]) -> Node:
        """The terms of a text at their places."""
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
            here = matching(name, self.served.index.fields) or [self.known(name)]
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
    """A query times the boost that its options give."""
    return _times(node, number_of(how.get("boost", 1), "boost"))


def _times(node: Node, factor: float) -> Node:
    return node if factor == 1 else Boost(node, factor)


def _operator(given: Any) -> Any:
    found = {"or": OPTIONAL, "and": REQUIRED}.get(text_of(given, "operator").lower())
    if found is None:
        raise wrong("[operator] must be or, or and")
    return found


def _fuzzy(term: Term, fuzziness: Any) -> Node:
    return Fuzzy(term.field, term.text, edits_of(fuzziness, len(term.text)))


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
