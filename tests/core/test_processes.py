from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import parent_process
from pathlib import Path

from rankscope.core.processes import ONE_THREAD, Processes


def doubled(shared: int, part: int) -> int:
    return shared * part


def threads(shared: str, part: int) -> str:
    return os.environ[shared]


def fatal(shared: int, part: int) -> int:
    if parent_process() is not None:
        os._exit(3)
    return shared + part


def test_every_part_is_done_once() -> None:
    assert sorted(Processes(2).map(doubled, 10, [1, 2, 3])) == [(1, 10), (2, 20), (3, 30)]


def test_each_process_has_a_core_to_itself_and_the_parent_keeps_its_own() -> None:
    before = os.environ.get(ONE_THREAD[0])
    assert sorted(Processes(2).map(threads, ONE_THREAD[0], [1, 2])) == [(1, "1"), (2, "1")]
    assert os.environ.get(ONE_THREAD[0]) == before


def test_what_a_broken_process_took_with_it_is_done_here() -> None:
    assert sorted(Processes(2).map(fatal, 5, [1, 2])) == [(1, 6), (2, 7)]


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from operator import mul\n"
        "from rankscope.core.processes import Processes\n"
        "print('once', sorted(Processes(2).map(mul, 10, [1, 2, 3])), __file__.endswith('script.py'))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once [(1, 10), (2, 20), (3, 30)] True\n", "")
