"""Where the real data lie: RANKSCOPE_DATA, then ../shared/data; tests that need them skip with a clear word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def data_folder(name: str) -> Path:
    beside = Path(__file__).parents[2] / "shared" / "data"
    root = Path(os.environ.get("RANKSCOPE_DATA", beside))
    folder = root / name
    if not folder.is_dir():
        pytest.skip(f"no {name} data: set RANKSCOPE_DATA to the folder that holds it")
    return folder
