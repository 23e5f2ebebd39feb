"""`rankscope describe` as people call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Pillow

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.engines.images.descriptors import DESCRIPTORS
from tests.engines.images.examples import noise
from tests.needs import needed_module


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for seed, name in enumerate(("cat/b.png", "cat/a.png", "dog/a.png", "dog/c.png", "alone.png")):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Pillow.fromarray(noise(20, 24, seed).rgb).save(path)
    return tmp_path / "photos"


def done(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["describe", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result


def stored(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def refused(*arguments: object) -> RankscopeError:
    with pytest.raises(RankscopeError) as error:
        CliRunner().invoke(cli, ["describe", *map(str, arguments)], catch_exceptions=False)
    return error.value


def test_a_folder_becomes_vectors_with_labels(photos: Path, tmp_path: Path) -> None:
    said = done(photos, "--descriptor", "cedd", "-o", tmp_path / "f.npz").output
    assert "5 pictures in 2 classes, cedd, 144 values each, to be compared by tanimoto" in said
    found = stored(tmp_path / "f.npz")
    assert found["ids"].tolist() == ["alone.png", "cat/a.png", "cat/b.png", "dog/a.png", "dog/c.png"]
    assert found["labels"].tolist() == ["", "cat", "cat", "dog", "dog"]
    assert found["features"].shape == (5, 144)
    assert str(found["metric"]) == "tanimoto"
    assert found["features"][0].tolist() == DESCRIPTORS.parse("cedd").of(noise(20, 24, 4)).tolist()


def test_vectors_are_what_rank_reads(photos: Path, tmp_path: Path) -> None:
    features, ranks = tmp_path / "f.npz", tmp_path / "f.ranks.parquet"
    done(photos, "-d", "colour-layout", "-o", features)
    result = CliRunner().invoke(cli, ["rank", str(features), "-o", str(ranks)])
    assert result.exit_code == 0, result.output
    assert "l2[0:6]" in result.stderr
    assert ranks.exists()


def test_several_descriptors_go_into_a_file_each(photos: Path, tmp_path: Path) -> None:
    done(photos, "-d", "rgb-histogram(4),lbp", "-d", "lbp(grid=4)", "-o", tmp_path / "f.npz")
    names = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert names == ["f.lbp-grid-4.npz", "f.lbp.npz", "f.rgb-histogram-bins-4.npz"]


def test_labels_may_come_from_a_table(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,class\nalone.png,x\ncat/a.png,x\n")
    said = done(photos, "-d", "cedd", "--labels", tmp_path / "labels.csv", "-o", tmp_path / "f.npz")
    assert "! 3 pictures are not in labels.csv: they have no class" in said.stderr
    assert stored(tmp_path / "f.npz")["labels"].tolist() == ["x", "x", "", "", ""]


def test_broken_files_are_named_and_the_rest_is_described(photos: Path, tmp_path: Path) -> None:
    (photos / "cat" / "broken.jpg").write_bytes(b"oops")
    (photos / "empty.png").write_bytes(b"")
    result = done(photos, "-d", "cedd", "-o", tmp_path / "f.npz")
    assert "! 2 files left out:" in result.stderr
    assert "!   cat/broken.jpg is no picture that can be read: its format is not known" in result.stderr
    assert "!   empty.png is no picture that can be read: the file is empty" in result.stderr
    assert len(stored(tmp_path / "f.npz")["ids"]) == 5


def test_a_folder_of_broken_files_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(b"oops")
    error = refused(tmp_path / "photos", "-d", "cedd", "-o", tmp_path / "f.npz")
    assert isinstance(error, InputError)
    assert "a.jpg" in str(error)
    assert not (tmp_path / "f.npz").exists()


def test_equal_pictures_give_equal_bytes_whatever_the_threads(photos: Path, tmp_path: Path) -> None:
    for threads in (1, 3):
        done(photos, "-d", "colour-moments", "--threads", threads, "-o", tmp_path / f"{threads}.npz")
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "3.npz").read_bytes()


def test_the_size_is_recorded(photos: Path, tmp_path: Path) -> None:
    done(photos, "-d", "rgb-histogram(1)", "--size", 12, "-o", tmp_path / "f.npz")
    found = stored(tmp_path / "f.npz")
    assert found["features"].tolist() == [[120]] * 5
    assert json.loads(str(found["about"]))["settings"]["size"] == 12


def test_the_list_shows_every_descriptor() -> None:
    said = done("--list").output
    assert [name for name in DESCRIPTORS.own_names() if name not in said] == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["-o", "f.npz"], "give --descriptor NAME"),
        (["-d", "cedd"], "give -o FEATURES.npz"),
        (["-d", "cedd", "-o", "f.csv"], "give -o f.npz"),
        (["-d", "cedd", "-o", "nowhere/f.npz"], "there is no folder nowhere"),
        (["-d", "nothing", "-o", "f.npz"], "no descriptor 'nothing'"),
        (["-d", "cedd", "--mean", "0,0,0", "-o", "f.npz"], "give --model FILE too"),
        (["--model", "none.onnx", "-o", "f.npz"], "no model file"),
        (["--model", "none.onnx", "--std", "a", "-o", "f.npz"], "one number or three"),
    ],
)
def test_what_cannot_be_meant_is_explained(photos: Path, arguments: list[str], word: str) -> None:
    error = refused(photos, *arguments)
    assert isinstance(error, SettingError)
    assert word in str(error)


def test_pictures_without_any_class_are_described_with_a_word(photos: Path, tmp_path: Path) -> None:
    assert "! no picture has a class" in done(photos / "cat", "-d", "cedd", "-o", tmp_path / "f.npz").stderr


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "no folder" in str(refused(tmp_path / "none", "-d", "cedd", "-o", tmp_path / "f.npz"))


def test_a_model_of_the_user_describes(photos: Path, tmp_path: Path) -> None:
    needed_module("onnxruntime", "onnx")
    needed_module("onnx", "dev")
    from tests.engines.images.test_models import made

    file = made(tmp_path / "net.onnx", ["n", 3, "h", "w"], [2, 3])
    given = ("--model", file, "--side", 8, "--mean", "0,0,0", "--std", "1")
    done(photos, *given, "-o", tmp_path / "f.npz")
    found = stored(tmp_path / "f.npz")
    assert found["features"].shape == (5, 3)
    assert str(found["descriptor"]) == "model(net.onnx,fit=crop)"
    assert str(found["metric"]) == "cosine"
