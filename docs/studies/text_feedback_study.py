"""Does feedback on words help, and does it matter who gives it? Six classic collections of documents.

Each topic of a collection is one session: BM25 (k1 .9, b .4) ranks first, then three rounds of ten documents are marked
as the judgements say. Methods on words share the index with the ranking; all others see vectors of latent semantic
indexing. Needs the collections in $RANKSCOPE_DATA/text (else in ../shared/data/text). Writes one Parquet file for each
collection into the folder named and prints the tables of text-feedback.md; names behind it choose collections.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from functools import cache
from pathlib import Path

import rankscope
from rankscope.core.rendering import markdown_table
from rankscope.engines.text import Index
from rankscope.engines.text.lsi import USUAL, lsi_vectors, most_dimensions
from rankscope.feedback.examples.items import unit
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.text import TextItems
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.findings import further_findings, study_verdicts
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.study.summary import SEEN, Summary, compared_methods
from rankscope.feedback.users.starts import ExternalRanking
from rankscope.feedback.users.topics import Topics

COLLECTIONS = ("cranfield", "cisi", "medline", "cacm", "npl", "adi")
BM25 = "bm25(k1=0.9, b=0.4)"
ON_WORDS = ("text-rm3", "text-rocchio", "text-rocchio(gamma=0.25)")
ON_VECTORS = ("query-point", "rocchio(metric=cosine)", "nearest-neighbour", "logistic-regression", "svm")
PROTOCOL = Protocol(scope=10, rounds=3)


def folder_of(name: str) -> Path:
    """Where the files of a collection lie."""
    return Path(os.environ.get("RANKSCOPE_DATA", "../shared/data")) / "text" / name


@cache
def index_of(name: str) -> Index:
    """The documents of a collection, title and text as one field."""
    with gzip.open(folder_of(name) / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return Index.build({"id": row["id"], "contents": f"{row['title']}\n{row['text']}"} for row in rows)


def words_of(name: str) -> dict[str, str]:
    """The topics of a collection, by their numbers."""
    lines = (folder_of(name) / "queries.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line)


def pseudo_feedback(name: str) -> dict[str, object]:
    """MAP of BM25 and of its expansions by the first ten documents, which nobody marked."""
    row: dict[str, object] = {"collection": name}
    for expansion in (None, "rm3", "rocchio"):
        run = index_of(name).run(words_of(name), BM25, depth=None, expand=expansion)
        found = rankscope.evaluate(str(folder_of(name) / "qrels.txt"), run, ["AP"], ties="ascending", depth=1000)
        row[expansion or "bm25"] = found["AP"]
    return row


def experiment(name: str) -> Experiment:
    """Sessions that begin with the ranking of the engine."""
    index = index_of(name)
    field, most = index.default_field, most_dimensions(index.reader, index.default_field)
    vectors = unit(lsi_vectors(index.reader, field, min(USUAL, most)))
    items = TextItems.in_index(index, words_of(name), similarity=BM25, vectors=vectors)
    topics = Topics.from_qrels(str(folder_of(name) / "qrels.txt"), items.ids)
    return Experiment.of(items, topics, None, ExternalRanking.by_words(items, topics), PROTOCOL)


def results_of(name: str, folder: Path | None = None) -> Results:
    """The study of one collection; kept in the folder where one is named."""
    methods = [METHODS.parse(each) for each in (*ON_WORDS, *ON_VECTORS)]
    plan = StudyPlan.of(experiment(name), methods, starts=1, measures=["AP"])
    return study(plan, result=None if folder is None else folder / f"{name}.parquet")


def table(results: Results) -> str:
    """One row for each method: AP of each round, its interval in the end, and the share of relevant ones seen."""
    summary, seen = Summary(results, "AP"), Summary(results, SEEN)
    compared = set(compared_methods(results))
    rows = []
    for name in [*(each for each in summary.ordered if each in compared), *summary.controls]:
        mean, low, high = summary.means(name)
        rounds = {f"round {number}": float(value) for number, value in enumerate(mean)}
        rest = {"low": float(low[-1]), "high": float(high[-1]), "recall seen": float(seen.means(name)[0][-1])}
        rows.append({"method": name, **rounds, **rest})
    return markdown_table(rows, places=3)


def main(arguments: list[str]) -> None:
    """Run every collection and print what the page says."""
    folder = Path(arguments[0] if arguments else "text-feedback-study")
    folder.mkdir(parents=True, exist_ok=True)
    names = arguments[1:] or COLLECTIONS
    print(markdown_table([pseudo_feedback(name) for name in names]), flush=True)
    for name in names:
        results = results_of(name, folder)
        sessions = results.frame.filter(results.frame["method"] == "no-feedback")["topic"].n_unique()
        print(f"\n## {name} ({len(index_of(name)):,} documents, {sessions} topics)\n\n{table(results)}")
        against = [line for line in further_findings(results) if line.startswith("Against no feedback, by AP")]
        print(*(f"- {line}" for line in [*study_verdicts(results), *against]), sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
