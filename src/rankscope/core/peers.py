"""The habits of other programs: settings that replace the defaults, parameters of measures, measures computed apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from rankscope.core.validation import OneOf, check

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Apart:
    """A measure that a peer computes apart from its others, with settings of its own.

    `cut`: only with a cut-off; `where`: only with these parameters.
    """

    measure: str
    settings: Mapping[str, Any]
    cut: bool = False
    where: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def is_about(self, measure: Any) -> bool:
        """Whether it speaks of a measure."""
        return (
            measure.name == self.measure
            and (not self.cut or getattr(measure, "scope", None) is not None)
            and all(getattr(measure, name) == value for name, value in self.where.items())
        )


@dataclass(frozen=True, eq=False)
class Peer:
    """A peer's habits: settings, parameters of measures that differ, and measures that it computes apart."""

    name: str
    settings: Mapping[str, Any]
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING)
    apart: tuple[Apart, ...] = ()
    run_in_tests: bool = False
    note: str = ""

    def settings_of(self, measure: Any) -> Mapping[str, Any]:
        """What a measure's settings differ in from the peer's others."""
        return next((each.settings for each in self.apart if each.is_about(measure)), NOTHING)


_TREC: dict[str, Any] = {"no_relevant": "zero", "queries": "judged", "ties": "trec_eval", "duplicates": "error"}
_NINE: dict[str, dict[str, Any]] = {"IPrec": {"levels": "trec_eval-9"}, "IPrec11": {"levels": "trec_eval-9"}}
_TEN: dict[str, dict[str, Any]] = {
    "IPrec": {"levels": "trec_eval-10"},
    "IPrec11": {"levels": "trec_eval-10"},
    "RBPResidual": {"judged": "zero"},
}

_CWL = ("RBP", "INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11")
_NDEVAL = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "AP_IA", "P_IA", "StRecall", "NRBP", "nNRBP")

PEERS: tuple[Peer, ...] = (
    Peer(
        "trec_eval-9",
        {**_TREC, "score_width": 32, "comments": False},
        _NINE,
        run_in_tests=True,
        note="release 9.0.8 with -c; its printed output is in the golden cases",
    ),
    Peer(
        "trec_eval-10",
        dict(_TREC),
        _TEN,
        run_in_tests=True,
        note="release 10.0 with -c; its printed output is in the golden cases",
    ),
    Peer(
        "pytrec_eval",
        {**_TREC, "queries": "answered", "score_width": 32, "comments": False},
        _NINE,
        run_in_tests=True,
        note="pytrec-eval-terrier: trec_eval 9 on the queries that the run answers",
    ),
    Peer(
        "ir_measures",
        {**_TREC, "score_width": 32, "duplicates": "last", "comments": False},
        {
            **_NINE,
            "ERR": {"top": 4.0},
            "Judged": {"divisor": "returned", "negative": "judged"},
            "RBP": {"horizon": 1000},
        },
        apart=(
            Apart("RR", {"ties": "ascending", "score_width": 64}, cut=True),
            Apart("Judged", {"ties": "ascending", "score_width": 64}),
            Apart("ERR", {"score_width": 64}),
            Apart("nDCG", {"score_width": 64}, cut=True, where={"gain": "exp"}),
            *(Apart(each, {"ties": "given", "score_width": 64}) for each in _CWL),
            *(Apart(each, {"ties": "ascending", "score_width": 64}) for each in _NDEVAL),
            Apart("Compat", {"ties": "ascending", "score_width": 64}),
            Apart("Accuracy", {"ties": "given", "score_width": 64, "no_relevant": "skip"}),
            Apart("num_q", {"queries": "answered"}),
            Apart("num_rel", {"queries": "answered"}),
        ),
        run_in_tests=True,
        note="pytrec_eval, but for RR@k, Judged@k, Compat and the measures of diversity (ties by ascending id), for "
        "ERR@k and nDCG(gain=exp)@k (gdeval, printed to five places), for RBP, INST, INSQ, BPM, SDCG and NERR8 to "
        "NERR11 (cwl_eval: ties in the order given, the first 1,000 items) and for Accuracy (ties in the order given), "
        "all of them on 64-bit scores",
    ),
    Peer(
        "ranx",
        {**_TREC, "ties": "given", "duplicates": "last", "comments": False},
        {"bpref": {"negative": "nonrelevant"}, "RBP": {"gain": "raw"}},
        run_in_tests=True,
        note="its sort is unstable in lists of more than 16 items: the stable reading is reproduced",
    ),
    Peer(
        "beir",
        {**_TREC, "queries": "answered", "score_width": 32, "duplicates": "last", "query_item": "removed"},
        _NINE,
        apart=(
            Apart("RR", {"ties": "given", "score_width": 64, "queries": "judged"}, cut=True),
            Apart("CappedRecall", {"ties": "given", "score_width": 64, "queries": "judged"}),
            Apart("success", {"ties": "given", "score_width": 64, "queries": "judged"}),
        ),
        note="pytrec_eval on lists from which the query itself is removed; its hole@k takes an item as judged if any "
        "query judged it, ours if this query did",
    ),
    Peer(
        "torchmetrics",
        {**_TREC, "ties": "given", "score_width": 32},
        {"AP": {"divisor": "found"}, "nDCG": {"negative": "both"}},
        apart=(Apart("nDCG", {"ties": "expected"}),),
        note="empty_target_action is neg (0) by default",
    ),
    Peer(
        "pytorch-metric-learning",
        {"ties": "given", "score_width": 32, "no_relevant": "skip"},
        {"AP": {"divisor": "found"}},
        note="lone labels are dropped; its MAP@R is AP(within=R), and MAP@R is understood",
    ),
    Peer(
        "open-metric-learning",
        {**_TREC, "ties": "given", "score_width": 32},
        {"AP": {"divisor": "found"}, "P": {"divisor": "min"}},
        note="a query with nothing relevant and nothing returned scores 1 there, 0 here",
    ),
    Peer(
        "revisitop",
        {"ties": "rank", "no_relevant": "skip", "query_item": "removed"},
        {"AP": {"area": "oxford"}, "P": {"divisor": "deepest"}},
        note="ranks are given; pass the junk items with --junk",
    ),
    Peer(
        "LIRE",
        {"ties": "rank", "no_relevant": "zero", "query_item": "counted"},
        note="the query counts as a hit, and R as one more",
    ),
)
COMPAT: tuple[str, ...] = tuple(each.name for each in PEERS)
PEER = OneOf(COMPAT)


def peer(name: str) -> Peer:
    """The habits of a peer.

    >>> peer("ranx").settings["ties"]
    'given'
    """
    return PEERS[COMPAT.index(check({"compat": name}, compat=PEER)["compat"])]
