"""docs/conformance.md: whose numbers come out, by running the peers that are light enough and by reading the others."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rankscope.settings import PEERS
from tests.conformance.cases import WITH_NEGATIVE, Case, seeded_case
from tests.conformance.peers import (
    LIGHT,
    RANX_BPREF,
    Answer,
    LightPeer,
    Pair,
    ask_ranx,
    differences,
    ours,
    with_both_kinds,
)
from tools.docs.markdown import code, page as whole_page, table

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
PACKAGES = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx"}
CASES, QUERIES = 40, 6
INTRODUCTION = """
Which programs' numbers rankscope gives, measure by measure. *Equal* means: the value of each query and the mean agree to
nine digits (or to the digits that the peer prints), on cases full of ties, scores that differ only behind 32 bits, ids
whose bytes sort unlike their numbers, missing queries and queries that are not judged. *By default* says what happens
without `--compat`: our defaults count every judged query that has a relevant item.
""".strip()
READ = """
These are too large to install beside the tests. Their rules were taken from their source, and small values derived by hand
are in `tests/conformance/test_by_reading.py`.
""".strip()
KNOWN: dict[str, tuple[str, ...]] = {
    "pytrec_eval": (
        "Grades below 0 make it write outside its arrays (release 0.5.11): it may hang or die, so they are compared only "
        "in a process of their own; trec_eval itself has no trouble with them.",
        "A query with an empty list is answered to it and missing to a table of rows. "
        "`rankscope.measures.relevance_evaluator.RelevanceEvaluator` takes its side.",
        "NaN scores are ranked last there and are an error here.",
    ),
    "ir_measures": (
        "RR and RR@k break the same tie in two ways, because two programs compute them; both are reproduced. "
        "`--ties trec_eval` by hand makes them agree.",
        "ERR@k and nDCG(dcg='exp-log2')@k come from gdeval, which prints five places and wants numbers as query ids.",
        "A query with an empty judgement dictionary counts as 0 in most of its means; here it is not a judged query.",
        "Of an item judged twice the last judgement counts, but any of them for RR@k; here the last one throughout.",
        "RBP and the diversity measures need further packages there and were not compared.",
    ),
    "ranx": (
        "Its sort is not stable in lists of more than 16 items: equal scores then stand in an order of its own. The order "
        "given is what `--compat ranx` means.",
        "Its bpref is NaN for a query without judged irrelevant items, and a query without relevant items ends the loop, "
        "which leaves 0 for queries behind it; bpref is compared on queries that have both.",
        "Of an item that comes twice in a file the last score counts in the place of the first line; the place matters "
        "only if the score is tied.",
    ),
}
BY_READING: tuple[tuple[str, str, str, str], ...] = (
    ("beir", "nDCG@k, AP@k, R@k, P@k", "equal under --compat", "pytrec_eval on answered queries, the query itself removed; rounded to five places there"),
    ("beir", "RR@k", "equal under --compat", "all judged queries, ties in the order given, 64-bit scores"),
    ("beir", "CappedRecall@k", "equal under --compat", "ties in the order given, 64-bit scores"),
    ("beir", "hole@k", "different", "an item counts as judged if any query judged it; ours looks at this query only"),
    ("beir", "success@k", "different", "its top_k_accuracy sorts by the second character of the id, not by score"),
    ("torchmetrics", "AP[@k]", "equal under --compat", "divides by the relevant items found within k"),
    ("torchmetrics", "nDCG[@k]", "equal under --compat", "mean over the orders of equal scores; grades below 0 take away, in the ideal order too"),
    ("torchmetrics", "P@k, R@k, RR, success@k, Rprec", "equal under --compat", "ties in the order given, 32-bit scores; a query without relevant items counts 0"),
    ("pytorch-metric-learning", "P@1, Rprec", "equal", "queries without another item of their class are left out, as here"),
    ("pytorch-metric-learning", "MAP@R", "equal", "written MAP@R or AP(within=R)"),
    ("pytorch-metric-learning", "AP@k", "equal under --compat", "divides by the relevant items among its k neighbours"),
    ("open-metric-learning", "AP@k", "equal under --compat", "divides by the relevant items found within k"),
    ("open-metric-learning", "P@k", "equal under --compat", "divides by the smaller of k and R"),
    ("open-metric-learning", "success@k", "equal", "called CMC there"),
    ("open-metric-learning", "queries without relevant items", "different", "1 there if nothing is returned either, 0 here"),
    ("revisitop", "AP", "equal under --compat", "trapezoid area; junk and the query leave the list first (give junk with --junk)"),
    ("revisitop", "P@k", "equal under --compat", "divides by the smaller of k and the rank of the deepest positive"),
    ("LIRE", "AP, P@10, ER", "equal under --compat", "the query counts as a hit, and R as one more"),
)  # fmt: skip


def page() -> str:
    """The page."""
    missing = {peer.name for peer in PEERS} - {
        "trec_eval-9", "trec_eval-10", *(peer.name for peer in LIGHT), *(row[0] for row in BY_READING),
    }  # fmt: skip
    if missing:
        raise SystemExit(f"the conformance page says nothing of {', '.join(sorted(missing))}: add it to tools/docs")
    rows = [[code(peer), measures, status, why] for peer, measures, status, why in BY_READING]
    return whole_page(
        "Conformance",
        INTRODUCTION,
        trec_eval(),
        *(section(peer) for peer in LIGHT),
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
        f"print with `-c -q -m all_trec`, line for line: {lines:,} lines of {cases} cases, plain and with `-l 2`, `-J` and "
        "`-M 5`, are kept with the tests. `rbp` is not among them: release 10.0 reads uninitialised memory there."
    )


def section(peer: LightPeer) -> str:
    """One peer, really run."""
    results = compared(peer)
    compat = f"--compat {peer.name}"
    rows = [
        [code(pair.theirs), code(pair.ours), verdict(results[pair], compat), by_default(results[pair])]
        for pair in results
    ]
    made = f"Run with {PACKAGES[peer.package]} {version(PACKAGES[peer.package])} on {CASES} seeded cases."
    known = "\n".join(f"- {each}" for each in KNOWN[peer.name])
    return "\n\n".join(
        [
            f"## {peer.name}",
            made,
            table(["there", "here", "result", "by default"], rows),
            f"Known differences\n\n{known}",
        ]
    )


Tally = dict[str, int]


def compared(peer: LightPeer) -> dict[Pair, Tally]:
    """For each measure: in how many cases it differs, with the peer's habits and without."""
    tallies: dict[Pair, Tally] = {}
    grades = {"grades": WITH_NEGATIVE} if peer.name == "ranx" else {}
    for seed in range(CASES):
        case = seeded_case(seed, QUERIES, **grades)
        _count(tallies, peer.name, peer.pairs, case, peer.ask(case, [pair.theirs for pair in peer.pairs]))
        if peer.name == "ranx":
            fine = with_both_kinds(case)
            if any(query in fine.run for query in fine.qrels):
                _count(tallies, peer.name, [RANX_BPREF], fine, ask_ranx(fine, [RANX_BPREF.theirs]))
    return tallies


