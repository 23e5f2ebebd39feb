"""Builds the site into site-output/: `make site`. A warning of the builder is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that `python tools/make_site.py` finds tools as a package

from tools.site.stage import stage  # noqa: E402

OUTPUT = ROOT / "site-output"
ELSEWHERE = "https://unpkg.com/iframe-worker/shim"  # what lets the search work from the disk; we have it ourselves
HERE = "assets/iframe-worker.js"


def main() -> int:
    """Copy, build, and load nothing from other hosts."""
    stage()
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    status = subprocess.run(build, cwd=ROOT, check=False).returncode
    if status == 0:
        for page in OUTPUT.rglob("*.html"):
            _keep_to_ourselves(page)
        print(f"open {(OUTPUT / 'index.html').as_uri()}")
    return status


def _keep_to_ourselves(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if ELSEWHERE in text:
        up = os.path.relpath(OUTPUT, page.parent).replace(os.sep, "/")
        page.write_text(text.replace(ELSEWHERE, f"{up}/{HERE}"), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
