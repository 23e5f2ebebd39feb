"""An experiment whose features are large does not carry them to workers: they read them from a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rankscope.feedback.examples.kept_matrix import KeptMatrix, matrix_digest
from rankscope.feedback.study.setting import Experiment

LARGE = 100_000_000  # bytes of features


@contextmanager
def light_to_travel(setting: Experiment, folder: Path | None) -> Iterator[Experiment]:
    """The same experiment, whose features lie in a file of the folder as soon as it travels, and until the block ends.

    Without a folder, in one for temporary files, which only workers of this machine reach.
    """
    if setting.items.matrix.nbytes <= LARGE:
        yield setting
    elif folder is None:
        with TemporaryDirectory(prefix="rankscope-") as temporary, light_to_travel(setting, Path(temporary)) as light:
            yield light
    else:
        digest = matrix_digest(setting.items.matrix)
        kept = KeptMatrix(folder.resolve() / f"features-{digest[:32]}.npy", digest)
        try:
            yield replace(setting, items=replace(setting.items, kept=kept))
        finally:
            kept.path.unlink(missing_ok=True)
