"""A number per query: one short file each, listed here in the order people want to see them."""

from __future__ import annotations

from rankscope.measures.average_precision import AP, GMAP
from rankscope.measures.cascade import ERR, nERR
from rankscope.measures.counts import NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet
from rankscope.measures.coverage import Hole, Judged, Unjudged
from rankscope.measures.effectiveness import E, Effectiveness, Enorm, Estar, F, Generality, GeneralityIndex
from rankscope.measures.gain_measures import BinG, G
from rankscope.measures.image_retrieval import NMRR, Bullseye
from rankscope.measures.interpolated_precision import IPrec, IPrec11
from rankscope.measures.measure import Measure
from rankscope.measures.ndcg import Rndcg, nDCG, nDCGRel
from rankscope.measures.precision import P
from rankscope.measures.preferences import Bpref, GBpref, InfAP
from rankscope.measures.q_measure import Q
from rankscope.measures.r_precision import Rprec, RprecMult
from rankscope.measures.rank_biased import RBP, RBPResidual
from rankscope.measures.recall import CappedRecall, R
from rankscope.measures.reciprocal_rank import ER, RR, Success
from rankscope.measures.texts import Relstring, Runid
from rankscope.measures.whole_list import SetAP, SetF, SetP, SetR, SetRelativeP, Utility

ALL: tuple[type[Measure], ...] = (  # a new measure adds its import and its name here
    AP,
    nDCG,
    P,
    R,
    RR,
    Rprec,
    Success,
    F,
    GMAP,
    Bpref,
    InfAP,
    RBP,
    RBPResidual,
    ERR,
    nERR,
    Q,
    IPrec,
    IPrec11,
    CappedRecall,
    ER,
    NMRR,
    Bullseye,
    E,
    Effectiveness,
    Estar,
    Enorm,
    Generality,
    GeneralityIndex,
    Judged,
    Hole,
    Unjudged,
    SetP,
    SetR,
    SetRelativeP,
    SetAP,
    SetF,
    Utility,
    RprecMult,
    nDCGRel,
    Rndcg,
    BinG,
    G,
    GBpref,
    NumQ,
    NumRet,
    NumRel,
    NumRelRet,
    NumNonrelJudgedRet,
    Relstring,
    Runid,
)

__all__ = [
    "ALL",
    "AP",
    "ER",
    "ERR",
    "GMAP",
    "NMRR",
    "RBP",
    "RR",
    "BinG",
    "Bpref",
    "Bullseye",
    "CappedRecall",
    "E",
    "Effectiveness",
    "Enorm",
    "Estar",
    "F",
    "G",
    "GBpref",
    "Generality",
    "GeneralityIndex",
    "Hole",
    "IPrec",
    "IPrec11",
    "InfAP",
    "Judged",
    "Measure",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPResidual",
    "Relstring",
    "Rndcg",
    "Rprec",
    "RprecMult",
    "Runid",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelativeP",
    "Success",
    "Unjudged",
    "Utility",
    "nDCG",
    "nDCGRel",
    "nERR",
]
