"""What ir_measures leaves to cwl_eval, and the two measures of its own that order ties in their own way."""

from __future__ import annotations

from tests.conformance.peers import LightPeer, Pair, ask_ir_measures

CWL_PAIRS = tuple(
    Pair(*each)
    for each in (
        ("RBP(rel=1)", "RBP"),
        ("RBP(p=0.5,rel=2)", "RBP(p=0.5,rel=2)"),
        ("INST(max_rel=4)", "INST(top=4)"),
        ("INST(T=2.0,min_rel=1,max_rel=4)", "INST(T=2,top=4,low=1)"),
        ("INSQ(max_rel=4)", "INSQ(top=4)"),
        ("BPM(max_rel=4)@5", "BPM(top=4)@5"),
        ("SDCG(max_rel=4)@5", "SDCG(top=4)@5"),
        ("NERR8(max_rel=4)@5", "NERR8(top=4)@5"),
        ("NERR9(max_rel=4)@5", "NERR9(top=4)@5"),
        ("NERR10(max_rel=4)", "NERR10(top=4)"),
        ("NERR11(max_rel=4)", "NERR11(top=4)"),
    )
)
ACCURACY_PAIRS = (
    Pair("Compat", "Compat"),
    Pair("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=false)"),
    Pair("Accuracy", "Accuracy"),
    Pair("Accuracy(rel=2)", "Accuracy(rel=2)"),
    Pair("nDCG(gains={1:3,2:5})@3", "nDCG(gain={1:3,2:5})@3"),
    Pair("NumRelRet", "num_rel_ret"),
)
PROVIDED = LightPeer(
    "ir_measures and cwl_eval", "ir_measures", (*CWL_PAIRS, *ACCURACY_PAIRS), ask_ir_measures, compat="ir_measures"
)
