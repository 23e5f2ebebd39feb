"""cwl_eval and pyNTCIREVAL: what each calls a measure, what we call it, and how it is asked query by query."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.conformance.cases import Case
from tests.conformance.peers import Answer, LightPeer, Pair

TOP = 4
Asked = dict[str, Callable[[], Any]]


def listed_grades(case: Case, query: str) -> list[int | None]:
    """The grades of a list in trec_eval's order, None for what is not judged."""
    run = case.run.get(query, {})
    order = sorted(run, key=lambda item: (run[item], item.encode()), reverse=True)
    return [case.qrels[query].get(item) for item in order]


def asked_by_query(case: Case, names: Sequence[str], value: Callable[[str, str], float]) -> dict[str, Answer]:
    """Every judged query that has a relevant item; one that is not answered scores 0."""
    queries = sorted(query for query, grades in case.qrels.items() if any(grade >= 1 for grade in grades.values()))
    answers = {}
    for name in names:
        values = {query: value(name, query) if case.run.get(query) else 0.0 for query in queries}
        answers[name] = Answer(sum(values.values()) / len(values) if values else np.nan, values)
    return answers


# cwl_eval

CWL_NAMES: tuple[tuple[str, str], ...] = (
    ("PrecisionCWLMetric(3) binary", "P@3"),
    ("PrecisionCWLMetric(3)", f"SET(beta=1,top={TOP})@3"),
    ("RRCWLMetric() binary", "RR"),
    ("APCWLMetric() binary", "AP(divisor=found)"),
    ("TrAPCWLMetric() binary", "AP"),
    ("RBPCWLMetric(0.9)", f"RBP(p=0.9,gain=graded,top={TOP},horizon=1000)"),
    ("NPVCWLMetric(0.25)", f"RBP(p=0.8,gain=graded,top={TOP},horizon=1000)"),
    ("NDCGCWLMetric(5)", f"SDCG(top={TOP})@5"),
    ("INSQCWLMetric(1.0)", f"INSQ(top={TOP})"),
    ("INSTCWLMetric(1.0)", f"INST(top={TOP})"),
    ("INSTCWLMetric(3.0)", f"INST(T=3,top={TOP})"),
    ("BPMCWLMetric(1.0,5)", f"BPM(top={TOP})@5"),
    ("BPMCWLMetric(2.0,10)", f"BPM(T=2,top={TOP})@10"),
    ("BPMDCWLMetric(1.0,5,1.0,1.0,0.5)", f"BPM(hb=1,top={TOP})@5"),
    ("NERReq8CWLMetric(5)", f"NERR8(top={TOP})@5"),
    ("NERReq9CWLMetric(5)", f"NERR9(top={TOP})@5"),
    ("NERReq10CWLMetric(0.9)", f"NERR10(top={TOP})"),
    ("NERReq11CWLMetric(1.0)", f"NERR11(top={TOP})"),
    ("IFTGoalCWLMetric(2.0,0.9,1.0)", f"IFT(by=goal,T=2,b1=0.9,R1=1,top={TOP})"),
    ("IFTRateCWLMetric(0.2,0.9,1.0)", f"IFT(by=rate,A=0.2,b2=0.9,R2=1,top={TOP})"),
    ("IFTGoalRateCWLMetric(2.0,0.9,10.0,0.2,0.9,10.0)", f"IFT(top={TOP})"),
    ("TBGCWLMetric(22.0)", f"TBG(halflife=22,top={TOP})"),
    ("UMeasureCWLMetric(1000)", f"Umeasure(top={TOP})"),
    ("UMeasureCWLMetric(7)", f"Umeasure(length=7,top={TOP})"),
    ("SETCWLMetric(0.5,5)", f"SET(top={TOP})@5"),
)
SHORT_ENOUGH = {"APCWLMetric"}  # quadratic in the depth, and looks at nothing behind the last gain


def cwl_classes() -> dict[str, type[Any]]:
    """Every measure in its folder of measures."""
    import importlib
    import pkgutil

    import cwl.ruler.measures as folder
    from cwl.ruler.measures.cwl_metrics import CWLMetric

    found: dict[str, type[Any]] = {}
    for each in pkgutil.iter_modules(folder.__path__):
        module = importlib.import_module(f"cwl.ruler.measures.{each.name}")
        found |= {name: kind for name, kind in vars(module).items() if isinstance(kind, type)}
    return {name: kind for name, kind in found.items() if issubclass(kind, CWLMetric) and kind is not CWLMetric}


