"""Silhouettes of MPEG-7 CE-Shape-1 part B by every shape descriptor and by height matching: figures and cost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray
from rankscope.engines.images.contenders import HeightMatching
from rankscope.engines.images.descriptors import DESCRIPTORS, Descriptor
from rankscope.engines.images.image import Image, read_image
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.pairwise import put_query_back
from rankscope.inputs.collections.collection import Collection, load
from rankscope.measures import AP, ER, NMRR, Bullseye, P
from rankscope.ranks.relevant_ranks import RelevantRanks

Pictures = list[NDArray[np.uint8]]  # decoded pictures keep too much else to hold them all

DATA = Path(os.environ.get("RANKSCOPE_DATA", "../shared/data"))
KNOWN: dict[str, tuple[float, ...]] = {  # bull's-eye, MAP, P@10, ER, ANMRR that the method reaches elsewhere
    "fourier-centroid": (68.01, 0.5783, 0.6681, 0.091, 0.3732),
    "fourier-complex": (72.97, 0.6529, 0.7498, 0.059, 0.3100),
    "zernike": (69.58, 0.6103, 0.7197, 0.076, 0.3454),
    "angular-radial": (69.24, 0.6082, 0.7104, 0.071, 0.3505),
    "silhouette": (65.87, 0.5961, 0.7011, 0.116, 0.3680),
    "height-spectrum": (77.06, 0.6997, 0.7871, 0.049, 0.2674),
}
MATCHING: dict[HeightMatching, tuple[float, ...]] = {
    HeightMatching(band=0): (78.80, 0.7258, 0.8095, 0.031, 0.2443),
    HeightMatching(complexity=0): (83.70, 0.7945, 0.8751, 0.017, 0.1835),
    HeightMatching(): (85.65, 0.8114, 0.8866, 0.016, 0.1667),
    HeightMatching(points=64, runs=16, band=4): (85.07, 0.8046, 0.8834, 0.021, 0.1727),
}


def report() -> str:
    """One line for each way of comparing shapes; known figures in brackets."""
    if not (DATA / "mpeg7-shapes").is_dir():
        return "No shapes here: set RANKSCOPE_DATA to the folder that holds mpeg7-shapes.\n"
    shapes = load("mpeg7", DATA / "mpeg7-shapes")
    pictures = [read_image(path).rgb for path in shapes.paths or ()]
    lines = ["| ranker | bull's-eye % | MAP | P@10 | ER | ANMRR | seconds |", "|---|---|---|---|---|---|---|"]
    lines += [_described(DESCRIPTORS.parse(name), pictures, shapes, known) for name, known in KNOWN.items()]
    lines += [_matched(matching, pictures, shapes, known) for matching, known in MATCHING.items()]
    return "\n".join([*lines, ""])


def _described(kind: Descriptor, pictures: Pictures, shapes: Collection, known: tuple[float, ...]) -> str:
    begin = time.perf_counter()
    rows = np.stack([kind.of(Image(picture)) for picture in pictures])
    ranks = nearest_ranks(rows, shapes.labels, "l1")
    return _line(str(kind), ranks, known, time.perf_counter() - begin)


def _matched(kind: HeightMatching, pictures: Pictures, shapes: Collection, known: tuple[float, ...]) -> str:
    begin = time.perf_counter()
    outlines: FloatArray = np.stack([kind.of(Image(picture)) for picture in pictures])
    ranks = kind.ranks(outlines, shapes.labels)
    name = f"height-matching: {kind.points} points, {kind.runs} runs, band {kind.band}"
    return _line(name + ("" if kind.complexity else ", no complexity"), ranks, known, time.perf_counter() - begin)


def _line(name: str, ranks: RelevantRanks, known: tuple[float, ...], seconds: float) -> str:
    values = [100 * Bullseye().of(put_query_back(ranks)).mean()]
    values += [each.of(ranks).mean() for each in (AP(), P(scope=10), ER(), NMRR())]
    cells = [
        f"{value:.{places}f} ({was:.{places}f})"
        for value, was, places in zip(values, known, (2, 4, 4, 3, 4), strict=True)
    ]
    return f"| {name} | {' | '.join(cells)} | {seconds:.0f} |"


if __name__ == "__main__":
    print(report())