def _count(tallies: dict[Pair, Tally], name: str, pairs: Sequence[Pair], case: Case, theirs: dict[str, Answer]) -> None:
    measures = [pair.ours for pair in pairs]
    compat, plain = ours(case, measures, compat=name), ours(case, measures)
    for pair in pairs:
        tally = tallies.setdefault(pair, {"compat": 0, "default": 0, "values": 0})
        one = theirs[pair.theirs]
        tally["compat"] += bool(differences(pair, one, compat[pair.ours]))
        tally["default"] += bool(differences(pair, one, plain[pair.ours]))
        tally["values"] += bool(differences(pair, *_common(one, plain[pair.ours])))


def _common(one: Answer, other: Answer) -> tuple[Answer, Answer]:
    """Both without the queries that only one of them counts, and without the mean."""
    queries = one.values.keys() & other.values.keys()
    first, second = ({query: each.values[query] for query in queries} for each in (one, other))
    return Answer(0.0, first), Answer(0.0, second)


def verdict(tally: Tally, compat: str) -> str:
    """Equal, equal under --compat, or different."""
    if not tally["default"]:
        return "equal"
    return f"equal under `{compat}`" if not tally["compat"] else f"different in {tally['compat']} cases of {CASES}"


def by_default(tally: Tally) -> str:
    """What is different without --compat."""
    if not tally["default"]:
        return "the same"
    return f"other values in {tally['values']} cases" if tally["values"] else "same values, other queries in the mean"
