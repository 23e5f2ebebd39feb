"""For those who come from pytrec_eval: the same names, the same dictionaries in and out, the same numbers.

Change the import, keep the rest:

    from rankscope.measures.evaluation.relevance_evaluator import RelevanceEvaluator, parse_qrel, parse_run

Values are trec_eval 9's on scores compared as 32-bit floats, for the queries that are both judged and answered.
What differs: bad input is told plainly instead of by an assertion or a crash, and a NaN score is an error, not a
last place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import chain, islice, repeat
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankscope import measures
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import MeasureError
from rankscope.core.notation import split_list
from rankscope.core.settings import Settings
from rankscope.inputs.plain_objects import PlainNested, plain_nested
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.columns import in_peers_way
from rankscope.measures.measure import GEOMETRIC_FLOOR, Measure
from rankscope.measures.notation import ALL_TREC, NOT_IN_NINE, TREC_FAMILIES, trec_single
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks

PEER = "pytrec_eval"
INTERPOLATED = ("IPrec", "IPrec11")
PLACEHOLDER = "\uffff"  # stands in a list that has no item, and leaves it again
WITH_PARAMETERS = re.compile(r"(?P<name>\w+?)[._](?P<given>\d+(\.\d+)?(,\d+(\.\d+)?)*)")
ORDER: tuple[str, ...] = tuple(name for name in ALL_TREC if name not in NOT_IN_NINE)

supported_measures: frozenset[str] = frozenset(ORDER)
supported_nicknames: dict[str, frozenset[str]] = {
    "all_trec": supported_measures,
    "official": frozenset((*ORDER[:10], "iprec_at_recall", "P")),
    "set": frozenset((*ORDER[:5], "set_P", "set_relative_P", "set_recall", "set_map", "set_F", "utility")),
}


class RelevanceEvaluator:
    """Judgements and measures once, then any number of runs.

    Measures are trec_eval's: `map`, `ndcg_cut_10`, `P.5,10`, a family as `P` or `ndcg_cut` with its usual cut-offs, or
    a nickname (`official`, `set`, `all_trec`).
    >>> evaluator = RelevanceEvaluator({"q1": {"a": 1, "b": 0}}, {"map", "P_5"})
    >>> evaluator.evaluate({"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}})
    {'q1': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        _check_nested(query_relevance, "judgements", "grade", Integral, "a whole number (int)")
        _check_level(relevance_level)
        self._judged = {query for query, items in query_relevance.items() if len(items) > 0}
        judged = {query: query_relevance[query] for query in query_relevance if query in self._judged}
        self._qrels = Qrels.of(judged).prepare()
        self._settings = Settings(
            compat=PEER, rel=float(relevance_level), judged_only=bool(judged_docs_only_flag), queries="judged"
        )
        self._columns = [_in_peers_way(each, self._settings) for each in _chosen(measures)]

    def evaluate(self, scores: Mapping[str, Mapping[str, float]] | None) -> dict[str, dict[str, float]]:
        """Values by query and measure, for the queries that are judged and that the run has; empty lists score 0."""
        if not scores:
            return {}
        plain = _plain_run(scores)
        if plain is None:
            _check_nested(scores, "run", "score", Real, "a number")
        common = [query for query in scores if query in self._judged]
        if not common:
            return {}
        ranks = self._ranks({query: scores[query] for query in common}, plain)
        rows = [self._row_of[query] for query in common]
        values = [_values(name, measure, ranks)[rows].tolist() for name, measure in self._columns]
        names = [name for name, _ in self._columns]
        lines = zip(*values, strict=True) if values else repeat((), len(common))
        return {query: dict(zip(names, line, strict=True)) for query, line in zip(common, lines, strict=True)}

    def _ranks(self, answers: Mapping[str, Mapping[str, float]], plain: PlainNested | None) -> RelevantRanks:
        if plain is not None and all(plain.lists):
            judged = [row for row, query in enumerate(plain.queries) if query in answers]
            run = Run.from_plain("run", plain.take(judged))
            seen = reduce(self._qrels, run, self._settings).seen(self._settings)
        else:
            filled = {query: items or {PLACEHOLDER: 0.0} for query, items in answers.items()}
            ranks = reduce(self._qrels, Run.of(filled), self._settings)
            empty = np.array([not answers.get(query, True) for query in ranks.queries], dtype=np.bool_)
            seen = replace(ranks, depth=np.where(empty, 0, ranks.depth)).seen(self._settings)
        if not any(measure.name in INTERPOLATED for _, measure in self._columns):
            return seen
        return replace(seen, provenance={**seen.provenance, "condensed": True})  # an empty list is 0/0 to iprec there

    @cached_property
    def _row_of(self) -> dict[str, int]:
        """The row of each judged query, in byte order of the ids."""
        return {query: row for row, query in enumerate(sorted(self._judged))}


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """One number from the values of the queries: the sum of counts, the exponential of mean logarithms, else the mean.

    >>> compute_aggregated_measure("num_ret", [5, 7]), compute_aggregated_measure("map", [0.25, 0.75])
    (12.0, 0.5)
    """
    total = in_order_sum(np.asarray(values, dtype=np.float64))
    if measure.startswith("num_"):
        return total
    if len(values) == 0:
        return math.nan
    return math.exp(total / len(values)) if measure.startswith("gm_") else total / len(values)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """{query: {item: score}} from lines `query Q0 item rank score tag`; every bad line is told.

    >>> parse_run(["q1 Q0 a 1 2.5 bm25", "q1 Q0 b 2 1.7 bm25"])
    {'q1': {'a': 2.5, 'b': 1.7}}
    """
    return _parsed(f_run, "run", 6, 4, "score", float, "query Q0 item rank score tag")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """{query: {item: grade}} from lines `query 0 item grade`; every bad line is told.

    >>> parse_qrel(["q1 0 a 1", "q1 0 b 0"])
    {'q1': {'a': 1, 'b': 0}}
    """
    return _parsed(f_qrel, "judgements", 4, 3, "grade", int, "query 0 item grade")


def _parsed(
    lines: Iterable[str], source: str, count: int, at: int, word: str, number: Callable[[str], Any], form: str
) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    problems = Problems(source, [f"A line reads: {form}."])
    for position, line in enumerate(lines, 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) < count:
            problems.add(f"line {position}", f"{count} fields are needed, got {len(parts)}", order=position)
            continue
        items = nested.setdefault(parts[0], {})
        if parts[2] in items:
            problems.add(
                f"line {position}", f"query {parts[0]}: item {shorten_value(parts[2])} occurs twice", order=position
            )
        try:
            items[parts[2]] = number(parts[at])
        except ValueError:
            problems.add(f"line {position}", f"{word} must be a number, got {shorten_value(parts[at])}", order=position)
    problems.raise_if_any()
    return nested


def _plain_run(scores: Any) -> PlainNested | None:
    """The scores where they are plainly {text: {text: number}}, so that no value need be looked at by itself."""
    plain = plain_nested(scores, "score", keep=False)
    if plain is None or plain.ordered:
        return None
    ids = chain(scores, *islice(filter(None, scores.values()), 1))  # the kind of the first item is that of all
    return plain if all(isinstance(each, str) for each in ids) else None


def _check_level(level: Any) -> None:
    if isinstance(level, bool) or not isinstance(level, Integral):
        raise TypeError(f"relevance_level must be a whole number (int), got {level!r}")


def _check_nested(data: Any, source: str, word: str, kind: type, wanted: str) -> None:
    """{str: {str: number}}, or a TypeError that says what stands where."""
    if not isinstance(data, Mapping):
        raise TypeError(f"the {source} must be a dictionary {{query: {{item: {word}}}}}, got {type(data).__name__}")
    for query, items in data.items():
        if not isinstance(query, str):
            raise TypeError(f"query ids must be text (str), got {query!r}: convert them with str()")
        if not isinstance(items, Mapping):
            raise TypeError(f"query {query!r}: a dictionary {{item: {word}}} is needed, got {type(items).__name__}")
        for item, number in items.items():
            if not isinstance(item, str):
                raise TypeError(f"query {query!r}: item ids must be text (str), got {item!r}: convert them with str()")
            if not isinstance(number, kind):
                raise TypeError(f"query {query!r}: the {word} of item {item!r} must be {wanted}, got {number!r}")


def _chosen(measures: Iterable[str]) -> list[tuple[str, Measure]]:
    """Names and measures in trec_eval's order; cut-offs given for a family replace its usual ones."""
    if isinstance(measures, str):
        raise TypeError(f"measures must be a list or set of names, got the text {measures!r}: write {{{measures!r}}}")
    wanted: dict[str, set[float]] = {}
    for text in measures:
        for name in supported_nicknames.get(text, (text,)):
            family, cuts = _split(name)
            wanted.setdefault(family, set()).update(cuts)
    return [column for family in ORDER if family in wanted for column in _columns(family, sorted(wanted[family]))]


def _split(text: Any) -> tuple[str, list[float]]:
    if not isinstance(text, str):
        raise TypeError(f"a measure is named by text (str), got {text!r}")
    if text in supported_measures:
        return text, []
    match = WITH_PARAMETERS.fullmatch(text)
    if match is None or match["name"] not in supported_measures:
        known = [*supported_measures, *supported_nicknames]
        raise MeasureError(f"pytrec_eval has no measure '{text}'{did_you_mean(text, known)} It has: {', '.join(ORDER)}")
    if match["name"] not in TREC_FAMILIES and match["name"] != "set_F":
        hint = did_you_mean(f"{match['name']}_cut", TREC_FAMILIES)
        raise MeasureError(f"'{text}': {match['name']} takes no cut-off{hint}")
    return match["name"], [float(cut) for cut in split_list(match["given"])]


def _columns(family: str, cuts: list[float]) -> list[tuple[str, Measure]]:
    if family == "set_F":
        return [(family, measures.SetF(b2=cuts[0]) if cuts else measures.SetF())]
    if family not in TREC_FAMILIES:
        return [(family, trec_single(family))]
    make, usual = TREC_FAMILIES[family]
    whole = [cut for cut in cuts if family not in ("iprec_at_recall", "Rprec_mult") and cut != int(cut)]
    if whole:
        raise MeasureError(f"{family}: a cut-off must be a whole number, got {whole[0]:g}")
    results = [make(cut) for cut in cuts or usual]
    return [(str(each.trec_name()), each) for each in results]


def _in_peers_way(column: tuple[str, Measure], settings: Settings) -> tuple[str, Measure]:
    name, measure = column
    if any(each.name == "rel" for each in fields(measure)):
        measure = replace(measure, rel=settings.rel)  # type: ignore[call-arg]
    return name, in_peers_way(measure, settings)


def _values(name: str, measure: Measure, ranks: RelevantRanks) -> FloatArray:
    """Per query: 0 where there is nothing relevant or the value is a word, logarithms for geometric means."""
    values = np.asarray(measure.of(ranks), dtype=np.float64)
    defined = np.asarray(measure.defined(ranks)) & (measure.summary != "none")
    if not defined.all():
        values = np.where(defined, values, np.nan_to_num(values))
    return np.log(np.maximum(values, GEOMETRIC_FLOOR)) if name.startswith("gm_") else values
