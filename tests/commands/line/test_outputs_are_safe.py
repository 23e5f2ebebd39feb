"""No output replaces an input, a read-only file or something else; earlier results are replaced as ever."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.core.errors import SettingError
from rankscope.core.file_guard import Guard, guarding
from rankscope.core.files import atomic
from tests.commands.line.every_command import leaf_commands
from tests.commands.line.inside import ended, runs_in, tree

Ended = Callable[..., int]


@pytest.fixture
def rankscope(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ended:
    monkeypatch.chdir(runs_in(tmp_path))
    return lambda *arguments: ended(monkeypatch, *arguments)


@pytest.mark.parametrize("target", ["a.run", "qrels.txt", "b.run"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "report", "gate"])
def test_an_input_is_never_replaced(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], command: str, target: str
) -> None:
    before = tree(Path())
    assert rankscope(command, "qrels.txt", "a.run", "b.run", "-o", target, "--force") == 2
    assert "this command reads it" in capsys.readouterr().err
    assert tree(Path()) == before


def test_not_through_links_either(rankscope: Ended) -> None:
    Path("soft.csv").symlink_to("a.run")
    os.link("qrels.txt", "hard.csv")
    before = tree(Path())
    for target in ("soft.csv", "hard.csv"):
        assert rankscope("evaluate", "qrels.txt", "a.run", "-o", target, "--force") == 2
    assert tree(Path()) == before


def test_not_what_is_read_as_junk_or_classes_either(rankscope: Ended) -> None:
    Path("junk").write_text("q1 0 d9 0\n")
    Path("kinds.csv").write_text("query,class\nq1,x\nq2,y\n")
    for option, target in (("--junk", "junk"), ("--by", "kinds.csv")):
        assert rankscope("evaluate", "qrels.txt", "a.run", option, target, "-o", target, "--force") == 2
    assert Path("junk").read_text() == "q1 0 d9 0\n"


def test_features_are_not_replaced_by_the_study_of_them(rankscope: Ended) -> None:
    frame = pl.DataFrame({"id": ["1", "2"], "label": ["x", "y"], "features": [[0.1, 0.2], [0.3, 0.4]]})
    frame.write_parquet("feat.parquet")
    before = tree(Path())
    assert rankscope("feedback", "feat.parquet", "-o", "feat.parquet") == 2
    assert rankscope("feedback", "digits", "-o", "feat.parquet") == 2
    assert tree(Path()) == before


def test_pictures_in_a_folder_are_inputs(rankscope: Ended, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    png = b"\x89PNG\r\n\x1a\n" + bytes(60)
    (folder / "cat.png").write_bytes(png)
    os.link(folder / "cat.png", tmp_path / "cat.npz")
    assert rankscope("describe", "photos", "-d", "thumbnail", "-o", "cat.npz", "--force") == 2
    assert (tmp_path / "cat.npz").read_bytes() == png


def test_a_read_only_file_stays(rankscope: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    target = Path("scores.csv")
    target.write_text("mine")
    target.chmod(0o444)
    assert rankscope("evaluate", "qrels.txt", "a.run", "-o", target, "--force") == 2
    assert "read-only" in capsys.readouterr().err
    assert target.read_text() == "mine"


def bytes_of_parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def bytes_of_array() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, features=np.zeros((2, 2)))
    return buffer.getvalue()


OTHERS = {
    "a run": b"q1 Q0 d1 1 0.5 bm25\n",
    "judgements": b"q1 0 d1 1\n",
    "a run in CSV": b"query,item,score\nq1,d1,0.5\n",
    "judgements in JSON": json.dumps({"q1": {"d1": 1}}).encode(),
    "JSON lines": b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n',
    "a compressed file": b"\x1f\x8b\x08" + bytes(20),
    "features": bytes_of_array(),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(60),
    "a drawing": b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'></svg>",
    "a run in Parquet": bytes_of_parquet(pl.DataFrame({"query": ["q1"], "item": ["d1"], "score": [0.5]})),
    "a table in Parquet": bytes_of_parquet(pl.DataFrame({"id": ["1"], "features": [[0.1, 0.2]]})),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_something_else_is_replaced_only_by_force(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    target = Path("scores.csv")
    target.write_bytes(OTHERS[kind])
    assert rankscope("evaluate", "qrels.txt", "a.run", "-m", "AP", "-o", target) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert target.read_bytes() == OTHERS[kind]
    assert rankscope("evaluate", "qrels.txt", "a.run", "-m", "AP", "-o", target, "--force") == 0
    assert target.read_text().startswith("system,measure,value")


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "qrels.txt", "a.run", "b.run", "-o", "x.txt"),
        ("evaluate", "qrels.txt", "a.run", "-q", "-o", "x.csv"),
        ("evaluate", "qrels.txt", "a.run", "-o", "x.json"),
        ("evaluate", "qrels.txt", "a.run", "-m", "num_q,num_ret,num_rel", "-o", "x.txt"),
        ("evaluate", "qrels.txt", "a.run", "-m", "all_trec", "-q", "-o", "x.trec"),
        ("evaluate", "qrels.txt", "a.run", "-o", "x.parquet"),
        ("evaluate", "qrels.txt", "a.run", "-q", "-o", "x.parquet"),
        ("evaluate", "qrels.txt", "a.run", "-o", "x.ranks.parquet"),
        ("compare", "qrels.txt", "a.run", "b.run", "-o", "x.json"),
        ("gate", "qrels.txt", "a.run", "a.run", "-o", "x.md"),
        ("graph", "precision-recall", "qrels.txt", "a.run", "-o", "x.svg"),
        ("graph", "precision-recall", "qrels.txt", "a.run", "-o", "x.csv"),
        ("graph", "precision-recall", "qrels.txt", "a.run", "-o", "x.json"),
    ],
    ids=" ".join,
)
def test_an_earlier_result_is_replaced_as_ever(rankscope: Ended, arguments: tuple[str, ...]) -> None:
    assert rankscope(*arguments) == 0
    first = tree(Path())
    assert rankscope(*arguments) == 0
    assert tree(Path()) == first


def test_saved_ranks_are_no_place_for_a_page(rankscope: Ended) -> None:
    assert rankscope("evaluate", "qrels.txt", "a.run", "-o", "a.ranks.parquet") == 0
    before = tree(Path())
    assert rankscope("report", "qrels.txt", "b.run", "-o", "a.ranks.parquet") == 2
    assert tree(Path()) == before


def test_python_may_replace_what_it_wants(tmp_path: Path) -> None:
    target = tmp_path / "a.run"
    target.write_bytes(OTHERS["a run"])
    with atomic(target) as file:
        file.write("something else")
    assert target.read_text() == "something else"


def test_what_is_written_decides_at_the_end_too(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(OTHERS["a picture"])
    with guarding(Guard()), pytest.raises(SettingError, match="a picture"), atomic(target) as file:
        file.write("a table")
    with guarding(Guard()), atomic(target, "wb") as picture:
        picture.write(OTHERS["a drawing"])
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("name", leaf_commands())
def test_every_option_that_names_a_file_says_whether_it_is_read_or_written(name: str) -> None:
    command = leaf_commands()[name]
    assert isinstance(command, GuardedCommand)
    words = ("FILE", "FOLDER", "CSV", ".parquet", ".npz", ".html", "QRELS", "FEATURES")
    for param in command.params:
        if any(word in str(param.metavar or "") for word in words):
            assert isinstance(param.type, Input | OutputFile), param
    if any(isinstance(param.type, OutputFile) for param in command.params):
        assert any(param.name == "force" for param in command.params)
    assert any(param.name == "debug" for param in command.params)
