"""What real Lucene answered, read from the files that come with the tests; these never skip."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"
ANALYSER_NAMES = ("whitespace", "standard", "english")


@cache
def golden_rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def golden_statistics() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / "statistics.json").read_text(encoding="utf-8"))
    return found
