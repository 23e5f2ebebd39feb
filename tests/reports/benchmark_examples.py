"""A benchmark of three descriptors on small generated pictures."""

from __future__ import annotations

from pathlib import Path

from rankscope.engines.images.benchmark import benchmark
from rankscope.engines.images.contenders import contenders
from rankscope.engines.images.picture_folders import found_collection
from rankscope.reports.standings import Standings, standings_of
from tests.engines.images.pictures_folder import written

NAMES = "thumbnail(side=8),rgb-histogram(bins=4),lbp"


def standings(folder: Path, names: str = NAMES, each: int = 5) -> Standings:
    return standings_of_folder(written(folder / "photos", each), folder / "out", names)


def standings_of_folder(photos: Path, output: Path, names: str = NAMES) -> Standings:
    return standings_of(benchmark(found_collection(str(photos)), contenders(names), output))
