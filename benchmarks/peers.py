"""What a user of each peer would write: read the two files, compute five measures, print the means."""

from __future__ import annotations

import sys
from collections.abc import Callable


def pytrec_eval(qrels: str, run: str) -> None:
    import pytrec_eval as peer

    with open(qrels) as file:
        judged = peer.parse_qrel(file)
    with open(run) as file:
        ranked = peer.parse_run(file)
    evaluator = peer.RelevanceEvaluator(judged, {"map", "ndcg_cut.10", "P.10", "Rprec", "recip_rank"})
    results = evaluator.evaluate(ranked)
    for name in ("map", "ndcg_cut_10", "P_10", "Rprec", "recip_rank"):
        print(name, sum(each[name] for each in results.values()) / len(results))


def ir_measures(qrels: str, run: str) -> None:
    import ir_measures as peer

    measures = [peer.AP, peer.nDCG @ 10, peer.P @ 10, peer.Rprec, peer.RR]
    judged, ranked = peer.read_trec_qrels(qrels), peer.read_trec_run(run)  # type: ignore[no-untyped-call]
    print(peer.calc_aggregate(measures, judged, ranked))


def ranx(qrels: str, run: str) -> None:
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(qrels, kind="trec")
    ranked = Run.from_file(run, kind="trec")
    print(evaluate(judged, ranked, ["map", "ndcg@10", "precision@10", "r-precision", "mrr"]))


PEERS: dict[str, Callable[[str, str], None]] = {
    "pytrec_eval-terrier": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}

if __name__ == "__main__":
    PEERS[sys.argv[1]](sys.argv[2], sys.argv[3])
