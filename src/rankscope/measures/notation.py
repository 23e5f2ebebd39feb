"""From what people write to measures: our notation, the peers' names, and trec_eval's families and lists."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import TypeAlias

from rankscope.errors import MeasureError
from rankscope.measures import (
    ALL,
    AP,
    ERR,
    GMAP,
    RBP,
    RR,
    BinG,
    Bpref,
    CappedRecall,
    F,
    G,
    GBpref,
    InfAP,
    IPrec,
    IPrec11,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    RBPResidual,
    Relstring,
    Rndcg,
    Rprec,
    RprecMult,
    Runid,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelativeP,
    Success,
    Unjudged,
    Utility,
    nDCG,
    nDCGRel,
)
from rankscope.measures.interpolated_precision import LEVELS
from rankscope.measures.measure import with_level
from rankscope.notation import NamedCatalogue, given_options, split_list

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = tuple(step / 10 for step in range(2, 21, 2))
Maker = Callable[[float], Measure]
One: TypeAlias = str | Measure | type[Measure]
Asked: TypeAlias = Iterable[One] | One  # measures as people ask for them

TREC_FAMILIES: dict[str, tuple[Maker, tuple[float, ...]]] = {
    "iprec_at_recall": (IPrec, LEVELS),
    "P": (lambda k: P(_whole(k)), CUTS),
    "recall": (lambda k: R(_whole(k)), CUTS),
    "Rprec_mult": (RprecMult, MULTIPLES),
    "ndcg_cut": (lambda k: nDCG(scope=_whole(k)), CUTS),
    "map_cut": (lambda k: AP(scope=_whole(k)), CUTS),
    "relative_P": (lambda k: CappedRecall(_whole(k)), CUTS),
    "success": (lambda k: Success(_whole(k)), (1, 5, 10)),
    "unj": (lambda k: Unjudged(_whole(k)), (5, 10, 20)),
}
TREC_SINGLE: tuple[Measure, ...] = (
    Runid(),
    NumQ(),
    NumRet(),
    NumRel(),
    NumRelRet(),
    AP(),
    GMAP(),
    Rprec(),
    Bpref(),
    RR(),
    Relstring(),
    InfAP(),
    GBpref(),
    Utility(),
    IPrec11(),
    BinG(),
    G(),
    nDCG(),
    nDCGRel(),
    Rndcg(),
    SetP(),
    SetRelativeP(),
    SetR(),
    SetAP(),
    SetF(),
    NumNonrelJudgedRet(),
    RBPResidual(),
    RBP(p=0.9, gain="query"),
)
ALL_TREC: tuple[str, ...] = (
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
    "relstring",
    "recall",
    "infAP",
    "gm_bpref",
    "Rprec_mult",
    "utility",
    "11pt_avg",
    "binG",
    "G",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    "ndcg_cut",
    "map_cut",
    "relative_P",
    "success",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
    "rbp_resid",
    "unj",
)
NOT_IN_NINE = ("rbp_resid", "unj")
LISTS: dict[str, tuple[str, ...]] = {
    "all_trec": ALL_TREC,
    "official": (*ALL_TREC[:10], "iprec_at_recall", "P"),
    "set": ("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
}
PEER_NAMES: dict[str, Callable[[int | None], Measure]] = {
    "ndcg_burges": lambda k: nDCG(gain="exp", scope=k),
    "f1": lambda k: SetF() if k is None else F(k),
    "err": lambda k: ERR(scope=k),
}
METRIC_LEARNING: dict[str, Measure] = {"MAP@R": AP(within="R"), "mean_average_precision_at_r": AP(within="R")}
NUMBER = r"(?:\d+|\d*\.\d+)"
RANX_LEVEL = re.compile(r"(.+)-l(\d+)")  # ndcg@10-l2
RANX_RBP = re.compile(r"rbp\.(\d+)")  # rbp.95


def _whole(cut: float) -> int:
    """A cut-off of a family, which must count items."""
    if not math.isfinite(cut) or cut != int(cut):
        raise MeasureError(f"a cut-off must be a whole number, got {cut:g}")
    return int(cut)


MEASURES: NamedCatalogue[Measure] = NamedCatalogue(
    "measure",
    ALL,
    example="P(rel=2)@10",
    group="rankscope.measures",
    error=MeasureError,
    advice="`rankscope measures` lists all there are",
)


def parse_measure(text: str, rel: float = 1) -> Measure:
    """One measure as people write it; `rel` is the level for a measure that does not say its own.

    >>> parse_measure("P(rel=2)@10")
    P(scope=10, rel=2.0, divisor='k')
    >>> print(parse_measure("ndcg_cut_10"), parse_measure("MRR@10"), parse_measure("RBP(.5, gain=graded)"))
    nDCG@10 RR@10 RBP(p=0.5,gain=graded)
    """
    if level := RANX_LEVEL.fullmatch(text):
        measure = parse_measure(level[1], float(level[2]))
        return replace(measure, floor=float(level[2])) if isinstance(measure, nDCG) else measure
    if persistence := RANX_RBP.fullmatch(text):
        return with_level(RBP(p=float(f"0.{persistence[1]}")), rel)
    if text in METRIC_LEARNING:
        return with_level(METRIC_LEARNING[text], rel)
    if text in _trec_names():
        return with_level(_trec_names()[text], rel)
    if family := _of_family(text):
        return with_level(family, rel)
    written = MEASURES.take_apart(text)
    peer = PEER_NAMES.get(written.name.lower())
    if peer and not written.given and (not written.scope or written.scope.isdecimal()):
        return with_level(peer(int(written.scope) if written.scope else None), rel)
    kind = MEASURES.find(written.name)
    return with_level(kind.from_written(written), rel, said=given_options(kind, written))


@cache
def _trec_names() -> dict[str | None, Measure]:
    """Measures without a cut-off by trec_eval's names."""
    return {measure.trec_name(): measure for measure in TREC_SINGLE}


