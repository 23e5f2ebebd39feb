"""How commands end: expected failures 2, faults of ours 70, signals 128 + N; a gate ends with 1 only for a loss."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.commands.line import exits
from tests.commands.line.inside import ended, runs_in

Ended = Callable[..., int]
COMMAND = [sys.executable, "-m", "rankscope"]


@pytest.fixture
def rankscope(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ended:
    monkeypatch.chdir(runs_in(tmp_path))
    return lambda *arguments: ended(monkeypatch, *arguments)


LONG = "x" * 300
HUGE = "99999999999999999999"
REFUSED = [
    "gate qrels.txt a.run b.run --seed -1",
    "compare qrels.txt a.run b.run --seed -1",
    "benchmark . --seed -1 -o out",
    "feedback digits --seed -1 -o out.parquet",
    f"gate qrels.txt a.run b.run -m P@{HUGE}",
    f"evaluate qrels.txt a.run -m P.{HUGE}",
    f"evaluate qrels.txt a.run -m P.{'9' * 400}",
    f"evaluate qrels.txt a.run -m RBP@{HUGE}",
    f"evaluate qrels.txt a.run --depth {HUGE}",
    f"evaluate qrels.txt a.run --collection-size {HUGE}",
    f"compare qrels.txt a.run b.run --resamples {HUGE}",
    f"estimate --collection-size {HUGE}",
    f"evaluate qrels.txt a.run -o {LONG}.csv",
    f"evaluate qrels.txt a.run -o {LONG}.ranks.parquet",
    f"gate qrels.txt a.run b.run -o {LONG}",
    f"compare qrels.txt a.run b.run --graphs {LONG}",
    f"demo -o {LONG}",
    "gate qrels.txt a.run b.run --min-effect nan",
    "gate qrels.txt a.run b.run --rel nan",
    "graph grnp qrels.txt a.run -n inf --collection-size 100 -o x.svg",
    "feedback digits --user noisy(nan) -o out.parquet",
    "feedback digits --user noisy(inf) -o out.parquet",
    "feedback digits --start examples(nan,1) -o out.parquet",
    f"feedback digits --start examples({HUGE},1) -o out.parquet",
    "evaluate qrels.txt a.run -o nowhere/x.csv",
    "evaluate qrels.txt a.run -o a.run/x.csv",
    "compare qrels.txt a.run b.run --graphs a.run",
    "report qrels.txt a.run --latex a.run/x",
]


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line.replace(LONG, "LONG").replace("9" * 400, "LONG"))
def test_what_can_be_expected_is_refused_in_a_line(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert rankscope(*line.split()) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("error", ["1e-300", "1e-155", "5e-324"])
def test_a_sample_for_hardly_any_error_is_the_collection(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], error: str
) -> None:
    assert rankscope("estimate", "--collection-size", 100, "--needed", error, "--relevant", 5) == 0
    assert " 100 " in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_names_that_are_not_utf_8(rankscope: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    odd = os.fsdecode(b"\xff.run")
    Path("a.run").rename(odd)
    for output in (
        "x.csv",
        "x.json",
        "x.tex",
        "x.parquet",
        os.fsdecode(b"\xfe.md"),
        os.fsdecode(b"\xfe.ranks.parquet"),
    ):
        assert rankscope("evaluate", "qrels.txt", odd, "-m", "AP", "-o", output) == 0
    assert rankscope("evaluate", "qrels.txt", odd, "-m", "AP") == 0
    assert "\\xff" in capsys.readouterr().out
    assert rankscope("gate", "qrels.txt", odd, "b.run") in (0, 1)
    assert rankscope("compare", "qrels.txt", odd, "b.run", "-o", "x.html") == 0
    assert rankscope("evaluate", os.fsdecode(b"\xfe.ranks.parquet")) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_pictures_and_classes_whose_names_are_not_utf_8(rankscope: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    for label in (b"x", b"\xfe"):
        folder = Path("photos", os.fsdecode(label))
        folder.mkdir(parents=True)
        for name in (b"1", b"2", b"\xff3"):
            Image.new("RGB", (8, 8), (len(name) * 20, label[0], 9)).save(folder / f"{os.fsdecode(name)}.png")
    assert rankscope("describe", "photos", "-d", "thumbnail", "-o", "f.npz") == 0
    assert rankscope("rank", "f.npz", "-o", "f.ranks.parquet") == 0
    assert rankscope("benchmark", "photos", "-d", "thumbnail", "-o", "out") == 0
    assert (Path("out") / "report.html").exists()


def test_markup_in_a_name_is_text(rankscope: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal, where progress is drawn by rich."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    np.savez("f.npz", features=np.random.default_rng(1).random((9, 3)), labels=np.repeat(["x", "y", "z"], 3))
    assert rankscope("rank", "f.npz", "--system", "[/x]", "-o", "f.ranks.parquet") == 0
    assert rankscope("evaluate", "qrels.txt", "a.run", "--system", "[/x]") == 0


@pytest.mark.parametrize(
    "error", [MemoryError(), PermissionError(13, "Permission denied", "x"), OSError(28, "No room")]
)
def test_what_the_system_refuses_is_expected(error: BaseException) -> None:
    assert exits.exit_code(error) == 2


def test_a_fault_of_ours_is_one_line_and_how_to_report_it(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("rankscope.analysis.comparison.gate.gate", broken)
    line = ("gate", "qrels.txt", "a.run", "b.run", "--quiet")
    assert rankscope(*line) == 70
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "ZeroDivisionError: of ours" in said
    assert "report it" in said
    for with_debug in ((*line, "--debug"), ("--debug", *line)):
        assert rankscope(*with_debug) == 70
        assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv("RANKSCOPE_DEBUG", "1")
    assert rankscope(*line) == 70
    assert "Traceback" in capsys.readouterr().err


def test_the_page_of_exit_codes_says_what_the_code_does() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    listed = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE) for code in row.split(", ")}
    signals = {128 + getattr(signal, name) for name in exits.ENDING_SIGNALS}
    ours = {exits.EXPECTED, exits.FAULT, exits.INTERRUPTED, exits.CLOSED_PIPE}
    assert listed == {0, 1, 3} | ours | signals  # 3: `gate --undecided 3`


def test_exit_code_1_is_said_to_be_what_fails(rankscope: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    """A loss that is shown ends with 1 only if its mean is beyond the smallest effect."""
    for name, worst in (("old", 0), ("new", 4)):
        rows = (
            f"q{q} Q0 {'d1' if at == worst + q % 3 * (name == 'new') else f'x{at}'} 1 {9 - at} t"
            for q in range(6)
            for at in range(9)
        )
        Path(f"{name}.run").write_text("\n".join(rows))
    asked = ("gate", "qrels.txt", "old.run", "new.run", "-m", "RR", "--min-effect")
    for effect, code, found in (("0.01", 1, "its mean is beyond .01"), ("0.99", 0, "one beyond .99 is ruled out")):
        assert rankscope(*asked, effect) == code
        assert f"a loss is shown, {found}" in capsys.readouterr().out
    assert rankscope("--help") == 0
    page = Path(__file__).parents[3] / "docs" / "reference" / "exit-codes.md"
    for text in (capsys.readouterr().out, page.read_text(encoding="utf-8")):
        assert "a loss is shown, and its mean is beyond the smallest effect" in " ".join(text.split())


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("line", ["gate qrels.txt a.run b.run", "measures"])
def test_standard_output_that_is_full_closed_or_gone(tmp_path: Path, line: str) -> None:
    runs_in(tmp_path)
    command = " ".join([*COMMAND, line])
    codes = {
        f"{command} > /dev/full": 2,
        f"{command} >&-": 2,
        f"{{ {command}; echo $? >&3; }} 3>code | true": 141,
    }
    for text, code in codes.items():
        done = subprocess.run(["bash", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        found = int((tmp_path / "code").read_text()) if "3>code" in text else done.returncode
        assert found == code, (text, done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_a_command_that_is_ended_in_the_middle_leaves_nothing_half(tmp_path: Path, number: signal.Signals) -> None:
    command = [*COMMAND, "demo", "-o", "out"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    assert b"icons" in running.stdout.readline()
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == (143 if number == signal.SIGTERM else -9)
    assert b"Traceback" not in said
    assert not list(tmp_path.rglob("*.part"))


SWALLOWED = """
import os, signal, time
from rankscope.commands.line.exits import respect_signals
from rankscope.commands.line.exits import exit_code

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(1000))  # the signal is heeded here, where Python drops every exception

def work():
    try:
        Dropped()
        for _ in range(300):
            time.sleep(0.05)
        print("it went on")
    finally:
        for _ in range(10):
            time.sleep(0.05)  # longer than the time between two reminders
        print("tidied up")

respect_signals()
try:
    work()
except BaseException as error:
    raise SystemExit(exit_code(error))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_wish_to_end_that_python_drops_is_repeated_until_it_is_obeyed_and_then_no_more() -> None:
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "tidied up\n"
    assert done.returncode == 143
    assert done.stderr == "rankscope: ended by SIGTERM\n"
