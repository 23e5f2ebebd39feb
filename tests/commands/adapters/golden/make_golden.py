"""Runs the real libraries on a small input and keeps what they give; run it with `python -m`."""

from __future__ import annotations

import copy
import json
import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
K_VALUES = [1, 3, 5, 10, 100]
Nested = dict[str, dict[str, Any]]


def example() -> dict[str, Nested]:
    """Judgements and two runs, with equal scores, unanswered queries and items that are called as their query."""
    chance = random.Random(22)
    items = [f"d{number}" for number in range(25)]
    qrels: Nested = {}
    runs: dict[str, Nested] = {"first": {}, "second": {}}
    for number in range(20):
        query = f"q{number}"
        qrels[query] = {"d0": 1, **{item: chance.choice([0, 0, 1, 2]) for item in chance.sample(items[1:], 7)}}
        for name, run in runs.items():
            if number % 7 or name == "second":
                run[query] = {item: chance.randrange(8) / 4 for item in chance.sample(items, 15)}
    qrels["q3"]["q3"] = 1
    runs["first"]["q3"]["q3"] = 9.0
    runs["first"]["q4"]["q4"] = 5.0
    return {"qrels": qrels, **runs}


def of_beir(qrels: Nested, run: Nested) -> dict[str, Any]:
    from beir.retrieval.evaluation import EvaluateRetrieval

    found: dict[str, Any] = {
        str(ignore): EvaluateRetrieval.evaluate(qrels, copy.deepcopy(run), K_VALUES, ignore_identical_ids=ignore)
        for ignore in (True, False)
    }
    for metric in ("mrr", "recall_cap", "accuracy"):
        found[metric] = EvaluateRetrieval.evaluate_custom(qrels, copy.deepcopy(run), K_VALUES, metric=metric)
    return found


def of_pyterrier(qrels: Nested, first: Nested, second: Nested) -> dict[str, Any]:
    import pandas as pd
    import pyterrier as pt
    from ir_measures import AP, nDCG

    judged = pd.DataFrame(rows(qrels), columns=["qid", "docno", "label"])
    results = [pd.DataFrame(rows(run), columns=["qid", "docno", "score"]) for run in (first, second)]
    results = [each.assign(rank=each.groupby("qid")["score"].rank(ascending=False, method="first")) for each in results]
    topics = pd.DataFrame({"qid": list(qrels), "query": list(qrels)})
    names: dict[str, Any] = {"names": ["first", "second"], "baseline": 0}
    averages = pt.Experiment(results, topics, judged, [AP, nDCG @ 10], **names)
    per_query = pt.Experiment(results, topics, judged, [AP, nDCG @ 10], names=names["names"], perquery=True)
    as_json = {"averages": averages, "perquery": per_query.reset_index(drop=True)}
    return {name: json.loads(frame.to_json(orient="split", double_precision=15)) for name, frame in as_json.items()}


def rows(nested: Nested) -> list[tuple[str, str, Any]]:
    return [(query, item, value) for query, found in nested.items() for item, value in found.items()]


def write_mteb(qrels: Nested, runs: dict[str, Nested]) -> None:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores, make_score_dict
    from mteb.results import TaskResult

    for task, cut in {"SciFact": 20, "NFCorpus": 10, "ArguAna": 5}.items():
        judged = dict(list(qrels.items())[:cut])
        for model, run in runs.items():
            found = calculate_retrieval_scores(
                {query: run[query] for query in judged if query in run}, judged, K_VALUES
            )
            names = {"_map": "map", **{name: name for name in ("ndcg", "recall", "precision", "mrr", "hit_rate")}}
            values = {name: getattr(found, there) for name, there in names.items()}
            values |= {"naucs": found.naucs, "naucs_mrr": found.naucs_mrr, "task_scores": {}}
            entry = {**make_score_dict(**values), "hf_subset": "default", "languages": ["eng-Latn"]}
            entry["main_score"] = entry["ndcg_at_10"]
            about: dict[str, Any] = {
                "dataset_revision": "none",
                "task_name": task,
                "mteb_version": "2.26.24",
                "evaluation_time": 1.0,
            }
            target = FOLDER / "mteb" / model
            target.mkdir(parents=True, exist_ok=True)
            TaskResult(**about, scores={"test": [entry]}).to_disk(target / f"{task}.json")


