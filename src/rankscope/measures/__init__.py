"""A number per query: one short file each, listed here in the order people want to see them.

Each is loaded when it is named: making the classes of all takes longer than computing a few.
"""

from __future__ import annotations

from typing import Any

from rankscope.core.catalogue import Later, later, load_attribute

PLACES: dict[str, Later] = later(  # a new measure adds its line here, and its class above and below
    "rankscope.measures",
    {
        "AP": "average_precision:AP",
        "nDCG": "dcg:nDCG",
        "P": "precision_recall:P",
        "R": "precision_recall:R",
        "RR": "reciprocal_rank:RR",
        "Rprec": "precision_recall:Rprec",
        "success": "reciprocal_rank:Success",
        "F": "effectiveness:F",
        "GMAP": "average_precision:GMAP",
        "bpref": "incomplete_judgements:Bpref",
        "infAP": "incomplete_judgements:InfAP",
        "RBP": "rank_biased:RBP",
        "RBPResidual": "rank_biased:RBPResidual",
        "ERR": "cascade:ERR",
        "nERR": "cascade:nERR",
        "iRBU": "cascade:iRBU",
        "EBR": "q_measure:EBR",
        "Q": "q_measure:Q",
        "NCU": "q_measure:NCU",
        "Omeasure": "q_measure:Omeasure",
        "Pmeasure": "q_measure:Pmeasure",
        "Pplus": "q_measure:Pplus",
        "DCG": "dcg:DCG",
        "jDCG": "dcg:jDCG",
        "jnDCG": "dcg:jnDCG",
        "SDCG": "user_models:SDCG",
        "INSQ": "user_models:INSQ",
        "INST": "user_models:INST",
        "BPM": "user_models:BPM",
        "NERR8": "user_models:NERR8",
        "NERR9": "user_models:NERR9",
        "NERR10": "user_models:NERR10",
        "NERR11": "user_models:NERR11",
        "IFT": "user_models:IFT",
        "TBG": "user_models:TBG",
        "Umeasure": "user_models:Umeasure",
        "SET": "user_models:SET",
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
        "Compat": "rank_biased:Compat",
        "Accuracy": "rank_biased:Accuracy",
        "IPrec": "precision_recall:IPrec",
        "IPrec11": "precision_recall:IPrec11",
        "CappedRecall": "precision_recall:CappedRecall",
        "ContextPrecision": "whole_list:ContextPrecision",
        "ContextRecall": "whole_list:ContextRecall",
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
        "Judged": "incomplete_judgements:Judged",
        "hole": "incomplete_judgements:Hole",
        "unj": "incomplete_judgements:Unjudged",
        "SetP": "whole_list:SetP",
        "SetR": "whole_list:SetR",
        "SetRelativeP": "whole_list:SetRelativeP",
        "SetAP": "whole_list:SetAP",
        "SetF": "whole_list:SetF",
        "utility": "whole_list:Utility",
        "Rprec_mult": "precision_recall:RprecMult",
        "nDCG_rel": "dcg:nDCGRel",
        "Rndcg": "dcg:Rndcg",
        "binG": "dcg:BinG",
        "G": "dcg:G",
        "gm_bpref": "incomplete_judgements:GBpref",
        "num_q": "counts:NumQ",
        "num_ret": "counts:NumRet",
        "num_rel": "counts:NumRel",
        "num_rel_ret": "counts:NumRelRet",
        "num_nonrel_judged_ret": "counts:NumNonrelJudgedRet",
        "relstring": "counts:Relstring",
        "runid": "counts:Runid",
    },
)

__all__ = ["ALL", "Measure", *sorted(each.address.partition(":")[2] for each in PLACES.values())]


def __getattr__(name: str) -> Any:
    """All measures, or the class of one by its name."""
    if name == "ALL":
        return tuple(each.load() for each in PLACES.values())
    if name == "Measure":
        return Later("rankscope.measures.measure:Measure").load()
    return load_attribute(PLACES, name)
