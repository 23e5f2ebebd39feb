"""docs/conformance.md: whose numbers come out, by running the peers that are light enough and by reading the others."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from rankscope.core.peers import PEERS
from tests.conformance.cases import GRADES, WITH_NEGATIVE, Case, plain_case, seeded_case
from tests.conformance.diversity import AT_ONE, NDEVAL_PAIRS, UNDIVIDED, divided_case, divided_differences
from tests.conformance.fusing import BY_PLACES, BY_SCORES, ask_ranx, is_equal, whole_runs
from tests.conformance.inventory import LISTS, REASONS, compared_with
from tests.conformance.peers import LIGHT, RANX_BPREF, LightPeer, Pair, differences, ours, with_both_kinds
from tests.conformance.provided import PROVIDED
from tests.conformance.user_models import CWL, NTCIR
from tests.measures.fusion.cases import CASES as FUSED
from tests.measures.fusion.cases import NORMS
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
PACKAGES = {
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
    "cwl": "cwl-eval",
    "pyNTCIREVAL": "pyNTCIREVAL",
}
RUN = (*LIGHT, PROVIDED, CWL, NTCIR)
CASES, QUERIES = 40, 6
INTRODUCTION = """
Which programs' numbers rankscope gives, measure by measure. *Equal* means: the value of each query and the mean agree
to nine digits (or to the digits that the peer prints).

