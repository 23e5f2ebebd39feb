"""The peers that are light enough to run: what each calls a measure, what we call it, and how it is asked."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.measure import GEOMETRIC_FLOOR
from tests.conformance.cases import Case


@dataclass(frozen=True)
class Answer:
    """One measure of one run: the mean (or sum) and the value of each query that is in it."""

    summary: float
    values: dict[str, float]


@dataclass(frozen=True)
class Pair:
    """A measure under two names; `places` where the peer rounds."""

    theirs: str
    ours: str
    places: int | None = None

    @property
    def tolerance(self) -> float:
        """Half a unit of the last printed place, or nearly nothing."""
        return 1e-9 if self.places is None else 0.51 * 10.0**-self.places


@dataclass(frozen=True)
class LightPeer:
    """A peer that runs in the tests."""

    name: str
    package: str
    pairs: tuple[Pair, ...]
    ask: Callable[[Case, Sequence[str]], dict[str, Answer]]
    compat: str | None = ""  # whose habits are asked for; its own name unless said
    fit: Callable[[Case], Case] | None = None  # the part of a case on which it is compared

    @property
    def habits(self) -> str | None:
        """What `compat` is to be."""
        return self.name if self.compat == "" else self.compat


def ours(case: Case, measures: Sequence[str], compat: str | None = None, **settings: Any) -> dict[str, Answer]:
    """What rankscope says."""
    scores = evaluate(case.qrels, case.run, list(measures), compat=compat, **settings)
    system = scores.systems[0]
    answers = {}
    for name, column in zip(measures, system.columns, strict=True):
        least = GEOMETRIC_FLOOR if column.measure.summary == "geometric" else -math.inf  # all the peers see of it
        values = np.maximum(column.values, least).tolist()
        rows = zip(system.ranks.queries, values, column.counted.tolist(), strict=True)
        answers[name] = Answer(column.summary, {query: value for query, value, counted in rows if counted})
    return answers


def differences(pair: Pair, theirs: Answer, mine: Answer) -> list[str]:
    """Where two answers differ; a query that only one of them has counts as 0: the summary tells whether it was in."""
    found = [] if _close(theirs.summary, mine.summary, pair) else [f"summary {theirs.summary!r} {mine.summary!r}"]
    for query in sorted({*theirs.values, *mine.values}):
        one, other = theirs.values.get(query), mine.values.get(query)
        if one is None or other is None:
            if (one or 0.0) != (other or 0.0):
                found.append(f"query {query}: {one!r} {other!r}")
        elif not _close(one, other, pair):
            found.append(f"query {query}: {one!r} {other!r}")
    return [f"{pair.theirs} | {pair.ours}: {each}" for each in found]


def _close(one: float, other: float, pair: Pair) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=pair.tolerance if pair.places else 1e-12)


# pytrec_eval


def ask_pytrec_eval(case: Case, names: Sequence[str], level: int = 1, judged_only: bool = False) -> dict[str, Answer]:
    """Values per query; the caller's mean is by its own rule (sum of counts, exponential of mean logarithms)."""
    import pytrec_eval

    result = pytrec_eval.RelevanceEvaluator(case.qrels, names, level, judged_only).evaluate(case.run)
    answers = {}
    for name in names:
        values = {query: value[name] for query, value in result.items()}
        summary = float(pytrec_eval.compute_aggregated_measure(name, list(values.values())))
        plain = {query: math.exp(value) for query, value in values.items()} if name.startswith("gm_") else values
        answers[name] = Answer(summary, plain)
    return answers


