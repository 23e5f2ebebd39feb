"""A project to try the workbench on: some of the icons that ship with rankscope, and a small pool to judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.core.files import atomic, made_folder
from rankscope.engines.images.image import pillow
from rankscope.inputs.collections.sample import icons
from rankscope.workbench.project import Project
from rankscope.workbench.project_file import PROJECT_FILE

CLASSES: Final = (
    "robot",
    "alarm",
    "bike",
    "balloon",
    "envelope",
    "cog",
    "boat",
    "thermometer",
    "lockopen",
    "elevator",
    "folderlock",
    "traffic",
)
MEMBERS: Final = 18  # of each class at most
OTHERS: Final = 84  # pictures of no class
QUERIES: Final = 6
SPACES: Final = ("pixels", "edges")
DEPTH: Final = 10
SIDE: Final = 128  # pixels, four times what the icons have
GUIDELINE: Final = """Relevant is an icon that means the same as the example, however it is drawn.

0  it means something else
1  it means the same, with something added or taken away
2  it means just the same

When you cannot see what an icon means, say "unsure".
"""


def demo_project(folder: str | Path) -> Project:
    """The project in a folder, open; made where the folder holds none."""
    root = Path(folder)
    if (root / PROJECT_FILE).exists():
        return Project.open(root)
    sample = icons()
    rows = _chosen(sample)
    names = [f"{sample.class_of_item[row] or 'others'}/{place:03d}.png" for place, row in enumerate(rows)]
    pictures, image = made_folder(root / "icons"), pillow("Image")
    for name, row in zip(names, rows, strict=True):
        made_folder((pictures / name).parent)
        with atomic(pictures / name, "wb") as file:
            image.fromarray(sample.images[row]).resize((SIDE, SIDE), image.Resampling.LANCZOS).save(file, "PNG")
    queries = _queries(names)
    files: dict[str, list[Path]] = {"features": [], "runs": []}
    for space in SPACES:
        vectors = sample.features(space)[rows].astype(np.float32)
        files["features"].append(root / f"{space}.npz")
        with atomic(files["features"][-1], "wb") as file:
            np.savez(file, features=vectors, ids=np.array(names), metric=np.array("cosine"))
        files["runs"].append(_write_run(root / f"{space}.run", vectors, names, queries))
    absolute: dict[str, Any] = {name: [path.resolve() for path in paths] for name, paths in files.items()}
    project = Project.new(root, images=pictures.resolve(), **absolute)
    project.add_guideline(GUIDELINE)
    project.make_pool(f"depth({DEPTH})")
    return project


def _chosen(sample: Any) -> list[int]:
    """Rows of the collection: some of each class, and some of none, in the order of their classes."""
    classes = np.array(sample.class_of_item)
    found: list[int] = []
    for name in (each for each in CLASSES if each in classes):
        found += np.flatnonzero(classes == name)[:MEMBERS].tolist()
    return found + np.flatnonzero(classes == "")[:OTHERS].tolist()


def _queries(names: list[str]) -> list[int]:
    """One picture of each of the first classes."""
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        first.setdefault(name.partition("/")[0], place)
    return [place for label, place in first.items() if label != "others"][:QUERIES]


def _write_run(path: Path, vectors: NDArray[np.float32], names: list[str], queries: list[int]) -> Path:
    """For each query all other pictures, the nearest first."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = unit[queries] @ unit.T
    near[np.arange(len(queries)), queries] = -np.inf
    order = np.argsort(-near, axis=1, kind="stable")[:, :-1]
    with atomic(path) as file:
        for query, row, scores in zip(queries, order, near, strict=True):
            for rank, place in enumerate(row.tolist(), 1):
                file.write(f"{names[query]} Q0 {names[place]} {rank} {scores[place]:.6f} {path.stem}\n")
    return path
