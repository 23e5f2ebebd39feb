"""A user's own network: tiny ONNX models made here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import MissingExtra, SettingError
from rankscope.engines.images.image import Image
from rankscope.engines.images.networks import InputForm, NetworkDescriptor
from tests.engines.images.examples import noise, plain
from tests.needs import needed_module

onnx = needed_module("onnx", "dev")  # makes the models
needed_module("onnxruntime", "onnx")


def made(path: Path, shape: list[Any], axes: list[int] | None, kind: int | None = None) -> str:
    """A model that averages its input over some axes, or passes it through."""
    helper, kinds = onnx.helper, onnx.TensorProto
    start = kinds.FLOAT if kind is None else kind
    steps = [helper.make_node("Cast", ["picture"], ["floats"], to=kinds.FLOAT)]
    if axes is None:
        steps.append(helper.make_node("Identity", ["floats"], ["vector"]))
    else:
        steps.append(helper.make_node("ReduceMean", ["floats", "axes"], ["vector"], keepdims=0))
    graph = helper.make_graph(
        steps,
        "means",
        [helper.make_tensor_value_info("picture", start, shape)],
        [helper.make_tensor_value_info("vector", kinds.FLOAT, None)],
        [helper.make_tensor("axes", kinds.INT64, [len(axes or [])], axes or [])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, str(path))
    return str(path)


def test_a_model_sees_scaled_channels_first(tmp_path: Path) -> None:
    file = made(tmp_path / "first.onnx", ["batch", 3, "height", "width"], [2, 3])
    model = NetworkDescriptor(file, side=8, mean=(0.5, 0.5, 0.5), std=(0.5, 0.25, 1.0))
    assert model.size == 3
    assert model.distance == "cosine"
    found = model.of(plain(20, 30, (255, 0, 51)))
    np.testing.assert_allclose(found, [1.0, -2.0, -0.3], atol=1e-6)


def test_channels_last_and_a_fixed_side_are_read_from_the_model(tmp_path: Path) -> None:
    model = NetworkDescriptor(made(tmp_path / "last.onnx", [1, 16, 16, 3], [1, 2]), mean=(0.0,), std=(1.0,))
    np.testing.assert_allclose(model.of(plain(5, 5, (255, 0, 51))), [1.0, 0.0, 0.2], atol=1e-6)
    with pytest.raises(SettingError, match="of side 16, not 32"):
        NetworkDescriptor(model.file, side=32).of(noise(8, 8))


def test_a_model_that_wants_bytes_gets_bytes(tmp_path: Path) -> None:
    file = made(tmp_path / "bytes.onnx", [1, 8, 8, 3], [1, 2], onnx.TensorProto.UINT8)
    assert NetworkDescriptor(file).of(plain(9, 9, (7, 8, 9))).tolist() == [7, 8, 9]


def test_a_model_for_greys_gets_luminance(tmp_path: Path) -> None:
    model = NetworkDescriptor(made(tmp_path / "grey.onnx", [1, 1, 8, 8], [2, 3]), mean=(0.0,), std=(1.0,))
    assert model.of(plain(9, 9, (255, 0, 0))) == pytest.approx([0.299], abs=1e-6)


def test_answers_for_places_are_averaged(tmp_path: Path) -> None:
    model = NetworkDescriptor(made(tmp_path / "map.onnx", [1, 3, 8, 8], None), mean=(0.0,), std=(1.0,))
    assert model.of(plain(9, 9, (255, 0, 51))) == pytest.approx([1, 0, 0.2], abs=1e-6)


def test_the_middle_is_cropped_or_the_whole_squeezed(tmp_path: Path) -> None:
    file = made(tmp_path / "crop.onnx", [1, 3, 8, 8], [2, 3])
    wide = np.zeros((10, 30, 3), dtype=np.uint8)
    wide[:, 10:20] = 255
    crop, stretch = (
        NetworkDescriptor(file, mean=(0.0,), std=(1.0,), fit=fit).of(Image.of(wide))[0] for fit in ("crop", "stretch")
    )
    assert crop == pytest.approx(1)
    assert stretch == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "word"),
    [([1, 10], "has the shape"), ([8, 3, 8, 8], "has the shape"), ([1, 5, 8, 8], "has the shape")],
)
def test_a_model_that_takes_no_pictures_is_refused(tmp_path: Path, shape: list[int], word: str) -> None:
    with pytest.raises(SettingError, match=word):
        NetworkDescriptor(made(tmp_path / "odd.onnx", shape, None)).of(noise(8, 8))


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    with pytest.raises(SettingError, match=r"bad\.onnx is no ONNX model"):
        NetworkDescriptor(str(tmp_path / "bad.onnx")).of(noise(8, 8))
    with pytest.raises(SettingError, match="no model file"):
        NetworkDescriptor(str(tmp_path / "none.onnx")).of(noise(8, 8))


@pytest.mark.parametrize("options", [{"mean": (1.0, 2.0)}, {"std": (0.0,)}, {"side": -1}, {"fit": "tall"}])
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        NetworkDescriptor("net.onnx", **options)


def test_without_the_runtime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = made(tmp_path / "alone.onnx", [1, 3, 8, 8], [2, 3])
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"rankscope\[onnx\]"):
        NetworkDescriptor(file).of(noise(8, 8))


@pytest.mark.thorough
def test_a_scripted_torch_model_gives_its_answer(tmp_path: Path) -> None:
    torch = needed_module("torch", "gpu")
    file = tmp_path / "means.pt"
    torch.jit.script(torch.nn.AdaptiveAvgPool2d(1)).save(str(file))
    found = NetworkDescriptor(str(file), side=8, mean=(0.0,), std=(1.0,)).of(plain(9, 9, (255, 0, 51)))
    assert found == pytest.approx([1, 0, 0.2], abs=1e-6)


def test_the_first_answer_of_a_torch_model_that_gives_several_counts(tmp_path: Path) -> None:
    torch = needed_module("torch", "gpu")

    class Two(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, picture):  # type: ignore[no-untyped-def]
            return picture.mean([2, 3]), picture

    torch.jit.trace(Two(), torch.zeros(1, 3, 8, 8)).save(str(tmp_path / "two.pt"))
    found = NetworkDescriptor(str(tmp_path / "two.pt"), side=8, mean=(0.0,), std=(1.0,)).of(plain(9, 9, (255, 0, 51)))
    assert found == pytest.approx([1, 0, 0.2], abs=1e-6)


def test_a_file_that_is_no_scripted_model_is_refused(tmp_path: Path) -> None:
    torch = needed_module("torch", "gpu")
    (tmp_path / "bad.pt").write_bytes(b"nothing")
    torch.save({"weight": torch.zeros(2)}, str(tmp_path / "weights.pt"))
    for name in ("bad.pt", "weights.pt"):
        with pytest.raises(SettingError, match=f"{name} is no scripted torch model"):
            NetworkDescriptor(str(tmp_path / name)).of(noise(8, 8))


def test_the_form_of_an_input_is_read_from_its_shape() -> None:
    assert InputForm.of([None, 3, "h", "w"], "float32", "n").side is None
    assert not InputForm.of([1, 224, 224, 1], "uint8", "n").channels_first
