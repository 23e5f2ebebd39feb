"""One more picture, described as those of a feature file were: what its vector would have been."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.describing import Described, shrink_to
from rankscope.engines.images.image import Image
from rankscope.errors import SettingError
from rankscope.names import name_of

NAMES: Final = ("descriptor", "about")


@dataclass(frozen=True, eq=False)
class OneMore:
    """How the vectors of a file were made: descriptor, scaling, and the size that pictures were shrunk to."""

    described: Described
    size: int | None

    @classmethod
    def of(cls, path: str | Path) -> OneMore:
        """As the file says; a `SettingError` where it does not say it."""
        from rankscope.engines.images.descriptors import DESCRIPTORS

        kept = _arrays(Path(path))
        if kept is None:
            raise SettingError(
                f"{name_of(path)} does not say how its vectors were made, so no other picture can be compared with "
                "them: make features with rankscope describe"
            )
        about = json.loads(str(kept["about"]))
        described = Described(
            descriptor=DESCRIPTORS.parse(str(kept["descriptor"])),
            raw=np.empty((0, 0)),
            mean=kept.get("mean"),
            sd=kept.get("sd"),
            shares=bool(about.get("shares")),
        )
        return cls(described, about.get("settings", {}).get("size"))

    def vector(self, rgb: NDArray[np.uint8]) -> NDArray[Any]:
        """Of a picture's pixels, rows by columns by RGB."""
        return self.described.like(shrink_to(Image.of(rgb), self.size))


def _arrays(path: Path) -> dict[str, Any] | None:
    """What the file tells of its making; None where it tells nothing."""
    from rankscope.inputs.arrays_in_files import Archive

    if path.suffix.lower() != ".npz":
        return None
    stored = Archive.of(path)
    if any(name not in stored for name in NAMES):
        return None
    return {name: stored.array(name) for name in (*NAMES, "mean", "sd") if name in stored}
