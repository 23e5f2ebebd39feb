"""Every measure that a peer has, read off its own lists, and which of our measures it is compared with."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import distribution

from tests.conformance.diversity import NDEVAL_PAIRS
from tests.conformance.peers import IR_MEASURES_PAIRS, OTHER_PROVIDERS_PAIRS, PYTREC_PAIRS, RANX_BPREF, RANX_PAIRS, Pair
from tests.conformance.provided import ACCURACY_PAIRS, CWL_PAIRS
from tests.conformance.user_models import CWL, NTCIR, cwl_classes


def _pytrec_eval() -> list[str]:
    import pytrec_eval

    return sorted(pytrec_eval.supported_measures)


def _ir_measures() -> list[str]:
    import ir_measures.measures as measures

    return sorted({each.NAME for each in measures.registry.values()})


def _ranx() -> list[str]:
    """From its text: importing it takes long."""
    source = distribution("ranx").locate_file("ranx/metrics/__init__.py").read_text()
    return sorted(set(re.findall(r'metric == "([^"]+)"', source)))


def _cwl_eval() -> list[str]:
    return sorted(cwl_classes())


def _ntcir() -> list[str]:
    import pyNTCIREVAL.metrics as metrics

    kinds = {name for name, kind in vars(metrics).items() if isinstance(kind, type)}
    return sorted(kinds - {"Metric"})


def _ndeval() -> list[str]:
    import pyndeval

    return sorted(pyndeval.SUPPORTED_MEASURES)


LISTS: dict[str, Callable[[], list[str]]] = {
    "pytrec_eval": _pytrec_eval,
    "ir_measures": _ir_measures,
    "ranx": _ranx,
    "cwl_eval": _cwl_eval,
    "pyNTCIREVAL": _ntcir,
    "ndeval": _ndeval,
}
DIVERSITY = {  # ir_measures hands these to ndeval
    "alpha_nDCG": "alpha-nDCG",
    "alpha_DCG": "alpha-DCG",
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "P_IA": "P-IA",
    "AP_IA": "MAP-IA",
    "StRecall": "strec",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
}
PAIRS: dict[str, tuple[Pair, ...]] = {
    "pytrec_eval": PYTREC_PAIRS,
    "ir_measures": (*IR_MEASURES_PAIRS, *OTHER_PROVIDERS_PAIRS, *CWL_PAIRS, *ACCURACY_PAIRS),
    "ranx": (*RANX_PAIRS, RANX_BPREF),
    "cwl_eval": CWL.pairs,
    "pyNTCIREVAL": NTCIR.pairs,
    "ndeval": NDEVAL_PAIRS,
}
REASONS: dict[tuple[str, str], str] = {
    ("pytrec_eval", "relstring"): "a word, not a number: compared in trec_eval's own output",
    ("pytrec_eval", "runid"): "a word, not a number: compared in trec_eval's own output",
}


def base_name(peer: str, written: str) -> str:
    """The measure without its cut-off and options: `map_cut_5` is map_cut, `ndcg@3-l2` is ndcg."""
    if peer == "pytrec_eval":
        return re.sub(r"_\d[\d.]*$", "", written)
    if peer == "ranx":
        return re.sub(r"(\.\d+)?(@\d+)?(-l\d+)?$", "", written)
    return re.split(r"[(@ ]", written)[0]


def compared_with(peer: str, measure: str) -> list[str]:
    """What it is compared with here; nothing where it is missing."""
    found = [pair.ours for pair in PAIRS[peer] if base_name(peer, pair.theirs) == measure]
    if peer == "ir_measures" and measure in DIVERSITY:
        found += compared_with("ndeval", DIVERSITY[measure])
    return list(dict.fromkeys(found))
