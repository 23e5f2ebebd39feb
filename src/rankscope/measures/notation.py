"""From what people write to measures: our notation, other programs' words, and trec_eval's families and lists."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import TypeAlias

from rankscope import measures as kinds
from rankscope.core.catalogue import closest, fold
from rankscope.core.errors import MeasureError
from rankscope.core.keywords import strict_keywords
from rankscope.core.notation import NamedCatalogue, Written, given_options, split_list
from rankscope.measures.measure import RECALL_LEVELS, Measure, with_level

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = tuple(step / 10 for step in range(2, 21, 2))
Maker = Callable[[float], Measure]
One: TypeAlias = str | Measure | type[Measure]
Asked: TypeAlias = Iterable[One] | One  # measures as people ask for them

TREC_FAMILIES: dict[str, tuple[Maker, tuple[float, ...]]] = {
    "iprec_at_recall": (lambda level: kinds.IPrec(level), RECALL_LEVELS),
    "P": (lambda k: kinds.P(_whole(k)), CUTS),
    "recall": (lambda k: kinds.R(_whole(k)), CUTS),
    "Rprec_mult": (lambda a: kinds.RprecMult(a), MULTIPLES),
    "ndcg_cut": (lambda k: kinds.nDCG(scope=_whole(k)), CUTS),
    "map_cut": (lambda k: kinds.AP(scope=_whole(k)), CUTS),
    "relative_P": (lambda k: kinds.CappedRecall(_whole(k)), CUTS),
    "success": (lambda k: kinds.Success(_whole(k)), (1, 5, 10)),
    "unj": (lambda k: kinds.Unjudged(_whole(k)), (5, 10, 20)),
}
TREC_SINGLE: dict[str, str] = {  # measures without a cut-off by trec_eval's names, as we write them
    "runid": "runid",
    "num_q": "num_q",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
    "map": "AP",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "relstring": "relstring",
    "infAP": "infAP",
    "gm_bpref": "gm_bpref",
    "utility": "utility",
    "11pt_avg": "IPrec11",
    "binG": "binG",
    "G": "G",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCG_rel",
    "Rndcg": "Rndcg",
    "set_P": "SetP",
    "set_relative_P": "SetRelativeP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "num_nonrel_judged_ret": "num_nonrel_judged_ret",
    "rbp_resid": "RBPResidual",
    "rbp": "RBP(p=0.9,gain=query)",
}
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
    "f1": lambda k: kinds.SetF() if k is None else kinds.F(k),
    "err": lambda k: kinds.ERR(scope=k),
}
METRIC_LEARNING = ("MAP@R", "mean_average_precision_at_r")
NUMBER = r"(?:\d+|\d*\.\d+)"
OTHER_CUT = re.compile(rf"(?P<name>.*?[^\W\d_])(?:[_-]?(?:at|cut|top)|[_-])?[_-]?(?P<cut>{NUMBER})", re.IGNORECASE)
RANX_LEVEL = re.compile(r"(.+)-l(\d+)")  # ndcg@10-l2
RANX_RBP = re.compile(r"rbp\.(\d+)")  # rbp.95


def _whole(cut: float) -> int:
    """A cut-off of a family, which must count items."""
    if not math.isfinite(cut) or cut != int(cut):
        raise MeasureError(f"a cut-off must be a whole number, got {cut:g}")
    return int(cut)


MEASURES: NamedCatalogue[Measure] = NamedCatalogue(
    "measure",
    kinds.PLACES,
    example="P(rel=2)@10",
    group="rankscope.measures",
    error=MeasureError,
    advice="`rankscope measures` lists all there are",
    aliased=True,
)


@strict_keywords
def parse_measure(text: str, rel: float = 1) -> Measure:
    """One measure as people write it; `rel` is the level for a measure that does not say its own.

    >>> parse_measure("P(rel=2)@10")
    P(scope=10, rel=2.0, divisor='k')
    >>> print(parse_measure("ndcg_cut_10"), parse_measure("MRR@10"), parse_measure("RBP(.5, gain=graded)"))
    nDCG@10 RR@10 RBP(p=0.5,gain=graded)
    >>> print(parse_measure("nDCG(dcg='exp-log2')@10"), parse_measure("INST(T=2, max_rel=4)"), parse_measure("NumRet"))
    nDCG(gain=exp)@10 INST(T=2,top=4) num_ret
    """
    if level := RANX_LEVEL.fullmatch(text):
        measure = parse_measure(level[1], float(level[2]))
        return replace(measure, floor=float(level[2])) if isinstance(measure, kinds.nDCG | kinds.DCG) else measure
    if persistence := RANX_RBP.fullmatch(text):
        return with_level(kinds.RBP(p=float(f"0.{persistence[1]}")), rel)
    if text in METRIC_LEARNING:
        return with_level(kinds.AP(within="R"), rel)
    if text in TREC_SINGLE:
        return with_level(trec_single(text), rel)
    if family := _of_family(text):
        return with_level(family, rel)
    written = respell(MEASURES.take_apart(text))
    peer = PEER_NAMES.get(written.name.lower())
    if peer and not written.given and (not written.scope or written.scope.isdecimal()):
        return with_level(peer(int(written.scope) if written.scope else None), rel)
    if written.name not in MEASURES:
        raise MeasureError(MEASURES.not_found(written.name, _meant(written)))
    kind = MEASURES.find(written.name)
    return with_level(kind.from_written(written), rel, said=given_options(kind, written))


def meant_measure(text: str) -> str:
    """What to suggest for a measure that is written as other tools write it, or wrongly; "" for nothing.

    >>> [meant_measure(text) for text in ("recall_at_5", "ndcg10", "Precison@20", "average_precision_score", "zzz")]
    ['R@5', 'nDCG@10', 'P@20', 'AP', '']
    """
    try:
        return _meant(respell(MEASURES.take_apart(text)))
    except MeasureError:
        return ""


def _meant(written: Written) -> str:
    match = OTHER_CUT.fullmatch(written.name)
    name, cut = (match["name"], match["cut"]) if match and not written.scope else (written.name, written.scope)
    base = _base(name) if written.inner is None else ""
    for wanted in (f"{base}@{cut}", base, f"{base}@10") if base else ():
        try:
            return str(parse_measure(wanted))
        except MeasureError:
            continue
    return ""


def _base(name: str) -> str:
    """The measure that a name without its cut-off means, by whatever spelling is near."""
    plain = fold(name).removesuffix("_score").removesuffix("_at_k")
    known = {fold(each): each for each in (*MEASURES.own_names(), *MEASURES.own_aliases())}
    known |= {fold(theirs): ours for theirs, ours in (*TREC_SINGLE.items(), *ELSEWHERE.items())}
    spelled = next((each for each in (plain, plain.removeprefix("mean_")) if each in known), "")
    return known.get(spelled or closest(plain, known), "")


@cache
def trec_single(name: str) -> Measure:
    """The measure without a cut-off that trec_eval calls so.

    >>> trec_single("recip_rank")
    RR(rel=1.0, scope=None)
    """
    return MEASURES.parse(TREC_SINGLE[name])


@strict_keywords
def parse_measures(texts: Asked, rel: float = 1, compat: str | None = None) -> list[Measure]:
    """Measures from names, comma-separated names, trec_eval's families (`P.5,10`) and lists (`all_trec`); each once.

    Measures may stand among them, and classes of measures for those with the usual options.
    >>> [str(measure) for measure in parse_measures("AP, P.5,10")]
    ['AP', 'P@5', 'P@10']
    >>> from rankscope.measures import AP, P, nDCG
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
            whole = text() if isinstance(text, type) else text
            if whole.needs_cut:
                raise MeasureError(f"'{whole}': {whole.name} needs a cut-off, for instance {whole}@10")
            measures.setdefault(whole)
            continue
        for part in split_list(text, families=True):
            for measure in _expanded(part, rel, compat):
                measures.setdefault(measure)
    if not measures:
        raise MeasureError("no measure was asked for")
    return tuple(measures)


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
    family, _, cut = text.rpartition("_")
    if family not in TREC_FAMILIES or not re.fullmatch(NUMBER, cut):
        return None
    return TREC_FAMILIES[family][0](float(cut))


