"""How the code is written: the formatter decides, and long constructors name their fields."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
SKIP = "fmt: " + "skip"


def test_the_formatter_decides_everywhere() -> None:
    paths = [path for folder in ("src", "tests", "tools", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert [str(path.relative_to(ROOT)) for path in paths if SKIP in path.read_text(encoding="utf-8")] == []
