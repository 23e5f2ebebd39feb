"""A number per query: one short file each, listed here in the order people want to see them.

Each is loaded when it is named: making the classes of all takes longer than computing a few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.catalogue import Later, later, load_attribute

if TYPE_CHECKING:
    from rankscope.measures.adaptive_users import BPM, IFT, INST, NERR8, NERR9, NERR10, NERR11
    from rankscope.measures.average_precision import AP, GMAP
    from rankscope.measures.cascade import ERR, iRBU, nERR
    from rankscope.measures.context import ContextPrecision, ContextRecall
    from rankscope.measures.counts import NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet
    from rankscope.measures.coverage import Hole, Judged, Unjudged
    from rankscope.measures.dcg import DCG, HitCount, jDCG, jnDCG
    from rankscope.measures.diversity import (
        AP_IA,
        ERR_IA,
        NRBP,
        P_IA,
        D_nDCG,
        Dsharp_nDCG,
        StRecall,
        alpha_DCG,
        alpha_nDCG,
        nERR_IA,
        nNRBP,
    )
    from rankscope.measures.effectiveness import E, Effectiveness, Enorm, Estar, F, Generality, GeneralityIndex
    from rankscope.measures.gain_measures import BinG, G
    from rankscope.measures.image_retrieval import NMRR, Bullseye
    from rankscope.measures.interpolated_precision import IPrec, IPrec11
    from rankscope.measures.measure import Measure
    from rankscope.measures.ndcg import Rndcg, nDCG, nDCGRel
    from rankscope.measures.one_item import EBR, Omeasure, Pmeasure, Pplus
    from rankscope.measures.precision import P
    from rankscope.measures.preferences import Bpref, GBpref, InfAP
    from rankscope.measures.q_measure import NCU, Q
    from rankscope.measures.r_precision import Rprec, RprecMult
    from rankscope.measures.rank_biased import RBP, RBPResidual
    from rankscope.measures.rank_overlap import Accuracy, Compat
    from rankscope.measures.recall import CappedRecall, R
    from rankscope.measures.reciprocal_rank import ER, RR, Success
    from rankscope.measures.steady_users import INSQ, SDCG, SET, TBG, Umeasure
    from rankscope.measures.texts import Relstring, Runid
    from rankscope.measures.whole_list import SetAP, SetF, SetP, SetR, SetRelativeP, Utility

    ALL: tuple[type[Measure], ...]

PLACES: dict[str, Later] = later(  # a new measure adds its line here, and its class above and below
    "rankscope.measures",
    {
        "AP": "average_precision:AP",
        "nDCG": "ndcg:nDCG",
        "P": "precision:P",
        "R": "recall:R",
        "RR": "reciprocal_rank:RR",
        "Rprec": "r_precision:Rprec",
        "success": "reciprocal_rank:Success",
        "F": "effectiveness:F",
        "GMAP": "average_precision:GMAP",
        "bpref": "preferences:Bpref",
        "infAP": "preferences:InfAP",
        "RBP": "rank_biased:RBP",
        "RBPResidual": "rank_biased:RBPResidual",
        "ERR": "cascade:ERR",
        "nERR": "cascade:nERR",
        "iRBU": "cascade:iRBU",
        "EBR": "one_item:EBR",
        "Q": "q_measure:Q",
        "NCU": "q_measure:NCU",
        "Omeasure": "one_item:Omeasure",
        "Pmeasure": "one_item:Pmeasure",
        "Pplus": "one_item:Pplus",
        "DCG": "dcg:DCG",
        "jDCG": "dcg:jDCG",
        "jnDCG": "dcg:jnDCG",
        "SDCG": "steady_users:SDCG",
        "INSQ": "steady_users:INSQ",
        "INST": "adaptive_users:INST",
        "BPM": "adaptive_users:BPM",
        "NERR8": "adaptive_users:NERR8",
        "NERR9": "adaptive_users:NERR9",
        "NERR10": "adaptive_users:NERR10",
        "NERR11": "adaptive_users:NERR11",
        "IFT": "adaptive_users:IFT",
        "TBG": "steady_users:TBG",
        "Umeasure": "steady_users:Umeasure",
        "SET": "steady_users:SET",
        "alpha_nDCG": "diversity:alpha_nDCG",
        "alpha_DCG": "diversity:alpha_DCG",
        "ERR_IA": "diversity:ERR_IA",
        "nERR_IA": "diversity:nERR_IA",
        "AP_IA": "diversity:AP_IA",
        "P_IA": "diversity:P_IA",
        "StRecall": "diversity:StRecall",
        "D_nDCG": "diversity:D_nDCG",
        "Dsharp_nDCG": "diversity:Dsharp_nDCG",
        "NRBP": "diversity:NRBP",
        "nNRBP": "diversity:nNRBP",
        "Compat": "rank_overlap:Compat",
        "Accuracy": "rank_overlap:Accuracy",
        "IPrec": "interpolated_precision:IPrec",
        "IPrec11": "interpolated_precision:IPrec11",
        "CappedRecall": "recall:CappedRecall",
        "ContextPrecision": "context:ContextPrecision",
        "ContextRecall": "context:ContextRecall",
        "hits": "dcg:HitCount",
        "ER": "reciprocal_rank:ER",
        "NMRR": "image_retrieval:NMRR",
        "Bullseye": "image_retrieval:Bullseye",
        "E": "effectiveness:E",
        "Effectiveness": "effectiveness:Effectiveness",
        "Estar": "effectiveness:Estar",
        "Enorm": "effectiveness:Enorm",
        "generality": "effectiveness:Generality",
        "generality_index": "effectiveness:GeneralityIndex",
        "Judged": "coverage:Judged",
        "hole": "coverage:Hole",
        "unj": "coverage:Unjudged",
        "SetP": "whole_list:SetP",
        "SetR": "whole_list:SetR",
        "SetRelativeP": "whole_list:SetRelativeP",
        "SetAP": "whole_list:SetAP",
        "SetF": "whole_list:SetF",
        "utility": "whole_list:Utility",
        "Rprec_mult": "r_precision:RprecMult",
        "nDCG_rel": "ndcg:nDCGRel",
        "Rndcg": "ndcg:Rndcg",
        "binG": "gain_measures:BinG",
        "G": "gain_measures:G",
        "gm_bpref": "preferences:GBpref",
        "num_q": "counts:NumQ",
        "num_ret": "counts:NumRet",
        "num_rel": "counts:NumRel",
        "num_rel_ret": "counts:NumRelRet",
        "num_nonrel_judged_ret": "counts:NumNonrelJudgedRet",
        "relstring": "texts:Relstring",
        "runid": "texts:Runid",
    },
)

__all__ = [
    "ALL",
    "AP",
    "AP_IA",
    "BPM",
    "DCG",
    "EBR",
    "ER",
    "ERR",
    "ERR_IA",
    "GMAP",
    "IFT",
    "INSQ",
    "INST",
    "NCU",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NMRR",
    "NRBP",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "SET",
    "TBG",
    "Accuracy",
    "BinG",
    "Bpref",
    "Bullseye",
    "CappedRecall",
    "Compat",
    "ContextPrecision",
    "ContextRecall",
    "D_nDCG",
    "Dsharp_nDCG",
    "E",
    "Effectiveness",
    "Enorm",
    "Estar",
    "F",
    "G",
    "GBpref",
    "Generality",
    "GeneralityIndex",
    "HitCount",
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
    "Omeasure",
    "P",
    "Pmeasure",
    "Pplus",
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
    "StRecall",
    "Success",
    "Umeasure",
    "Unjudged",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "iRBU",
    "jDCG",
    "jnDCG",
    "nDCG",
    "nDCGRel",
    "nERR",
    "nERR_IA",
    "nNRBP",
]


def __getattr__(name: str) -> Any:
    """All measures, or the class of one by its name."""
    if name == "ALL":
        return tuple(each.load() for each in PLACES.values())
    if name == "Measure":
        return Later("rankscope.measures.measure:Measure").load()
    return load_attribute(PLACES, name)
