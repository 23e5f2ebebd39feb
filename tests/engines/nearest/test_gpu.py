"""Ranks through torch: the same bytes as on the processor; on a graphics card where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import MissingExtra, SettingError
from rankscope.engines.nearest import gpu, nearest_ranks
from rankscope.engines.nearest.gpu_scores import DEVICE_METRICS, DeviceRows, Fixed, Half, Level
from rankscope.inputs.features import Features
from tests.engines.nearest.plain import everything, many_items
from tests.needs import needed_module, skip_for_want_of


def torch_with(device: str) -> Any:
    torch = needed_module("torch", "gpu")
    if device == "cuda" and not torch.cuda.is_available():
        skip_for_want_of("cuda", "torch finds no graphics card here")
    return torch


DEVICES = ["torch-cpu", "cuda"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("metric", DEVICE_METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
@pytest.mark.parametrize("keep", [False, True])
def test_a_device_gives_the_bytes_of_the_processor(
    device: str, metric: str, kind: str, keep: bool, monkeypatch: Any
) -> None:
    torch_with(device)
    monkeypatch.setattr(gpu.GpuRanker, "tile_queries", 37)
    monkeypatch.setattr(gpu.GpuRanker, "tile_items", 101)
    features, labels = many_items(kind)
    for table in (features, features.astype(np.float32) * np.float32(1e-20), features + 1000.0):
        whole = everything(nearest_ranks(table, labels, metric, keep_scores=keep))
        for dear, block in ((-1.0, None), (2.0, 50)):  # in fixed point from the first tile on, or never
            monkeypatch.setattr(gpu, "DEAR", dear)
            more: dict[str, Any] = {"device": device, "keep_scores": keep, "block": block}
            assert everything(nearest_ranks(table, labels, metric, **more)) == whole


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("room", [0, 3000])
def test_a_device_gives_the_same_where_too_much_is_in_doubt(device: str, room: int, monkeypatch: Any) -> None:
    torch_with(device)
    monkeypatch.setattr(gpu, "ROOM", room)
    features, labels = many_items("near twins")
    whole = everything(nearest_ranks(features, labels))
    assert everything(nearest_ranks(features, labels, device=device)) == whole


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_knows_policies_junk_and_splits(device: str) -> None:
    torch_with(device)
    features, labels = many_items("fractions")
    split = np.array(["query", "gallery", "both"])[np.arange(len(labels)) % 3]
    items = Features.of(features, labels, split=split)
    junk = [("0", "1"), ("3", "4"), ("3", "5")]
    for policy in ("removed", "kept"):
        one = nearest_ranks(items, junk=junk, query_item=policy)
        other = nearest_ranks(items, junk=junk, query_item=policy, device=device)
        assert everything(one) == everything(other)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("metric", DEVICE_METRICS)
@pytest.mark.parametrize("level", [Half, Fixed])
@pytest.mark.parametrize("kind", ["fractions", "near twins", "long and short", "peaks"])
def test_screened_scores_stay_within_their_limits(metric: str, level: type[Level], kind: str) -> None:
    torch = torch_with("torch-cpu")
    rows = DeviceRows(torch, uneven_items(kind), metric, "cpu")
    screen, count = level(rows), rows.count
    scores = screen.scores(screen.query_side(torch.arange(count)), 0, count).numpy().ravel()
    query, item = (torch.from_numpy(each) for each in np.divmod(np.arange(count**2), count))
    low, high = screen.limits(query, rows.reference(query, item))
    assert ((low.numpy() <= scores) & (scores <= high.numpy())).all()


def uneven_items(kind: str) -> Any:
    rng = np.random.default_rng(5)
    if kind == "long and short":
        return rng.standard_normal((120, 30)) * 10.0 ** rng.integers(-12, 12, (120, 1))
    if kind == "peaks":
        return rng.standard_normal((120, 30)) ** 15
    return many_items(kind)[0]


def test_without_torch_the_extra_is_named(monkeypatch: Any) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"rankscope\[gpu\]"):
        nearest_ranks([[0.0], [1.0]], [1, 1], device="cuda")


@pytest.mark.parametrize("more", [{"metric": "l1"}])
def test_what_a_device_cannot_do_is_told(more: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="device='cuda'"):
        nearest_ranks([[0.0], [1.0]], [1, 1], device="cuda", **more)
