"""Runs one command in this process again and again, each time with another fault of the system while it writes.

    python -m tests.fault_driver FOLDER ARGUMENTS...

The results lie in FOLDER/out. Prints, as JSON, for each fault: the exit code, what was said, and what lies there.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import io
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

ROOM = 64  # bytes that a file may have where there is no room
OVER_PERMISSIONS = 0b1110  # root's capabilities DAC_OVERRIDE, DAC_READ_SEARCH and FOWNER


@contextmanager
def watched(out: Path, seen: Callable[[int], None]) -> Iterator[None]:
    """`seen(number)` for each file that is opened to be written below the folder, counted from 1."""
    from rankscope.core.files import Recorded

    usual, number = Recorded.__init__, 0

    def begin(self: Any, file: Any) -> None:
        nonlocal number
        usual(self, file)
        if str(file.name).startswith(f"{out}{os.sep}"):
            number += 1
            seen(number)

    Recorded.__init__ = begin  # type: ignore[method-assign]
    try:
        yield
    finally:
        Recorded.__init__ = usual  # type: ignore[method-assign]


@contextmanager
def at_file(out: Path, wanted: int, fault: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """A fault that begins with the file of this number, and lasts."""
    with (
        contextlib.ExitStack() as begun,
        watched(out, lambda number: begun.enter_context(fault()) if number == wanted else None),
    ):
        yield


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond a few bytes."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        signal.signal(signal.SIGXFSZ, before)


@contextmanager
def no_permission(out: Path) -> Iterator[None]:
    """The folders of the results cannot be written into, not even by root."""
    folders = [out, *(path for path in out.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    _capabilities(lambda mask: mask & ~OVER_PERMISSIONS)
    try:
        yield
    finally:
        _capabilities(lambda mask: mask | OVER_PERMISSIONS)
        for folder in folders:
            folder.chmod(0o755)


def _capabilities(change: Callable[[int], int]) -> None:
    """Change which of root's rights are in effect; they stay permitted, so they can be had back."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0
    data[0] = change(data[0]) & data[1]
    assert libc.capset(header, data) == 0


@contextmanager
def closed_pipe() -> Iterator[None]:
    """Whoever reads standard output has gone."""
    kept = os.dup(1)
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(reader)
    os.close(writer)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def signalled(number: int) -> Iterator[None]:
    """A signal arrives in the middle of a write."""
    from rankscope.core.files import Recorded

    usual = Recorded.write

    def write(self: Any, data: Any) -> int:
        half = bytes(data)[: len(bytes(data)) // 2]
        usual(self, half)
        os.kill(os.getpid(), number)
        return usual(self, bytes(data)[len(half) :]) + len(half)

    Recorded.write = write  # type: ignore[method-assign]
    try:
        yield
    finally:
        Recorded.write = usual  # type: ignore[method-assign]
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def faults(out: Path, files: int) -> dict[str, AbstractContextManager[None]]:
    """Every fault by name; those that can begin with a file, at every file that the command writes."""
    at_a_file = {
        "full disk": full_disk,
        "no permission": lambda: no_permission(out),
        "ended": lambda: signalled(signal.SIGTERM),
        "interrupted": lambda: signalled(signal.SIGINT),
    }
    every = {
        f"{name} at file {number}": at_file(out, number, fault)
        for name, fault in at_a_file.items()
        for number in range(1, files + 1)
    }
    return {"no permission": no_permission(out), "closed pipe": closed_pipe(), **every}


def run(folder: Path, arguments: list[str]) -> dict[str, Any]:
    """No fault, then every fault in turn, at files with odd numbers over an earlier result, else in an empty folder."""
    sys.dont_write_bytecode = True  # importlib takes a module that a full disk cut short for a whole one
    out, good = folder / "out", folder / "good"
    out.mkdir()
    told = {"none": outcome(out, arguments)}
    shutil.copytree(out, good)
    for name, fault in faults(out, told["none"]["written"]).items():
        shutil.rmtree(out)
        if over_an_earlier_result(name):
            shutil.copytree(good, out)
        out.mkdir(exist_ok=True)
        with fault:
            told[name] = outcome(out, arguments)
    return told


def over_an_earlier_result(fault: str) -> bool:
    """Whether the fault meets the files of a run before."""
    *_, number = fault.split()
    return number.isdecimal() and int(number) % 2 == 1


def outcome(out: Path, arguments: list[str]) -> dict[str, Any]:
    """How the command ended, how many files it began to write, and what lies there now."""
    numbers: list[int] = []
    with watched(out, numbers.append):
        code, said = one_run(arguments)
    return {"code": code, "said": said, "written": len(numbers), "files": contents(out), "damaged": damaged(out)}


def one_run(arguments: list[str]) -> tuple[int, str]:
    """The command as its process would end."""
    from rankscope.commands.line.main import main

    sys.argv = ["rankscope", *arguments]
    said = io.StringIO()
    with open(1, "w", closefd=False) as stdout, contextlib.redirect_stderr(said), contextlib.redirect_stdout(stdout):
        try:
            main()
        except SystemExit as left:
            code = left.code
    assert isinstance(code, int)
    return code, said.getvalue()


def contents(out: Path) -> dict[str, str]:
    """What lies below the folder."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def damaged(out: Path) -> list[str]:
    """Files that do not end as a file of their kind does."""
    ends = {".html": b"</html>\n", ".svg": b"</svg>", ".json": b"}\n", ".parquet": b"PAR1", ".tex": b"\n", ".md": b"\n"}
    files = [path for path in out.rglob("*") if path.suffix in ends]
    return [
        path.name for path in files if not path.read_bytes().rstrip(b"\n").endswith(ends[path.suffix].rstrip(b"\n"))
    ]


def less_work() -> None:
    """What is computed does not matter here, and it takes its time: one graph in a page, one process, few icons."""
    from rankscope.commands.line import demo
    from rankscope.inputs import collections
    from rankscope.reports.graphs import KINDS
    from rankscope.reports.page import report

    os.cpu_count = lambda: 1
    usual, every, first = report._of_kind, collections.icons(), next(iter(KINDS.of_rivals()))
    few = replace(every, images=every.images[:100], labels=every.labels[:100], items=every.items[:100])
    demo.MEASURES = demo.MEASURES[:1]  # type: ignore[assignment]
    report._of_kind = lambda kind, *given: islice(usual(kind, *given), 1 if kind is first else 0)
    collections.icons = lambda: few


if __name__ == "__main__":
    results = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    less_work()
    os.write(results, json.dumps(run(Path(sys.argv[1]), sys.argv[2:])).encode())
