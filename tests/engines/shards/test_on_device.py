"""Shards on a device that torch knows: what they count follows from ranks, and the bytes are those of the processor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.gpu_scores import DEVICE_METRICS
from rankscope.engines.shards.ranking import counts_of_ranks
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.score_tables import best_first, count_among, ranks_among
from rankscope.ranks.screening import place_close
from tests.engines.nearest.plain import everything, many_items
from tests.engines.nearest.test_gpu import DEVICES, torch_with
from tests.engines.shards.test_shards import by_shards


@given(data=st.data())
@settings(max_examples=60)
def test_counts_follow_from_ranks(data: st.DataObject) -> None:
    """A few rows of few different scores, of which some items are hits."""
    rows, wide = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 9))
    cells = rows * wide
    scores = data.draw(st.lists(st.integers(0, 3), min_size=cells, max_size=cells))
    marks = data.draw(st.lists(st.booleans(), min_size=cells, max_size=cells))
    table, chosen = np.array(scores, np.float64).reshape(rows, wide), np.array(marks).reshape(rows, wide)
    row, item = np.nonzero(chosen)
    hits = best_first(Ragged.from_rows(row, rows, item=item, score=table[row, item]))
    others = np.where(chosen, -np.inf, table)
    found = ranks_among(hits, others)
    before, close = count_among(hits, others)
    placed = place_close(hits, close)
    counted = counts_of_ranks(hits, found.rank, found.ties)
    assert counted.before.tolist() == (before + placed.before).tolist()
    assert counted.others.tolist() == placed.others.tolist()
    assert counted.earlier.tolist() == placed.earlier.tolist()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("metric", DEVICE_METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_a_device_counts_what_the_processor_counts(device: str, metric: str, kind: str) -> None:
    torch_with(device)
    features, labels = many_items(kind)
    split = ["query" if row % 5 == 0 else "gallery" if row % 5 == 1 else "both" for row in range(len(features))]
    items = Features.of(features, labels, split=split)
    for keep in (False, True):
        whole = everything(nearest_ranks(items, metric=metric, keep_scores=keep))
        assert everything(by_shards(items, metric, [0, 1, 1, 100, 290], keep=keep, device=device)) == whole
