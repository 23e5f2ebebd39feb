from __future__ import annotations

from pathlib import Path

import pytest

from tests.inputs.examples import Make


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return made