def ask_cwl(case: Case, names: Sequence[str]) -> dict[str, Answer]:
    """The expected utility per item of each ranking, gains between 0 and 1, every item of cost 1."""
    from cwl.ruler.ranking import Ranking

    logging.getLogger("cwl").disabled = True
    kinds = cwl_classes()

    def value(name: str, query: str) -> float:
        written, _, binary = name.partition(" ")
        kind, _, inner = written.rstrip(")").partition("(")
        metric = kinds[kind](*(float(each) if "." in each else int(each) for each in inner.split(",") if each))
        metric.residuals = False  # TrAP's constructor leaves it out
        scale = (lambda grade: float(grade >= 1)) if binary else (lambda grade: grade / TOP)
        gains = [np.nan if grade is None else scale(grade) for grade in listed_grades(case, query)]
        depth = 30 if kind in SHORT_ENOUGH else 1000
        ranking = Ranking(query, np.array(gains), np.ones(len(gains)), max_n=depth)
        ranking.total_qrel_rels = float(sum(grade >= 1 for grade in case.qrels[query].values()))
        return float(metric.measure(ranking))

    return asked_by_query(case, names, value)


# pyNTCIREVAL

NTCIR_NAMES: tuple[tuple[str, str], ...] = (
    ("RR", "RR"),
    ("OMeasure", "Omeasure"),
    ("PMeasure", "Pmeasure"),
    ("PPlusMeasure", "Pplus"),
    ("AP", "AP"),
    ("AP@3", "AP(divisor=min)@3"),
    ("QMeasure", "Q"),
    ("QMeasure@3", "Q@3"),
    ("QMeasure exp", "Q(gain=exp)"),
    ("QMeasure own", "Q(gain={1:2,2:3,3:5,4:9})"),
    ("NCUguP", "NCU(beta=0)"),
    ("NCUguBR", "NCU"),
    ("NCUrbP", "NCU(stop=biased,beta=0)"),
    ("NCUrbBR", "NCU(stop=biased)"),
    ("RBP", f"RBP(p=0.95,gain=graded,top={TOP})"),
    ("ERR", f"ERR(top={TOP},gain=linear)"),
    ("ERR exp", f"ERR(top={TOP})"),
    ("nERR@3", f"nERR(top={TOP},gain=linear)@3"),
    ("nERR@3 exp", f"nERR(top={TOP})@3"),
    ("nDCG@5", "jnDCG@5"),
    ("nDCG@10 own", "jnDCG(gain={1:2,2:3,3:5,4:9})@10"),
    ("MSnDCG@5", "nDCG@5"),
    ("MSnDCG@5 exp", "nDCG(gain=exp)@5"),
    ("Precision@3", "P@3"),
    ("Hit@3", "success@3"),
)
NTCIR_GAINS = {"": [1, 2, 3, 4], "exp": [1, 3, 7, 15], "own": [2, 3, 5, 9]}


def ntcir_metric(name: str, levels: list[int]) -> Any:
    """The metric that a name with a cut-off and a word for gains means."""
    import pyNTCIREVAL.metrics as metrics

    written, _, gains = name.partition(" ")
    kind, _, at = written.partition("@")
    cut = int(at) if at else None
    if kind in ("RR",):
        return metrics.RR()
    if kind in ("Precision", "Hit"):
        return getattr(metrics, kind)(cut)
    graded = (levels, NTCIR_GAINS[gains])
    more: dict[str, tuple[Any, ...]] = {
        "OMeasure": (1.0,),
        "PMeasure": (1.0,),
        "PPlusMeasure": (1.0,),
        "AP": (cut,),
        "QMeasure": (1.0, cut),
        "NCUguP": (NTCIR_GAINS[gains],),
        "NCUguBR": (NTCIR_GAINS[gains], 1.0),
        "NCUrbP": (0.95,),
        "NCUrbBR": (0.95, 1.0),
        "RBP": (0.95,),
        "nERR": (cut,),
        "nDCG": (2.0, cut),
        "MSnDCG": (cut,),
    }
    return getattr(metrics, kind)(*graded, *more.get(kind, ()))


def ask_ntcir(case: Case, names: Sequence[str]) -> dict[str, Answer]:
    """The gains of levels 1 to 4 are 1 to 4 (its `-g 1:2:3:4`), 2^level - 1, or others."""

    def value(name: str, query: str) -> float:
        grades = list(case.qrels[query].values())
        levels = [grades.count(level) for level in range(TOP + 1)]
        return float(ntcir_metric(name, levels).compute([("", grade) for grade in listed_grades(case, query)]))

    return asked_by_query(case, names, value)


CWL = LightPeer("cwl_eval", "cwl", tuple(Pair(*each) for each in CWL_NAMES), ask_cwl, compat=None)
NTCIR = LightPeer("pyNTCIREVAL", "pyNTCIREVAL", tuple(Pair(*each) for each in NTCIR_NAMES), ask_ntcir, compat=None)
