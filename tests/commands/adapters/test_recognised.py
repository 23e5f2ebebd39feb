"""Objects of other libraries are taken wherever a run or judgements are; what is none of them is told what would do."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

import rankscope
from tests.commands.adapters.shared import example
from tests.commands.adapters.test_round_trips import document
from tests.needs import needed_module

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
QREL_ROWS = [Qrel(query, item, grade, "0") for query, found in QRELS.items() for item, grade in found.items()]
RUN_ROWS = [ScoredDoc(query, item, score) for query, found in RUN.items() for item, score in found.items()]


def test_rows_of_ir_datasets_are_one_run_and_a_list_of_such_rows_several() -> None:
    assert rankscope.evaluate(QREL_ROWS, RUN_ROWS, "AP")["AP"] == 0.75
    assert rankscope.evaluate(iter(QREL_ROWS), iter(RUN_ROWS), "AP")["AP"] == 0.75
    used = iter(RUN_ROWS)
    assert rankscope.evaluate(QRELS, used, "AP")["AP"] == 0.75
    with pytest.raises(rankscope.InputError, match="gives no rows: was it used before"):
        rankscope.evaluate(QRELS, used, "AP")
    several = rankscope.evaluate(QREL_ROWS, [RUN_ROWS, RUN], "AP")
    assert [each.columns[0].summary for each in several] == [0.75, 0.75]


def test_frames_whose_columns_are_called_as_those_rows_are_still_several_runs() -> None:
    pandas = needed_module("pandas", "pandas")
    frame = pandas.DataFrame(RUN_ROWS)
    assert list(frame.columns) == ["query_id", "doc_id", "score"]
    assert len(rankscope.evaluate(QRELS, [frame, frame], "AP").systems) == 2


@pytest.mark.thorough
def test_every_question_takes_them() -> None:
    ranx = needed_module("ranx", "peers")
    qrels, first, second = example()
    judged, runs = ranx.Qrels(qrels), [ranx.Run(first, name="first"), ranx.Run(second, name="second")]
    assert rankscope.compare(judged, runs, "AP").main.table.systems == ("first", "second")
    assert rankscope.graph("precision-recall", judged, runs[0]) is not None
    fused = rankscope.fuse(runs)
    assert rankscope.evaluate(judged, fused, "AP")["AP"] > 0
    documents = {query: [document(item) for item in found] for query, found in second.items()}
    named = rankscope.evaluate(judged, {"ranx": runs[0], "documents": documents, "plain": first}, "AP")
    assert [each.name for each in named] == ["ranx", "documents", "plain"]
    assert named["ranx", "AP"] == named["plain", "AP"]


def test_a_dataset_of_ir_datasets_is_its_judgements(tmp_path: Path) -> None:
    package = needed_module("ir_datasets", "datasets")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    (tmp_path / "queries.tsv").write_text("q1\tfirst words\nq2\tothers\n")
    (tmp_path / "docs.tsv").write_text("a\ta fox\nb\ta dog\nc\ta cat\n")
    files = {name: str(tmp_path / f"{name.partition('_')[0]}.{name[-3:]}") for name in ("docs_tsv", "queries_tsv")}
    dataset = package.create_dataset(**files, qrels_trec=str(tmp_path / "qrels.txt"))
    there = rankscope.commands.adapters.ir_datasets
    assert rankscope.evaluate(dataset, RUN, "AP")["AP"] == 0.75
    assert there.from_qrels(dataset).to_dict() == QRELS
    assert there.from_queries(dataset).texts() == {"q1": "first words", "q2": "others"}
    assert there.from_queries(dataset.queries_iter()).texts() == {"q1": "first words", "q2": "others"}
    assert next(iter(there.from_docs(dataset))) == {"id": "a", "text": "a fox"}
    index = rankscope.index(list(there.from_docs(dataset)))
    assert index.search("dogs").ids.to_list() == ["b"]
    with pytest.raises(rankscope.InputError, match="a float has no docs"):
        there.from_docs(3.5)
    assert there.to_qrels(QRELS) == list(dataset.qrels_iter())


@pytest.mark.parametrize("wrong", [{1, 2}, 3.5, object(), b"bytes"], ids=lambda each: type(each).__name__)
def test_what_is_none_of_them_is_told_what_would_do(wrong: Any) -> None:
    with pytest.raises(rankscope.InputError, match=r"cannot read a run from a .*\nWhat is read: .*ranx Run.*LangChain"):
        rankscope.evaluate(QRELS, wrong, "AP")
    with pytest.raises(rankscope.InputError, match=r"cannot read judgements from .*\nWhat is read: .*irds:NAME.*ranx"):
        rankscope.evaluate(wrong, RUN, "AP")


def test_a_run_where_judgements_belong_is_said_to_be_one() -> None:
    ranx = needed_module("ranx", "peers")
    with pytest.raises(rankscope.InputError) as caught:
        rankscope.evaluate(ranx.Run(RUN), ranx.Qrels(QRELS), "AP")
    assert "a Run holds a run, not judgements" in str(caught.value)
    assert "a Qrels holds judgements, not a run" in str(caught.value)
    with pytest.raises(rankscope.InputError, match="a ScoredDoc holds a run, not judgements"):
        rankscope.evaluate(RUN_ROWS, RUN, "AP")
    with pytest.raises(rankscope.InputError, match="results of a retriever are a run, not judgements"):
        rankscope.evaluate({"q1": [document("a")]}, RUN, "AP")


CODE = """
import sys
import rankscope
from types import SimpleNamespace as Node
assert dir(rankscope.commands.adapters) == sorted(rankscope.commands.adapters.__all__)
for name in rankscope.commands.adapters.__all__:
    getattr(rankscope.commands.adapters, name)
found = [Node(node=Node(node_id="a"), score=None)]
assert rankscope.evaluate({"q": {"a": 1}}, {"q": found}, "AP")["AP"] == 1.0
libraries = {"ranx", "ir_datasets", "ir_measures", "pandas", "sklearn", "langchain_core", "llama_index", "mteb", "beir"}
assert not libraries & set(sys.modules), libraries & set(sys.modules)
"""


def test_no_library_is_loaded_unasked() -> None:
    assert subprocess.run([sys.executable, "-c", CODE], check=False).returncode == 0


def test_an_adapter_that_is_not_there_is_told_which_are() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'pyserini'\. It has: beir, hugging_face"):
        rankscope.commands.adapters.pyserini  # noqa: B018
