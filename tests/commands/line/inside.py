"""A command in this process, ended as its own process would be."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def ended(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit code of `rankscope ARGUMENTS`."""
    from rankscope.commands.line import exits
    from rankscope.commands.line.main import main

    monkeypatch.setattr(sys, "argv", ["rankscope", *map(str, arguments)])
    monkeypatch.setattr(exits, "_traces", False)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with pytest.raises(SystemExit) as left:
            main()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert isinstance(left.value.code, int)
    return left.value.code


def finished(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """What `rankscope ARGUMENTS` prints and how it ends."""
    out, err = io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(cwd or "."):
        for name, file in (("stdin", io.BytesIO(stdin)), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, io.TextIOWrapper(file, "utf-8", write_through=True))
        code = ended(patch, *arguments)
        return subprocess.CompletedProcess([*map(str, arguments)], code, out.getvalue(), err.getvalue())


def runs_in(folder: Path) -> Path:
    """Judgements and three runs to work with."""
    (folder / "qrels.txt").write_text("".join(f"q{q} 0 d{d} {int(d < 3)}\n" for q in range(6) for d in range(6)))
    for place, name in enumerate("abc"):
        lines = [f"q{q} Q0 d{(d * (q + place + 1)) % 11} 1 {10 - d} {name}\n" for q in range(6) for d in range(8)]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {os.path.relpath(path, folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
