"""Classic test collections: the quality that Anserini reaches, and its rankings."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import rankscope
from rankscope.core.settings import Settings
from rankscope.engines.text import Index
from rankscope.ranks.reduction import reduce
from tests.data import data_folder

SYSTEMS = {
    "bm25-k0.9-b0.4": "bm25(k1=0.9, b=0.4)",
    "bm25-k1.2-b0.75": "bm25(k1=1.2, b=0.75)",
    "dirichlet-mu1000": "lm-dirichlet(1000)",
}
QUALITY = {  # MAP, nDCG@10 and P@10 of each of these systems, from Anserini 0.22.1
    "cranfield": ((0.3967, 0.4918, 0.2933), (0.4200, 0.5155, 0.3053), (0.3593, 0.4485, 0.2649)),
    "cisi": ((0.1983, 0.3585, 0.3263), (0.2083, 0.3710, 0.3461), (0.1927, 0.3427, 0.3092)),
    "medline": ((0.5118, 0.6651, 0.6100), (0.5264, 0.6895, 0.6400), (0.4800, 0.6219, 0.5800)),
    "cacm": ((0.3270, 0.4754, 0.3308), (0.3407, 0.4942, 0.3462), (0.3093, 0.4357, 0.2846)),
    "npl": ((0.2857, 0.4368, 0.3624), (0.2854, 0.4323, 0.3484), (0.2097, 0.3230, 0.2688)),
    "adi": ((0.4016, 0.4747, 0.2114), (0.4118, 0.4863, 0.2114), (0.4358, 0.5032, 0.2057)),
}
MEASURES = ["AP", "nDCG@10", "P@10"]


def collection(name: str) -> Path:
    return data_folder("text") / name


@cache
def index_of(name: str) -> Index:
    with gzip.open(collection(name) / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return Index.build({"id": row["id"], "contents": f"{row['title']}\n{row['text']}"} for row in rows)


@cache
def topics_of(name: str) -> dict[str, str]:
    lines = (collection(name) / "queries.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", QUALITY)
def test_quality_is_that_of_anserini(name: str, system: str) -> None:
    run = index_of(name).run(topics_of(name), SYSTEMS[system], depth=None)  # ties are settled before the list is cut
    qrels = str(collection(name) / "qrels.txt")
    scores = rankscope.evaluate(qrels, run, MEASURES, ties="ascending", depth=1000)
    expected = QUALITY[name][list(SYSTEMS).index(system)]
    assert [round(scores[measure], 4) for measure in MEASURES] == list(expected)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", ["adi", "cranfield", "medline"])
def test_the_first_twenty_are_those_of_anserini(name: str, system: str) -> None:
    path = data_folder("lucene-golden") / "anserini" / f"{name}.{system}.run.gz"
    columns = ["query", "q0", "item", "rank", "score", "tag"]
    theirs = pl.read_csv(gzip.decompress(path.read_bytes()), separator=" ", has_header=False, new_columns=columns)
    found: dict[str, list[str]] = {}
    for query, text in topics_of(name).items():
        hits = index_of(name).search(text, SYSTEMS[system], limit=None, syntax="words")
        rows = sorted(zip(hits.scores.tolist(), hits.ids.to_list(), strict=True), key=lambda row: (-row[0], row[1]))
        found[query] = [item for _, item in rows[:20]]
    first = theirs.filter(pl.col("rank") <= 20).with_columns(pl.col("query", "item").cast(pl.String))
    expected = {query: some["item"].to_list() for (query,), some in first.group_by(["query"], maintain_order=True)}
    assert {query: (items, found[query]) for query, items in expected.items() if items != found[query]} == {}


def test_ranks_are_those_of_the_run() -> None:
    index, topics = index_of("adi"), topics_of("adi")
    qrels = str(collection("adi") / "qrels.txt")
    for ties in ("trec_eval", "ascending", "given", "expected"):
        settings = Settings(ties=ties)
        ranks = index.rank(topics, qrels, settings=settings)
        whole = reduce(qrels, index.run(topics, depth=None), settings)
        assert ranks.judged.lists("rank") == whole.judged.lists("rank")
    assert set(ranks.collection.tolist()) == {82}
