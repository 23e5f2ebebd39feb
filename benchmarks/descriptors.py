"""Every descriptor on Corel-1k and icons20k, next to the figures of the specification: ok, or off by how much."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.settings import Settings
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from rankscope.engines.images.picture_folders import pictures_in
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.features import Features
from rankscope.measures.evaluation.evaluate import evaluate_ranks

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
MEASURES = ("AP", "P@10", "ER", "NMRR")
EXACT, CLOSE, FUZZY = (5e-5, 5e-5, 5e-4, 5e-5), (0.003, 0.003, 0.008, 0.003), (0.01, 0.01, 0.015, 0.01)
TIMED = 20  # photos


@dataclass(frozen=True)
class Row:
    descriptor: str
    figures: tuple[float, float, float, float]
    tolerance: tuple[float, float, float, float] = CLOSE
    metric: str | None = None  # else the descriptor's own


COREL = (
    Row("rgb-histogram", (0.4912, 0.7114, 0.202, 0.4204), EXACT),
    Row("rgb-histogram", (0.5040, 0.7287, 0.168, 0.4106), EXACT, "js"),
    Row("rgb-histogram", (0.3796, 0.6005, 0.299, 0.5383), EXACT, "l2"),
    Row("hsv-histogram", (0.5138, 0.7327, 0.182, 0.4015)),
    Row("hsv-histogram", (0.5216, 0.7416, 0.169, 0.3960), metric="js"),
    Row("hsv-histogram(hues=18,saturations=3,values=3,greys=4)", (0.4740, 0.6922, 0.213, 0.4361)),
    Row("opponent-histogram(bins=4)", (0.4317, 0.6092, 0.299, 0.4678), metric="l1"),
    Row("opponent-histogram", (0.4924, 0.7045, 0.193, 0.4198)),
    Row("colour-moments", (0.4336, 0.6357, 0.266, 0.4721)),
    Row("colour-moments(space=hsv)", (0.3925, 0.5939, 0.321, 0.5064)),
    Row("colour-moments(grid=3)", (0.4699, 0.6869, 0.223, 0.4379)),
    Row("colour-layout", (0.4007, 0.5573, 0.376, 0.5028)),
    Row("colour-layout(luma=15,chroma=6)", (0.4150, 0.5880, 0.320, 0.4921)),
    Row("scalable-colour", (0.5474, 0.7614, 0.141, 0.3724)),
    Row("scalable-colour(coefficients=64)", (0.5111, 0.7285, 0.143, 0.4034)),
    Row("auto-correlogram", (0.5031, 0.7347, 0.178, 0.4169)),
    Row("auto-correlogram(colours=rgb)", (0.4495, 0.7140, 0.187, 0.4668)),
    Row("cedd", (0.5158, 0.7310, 0.177, 0.3960), FUZZY),
    Row("cedd(form=full)", (0.5293, 0.7378, 0.162, 0.3862), FUZZY),
    Row("fcth", (0.5224, 0.7382, 0.165, 0.3917), FUZZY),
    Row("fcth(form=full)", (0.5268, 0.7325, 0.156, 0.3875), FUZZY),
    Row("jcd", (0.5165, 0.7371, 0.164, 0.3966), FUZZY),
    Row("jcd(form=full)", (0.5273, 0.7362, 0.166, 0.3883), FUZZY),
    Row("edge-histogram(form=local)", (0.3862, 0.5426, 0.374, 0.5271)),
    Row("edge-histogram", (0.4058, 0.5673, 0.333, 0.5086)),
    Row("tamura", (0.3270, 0.4825, 0.445, 0.5705), FUZZY),
    Row("tamura(form=histogram)", (0.4083, 0.5965, 0.326, 0.5036), FUZZY),
    Row("gabor", (0.4332, 0.6350, 0.263, 0.4765), FUZZY),
    Row("gabor(scales=5)", (0.4414, 0.6357, 0.262, 0.4689), FUZZY),
    Row("lbp", (0.4645, 0.6615, 0.251, 0.4442)),
    Row("lbp(grid=4)", (0.4667, 0.6726, 0.227, 0.4430)),
    Row("lbp(patterns=turned)", (0.4206, 0.6169, 0.300, 0.4884)),
    Row("hog", (0.3086, 0.4861, 0.400, 0.6096), FUZZY),
    Row("gist", (0.3804, 0.5578, 0.350, 0.5364), FUZZY),
    Row("thumbnail", (0.3246, 0.4088, 0.528, 0.6152)),
    Row("thumbnail(colour=rgb)", (0.3863, 0.5108, 0.415, 0.5466)),
)
ICONS = (
    Row("thumbnail", (0.2886, 0.3544, 0.252, 0.6627)),
    Row("thumbnail(side=16,area=ink)", (0.3207, 0.4068, 0.233, 0.6267)),
    Row("edge-histogram(form=local)", (0.3736, 0.3804, 0.174, 0.5632)),
    Row("lbp", (0.2648, 0.2395, 0.321, 0.6848), metric="l1"),
    Row("hog(side=32,cell=8)", (0.5367, 0.5389, 0.079, 0.4001), FUZZY),
    Row("hog(side=32,cell=8,area=ink)", (0.5544, 0.5576, 0.090, 0.3864), FUZZY),
)
EVERY = 15  # of the clustered icons is a query


def report() -> str:
    head = "MAP, P@10, ER and ANMRR as measured, then as specified; ms: processor time of a decoded photo.\n\n"
    return head + corel() + "\nicons20k, every 15th clustered icon a query:\n\n" + icons()


def corel() -> str:
    folder = DATA / "corel1k"
    photos, _ = pictures_in(folder / "images", folder / "labels.csv")
    names = list(dict.fromkeys(row.descriptor for row in COREL))
    found = describe([photo.path for photo in photos], [DESCRIPTORS.parse(name) for name in names]).described
    vectors = dict(zip(names, found, strict=True))
    costs = _costs([photo.path for photo in photos[:: len(photos) // TIMED]], names)
    labels, ids = [photo.label for photo in photos], [photo.id for photo in photos]
    lines = []
    for row in COREL:
        each = vectors[row.descriptor]
        metric = row.metric or each.metric
        lines.append(_line(row, metric, _scores(each.features, labels, metric, ids), costs[row.descriptor]))
    return _table(lines)


def icons() -> str:
    with np.load(DATA / "icons20k" / "icons.npz") as stored:
        pictures, labels = stored["images"], stored["labels"]
    asked = np.flatnonzero(labels >= 0)[::EVERY]
    lines = []
    for row in ICONS:
        found = describe(list(pictures), [DESCRIPTORS.parse(row.descriptor)]).described[0]
        metric = row.metric or found.metric
        lines.append(_line(row, metric, _scores(found.features, labels, metric, None, asked.tolist()), None))
    return _table(lines)


def _scores(
    features: NDArray[Any], labels: Any, metric: str, ids: Sequence[str] | None, asked: Sequence[int] | None = None
) -> list[float]:
    """The four means; all items are asked, or those at some positions."""
    queries = None if asked is None else [str(each) for each in asked]
    items = Features.of(features, labels, ids, queries=queries)
    scores = evaluate_ranks([nearest_ranks(items, metric=metric)], MEASURES, Settings())
    return [scores[name] for name in MEASURES]


def _costs(paths: Sequence[Path], names: Sequence[str]) -> dict[str, float]:
    """Median processor time of one photo in milliseconds, decoding left out."""
    from rankscope.engines.images.image import read_image

    pictures = [read_image(path).rgb for path in paths]
    return {name: float(np.median([_cost(name, rgb) for rgb in pictures])) for name in names}


def _cost(name: str, rgb: NDArray[np.uint8]) -> float:
    begin = time.process_time()
    DESCRIPTORS.parse(name).of(Image(rgb))
    return 1000 * (time.process_time() - begin)


def _line(row: Row, metric: str, measured: Sequence[float], cost: float | None) -> list[str]:
    compared = zip(measured, row.figures, row.tolerance, strict=True)
    misses = [abs(value - figure) > room for value, figure, room in compared]
    verdict = "off: " + ", ".join(name for name, miss in zip(MEASURES, misses, strict=True) if miss)
    return [
        f"`{row.descriptor}`",
        str(DESCRIPTORS.parse(row.descriptor).size),
        metric if len(metric) < 12 else "mixture",
        " ".join(_short(value, place) for place, value in enumerate(measured)),
        " ".join(_short(value, place) for place, value in enumerate(row.figures)),
        verdict if any(misses) else "ok",
        "" if cost is None else f"{cost:.1f}",
    ]


def _short(value: float, place: int) -> str:
    return f"{value:.{3 if place == 2 else 4}f}".lstrip("0")


def _table(lines: Sequence[Sequence[str]]) -> str:
    head = ["descriptor", "values", "metric", "measured", "specified", "verdict", "ms"]
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
