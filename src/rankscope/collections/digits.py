"""The handwritten digits that come with scikit-learn: 1797 pictures of 8x8."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind
from rankscope.errors import MissingExtra


def read(_: Path) -> Collection:
    """The pixels are the features, whole numbers from 0 to 16."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise MissingExtra("scikit-learn", "feedback") from None
    data = load_digits()
    count = len(data.target)
    return Collection(
        name="digits",
        ids=tuple(f"{row:04}" for row in range(count)),
        labels=tuple(map(str, data.target.tolist())),
        images=np.minimum(data.images * 16, 255).astype(np.uint8),
        features=data.data.astype(np.int64),
    )


KIND = CollectionKind(
    name="digits",
    about="1797 handwritten digits of 8x8 pixels in 10 classes; comes with scikit-learn",
    read=read,
    source="Alpaydin and Kaynak 1998 (UCI)",
)