# Other programs' words for options and measures, in ours: `nDCG(dcg='exp-log2')`, `INST(max_rel=4)`, `NCUguP`.

THEIR_NAMES: dict[str, tuple[str, str]] = {  # theirs, lower case: our name, and the options it implies
    "ncugup": ("NCU", "beta=0"),
    "ncugubr": ("NCU", ""),
    "ncurbp": ("NCU", "stop=biased,beta=0"),
    "ncurbbr": ("NCU", "stop=biased"),
    "msndcg": ("nDCG", ""),
    "dcg_burges": ("DCG", "gain=exp"),
    "ndcg_burges": ("nDCG", "gain=exp"),
    "id_based_context_precision": ("ContextPrecision", "count=set"),
    "id_based_context_recall": ("ContextRecall", ""),
}
ELSEWHERE = {  # what others call measures, as `fold` gives it: what is suggested for it
    "prec": "P",
    "rec": "R",
    "hit": "success",
    "hit_rate": "success",
    "hitrate": "success",
    "hit_ratio": "success",
    "hr": "success",
    "top_k_accuracy": "success",
    "label_ranking_average_precision": "AP",
    "mean_ap": "AP",
    "m_ap": "AP",
    "ap_score": "AP",
    "recip": "RR",
    "r_cap": "CappedRecall",
    "recall_cap": "CappedRecall",
    "capped_recall": "CappedRecall",
    "f_score": "F",
    "f_beta": "F",
}
THEIR_OPTIONS = {"max_rel": "top", "min_rel": "low", "gains": "gain", "dcg": "gain", "cutoff": "@", "recall": "@"}
THEIR_GAINS = {"log2": "linear", "exp-log2": "exp"}
WITHOUT_EFFECT = {("judged_only", "false"), ("relative", "false"), ("dcg", "log2")}
RANX_RBP_AT = re.compile(r"rbp@(\d+)")