Two kinds of cases were run. *Plain* ones have no equal scores, and each query is answered and has relevant items. Those
full of *traps* have ties, scores that differ only behind 32 bits, ids whose bytes sort unlike their numbers, missing
queries, queries that are not judged and queries without relevant items. The column *default* says what happens without
`--compat`, when every judged query that has a relevant item counts.
""".strip()
READ = """
These are too large to install next to the tests. Their rules were taken from their source, and small values derived by
hand are in `tests/conformance/test_by_reading.py`.
""".strip()
KNOWN: dict[str, tuple[str, ...]] = {
    "pytrec_eval": (
        "Grades below 0 make it write outside its arrays (release 0.5.11): it may hang or die, so they are compared "
        "only in a process of their own; trec_eval itself has no trouble with them.",
        "A query with an empty list is answered to it and missing to a table of rows. "
        "`rankscope.measures.evaluation.relevance_evaluator.RelevanceEvaluator` takes its side.",
        "NaN scores are ranked last there and are an error here.",
    ),
    "ir_measures": (
        "RR and RR@k break the same tie in two ways, because two programs compute them; both are reproduced. "
        "`--ties trec_eval` by hand makes them agree.",
        "ERR@k and nDCG(dcg='exp-log2')@k come from gdeval, which prints five places and wants numbers as query ids.",
        "A query with an empty judgement dictionary counts as 0 in most of its means; here it is not a judged query.",
        "Of an item judged twice the last judgement counts, but any of them for RR@k; here the last one throughout.",
        "`judged_only=True` is a parameter of single measures there; here `--judged-only` holds for all measures of a "
        "call, and the error for the parameter says so.",
        "RBP@k and RBP without `rel` come from trectools, which takes the grade itself as the gain: "
        "`RBP(gain=raw)@k` here, by reading.",
    ),
    "ir_measures and cwl_eval": (
        "These are the measures that ir_measures leaves to cwl_eval, and three that it computes itself.",
        "Grades above `max_rel` count as `max_rel` there, with a warning; here they are an error that says which `top` "
        "to give. Without `max_rel` the highest grade of the judgements is taken here, and an error raised there.",
        "Accuracy of a list that holds hits alone stops there with a division by 0; here the query has no value.",
        "Compat's ideal order takes the score of an item that was not found for 0, so that it comes before items of "
        "negative scores; here it comes last in its grade. Queries with negative scores were left out.",
        "`gains` may give a gain to grade 0 there; here that is an error.",
    ),
    "cwl_eval": (
        "The value is the expected utility per item, which its `measure` returns. It prints further columns (total "
        "utility, cost, items seen) and residuals; they are not computed here.",
        "Every item costs 1 here: costs by the type of an item, from a file, are not read.",
        "It reads gains between 0 and 1; here grades are divided by `top`. Rows marked *binary* were given gains of 0 "
        "and 1. Its AP divides by the relevant items found.",
        "TrAP stops with an AttributeError in release 1.0.12; it was run with the attribute that its constructor "
        "leaves out.",
        "The dynamic Bejeweled player never changes his patience there, because the loop updates another variable; "
        "here `hc` does what the paper says.",
    ),
    "pyNTCIREVAL": (
        "Gains of levels 1 to 4 were 1 to 4; rows marked *exp* had 2^level - 1, rows marked *own* 2, 3, 5 and 9.",
        "Its nDCG is that of Järvelin and Kekäläinen, `jnDCG` here; its MSnDCG is `nDCG`. AP@k and Q@k divide by the "
        "smaller of R and k.",
        "It computes one ranked list at a time and stops with a division by 0 where nothing is relevant.",
        "iRBU and EBR are in later papers of its author and not in this package: they are checked against their "
        "definitions in plain Python, and by values worked by hand.",
    ),
    "ranx": (
        "Its sort is not stable in lists of more than 16 items: equal scores then stand in an order of its own. The "
        "order given is what `--compat ranx` means.",
        "Its bpref is NaN for a query without judged irrelevant items, and a query without relevant items ends the "
        "loop, which leaves 0 for queries behind it; bpref is compared on queries that have both.",
        "Of an item that comes twice in a file the last score counts in the place of the first line; the place matters "
        "only if the score is tied.",
    ),
}
WHY: dict[str, str] = {  # where even plain cases differ by default
    "IPrec11": "recall levels become hits in another way",
    "IPrec": "recall levels become hits in another way",
    "RBP": "the grade itself is the gain there",
    "Judged": "short lists are forgiven there",
    "ERR": "the top grade is 4 there",
}
UNDER = "equal under --compat"
BY_READING: tuple[tuple[str, str, str, str], ...] = (
    ("ir_measures", "RBP@k", UNDER, "trectools: the grade itself is the gain, RBP(gain=raw)@k"),
    ("beir", "nDCG@k, AP@k, R@k, P@k", UNDER, "pytrec_eval on answered queries, the query removed; five places"),
    ("beir", "RR@k", UNDER, "all judged queries, ties in the order given, 64-bit scores"),
    ("beir", "CappedRecall@k", UNDER, "all judged queries, ties in the order given, 64-bit scores"),
    ("beir", "hole@k", "different", "an item counts as judged if any query judged it; ours looks at this query only"),
    ("beir", "success@k", UNDER, "top_k_accuracy of 2.2.0: all judged queries, ties in the order given, 64-bit scores"),
    ("torchmetrics", "AP[@k]", UNDER, "divides by the relevant items found within k"),
    ("torchmetrics", "nDCG[@k]", UNDER, "mean over the orders of equal scores; negative grades take away"),
    ("torchmetrics", "P@k, R@k, RR, success@k, Rprec", UNDER, "ties in the order given; no relevant item counts 0"),
    ("pytorch-metric-learning", "P@1, Rprec", UNDER, "queries alone in their class are left out, as by default"),
    ("pytorch-metric-learning", "MAP@R", UNDER, "written MAP@R or AP(within=R)"),
    ("pytorch-metric-learning", "AP@k", UNDER, "divides by the relevant items among its k neighbours"),
    ("open-metric-learning", "AP@k", UNDER, "divides by the relevant items found within k"),
    ("open-metric-learning", "P@k", UNDER, "divides by the smaller of k and R"),
    ("open-metric-learning", "success@k", UNDER, "called CMC there"),
    ("open-metric-learning", "no relevant items", "different", "1 there if nothing is returned either, 0 here"),
    ("revisitop", "AP", UNDER, "trapezoid area; junk (--junk) and the query leave the list first"),
    ("revisitop", "P@k", UNDER, "divides by the smaller of k and the rank of the deepest positive"),
    ("LIRE", "AP, P@10, ER", UNDER, "the query counts as a hit, and R as one more"),
)


def page() -> str:
    """The page."""
    missing = {peer.name for peer in PEERS} - {
        "trec_eval-9",
        "trec_eval-10",
        *(peer.name for peer in RUN),
        *(row[0] for row in BY_READING),
    }
    if missing:
        raise SystemExit(f"the conformance page says nothing of {', '.join(sorted(missing))}: add it to tools/docs")
    rows = [[code(peer), measures, status, why] for peer, measures, status, why in BY_READING]
    return whole_page(
        "Conformance",
        INTRODUCTION,
        trec_eval(),
        inventory(),
        *(section(peer) for peer in RUN),
        ndeval(),
        fusion(),
        "## By reading",
        READ,
        table(["peer", "measure", "result", "why"], rows),
    )


def trec_eval() -> str:
    """The reference itself, whose printed output is kept."""
    printed = sorted(GOLDEN.glob("*/expected.*.txt.gz"))
    lines = sum(gzip.decompress(path.read_bytes()).count(b"\n") for path in printed)
    cases = len({path.parent for path in printed})
    return (
        "## trec_eval\n\n"
        f"`--compat trec_eval-9` and `--compat trec_eval-10` with `--format trec` print what trec_eval 9.0.8 and 10.0 "
        f"print with `-c -q -m all_trec`, line for line: {lines:,} lines of {cases} cases, plain and with `-l 2`, `-J` "
        "and `-M 5`, are kept with the tests. `rbp` is not among them: release 10.0 reads uninitialised memory there."
    )


def inventory() -> str:
    """Every measure that the peers list themselves, and how many are missing."""
    rows, missing = [], 0
    for peer, names in LISTS.items():
        for name in names():
            here = ", ".join(map(code, compared_with(peer, name)))
            missing += not here and (peer, name) not in REASONS
            rows.append([peer, code(name), here or REASONS.get((peer, name), "missing")])
    text = (
        f"The {len(rows)} measures that {', '.join(LISTS)} list in their own code, read off by a program, and the "
        f"measures they are compared with below. Missing without a reason: {missing}."
    )
    return "\n\n".join(["## Every measure of the peers", text, table(["peer", "there", "here"], rows)])


def ndeval() -> str:
    """The measures of subtopics."""
    found = dict.fromkeys((*NDEVAL_PAIRS, *AT_ONE), 0)
    for seed in range(CASES):
        for rel, ties in ((1, False), (2, False), (1, True)):
            differ = divided_differences(divided_case(seed, ties), rel, "ascending" if ties else "trec_eval")
            for pair, lines in differ.items():
                found[pair] += bool(lines)
    rows = [
        [
            code(pair.theirs),
            code(pair.ours),
            "not divided there" if pair in UNDIVIDED else f"different in {count} cases" if count else "equal",
        ]
        for pair, count in found.items()
    ]
    text = (
        f"Run with pyndeval {version('pyndeval')}, which is TREC's ndeval, on {3 * CASES} cases: distinct scores, "
        "`rel` 1 and 2, and equal scores with `--ties ascending`, which is pyndeval's order (`--compat ir_measures` "
        "chooses it)."
    )
    known = (
        "- At a cut-off of 1 its alpha-DCG and ERR-IA are not divided by anything, since its loops that divide begin "
        "at\n  rank 2: they are the number of subtopics that the first item serves, here their share. A test sees that "
        "this\n  is all that differs.\n"
        "- It looks at most at 20 ranks where there is a cut-off; here any cut-off may be given.\n"
        "- The ideal order is found greedily in both, equal gains by the higher id, so that a list may exceed 1."
    )
    return "\n\n".join(["## ndeval", text, table(["there", "here", "result"], rows), f"Known differences\n\n{known}"])


def fusion() -> str:
    """ranx's fusion: its answers to all cases are kept, those after `borda` are asked for now."""
    cases = {norm: [code(case.method) for case in FUSED if case.norm == norm] for norm in (*NORMS, "none")}
    rows = [[f"`{norm}`", ", ".join(methods), "equal"] for norm, methods in cases.items()]
    runs = whole_runs()
    for method in (*BY_SCORES, *BY_PLACES):
        own, resorted = (is_equal(ask_ranx(runs, method, each), runs, method) for each in (False, True))
        if method in BY_PLACES and (own or not resorted):
            raise SystemExit(f"{method} after borda: the page explains a difference that is not there")
        if own or not resorted:
            result = "equal" if own else "different"
        else:
            result = "different; equal once its lists are sorted by the new scores"
        rows.append(["`borda`, asked now", code(method), result])
    known = (
        "- Its `borda` returns every list in the order of a Python set, not of the new scores, and methods that look\n"
        "  at places take that order for the ranks. So each system has the same places, `rrf` gives 3/(60 + place in "
        "the\n  set) to three systems whatever they found, and the order differs from one process to the next\n"
        "  (`PYTHONHASHSEED`). Here places follow the new scores.\n"
        "- Equal new scores, as of items that a system did not find, stand here in trec_eval's order."
    )
    text = (
        f"{len(FUSED)} answers of ranx {version('ranx')} to every method and normalization are kept with the tests "
        "(to 1e-12); methods after `borda` were run again for this page."
    )
    return "\n\n".join(
        ["## Fusion in ranx", text, table(["normalization", "method", "result"], rows), f"Known differences\n\n{known}"]
    )


