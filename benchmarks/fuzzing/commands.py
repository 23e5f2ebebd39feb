"""Options of all commands, through the command's own parser and the one rule by which every command ends."""

from __future__ import annotations

import contextlib
import io
import random
import signal
import subprocess
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.fuzzing.answers import answer_trial
from benchmarks.fuzzing.trial import Trial
from rankscope.commands.line import exits
from rankscope.commands.line.main import COMMANDS, cli
from rankscope.core.errors import RankscopeError
from tests.core.test_process_pool import group

ODD = (
    *("", "0", "-1", "1", "2", "0.5", "nan", "inf", "-inf", "1e400", "infx", "10x", "x", "é", "a,b", "=", "a=b"),
    *("9" * 20, "processes:0", "nanx", "1e400x", "seed=1", "[/x]", "../x", "AP", "P@0", "\udcff", "true", "1,2,3"),
)
ONLY_PARSED = frozenset({"serve", "gather", "demo", "benchmark", "project", "describe", "index", "search", "look"})


def command_trial(chance: random.Random, folder: Path) -> Trial:
    """A command as it is right, with an option or two more that are not; a few ask an engine, or are stopped."""
    if (other := chance.random()) < 0.02:
        return answer_trial(chance, folder) if other < 0.019 else _stopped_trial(chance, folder)
    name = chance.choice(list(COMMANDS))
    path, command = [name], cli.get_command(click.Context(cli), name)
    while isinstance(command, click.Group):
        path.append(chance.choice(command.list_commands(click.Context(command))))
        command = command.get_command(click.Context(command), path[-1])
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and "--help" not in each.opts]
    given = [
        part
        for option in chance.sample(options, min(len(options), chance.choice((1, 1, 2, 3))))
        for part in _given(option, chance)
    ]
    arguments = [*path, *_inputs(name, path, folder, chance), *given]
    return Trial(lambda: _ended(arguments, folder, path[0] in ONLY_PARSED), partial(_well, arguments))


def _given(option: click.Option, chance: random.Random) -> list[str]:
    written = max(option.opts, key=len)
    if option.is_flag or option.count:
        return [written]
    choices = list(option.type.choices) if isinstance(option.type, click.Choice) else []
    pool = [*ODD, *map(str, choices)] if chance.random() < 0.6 or not choices else list(map(str, choices))
    return [f"{written}={chance.choice(pool)}"]


@cache
def _contents() -> dict[str, bytes]:
    """Judgements, three runs, features and values, small."""
    chance = np.random.default_rng(0)
    files = {"q.txt": "".join(f"q{q} 0 d{d} {int(d < 3)}\n" for q in range(6) for d in range(6))}
    for place, name in enumerate("abc"):
        lines = [f"q{q} Q0 d{(d * (q + place + 1)) % 11} 1 {10 - d} {name}\n" for q in range(6) for d in range(8)]
        files[f"{name}.run"] = "".join(lines)
    packed = io.BytesIO()
    labels = np.repeat(np.arange(4), 6)
    np.savez(packed, features=chance.normal(size=(24, 3)) + labels[:, None], labels=labels)
    return {**{name: text.encode() for name, text in files.items()}, "f.npz": packed.getvalue()}


INPUTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "gate": (("q.txt", "a.run", "b.run"),),
    "compare": (("q.txt", "a.run", "b.run"), ("q.txt", "a.run", "b.run", "c.run")),
    "ledger": (("q.txt", "first=a.run", "last=b.run"),),
    "rank": (("f.npz", "-o", "o.ranks.parquet"),),
    "labels": (("f.npz",),),
    "feedback": (("f.npz", "--methods=rocchio", "--rounds=1", "-o", "o.parquet"), ("f.npz",)),
    "fuse": (("a.run", "b.run", "-o", "o.run"),),
    "forecast": (("q.txt", "a.run", "--collection-size=500"), ("q.txt", "a.run")),
    "graph": (
        ("precision-recall", "q.txt", "a.run", "-o", "o.svg"),
        ("rank", "q.txt", "a.run", "b.run", "-o", "o.csv"),
    ),
    "report": (("q.txt", "a.run", "b.run", "-o", "o.html"),),
    "estimate": (
        (),
        ("--collection-size=100", "--scope=10", "--hits=3", "--judged=20", "--found=2"),
        ("q.txt", "a.run"),
    ),
    "agreement": (("q.txt", "q.txt"),),
    "measures": ((), ("AP",)),
    "prefer": (("q.txt",), ("a.run", "b.run")),
}


def _inputs(name: str, path: list[str], folder: Path, chance: random.Random) -> list[str]:
    for each, data in _contents().items():
        (folder / each).write_bytes(data)
    usual = (("q.txt", "a.run", "b.run"), ("q.txt", "a.run"))
    return list(chance.choice(INPUTS.get(name, usual)))


def _ended(arguments: list[str], folder: Path, only_parsed: bool) -> tuple[int, str]:
    """The exit code, and what was printed on standard error."""
    said = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
        contextlib.redirect_stderr(said),
    ):
        try:
            code = (
                _parsed(arguments) if only_parsed else cli.main(arguments, prog_name="rankscope", standalone_mode=False)
            )
        except BaseException as error:
            code = exits.exit_code(error)
    if code == exits.EXPECTED:
        raise RankscopeError(said.getvalue())
    return int(code or 0), said.getvalue()


def _parsed(arguments: list[str]) -> int:
    """Through the parsers alone: of what serves, asks other hosts, or takes long."""
    context: Any = click.Context(cli)
    command: Any = cli
    while isinstance(command, click.Group):
        name, *arguments = arguments
        command = command.get_command(context, name)
    command.make_context(name, list(arguments), parent=context)
    return 0


def _stopped_trial(chance: random.Random, folder: Path) -> Trial:
    """Work on two processes, ended at some moment: it says nothing of what broke, and no process is left."""
    labels = np.repeat(np.arange(10), 200)
    np.savez(folder / "f.npz", features=np.random.default_rng(0).normal(size=(2000, 8)), labels=labels)
    words = ("feedback", "f.npz", "--on=processes:2", "--quiet", "--force", "-o", str(folder / "o.parquet"))
    return Trial(partial(_stopped, words, folder, chance.uniform(0.3, 4.0)), _tidy)


def _stopped(words: tuple[str, ...], folder: Path, seconds: float) -> tuple[int, str, list[int]]:
    """The exit code, what was said, and which processes are there a second and a half later."""
    command = [sys.executable, "-m", "rankscope", *words]
    running = subprocess.Popen(
        command, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    time.sleep(seconds)
    running.terminate()
    said = running.communicate(timeout=30)[1]
    time.sleep(1.5)
    return running.returncode, said, group(running.pid)


def _tidy(ended: tuple[int, str, list[int]]) -> None:
    code, said, left = ended
    assert code in (0, 143, -signal.SIGTERM), f"exit code {code}: {said[-500:]}"
    assert "Error" not in said, said[-500:]
    assert not left, f"{len(left)} processes are left"


def _well(arguments: list[str], ended: tuple[int, str]) -> None:
    code, said = ended
    assert code in (0, 1, 3), f"{arguments}: exit code {code}: {said[-1500:]}"
    assert "Traceback" not in said, f"{arguments}: {said[-1500:]}"
