"""Topics of every format, and what is wrong with them."""

from __future__ import annotations

import io
import random
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.inputs.documents.registry import TOPIC_ENTRIES
from rankscope.inputs.documents.topics import QuerySet, read_topics
from rankscope.inputs.reading import Reading
from tests.data import data_folder
from tests.inputs.documents.test_documents import mangled

TREC = """<top>

<num> Number: 051
<title> Topic: Airbus Subsidies

<desc> Description:
Document will discuss   assistance.

<narr> Narrative:
A relevant document
</top>
<top><num>52</num><title>R&amp;D</title></top>
"""
CLEF = """<top>
<num> C041 </num>
<EN-title> Pesticides in Baby Food </EN-title>
<EN-desc> Find reports. </EN-desc>
</top>
"""


def parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"query_id": [1, 2], "text": ["foxes", "dogs"]}).write_parquet(file)
    return file.getvalue()


SAMPLES: dict[str, list[tuple[bytes, dict[str, dict[str, str]]]]] = {
    "tsv": [
        (b"1\tfoxes (or: what?)\n\n02\tdogs\n", {"1": {"text": "foxes (or: what?)"}, "02": {"text": "dogs"}}),
        (b"qid\ttitle\tdesc\n1\tfoxes\tFind foxes.\n", {"1": {"title": "foxes", "desc": "Find foxes."}}),
    ],
    "csv": [(b'qid,query\n1,"foxes, dogs"\n', {"1": {"query": "foxes, dogs"}})],
    "jsonl": [(b'{"_id": "q1", "text": "foxes", "metadata": {}}\n', {"q1": {"text": "foxes"}})],
    "trec": [
        (
            TREC.encode(),
            {
                "51": {
                    "title": "Airbus Subsidies",
                    "desc": "Document will discuss assistance.",
                    "narr": "A relevant document",
                },
                "52": {"title": "R&D"},
            },
        ),
        (CLEF.encode(), {"C041": {"title": "Pesticides in Baby Food", "desc": "Find reports."}}),
    ],
    "xml": [
        (
            b"<?xml version='1.0'?><inex_topic topic_id='202' query_type='CO'><title>ontologies</title>"
            b"<description>Find <b>them</b>.</description></inex_topic>",
            {"202": {"title": "ontologies", "desc": "Find them.", "b": "them"}},
        ),
        (
            b"<topics><topic lang='en'><identifier>451-AH</identifier><title>Roman army</title></topic></topics>",
            {"451-AH": {"title": "Roman army"}},
        ),
        (
            b'<?xml version="1.0"?><topics><query number="3">plain words</query></topics>',
            {"3": {"text": "plain words"}},
        ),
    ],
    "smart": [(b".I 1\n.W\nwhat is\na fox\n.I 2\n.W\ndogs\n", {"1": {"text": "what is a fox"}, "2": {"text": "dogs"}})],
    "parquet": [(parquet(), {"1": {"text": "foxes"}, "2": {"text": "dogs"}})],
}
CASES = [(format, *case) for format, cases in SAMPLES.items() for case in cases]


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == set(TOPIC_ENTRIES)


@pytest.mark.parametrize(("format", "data", "expected"), CASES)
def test_topics_are_recognised_and_read(
    format: str, data: bytes, expected: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "topics").write_bytes(data)
    assert read_topics(tmp_path / "topics").parts == expected
    assert read_topics(tmp_path / "topics", Reading(format)).parts == expected


def test_real_topics_are_read() -> None:
    rounds = read_topics(data_folder("trec-covid-r1") / "topics-rnd1.xml")
    assert len(rounds) == 30
    assert rounds.names == ("query", "question", "narr")
    assert rounds.texts()["1"] == "coronavirus origin"
    assert len(read_topics(data_folder("text") / "cisi" / "queries.tsv")) == 112


def test_parts_are_chosen_and_joined(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(TREC)
    topics = read_topics(tmp_path / "topics")
    assert topics.texts() == {"51": "Airbus Subsidies", "52": "R&D"}
    assert topics.texts("title+desc")["51"] == "Airbus Subsidies\nDocument will discuss assistance."
    assert topics.texts("title+desc")["52"] == "R&D"
    with pytest.raises(SettingError, match=r"has no part 'summary'\. There are: title, desc, narr"):
        topics.texts("title+summary")


def test_of_several_languages_the_parts_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("<top><num>1</num><EN-title>fox</EN-title><DE-title>Fuchs</DE-title></top>")
    topics = read_topics(tmp_path / "topics")
    assert topics.names == ("en-title", "de-title")
    assert topics.texts("de-title") == {"1": "Fuchs"}
    assert topics.texts() == {"1": "fox"}


def test_topics_of_a_beir_folder_and_of_python_are_taken(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "foxes"}\n')
    assert read_topics(tmp_path).texts() == {"q1": "foxes"}
    assert read_topics({1: "foxes"}).texts() == {"1": "foxes"}
    assert read_topics({"1": {"title": "foxes", "desc": "Find."}}).texts("desc") == {"1": "Find."}
    same = QuerySet({"1": {"text": "foxes"}})
    assert read_topics(same) is same


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(
        '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n{"text": "z"}\n{"_id": "b", "text": " "}\n{\n'
    )
    with pytest.raises(InputError) as caught:
        read_topics(path)
    for words in ("line 2: topic 'a' stands in line 1 already", "line 3: has no id", "line 4: topic 'b' has no text"):
        assert words in str(caught.value)
    assert caught.value.reports[0].count == 4
    for nothing in ("", "just words"):
        path.write_text(nothing)
        with pytest.raises(InputError, match="Formats: parquet, jsonl"):
            read_topics(path)
    with pytest.raises(InputError, match=r"without queries\.jsonl"):
        read_topics(tmp_path)


@pytest.mark.parametrize("format", SAMPLES)
def test_mangled_topics_are_read_or_refused(format: str, tmp_path: Path) -> None:
    path, dice = tmp_path / "topics", random.Random(15)
    for data, _ in SAMPLES[format]:
        for _ in range(100):
            path.write_bytes(mangled(mangled(data, dice) or b"x", dice))
            for forced in (None, format):
                with suppress(RankscopeError):
                    read_topics(path, Reading(forced))