def parse_measures(texts: Asked, rel: float = 1, compat: str | None = None) -> list[Measure]:
    """Measures from names, comma-separated names, trec_eval's families (`P.5,10`) and lists (`all_trec`); each once.

    Measures may stand among them, and classes of measures for those with the usual options.
    >>> [str(measure) for measure in parse_measures("AP, P.5,10")]
    ['AP', 'P@5', 'P@10']
    >>> [str(measure) for measure in parse_measures([AP, P @ 10, nDCG(gain="exp") @ 20])]
    ['AP', 'P@10', 'nDCG(gain=exp)@20']
    """
    asked = (texts,) if isinstance(texts, str | Measure | type) else tuple(texts)
    return list(_parsed(asked, rel, compat))


@lru_cache(maxsize=256)
def _parsed(texts: tuple[One, ...], rel: float, compat: str | None) -> tuple[Measure, ...]:
    """The same, once for all calls that ask for the same: a training loop asks again and again."""
    measures: dict[Measure, None] = {}
    for text in texts:
        if not isinstance(text, str):
            measures.setdefault(_whole_measure(text() if isinstance(text, type) else text))
            continue
        for part in split_list(text, families=True):
            for measure in _expanded(part, rel, compat):
                measures.setdefault(measure)
    if not measures:
        raise MeasureError("no measure was asked for")
    return tuple(measures)


def _whole_measure(measure: Measure) -> Measure:
    """The measure itself; one that lacks its cut-off is an error."""
    if measure.needs_cut:
        raise MeasureError(f"'{measure}': {measure.name} needs a cut-off, for instance {measure}@10")
    return measure


def _expanded(text: str, rel: float, compat: str | None) -> list[Measure]:
    if text in LISTS:
        skipped = NOT_IN_NINE if compat == "trec_eval-9" else ()
        return [each for name in LISTS[text] if name not in skipped for each in _expanded(name, rel, compat)]
    family, _, cuts = text.partition(".")
    if family in TREC_FAMILIES and (not cuts or re.fullmatch(rf"{NUMBER}(,{NUMBER})*", cuts)):
        make, usual = TREC_FAMILIES[family]
        chosen = sorted(float(cut) for cut in split_list(cuts)) if cuts else usual
        return [with_level(make(cut), rel) for cut in chosen]
    return [parse_measure(text, rel)]


def _of_family(text: str) -> Measure | None:
    """`ndcg_cut_10`, `iprec_at_recall_0.10`."""
    family, _, cut = text.rpartition("_")
    if family not in TREC_FAMILIES or not re.fullmatch(NUMBER, cut):
        return None
    return TREC_FAMILIES[family][0](float(cut))