def respell(written: Written) -> Written:
    """The same in our words; what is ours already stays as it is.

    >>> respell(Written("", "nDCG", "dcg='exp-log2',cutoff=10"))
    Written(text='', name='nDCG', inner='gain=exp', scope='10')
    """
    if at := RANX_RBP_AT.fullmatch(written.text.strip()):
        raise MeasureError(
            f"'{written.text}' could mean two things: write rbp.{at[1]} for ranx's persistence, or RBP(p=0.8)@{at[1]} "
            "for a cut-off"
        )
    name, implied = THEIR_NAMES.get(written.name.lower(), (written.name, ""))
    given = [(key, value.strip("'\"")) for key, value in written.given]
    given = [each for each in given if (each[0], each[1].lower()) not in WITHOUT_EFFECT]
    name, given = _other_measure(name, given, written.text)
    options = [each for each in given if THEIR_OPTIONS.get(each[0]) != "@"]
    scopes = [value for key, value in given if THEIR_OPTIONS.get(key) == "@"]
    inner = ",".join([*filter(None, [implied]), *(_option(key, value, name) for key, value in options)])
    if (name, inner, scopes) == (written.name, written.inner or "", []):
        return written
    return replace(written, name=name, inner=inner or None, scope=written.scope or "".join(scopes))


def _option(key: str, value: str, name: str) -> str:
    if key == "beta" and fold(name) == "setf":
        key = "b2"
    return f"{THEIR_OPTIONS.get(key, key)}={THEIR_GAINS.get(value, value) if key == 'dcg' else value}" if key else value


def _other_measure(name: str, given: list[tuple[str, str]], text: str) -> tuple[str, list[tuple[str, str]]]:
    """Where an option of theirs makes a measure of its own here."""
    keys = [key for key, _ in given]
    if "judged_only" in keys:
        raise MeasureError(
            f"'{text}': what is not judged is left out for all measures of a call together: give --judged-only "
            "(judged_only=True in Python)"
        )
    if name == "NumRet" and "rel" in keys:
        return "num_rel_ret", given
    if name == "SetP" and "relative" in keys:
        return "SetRelativeP", [each for each in given if each[0] != "relative"]
    return name, given
