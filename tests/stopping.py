"""Runs a command that stops for ever once so many parts are finished, for a test that kills it there and nowhere else.

python -m tests.stopping PARTS ARGUMENTS...
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankscope.core.parts import PartsFolder

ROOT = Path(__file__).parents[1]
TOLD = b"so many parts are finished\n"


def killed_at(parts: int, arguments: Sequence[str]) -> None:
    """Run a command that is killed when so many parts are finished."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [sys.executable, "-m", "tests.stopping", str(parts), *arguments]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == TOLD
    process.kill()
    process.communicate()


def main() -> None:
    from rankscope.commands.line.main import main as rankscope

    usual, written = PartsFolder.write, list[str]()

    def write(self: PartsFolder[Any], digest: str, result: Any) -> None:
        usual(self, digest, result)
        written.append(digest)
        if len(written) == int(parts):
            sys.stdout.buffer.write(TOLD)
            sys.stdout.flush()
            time.sleep(600)

    PartsFolder.write = write  # type: ignore[method-assign]
    _, parts, *sys.argv[1:] = sys.argv
    rankscope()


if __name__ == "__main__":
    main()