PYTREC_PAIRS = tuple(
    Pair(theirs, mine)
    for theirs, mine in (
        ("map", "AP"),
        ("map_cut_2", "AP@2"),
        ("map_cut_5", "AP@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_3", "nDCG@3"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_1", "P@1"),
        ("P_3", "P@3"),
        ("P_10", "P@10"),
        ("recall_3", "R@3"),
        ("recall_10", "R@10"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("success_1", "success@1"),
        ("success_5", "success@5"),
        ("bpref", "bpref"),
        ("infAP", "infAP"),
        ("iprec_at_recall_0.00", "IPrec@0"),
        ("iprec_at_recall_0.30", "IPrec@0.3"),
        ("iprec_at_recall_1.00", "IPrec@1"),
        ("11pt_avg", "IPrec11"),
        ("relative_P_5", "CappedRecall@5"),
        ("Rprec_mult_0.40", "Rprec(a=0.4)"),
        ("Rprec_mult_2.00", "Rprec(a=2)"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_map", "SetAP"),
        ("set_F", "SetF"),
        ("set_relative_P", "SetRelativeP"),
        ("utility", "utility"),
        ("ndcg_rel", "nDCG_rel"),
        ("Rndcg", "Rndcg"),
        ("binG", "binG"),
        ("G", "G"),
        ("gm_map", "GMAP"),
        ("gm_bpref", "gm_bpref"),
        ("num_q", "num_q"),
        ("num_ret", "num_ret"),
        ("num_rel", "num_rel"),
        ("num_rel_ret", "num_rel_ret"),
        ("num_nonrel_judged_ret", "num_nonrel_judged_ret"),
    )
)


# ir_measures


def ask_ir_measures(case: Case, names: Sequence[str]) -> dict[str, Answer]:
    """Through its own default pipeline of providers."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result: Any = ir_measures.calc(measures, case.qrels, case.run)
    answers = {}
    for name, measure in zip(names, measures, strict=True):
        values = {each.query_id: float(each.value) for each in result.per_query if each.measure == measure}
        answers[name] = Answer(float(result.aggregated[measure]), values)
    return answers


IR_MEASURES_PAIRS = tuple(
    Pair(theirs, mine)
    for theirs, mine in (
        ("AP", "AP"),
        ("AP@3", "AP@3"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("P@3", "P@3"),
        ("P(rel=2)@3", "P(rel=2)@3"),
        ("R@3", "R@3"),
        ("RR", "RR"),
        ("nDCG", "nDCG"),
        ("nDCG@3", "nDCG@3"),
        ("Rprec", "Rprec"),
        ("Bpref", "bpref"),
        ("infAP", "infAP"),
        ("IPrec@0.2", "IPrec@0.2"),
        ("Success@3", "success@3"),
        ("SetP", "SetP"),
        ("SetP(relative=True)", "SetRelativeP"),
        ("SetR", "SetR"),
        ("SetAP", "SetAP"),
        ("SetF", "SetF"),
        ("SetF(beta=2.0)", "SetF(b2=2)"),
        ("NumQ", "num_q"),
        ("NumRet", "num_ret"),
        ("NumRet(rel=1)", "num_rel_ret"),
        ("NumRel", "num_rel"),
    )
)
OTHER_PROVIDERS_PAIRS = (
    Pair("RR@3", "RR@3"),
    Pair("RR(rel=2)@3", "RR(rel=2)@3"),
    Pair("Judged@3", "Judged@3"),
    Pair("Judged@10", "Judged@10"),
    Pair("ERR@3", "ERR@3", places=5),
    Pair("ERR@10", "ERR@10", places=5),
    Pair("nDCG(dcg='exp-log2')@3", "nDCG(gain=exp)@3", places=5),
)


# ranx


def ask_ranx(case: Case, names: Sequence[str]) -> dict[str, Answer]:
    """With `make_comparable`: missing queries score 0, queries that are not judged go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        run = ranx.Run(case.run)
        result = ranx.evaluate(ranx.Qrels(case.qrels), run, list(names), make_comparable=True)
    means = result if isinstance(result, dict) else {names[0]: result}
    return {
        name: Answer(float(means[name]), {query: float(value) for query, value in run.scores[name].items()})
        for name in names
    }


RANX_PAIRS = tuple(
    Pair(theirs, mine)
    for theirs, mine in (
        ("map", "AP"),
        ("map@3", "AP@3"),
        ("map-l2", "AP(rel=2)"),
        ("precision@3", "P@3"),
        ("precision@3-l2", "P(rel=2)@3"),
        ("recall@3", "R@3"),
        ("f1@3", "F@3"),
        ("mrr", "RR"),
        ("mrr@3", "RR@3"),
        ("ndcg", "nDCG"),
        ("ndcg@3", "nDCG@3"),
        ("ndcg@3-l2", "nDCG(floor=2)@3"),
        ("ndcg_burges@3", "nDCG(gain=exp)@3"),
        ("dcg@3", "DCG@3"),
        ("dcg@3-l2", "DCG(floor=2)@3"),
        ("dcg_burges", "DCG(gain=exp)"),
        ("hits@3", "hits@3"),
        ("hits-l2", "hits(rel=2)"),
        ("r-precision", "Rprec"),
        ("hit_rate@3", "success@3"),
        ("rbp.80", "RBP(p=0.8)"),
        ("rbp.50-l2", "RBP(p=0.5,rel=2)"),
        ("precision", "SetP"),
        ("recall", "SetR"),
        ("f1", "SetF"),
    )
)
RANX_BPREF = Pair("bpref", "bpref")


def with_both_kinds(case: Case) -> Case:
    """Only queries with relevant and with irrelevant judgements: on the others ranx's bpref divides by 0."""
    fine = [
        query
        for query, grades in case.qrels.items()
        if any(grade >= 1 for grade in grades.values()) and any(grade < 1 for grade in grades.values())
    ]
    return case.only(fine)


LIGHT: tuple[LightPeer, ...] = (
    LightPeer("pytrec_eval", "pytrec_eval", PYTREC_PAIRS, ask_pytrec_eval),
    LightPeer("ir_measures", "ir_measures", (*IR_MEASURES_PAIRS, *OTHER_PROVIDERS_PAIRS), ask_ir_measures),
    LightPeer("ranx", "ranx", RANX_PAIRS, ask_ranx),
)
