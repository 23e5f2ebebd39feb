"""The sample collection inside the package: logos and interface icons, drawn by many hands.

A class holds the icons to which 129 free icon sets give the same name (`cart`, `github`, ...): truth by name, not by
eye, and so a little noisy. `tools/make_icons_sample.py` says how it was chosen, `data/LICENSES.md` who drew it.
"""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from rankscope.collections.labelled_images import LabelledImages


def icons() -> LabelledImages:
    """5346 icons of 32x32: 494 classes of 2 to 264 members, and 1367 distractors, in an order that tells nothing.

    >>> sample = icons()
    >>> len(sample), len(sample.classes), sample.distractors
    (5346, 494, 1367)
    >>> sample.items[0], sample.class_of_item[0]
    ('material-symbols-light:lock-open-rounded', 'lockopen')
    """
    with as_file(files("rankscope.collections") / "data" / "icons.npz") as path, np.load(path) as packed:
        return LabelledImages(
            name="icons",
            images=packed["images"],
            labels=packed["labels"].astype(np.int64),
            classes=_lines(packed["classes"]),
            items=_lines(packed["names"]),
        )


def _lines(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(text.tobytes().decode().split("\n"))