def section(peer: LightPeer) -> str:
    """One peer, really run."""
    rows = [
        [code(pair.theirs), code(pair.ours), result.verdict(f"--compat {peer.habits}"), result.default(pair)]
        for pair, result in compared(peer).items()
    ]
    text = f"Run with {PACKAGES[peer.package]} {version(PACKAGES[peer.package])}, {CASES} cases of each kind."
    known = "\n".join(f"- {each}" for each in KNOWN[peer.name])
    head = ["there", "here", "result", "default"]
    return "\n\n".join([f"## {peer.name}", text, table(head, rows), f"Known differences\n\n{known}"])


@dataclass
class Result:
    """In how many cases a measure differs: with the peer's habits, and without on plain cases and on traps."""

    compat: int = 0
    plain: int = 0
    traps: int = 0

    def verdict(self, compat: str) -> str:
        """Equal, equal under --compat, or different."""
        if not self.plain and not self.traps:
            return "equal"
        return f"different in {self.compat} cases" if self.compat else f"equal under `{compat}`"

    def default(self, pair: Pair) -> str:
        """What is different without --compat."""
        if self.plain:
            return f"different: {WHY[pair.ours.partition('(')[0].partition('@')[0]]}"
        return "equal on plain cases, different on traps" if self.traps else "equal"


