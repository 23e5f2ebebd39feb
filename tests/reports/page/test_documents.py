"""What a page says of the items found: texts, pictures, an index, or links; and nothing is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope
from rankscope import report
from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.engines.text.text_index import Index
from rankscope.inputs.documents.topics import QuerySet
from rankscope.reports.page.found_items import grey_address, shown_documents, words_of
from tests.needs import needed_module
from tests.reports.page.test_html import data_of

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUNS = {"one": {"q1": {"d1": 3.0, "d9": 2.0}, "q2": {"d3": 1.0}}, "two": {"q1": {"d9": 2.0, "d2": 1.0}, "q2": {}}}
ROWS = [{"id": f"d{n}", "title": f"Title {n}", "text": f"Words of document {n}. " * 30} for n in (1, 2, 3, 7)]


def found(**given: object) -> dict[str, object]:
    data: dict[str, object] = data_of(report(QRELS, RUNS, ["AP"], **given), "queries")  # type: ignore[arg-type]
    return data


def test_lists_hold_what_each_system_has_first_with_its_grades() -> None:
    data = found()
    listed = data["listed"]
    assert isinstance(listed, dict)
    first = listed["queries"][0]
    for place, name in enumerate(("one", "two")):
        own = [(first["ids"][each], first["grades"][each]) for each in first["first"][place]]
        assert own == {"one": [("d1", 1), ("d9", None)], "two": [("d9", None), ("d2", 0)]}[name]
    assert data["top"] == 2


def test_texts_of_a_file_stand_beside_the_items_that_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)))
    data = found(docs=str(file), topics={"q1": {"title": "first words", "desc": "What?"}, "q2": "second"})
    assert data["titles"] == {"d1": "Title 1", "d2": "Title 2", "d3": "Title 3"}
    texts = data["texts"]
    assert isinstance(texts, dict)
    assert texts["d1"].startswith("Words of document 1.")
    assert len(texts["d1"]) < 230
    assert data["words"] == [["first words", "What?"], ["second", ""]]


def test_an_index_gives_its_texts(tmp_path: Path) -> None:
    Index.build(ROWS, tmp_path / "index")
    shown = shown_documents(tmp_path / "index", ["d2", "d7", "d100"])
    assert dict(shown.titles) == {"d2": "Title 2", "d7": "Title 7"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgements, a run of 30 items, an index of 40 documents that holds them, and one of 20."""
    monkeypatch.chdir(tmp_path)
    items = [f"d{number}" for number in range(40)]
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{q} 1\nq{q} 0 d{q + 9} 1\n" for q in range(6)))
    lines = [f"q{q} Q0 {item} 1 {50 - place} a\n" for q in range(6) for place, item in enumerate(items[:30])]
    (tmp_path / "a.run").write_text("".join(lines))
    Index.build([{"id": each, "text": each} for each in items], tmp_path / "all.index")
    Index.build([{"id": each, "text": each} for each in items[:20]], tmp_path / "few.index")
    return tmp_path


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("options", "sized", "said"),
    [
        ((), False, ""),
        (("--docs", "all.index"), True, ""),
        (("--docs", "all.index", "--collection-size", "40"), True, ""),
        (
            ("--docs", "all.index", "--collection-size", "900"),
            True,
            "! the collection was said to hold 900 items, and the index all.index holds 40 documents: 900 counts",
        ),
        (
            ("--docs", "few.index"),
            False,
            "! the index few.index holds 20 documents and a ranking lists 30: it is not the whole collection",
        ),
        (("--docs", "few.index", "--collection-size", "900"), True, "it is not the whole collection"),
        (("--docs", "all.index", "--roll-up", "^(.*?)$"), False, ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_size_of_an_index_is_that_of_the_collection(
    files: Path, options: tuple[str, ...], sized: bool, said: str
) -> None:
    done = CliRunner().invoke(cli, ["report", "qrels.txt", "a.run", "-m", "AP", *options], catch_exceptions=False)
    assert done.exit_code == 0
    told = [line for line in done.output.splitlines() if "index" in line]
    assert said in "".join(told) if said else told == []
    chosen = {name.strip("-").replace("-", "_"): value for name, value in zip(options[::2], options[1::2], strict=True)}
    size = int(chosen.pop("collection_size", 0)) or None
    page = report("qrels.txt", ["a.run"], "AP", collection_size=size, **chosen)  # type: ignore[arg-type]
    for text in (page, (files / "report.html").read_text(encoding="utf-8")):
        assert ('id="graph-grip"' in text) == sized


def test_scores_that_are_there_take_the_size_of_the_index(files: Path) -> None:
    scores = rankscope.evaluate("qrels.txt", ["a.run"], "AP", keep_scores=True)
    assert 'id="graph-grip"' in report(scores, docs="all.index")
    assert 'id="graph-grip"' not in report(scores)


def test_a_measure_over_generality_refuses_an_index_that_is_too_small(files: Path) -> None:
    assert "generality" in report("qrels.txt", ["a.run"], "AP,generality", docs="all.index")
    with pytest.raises(RankscopeError, match="not the whole collection: give collection_size=D"):
        report("qrels.txt", ["a.run"], "AP,generality", docs="few.index")


def test_pictures_of_a_folder_are_inside_the_page(tmp_path: Path) -> None:
    image = needed_module("PIL.Image", "images")
    for name in ("d1", "d3"):
        image.fromarray(np.full((40, 60, 3), 90, dtype=np.uint8)).save(tmp_path / f"{name}.png")
    pictures = shown_documents(tmp_path, ["d1", "d2", "d3"]).pictures
    assert set(pictures) == {"d1", "d3"}
    assert all(address.startswith("data:image/") for address in pictures.values())


def test_a_template_is_only_a_link() -> None:
    assert found(docs="https://example.org/doc?x={id}")["link"] == "https://example.org/doc?x={id}"
    for bad in ("javascript:alert({id})", "file:///etc/{id}", "data:text/html,{id}"):
        with pytest.raises(RankscopeError, match="starts with https://"):
            shown_documents(bad, ["d1"])


def test_documents_that_hold_nothing_shown_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("id\ttext\nother\twords\n")
    with pytest.raises(RankscopeError, match="holds none of the 4 items that stand first"):
        found(docs=tmp_path / "docs.tsv")


def test_topics_of_other_queries_are_an_error() -> None:
    with pytest.raises(RankscopeError, match="none of its queries is judged"):
        found(topics={"301": "crime"})


def test_the_command_takes_trec_tsv_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n2 Q0 c 1 2 x\n")
    forms = {
        "t.trec": "<top>\n<num> Number: 1\n<title> red cars\n</top>\n<top>\n<num> Number: 2\n<title> seas\n</top>\n",
        "t.tsv": "1\tred cars\n2\tseas\n",
        "t.jsonl": '{"id": "1", "text": "red cars"}\n{"id": "2", "text": "seas"}\n',
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        page = tmp_path / "page.html"
        files = [str(tmp_path / each) for each in ("qrels", "x.run")]
        done = CliRunner().invoke(cli, ["report", *files, "--topics", str(tmp_path / name), "-o", str(page), "--quiet"])
        assert done.exit_code == 0, done.output
        assert data_of(page.read_text(), "queries")["words"] == [["red cars", ""], ["seas", ""]]


def test_a_question_is_what_says_more_than_the_title() -> None:
    parts = {"query": "coronavirus origin", "question": "what is the origin", "narrative": "long"}
    assert words_of(QuerySet({"1": parts})) == {"1": ("coronavirus origin", "what is the origin")}


def test_a_grey_picture_is_a_png_that_others_read() -> None:
    import base64
    import io

    image = needed_module("PIL.Image", "images")
    wanted = (np.arange(35).reshape(5, 7) * 7).astype(np.uint8)
    data = base64.b64decode(grey_address(wanted).partition(",")[2])
    seen = np.asarray(image.open(io.BytesIO(data)).convert("L"))
    assert seen.shape == wanted.shape
    assert np.abs(seen.astype(int) - wanted).max() <= 9
