"""A mark is acknowledged after the disk has it: seen from outside, in the system calls of the process.

kill -9 alone does not test that, since what a killed process wrote stays in the memory of the system. So the calls are
watched with strace: between the last bytes of a mark that go into the log of the database and the acknowledgement,
there must be an fsync of that log that has ended well. It proves that the system was asked to put the bytes on the disk
and said that it did, before we said so; what the disk itself does with them is beyond any program.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import needed_program, skip_for_want_of
from tests.workbench.projects import small_project
from tests.workbench.store.killing import ROOT

if sys.platform != "linux":
    pytest.skip("strace is for Linux", allow_module_level=True)

CALLS = "trace=write,pwrite64,fsync,fdatasync"
INTO_LOG = re.compile(r"pwrite64\(\d+<[^>]*judgements\.db-wal>")
SYNC_BEGINS = re.compile(r"(?:fsync|fdatasync)\(\d+<[^>]*judgements\.db-wal>")
ACKNOWLEDGED = re.compile(r'write\(1(?:<[^>]*>)?, "(?P<key>k\d+) \d+\\n"')
CARELESS = """
from rankscope.workbench.store.databases import SQLite
usual = SQLite.connect
def connect(self):
    usual(self)
    self._base.execute("PRAGMA synchronous = NORMAL")
SQLite.connect = connect
"""


def traced_calls(folder: Path, lines: str, before: str = "") -> list[str]:
    """The calls of a driver that saves marks, one after the other, each with its thread at the beginning."""
    strace = needed_program("strace", advice="apt-get install strace")
    if subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode:
        skip_for_want_of("strace", "it is installed, but this system does not let it look into processes")
    program = f"{before}\nfrom tests.workbench.store.kill_driver import main\nmain({str(folder)!r})"
    trace = folder / "trace"
    command = [strace, "-f", "-y", "-e", CALLS, "-o", str(trace), sys.executable, "-c", program]
    done = subprocess.run(
        command, input=lines, text=True, capture_output=True, cwd=ROOT, env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    )
    assert done.returncode == 0, done.stderr
    return trace.read_text(errors="replace").splitlines()


def early_acknowledgements(calls: list[str]) -> list[str]:
    """The keys that were acknowledged while bytes of the log had not been synced."""
    early, waiting, begun = [], False, False
    for call in calls:
        if INTO_LOG.search(call):
            waiting, begun = True, False
        elif SYNC_BEGINS.search(call):
            begun = True
        if begun and re.search(r"\b(fsync|fdatasync)\b.*= 0$", call):
            waiting = begun = False
        found = ACKNOWLEDGED.search(call)
        if found and waiting:
            early.append(found["key"])
    return early


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_project(tmp_path).close()
    return tmp_path / "project"


MARKS = "".join(f"1 k{number} q1 {item} 1\n" for number, item in enumerate("abcdefgh"))


def test_the_disk_has_a_mark_before_it_is_acknowledged(folder: Path) -> None:
    calls = traced_calls(folder, MARKS)
    assert len([call for call in calls if ACKNOWLEDGED.search(call)]) == 8
    assert any(INTO_LOG.search(call) for call in calls)
    assert early_acknowledgements(calls) == []


def test_an_early_acknowledgement_would_be_seen(folder: Path) -> None:
    assert early_acknowledgements(traced_calls(folder, MARKS, CARELESS))
