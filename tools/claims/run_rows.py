"""Runs the commands of all rows: `python -m tools.claims.run_rows FOLDER [NUMBER...]`, all rows without a number.

FOLDER is made with the files that the commands speak of. A command that serves or that asks the web is not run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from tools.claims.files import make_files
from tools.claims.rows import all_rows

ROOT = Path(__file__).resolve().parents[2]
NOT_RUN = ("rankscope serve", "rankscope gather")
LONGEST = 900  # seconds for one command


def commands(wanted: set[int]) -> list[str]:
    """The commands of the rows wanted, each once, in the order of the rows."""
    rows = [row for row in all_rows() if not wanted or row.number in wanted]
    every = dict.fromkeys(command for row in rows for command in row.run)
    return [each for each in every if not each.startswith(NOT_RUN)]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one command in the folder, from the sources of this clone."""
    program, *arguments = shlex.split(command)
    module = ["-m", "rankscope"] if program == "rankscope" else [str(ROOT / arguments.pop(0))]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *module, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def main(arguments: list[str]) -> int:
    """Run them, say how each ended, and end with the number of failures."""
    folder, failed = Path(arguments[0]), 0
    make_files(folder)
    for command in commands({int(each) for each in arguments[1:]}):
        done = run(command, folder)
        failed += done.returncode != 0
        print(f"{'ok' if done.returncode == 0 else 'FAILED'}  {command}", flush=True)
        if done.returncode:
            print(done.stderr.strip() or done.stdout.strip(), flush=True)
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