def compared(peer: LightPeer) -> dict[Pair, Result]:
    """Each measure over all cases."""
    results: dict[Pair, Result] = {}
    grades = WITH_NEGATIVE if peer.name == "ranx" else GRADES
    for seed in range(CASES):
        for kind, whole in (("plain", plain_case(seed, QUERIES)), ("traps", seeded_case(seed, QUERIES, grades))):
            case = whole if peer.fit is None else peer.fit(whole)
            if not any(query in case.run for query in case.qrels):
                continue
            _count(results, kind, peer, peer.pairs, case)
            fine = with_both_kinds(case)
            if peer.name == "ranx" and any(query in fine.run for query in fine.qrels):
                _count(results, kind, peer, [RANX_BPREF], fine)
    return results


def _count(results: dict[Pair, Result], kind: str, peer: LightPeer, pairs: Sequence[Pair], case: Case) -> None:
    measures = [pair.ours for pair in pairs]
    theirs = peer.ask(case, [pair.theirs for pair in pairs])
    compat, default = ours(case, measures, compat=peer.habits), ours(case, measures)
    for pair in pairs:
        result = results.setdefault(pair, Result())
        result.compat += bool(differences(pair, theirs[pair.theirs], compat[pair.ours]))
        if differences(pair, theirs[pair.theirs], default[pair.ours]):
            setattr(result, kind, getattr(result, kind) + 1)