def of_langchain(texts: dict[str, str], topics: dict[str, str]) -> dict[str, Any]:
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.load import dumpd
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(text, id=name, metadata={"source": f"{name}.txt"}) for name, text in texts.items()])
    retriever = store.as_retriever(search_kwargs={"k": 4})
    with_scores = {query: store.similarity_search_with_score(text, k=4) for query, text in topics.items()}
    return {
        "invoke": {query: dumpd(retriever.invoke(text)) for query, text in topics.items()},
        "similarity_search_with_score": {query: dumpd(found) for query, found in with_scores.items()},
    }


def of_llama_index(texts: dict[str, str], topics: dict[str, str]) -> dict[str, Any]:
    import hashlib

    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    def hashed(_: Any, text: str) -> list[float]:
        return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]

    methods = ("_get_text_embedding", "_get_query_embedding", "_aget_query_embedding")
    embedding = type("Hashed", (BaseEmbedding,), dict.fromkeys(methods, hashed))

    nodes = [
        TextNode(
            id_=f"{name}-chunk",
            text=text,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=name)},
            metadata={"file_name": f"{name}.txt"},
        )
        for name, text in texts.items()
    ]
    retriever = VectorStoreIndex(nodes, embed_model=embedding()).as_retriever(similarity_top_k=4)
    return {
        query: [{**node.to_dict(), "ref_doc_id": node.node.ref_doc_id} for node in retriever.retrieve(text)]
        for query, text in topics.items()
    }


def of_hugging_face(qrels: Nested, run: Nested) -> dict[str, Any]:
    import evaluate

    from rankscope.commands.adapters.hugging_face import RankingMetric

    combined = evaluate.combine([RankingMetric(["AP"]), RankingMetric(["nDCG@10", "AP"])])
    pairs = {"predictions": [run.get(query, {}) for query in qrels], "references": list(qrels.values())}
    return {"compute": combined.compute(**pairs)}


def of_mlflow(qrels: Nested, runs: dict[str, Nested]) -> dict[str, Any]:
    import mlflow

    from rankscope.measures.evaluation.evaluate import evaluate
    from rankscope.reports.trackers import to_metrics

    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # the strictest of its stores: a name is the path of a file there
    metrics = to_metrics(evaluate(qrels, runs, ["AP", "nDCG(gain=exp)@10", "num_q"]))
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri((Path(folder) / "store").as_uri())
        with mlflow.start_run() as active:
            mlflow.log_metrics(metrics)
        return dict(mlflow.get_run(active.info.run_id).data.metrics)


def write(name: str, data: Any) -> None:
    (FOLDER / f"{name}.json").write_text(json.dumps(data, indent=1, sort_keys=name == "mlflow") + "\n")


def main() -> None:
    warnings.simplefilter("ignore")
    given = example()
    qrels, runs = given["qrels"], {name: given[name] for name in ("first", "second")}
    texts = {f"t{number}": f"text number {number * 7919 % 101}" for number in range(9)}
    topics = {"1": "text number 7", "2": "number", "3": "something else"}
    write("input", given)
    write("beir", of_beir(qrels, runs["first"]))
    write("pyterrier", of_pyterrier(qrels, *runs.values()))
    write_mteb(qrels, runs)
    write("langchain", of_langchain(texts, topics))
    write("llama_index", of_llama_index(texts, topics))
    write("hugging_face", of_hugging_face(qrels, runs["first"]))
    write("mlflow", of_mlflow(qrels, runs))


if __name__ == "__main__":
    main()
