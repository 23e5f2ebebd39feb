"""docs/reference/measures.md: all measures, from `rankscope.measures.ALL`."""

from __future__ import annotations

import inspect
import re
from dataclasses import Field, fields
from typing import Any

from rankscope.core.notation import is_required
from rankscope.measures import ALL, Measure
from rankscope.measures.evaluation.evaluate import evaluate
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

NEEDS = {"collection": "the size of the collection", "subtopics": "judgements of subtopics (`--subtopics`)"}
SUMMARY = {"mean": "mean over queries", "sum": "sum over queries", "geometric": "geometric mean over queries"}
INTRODUCTION = """
Write a measure as `NAME`, `NAME@10`, `NAME(parameter=value)` or `NAME(parameter=value)@10`. The names of trec_eval
(`map`, `ndcg_cut_10`, `P.5,10`) and its lists (`all_trec`, `official`, `set`) work too, and so do those of ranx
(`ndcg@10-l2`, `rbp.95`), ir_measures (`nDCG(dcg='exp-log2')@10`, `INST(max_rel=4)`), ndeval (`alpha-nDCG@20`) and
NTCIREVAL (`NCUguBR`). In the formulas R is the number of relevant items, k the cut-off, v(k) the number of hits
among the first k, cg(k) and cg*(k) the gains of the first k items and of the first k of the ideal order, S the number
of subtopics, d the size of the collection. A query without relevant items has no value and is left out of means,
unless a setting says otherwise ([settings](settings.md)).
""".strip()


EXAMPLE = """
The examples are values of one ranking, `a b c d e f g h`, of which a has grade 2, d 1, g 3, b and e 0, and f -1 (in the
pool, not judged); c and h are not judged. Two judged items were not found: x of grade 1 and y of grade 0. The
collection has 20 items. For measures of diversity a and d serve the first subtopic, d and g the second, x the third.
""".strip()
JUDGED = {"a": 2, "b": 0, "d": 1, "e": 0, "f": -1, "g": 3, "x": 1, "y": 0}
SUBTOPICS = {"1": {"a": 1, "d": 1}, "2": {"d": 1, "g": 1}, "3": {"x": 1}}


def page() -> str:
    """The page."""
    overview = table(
        ["measure", "meaning"], [[f"[{code(shape(kind))}](#{anchor(kind)})", first_sentence(kind)] for kind in ALL]
    )
    return whole_page("Measures", INTRODUCTION, EXAMPLE, overview, *(section(kind) for kind in ALL))


def section(kind: type[Measure]) -> str:
    """One measure."""
    facts = [
        ("Formula", code(kind.formula)),
        ("Example", example(kind)),
        ("Parameters", "; ".join(parameter(kind, each) for each in fields(kind) if each.name != "scope")),
        ("Also called", ", ".join(map(code, kind.aliases))),
        ("In trec_eval", ", ".join(map(code, trec_names(kind)))),
        ("Needs", ", ".join(words for need, words in NEEDS.items() if need in kind.needs)),
        ("Summary", summary(kind)),
        ("Source", kind.source),
    ]
    lines = [f"- {label}: {text}" for label, text in facts if text]
    return "\n\n".join([f"## {kind.name}", inspect.cleandoc(kind.__doc__ or ""), "\n".join(lines)])


def example(kind: type[Measure]) -> str:
    """Its value for the ranking that the page begins with."""
    if kind.summary == "none":
        return ""
    scope = next((each for each in fields(kind) if each.name == kind.behind_at), None)
    measure = kind() @ (0.5 if kind.name == "IPrec" else 5) if scope is not None and is_required(scope) else kind()
    judged = {"q": SUBTOPICS if "subtopics" in kind.needs else JUDGED}
    value = evaluate(judged, {"q": list("abcdefgh")}, [measure], collection_size=20)[str(measure)]
    return f"{code(str(measure))} = {value:.6g}"


def shape(kind: type[Measure]) -> str:
    """How it is written: `P@K`, `AP[@K]`, `RR`."""
    scope = next((each for each in fields(kind) if each.name == "scope"), None)
    if scope is None:
        return kind.name
    cut = "L" if kind.name == "IPrec" else "K"
    return f"{kind.name}@{cut}" if is_required(scope) else f"{kind.name}[@{cut}]"


def anchor(kind: type[Measure]) -> str:
    """Where its section is."""
    return re.sub(r"[^\w-]", "", kind.name.lower())


def first_sentence(kind: type[Measure]) -> str:
    """What it is, in short."""
    text = " ".join(inspect.cleandoc(kind.__doc__ or "").split())
    return text.partition(". ")[0].rstrip(".") + "."


def parameter(kind: type[Measure], which: Field[Any]) -> str:
    """A parameter, its default and what it may be."""
    default = "taken from the data" if which.default is None else which.default
    choices = kind.choices.get(which.name)
    return f"{code(which.name)} (default {default}" + (f"; {', '.join(map(str, choices))})" if choices else ")")


def trec_names(kind: type[Measure]) -> list[str]:
    """What trec_eval calls it."""
    names = [each for each in (kind.trec, kind.trec_cut) if each]
    return [re.sub(r"{scope[^}]*}", "0.10" if ":" in each else "K", each) for each in names]


def summary(kind: type[Measure]) -> str:
    """How values become one number, and which way is up."""
    if kind.summary == "none":
        return "none: it is a word, not a number"
    better = "" if kind.counts else "; lower is better" if kind.lower_is_better else "; higher is better"
    return SUMMARY[kind.summary] + better
