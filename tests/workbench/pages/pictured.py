"""A small project of pictures in classes, with features that know how they were made, served to a client."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.describing import describe, save_features
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.workbench.project import Project
from tests.needs import needed_module
from tests.workbench.asgi_client import client_of
from tests.workbench.pages.served import OURS, Reach, Served, Workbench, workbench_application

PIL = needed_module("PIL.Image", "images")
COLOURS = {"blue": (30, 40, 200), "green": (40, 180, 60), "red": (200, 30, 40)}
EACH = 8
DESCRIPTOR = "colour-moments"


def pixels_of(colour: str, number: int, side: int = 24) -> NDArray[np.uint8]:
    """A picture of mostly one colour, another for each number."""
    noise = np.random.default_rng([number, *COLOURS[colour]]).integers(-25, 26, (side, side, 3))
    return np.clip(np.array(COLOURS[colour]) + noise + 2 * number, 0, 255).astype(np.uint8)


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    target = io.BytesIO()
    PIL.fromarray(pixels).save(target, "PNG")
    return target.getvalue()


def write_pictures(folder: Path) -> dict[str, Any]:
    """Eight pictures of each colour in a folder of its own, and two feature files: one tells how it was made."""
    names = [f"{colour}/{number}.png" for colour in COLOURS for number in range(EACH)]
    pictures = [pixels_of(colour, number) for colour in COLOURS for number in range(EACH)]
    for name, pixels in zip(names, pictures, strict=True):
        path = folder / "pictures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png_of(pixels))
    described = describe(pictures, [DESCRIPTORS.parse(DESCRIPTOR)]).described[0]
    save_features(described, folder / "moments.npz", names, [name.partition("/")[0] for name in names])
    means = np.stack([each.mean(axis=(0, 1)) for each in pictures])
    np.savez(folder / "means.npz", features=means, ids=np.array(names))
    return {"images": folder / "pictures", "features": [folder / "moments.npz", folder / "means.npz"]}


@contextmanager
def served_pictures(folder: Path, runs: dict[str, str] | None = None, **settings: Any) -> Iterator[Served]:
    """The project, with the owner signed in."""
    files = []
    for name, text in (runs or {}).items():
        (folder / f"{name}.run").write_text(text)
        files.append(folder / f"{name}.run")
    with Project.new(folder / "project", **write_pictures(folder), runs=files, **settings) as project:
        bench = Workbench(project, Reach(rate=1000))
        with client_of(workbench_application(project, bench=bench)) as client:
            served = Served(project, bench, client)
            served.sign_in()
            yield served


def drop(served: Served, data: bytes, name: str = "mine.png", **fields: str) -> Any:
    """Drop a file in, as the page does."""
    files = {"file": (name, data, "image/png")}
    return served.client.post("/like/picture", files=files, data=fields, headers=OURS)
