"""Ranks through torch: the same bytes as on the processor; on a graphics card where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.engines.nearest import gpu, nearest_ranks
from rankscope.engines.nearest.gpu_products import METRICS, Products
from rankscope.errors import MissingExtra, SettingError
from rankscope.inputs.features import Features
from tests.engines.nearest.plain import everything, many_items
from tests.needs import needed_module, skip_for_want_of


def torch_with(device: str) -> Any:
    torch = needed_module("torch", "gpu")
    if device == "cuda" and not torch.cuda.is_available():
        skip_for_want_of("cuda", "torch finds no graphics card here")
    return torch


DEVICES = ["torch-cpu", "cuda"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_a_device_gives_the_bytes_of_the_processor(device: str, metric: str, kind: str, monkeypatch: Any) -> None:
    torch_with(device)
    monkeypatch.setattr(gpu.GpuRanker, "tile_queries", 37)
    monkeypatch.setattr(gpu.GpuRanker, "tile_items", 101)
    features, labels = many_items(kind)
    for table in (features, features.astype(np.float32) * np.float32(1e-20), features + 1000.0):
        whole = everything(nearest_ranks(table, labels, metric))
        assert everything(nearest_ranks(table, labels, metric, device=device)) == whole
        assert everything(nearest_ranks(table, labels, metric, device=device, block=50)) == whole


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("room", [0, 500])
def test_a_device_gives_the_same_where_too_much_is_in_doubt(device: str, room: int, monkeypatch: Any) -> None:
    torch_with(device)
    monkeypatch.setattr(gpu, "CLOSE", room)
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


@pytest.mark.parametrize("metric", METRICS)
def test_half_precision_parts_stay_within_their_bound(metric: str) -> None:
    torch = torch_with("torch-cpu")
    for kind in ("fractions", "near twins"):
        features, _ = many_items(kind)
        products = Products(torch, features, metric, "cpu")
        products.quick = True
        everyone = np.arange(len(features))
        rows = products._prepared(slice(0, len(features)))
        left, right = (products._split(rows, order).to(torch.float32) for order in ("hhl", "hlh"))
        scores = left @ right.T
        if metric == "l2":
            scores = scores * 2 - (products.lengths2 * 2.0**20).to(torch.float32)
        query, item = (torch.from_numpy(each) for each in np.divmod(np.arange(len(features) ** 2), len(features)))
        low, high = products.limits(query, products.reference(query, item), precise=False)
        flat = scores.numpy().ravel()
        assert everyone.size**2 == flat.size
        assert ((low.numpy() <= flat) & (flat <= high.numpy())).all()


def test_without_torch_the_extra_is_named(monkeypatch: Any) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"rankscope\[gpu\]"):
        nearest_ranks([[0.0], [1.0]], [1, 1], device="cuda")


@pytest.mark.parametrize("more", [{"metric": "l1"}, {"keep_scores": True}])
def test_what_a_device_cannot_do_is_told(more: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="device='cuda'"):
        nearest_ranks([[0.0], [1.0]], [1, 1], device="cuda", **more)
