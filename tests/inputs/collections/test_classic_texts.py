"""Classic collections of texts: what their files hold, and how the engine ranks them."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope
from rankscope.core.errors import InputError
from rankscope.inputs.collections.collection import load
from tests.data import data_folder

SIZES = {  # documents, queries, queries with a relevant document, relevant pairs
    "cranfield": (1400, 225, 225, 1837),
    "cisi": (1460, 112, 76, 3114),
    "medline": (1033, 30, 30, 696),
    "cacm": (3204, 64, 52, 796),
    "npl": (11426, 93, 93, 2083),
    "adi": (82, 35, 35, 170),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_collection_is_whole(name: str) -> None:
    texts = load(name, data_folder("text") / name)
    assert texts.topics is not None
    found = len(texts), len(texts.topics), len(texts.queries), len(texts.qrels)
    assert found == SIZES[name]
    assert texts.junk == {}


def test_documents_topics_and_judgements_go_together() -> None:
    adi = load("adi", data_folder("text") / "adi")
    index = rankscope.index(adi.documents)
    ranks = rankscope.search(index, topics=adi.topics, qrels=adi.qrels, similarity="bm25(k1=0.9, b=0.4)")
    assert round(rankscope.evaluate(ranks, measures=adi.measures)["AP"], 4) == 0.4016


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "a"}\n')
    (tmp_path / "queries.tsv").write_text("1\tfoxes\n")
    with pytest.raises(InputError, match=r"holds no qrels\.txt"):
        load("adi", tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    with pytest.raises(InputError, match="line 2: id 'a' stands in line 1 already"):
        load("adi", tmp_path)


def test_a_collection_of_texts_is_no_collection_of_pictures(tmp_path: Path) -> None:
    with pytest.raises(rankscope.RankscopeError, match="adi"):
        rankscope.benchmark("adi", tmp_path / "out", data=data_folder("text"), descriptors="thumbnail")
