"""`rankscope look`: what people see, and the same as JSON; bad input says what would be right."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.engines.text import Index
from rankscope.engines.text.views import VIEWS
from tests.needs import needed_module

DOCUMENTS = [
    {"id": "a", "title": "Foxes", "body": "The quick brown fox jumps over the lazy dog"},
    {"id": "b", "title": "Dogs", "body": "A dog sleeps. \x1b[2J The fox does not; foxes never do"},
    {"id": "c", "title": "Nothing", "body": ""},
]
ASKED: dict[str, list[str]] = {
    "terms": [],
    "postings": ["foxes"],
    "document": ["b"],
    "explain": ["fox title:dog", "b"],
    "analyse": ["The dog's bones"],
    "query": ['+fox "quick fox"~2 d*'],
    "check": [],
}


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["look", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("look") / "texts.index"
    Index.build(DOCUMENTS, folder)
    return folder


def as_json(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(called(*arguments, "--format", "json").output)
    return found


def test_the_overview(index: Path) -> None:
    text = called(index).output
    assert text.startswith("3 documents in one segment, ")
    assert "body             2        15     12          7.5  english" in text
    found = as_json(index)
    assert (found["documents"], found["fields"][1]["terms"]) == (3, 12)


def test_check_reads_every_file(index: Path, tmp_path: Path) -> None:
    files = [path for path in index.rglob("*") if path.suffix in (".npy", ".parquet")]
    line = called(index, "check").output
    assert re.fullmatch(rf"{re.escape(str(index))}: {len(files)} files, [0-9.]+ KB: all hold what was written\n", line)
    assert as_json(index, "check")["indexes"][str(index)] == {
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "signed": True,
    }
    shutil.copytree(index, tmp_path / "hit")
    hit = sorted((tmp_path / "hit").rglob("0.*.npy"))[:2]
    for path in hit:
        path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    with pytest.raises(InputError, match=r"(?s)hit: 2 problems\n.*/0.counts.npy: is damaged: it does not hold what"):
        called(tmp_path / "hit", "check")


def test_terms_and_postings(index: Path) -> None:
    lines = called(index, "terms", "--by", "occurrences", "--limit", "2").output.splitlines()
    assert [line.split()[:3] for line in lines[2:4]] == [["fox", "2", "3"], ["dog", "2", "2"]]
    assert lines[-1] == "2 of 12 terms of field body"
    text = called(index, "postings", "foxes").output
    assert text.startswith("body:fox  in 2 documents, 3 occurrences\n")
    assert "a  [3]     The quick brown [fox] jumps over the lazy dog" in text
    assert [row["positions"] for row in as_json(index, "postings", "foxes")["rows"]] == [[3], [5, 8]]


def test_documents_given_and_rebuilt(index: Path) -> None:
    assert DOCUMENTS[0]["body"] in called(index, "document", "a").output
    assert "_ quick brown fox jump over _ lazi dog" in called(index, "document", "a", "--rebuild").output
    assert as_json(index, "document", "c")["fields"] == {"title": "Nothing", "body": ""}


def test_a_score_is_explained(index: Path) -> None:
    found = as_json(index, "explain", "fox title:dog", "b")
    whole = Index.open(index).search("fox title:dog")
    assert found["explanation"]["value"] == pytest.approx(dict(whole)["b"])
    assert (found["rank"], found["found"]) == (1, 2)
    text = called(index, "explain", "fox title:dog", "b").output
    assert text.startswith("b for body:fox title:dog: rank 1 of 2\n")
    assert "├─ " in text
    assert "└─ " in text
    assert "is not among the 2 documents found" in called(index, "explain", "fox title:dog", "c").output
    other = as_json(index, "explain", "fox", "b", "--similarity", "classic")
    assert "classic" in other["explanation"]["parts"][0]["text"]


def test_analysis_and_queries(index: Path) -> None:
    lines = called(index, "analyse", "The", "dog's", "bones").output.splitlines()
    assert lines[2].split() == ["0", "0-3", "The", "The", "the", "·", "·"]
    assert lines[-1] == "english: 3 tokens, 2 terms"
    assert as_json(index, "analyse", "The", "--analyser", "standard")["tokens"][0]["steps"] == ["the"]
    tree = called(index, "query", "+fox d*").output.splitlines()
    assert tree[0] == "group  +body:fox body:d*  2 documents"
    assert tree[2] == "└─ optional prefix  body:d*  3 terms, 2 documents"


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_shows_text_and_json_and_nothing_steers_the_terminal(view: str, index: Path) -> None:
    text = called(index, view, *ASKED[view])
    assert text.exit_code == 0
    assert "\x1b" not in text.output
    found = as_json(index, view, *ASKED[view])
    assert (found["format"], found["view"]) == ("rankscope.look", view)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["term"], "no view 'term' (did you mean 'terms'?). There are: terms, postings, document"),
        (["postings"], "'postings' takes TERM: write rankscope look INDEX postings TERM"),
        (["explain", "fox"], "'explain' takes QUERY and ID"),
        (["terms", "fox"], "'terms' takes nothing more"),
        (["terms", "--rebuild"], "'terms' has no --rebuild"),
        (["--field", "body"], "the overview has no --field"),
        (["postings", "fix"], "no term 'fix' in field body (did you mean 'fox'?)"),
        (["document", "z"], "no document 'z' in this index"),
        (["terms", "--field", "boby"], "no field 'boby' in this index (did you mean 'body'?). There are: title, body"),
        (["query", "fox AND"], "column 8"),
        (["explain", "fox", "a", "--similarity", "bm26"], "did you mean 'bm25'"),
        (["analyse", "x", "--analyser", "englisch"], "did you mean 'english'"),
    ],
)
def test_bad_input_says_what_would_be_right(arguments: list[str], words: str, index: Path) -> None:
    with pytest.raises(RankscopeError) as told:
        called(index, *arguments)
    assert words in str(told.value)


def test_a_folder_without_an_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RankscopeError, match="is no index"):
        called(tmp_path)


def test_damage_is_an_answer_or_an_error(tmp_path: Path) -> None:
    folder, chance = tmp_path / "texts.index", np.random.default_rng(0)
    Index.build(DOCUMENTS, folder)
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        whole = path.read_bytes()
        for size in (len(whole) // 2, len(whole)):
            mangled = bytearray(whole[:size])
            for place in chance.integers(0, max(size, 1), 3) if size else ():
                mangled[place] = chance.integers(256)
            path.write_bytes(bytes(mangled))
            for view in (None, *VIEWS):
                try:
                    called(folder, *([] if view is None else [view, *ASKED[view]]))
                except RankscopeError:
                    continue
        path.write_bytes(whole)
    assert called(folder).exit_code == 0


def test_describe_makes_vectors_of_texts(index: Path, tmp_path: Path) -> None:
    target = tmp_path / "lsi.npz"
    run = CliRunner().invoke(cli, ["describe", str(index), "--lsi", "2", "-o", str(target)], catch_exceptions=False)
    assert run.stdout == f"{target}: 3 documents, lsi(2), 2 values each, to be compared by cosine\n"
    assert "no document has a label" in run.stderr
    with np.load(target) as found:
        assert found["ids"].tolist() == ["a", "b", "c"]
        assert found["features"].shape == (3, 2)
        assert str(found["metric"]) == "cosine"
    [(name, same)] = rankscope.describe(index, lsi=2).items()
    assert (name, same.ids, same.metric) == ("lsi(2)", ("a", "b", "c"), "cosine")
    for arguments, words in (
        (["--lsi", "9"], "at most 2 dimensions"),
        (["-d", "cedd"], "is an index of texts: give --lsi"),
        (["-d", "cedd", "--lsi", "2"], "give one of them"),
        (["--lsi", "2", "--field", "x"], "no field 'x'"),
    ):
        with pytest.raises(SettingError, match=words):
            CliRunner().invoke(
                cli, ["describe", str(index), *arguments, "-o", str(target), "--force"], catch_exceptions=False
            )


def test_judgements_are_the_labels_of_documents(index: Path, tmp_path: Path) -> None:
    target, qrels = tmp_path / "lsi.npz", tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n1 0 b 2\n2 0 a 1\n2 0 b 0\n2 0 c 1\n")
    arguments = ["describe", str(index), "--lsi", "2", "--labels", str(qrels), "-o", str(target)]
    run = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "3 documents, 3 of them with labels joined by |, lsi(2)" in run.stdout
    with np.load(target) as found:
        assert found["labels"].tolist() == ["1|2", "1", "2"]
    same = rankscope.describe(index, lsi=2, labels=qrels)["lsi(2)"]
    assert same.several == (("1", "2"), ("1",), ("2",))
    assert len(rankscope.rank(str(target), separator="|").queries) == 3


SERVED = "http://127.0.0.1:8384"


def test_documents_are_linked_where_they_are_served(index: Path) -> None:
    link = f"{SERVED}/solr/texts/get?id=b"
    for words in (["document", "b"], ["explain", "fox title:dog", "b"]):
        assert called(index, *words, "--served", SERVED).output.splitlines()[1] == link
        assert as_json(index, *words, "--served", f"{SERVED}/solr/texts")["served"] == link
        assert "served" not in as_json(index, *words)
    lines = called(index, "postings", "foxes", "--served", SERVED).output.splitlines()
    assert lines[-1].endswith(link)
    rows = as_json(index, "postings", "foxes", "--served", f"{SERVED}/other")["rows"]
    assert [row["served"] for row in rows] == [f"{SERVED}/other/_doc/a", f"{SERVED}/other/_doc/b"]


@pytest.mark.parametrize("url", ["127.0.0.1:8384", "http://me:s3cret@h/", "ftp://h/", "http://h:x/", "http://h/?q=1"])
def test_an_address_that_cannot_be_is_refused(url: str, index: Path) -> None:
    with pytest.raises(SettingError) as raised:
        called(index, "document", "b", "--served", url)
    assert "s3cret" not in str(raised.value)


def test_a_link_leads_to_the_document(tmp_path: Path) -> None:
    httpx = needed_module("httpx", "gather")
    needed_module("starlette", "web")
    needed_module("uvicorn", "web")
    from rankscope.workbench.service import running, search_application

    name = "http://x/a b?c=d&e#f/ü+%2F"
    Index.build([{"id": name, "body": "A fox"}], tmp_path / "odd.index")
    with running(search_application([tmp_path / "odd.index"])) as address:
        given = ("document", name, "--served")
        for served in (address, f"{address}/solr/odd", f"{address}/odd"):
            found = httpx.get(as_json(tmp_path / "odd.index", *given, served)["served"]).json()
            assert name in (found.get("doc", {}).get("id"), found.get("_id"))


def test_several_indexes_are_looked_into_as_one(index: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.index"
    Index.build([{"id": "z", "title": "More", "body": "fox and fox"}], more)
    assert as_json(index, more)["documents"] == 4
    assert [row["id"] for row in as_json(index, more, "postings", "fox")["rows"]] == ["a", "b", "z"]
    assert as_json(index, more, "explain", "fox", "z")["found"] == 3
    assert as_json(more, index, "document", "z")["id"] == "z"
    link = as_json(index, more, "document", "z", "--served", SERVED)["served"]
    assert link == f"{SERVED}/solr/texts,more/get?id=z"
