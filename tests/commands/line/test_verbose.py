"""Many systems with the same kind of warning: a terminal tells one line a kind, and each where it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli

TOLD = "are folded into 1 line: --verbose tells each"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Five systems that lack one to five of eight queries."""
    queries = range(8)
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 a 1\nq{query} 0 b 0\n" for query in queries))
    for system in range(1, 6):
        lines = [
            f"q{query} Q0 {item} 1 {score} s\n" for query in queries[system:] for item, score in (("a", 2), ("b", 1))
        ]
        (tmp_path / f"s{system}.run").write_text("".join(lines))
    return tmp_path


def rankscope(runs: Path, command: str, systems: int, *more: str) -> Result:
    files = [str(runs / "qrels"), *(str(runs / f"s{each}.run") for each in range(1, systems + 1))]
    return CliRunner().invoke(cli, [command, *files, "-m", "AP", *more])


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_a_kind_of_many_systems_is_one_line_unless_each_is_wanted(runs: Path, command: str, tmp_path: Path) -> None:
    page = ("-o", str(tmp_path / "page.html")) if command == "report" else ()
    short, whole = (rankscope(runs, command, 5, *page, *more) for more in ((), ("--verbose",)))
    assert short.exit_code == whole.exit_code == 0
    warned = [line for line in short.output.splitlines() if line.startswith("!")]
    line = "! Missing queries: in 5 systems, 1 to 5 judged queries are missing from the run and count as 0"
    assert [each for each in warned if "missing" in each] == [line]
    assert warned[-1] == f"! 5 warnings {TOLD}"
    assert "! s1: 1 judged query is missing from the run and counts as 0: q0" in whole.output
    assert whole.output.count("missing from the run") == 5
    assert TOLD not in whole.output


def test_a_few_systems_are_told_one_by_one(runs: Path) -> None:
    told = rankscope(runs, "evaluate", 3).output
    assert told.count("missing from the run") == 3
    assert "--verbose" not in told


def test_gate_tells_both_systems(runs: Path) -> None:
    assert rankscope(runs, "gate", 2).output.count("missing from the run") == 2


def test_what_a_program_reads_holds_every_warning(runs: Path) -> None:
    assert rankscope(runs, "evaluate", 5, "--format", "json").output.count("missing from the run") == 5
