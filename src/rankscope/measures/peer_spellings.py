"""Other programs' words for options and measures, in ours: `nDCG(dcg='exp-log2')`, `INST(max_rel=4)`, `NCUguP`."""

from __future__ import annotations

import re
from dataclasses import replace

from rankscope.catalogue import fold
from rankscope.errors import MeasureError
from rankscope.notation import Written

NAMES: dict[str, tuple[str, str]] = {  # theirs, lower case: our name, and the options it implies
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
OPTIONS = {"max_rel": "top", "min_rel": "low", "gains": "gain", "dcg": "gain", "cutoff": "@", "recall": "@"}
GAINS = {"log2": "linear", "exp-log2": "exp"}
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
    name, implied = NAMES.get(written.name.lower(), (written.name, ""))
    given = [(key, value.strip("'\"")) for key, value in written.given]
    given = [each for each in given if (each[0], each[1].lower()) not in WITHOUT_EFFECT]
    name, given = _other_measure(name, given, written.text)
    options = [each for each in given if OPTIONS.get(each[0]) != "@"]
    scopes = [value for key, value in given if OPTIONS.get(key) == "@"]
    inner = ",".join([*filter(None, [implied]), *(_option(key, value, name) for key, value in options)])
    if (name, inner, scopes) == (written.name, written.inner or "", []):
        return written
    return replace(written, name=name, inner=inner or None, scope=written.scope or "".join(scopes))


def _option(key: str, value: str, name: str) -> str:
    """An option in our words."""
    if key == "beta" and fold(name) == "setf":
        key = "b2"
    return f"{OPTIONS.get(key, key)}={GAINS.get(value, value) if key == 'dcg' else value}" if key else value


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
