"""Every command that writes, with every fault while it writes: nothing half-written, nothing lost, the right exit code.

The faults are a full disk, no permission, a closed pipe, and signals in the middle of a write: see `fault_driver`.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if sys.platform == "win32":
    pytest.skip("faults are made with POSIX limits and signals", allow_module_level=True)

from tests.fault_driver import over_an_earlier_result

DRIVER = [sys.executable, "-m", "tests.fault_driver"]
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Row:
    """A command, whether it prints its result too, and whether equal inputs give equal bytes (no times in them)."""

    name: str
    arguments: str
    prints: bool = False
    same_bytes: bool = True

    def code(self, fault: str, written: int) -> int:
        """How it must end; a command that goes on from an earlier result may not come to a file of that number."""
        codes = {"none": 0, "full disk": 2, "no permission": 2, "ended": 143, "interrupted": 130}
        name, _, number = fault.partition(" at file ")
        if number and int(number) > written:
            return 0
        return (141 if self.prints else 0) if name == "closed pipe" else codes[name]


TABLE = [
    Row("evaluate to a table", "evaluate qrels.txt a.run b.run -m AP -o out/scores.txt"),
    Row("evaluate to Parquet", "evaluate qrels.txt a.run -m AP -q -o out/scores.parquet"),
    Row("evaluate to saved ranks", "evaluate qrels.txt a.run -o out/a.ranks.parquet"),
    Row("graph", "graph precision-recall qrels.txt a.run -o out/graph.svg"),
    Row("compare", "compare qrels.txt a.run b.run --graphs out/graphs -o out/compared.md"),
    Row("compare to a page", "compare qrels.txt a.run b.run -o out/compared.html", prints=True),
    Row("report", "report qrels.txt a.run b.run -m AP --latex out/paper -o out/report.html"),
    Row("gate", "gate qrels.txt a.run a.run -o out/gate.json", prints=True),
    Row("describe", "describe pictures -d thumbnail,rgb-histogram -o out/pictures.npz", prints=True),
    Row("benchmark", "benchmark pictures -d thumbnail -o out/benchmark", prints=True, same_bytes=False),
    Row("rank", "rank features.npz -o out/features.ranks.parquet"),
    Row(
        "feedback",
        "feedback features.npz --methods rocchio --starts 2 --rounds 1 --on home --keep-ranks out/ranks"
        " --report out/study.html -o out/study.parquet",
        prints=True,
        same_bytes=False,
    ),
    Row("demo", "demo -o out/demo", prints=True),
    Row("project export", "project export judging -o out/qrels.txt --journal out/journal.jsonl"),
    Row("project export to Parquet", "project export judging -o out/qrels.parquet --probabilities"),
]
LONG = {"graph", "compare", "compare to a page", "report", "benchmark", "feedback", "demo"}


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files for every command."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("inputs")
    draw = random.Random(1)
    (folder / "qrels.txt").write_text("".join(f"q{q} 0 d{d} {int(d < 3)}\n" for q in range(8) for d in range(6)))
    for name in ("a", "b"):
        lines = [f"q{q} Q0 d{d} 1 {draw.random():.6f} {name}\n" for q in range(8) for d in range(10)]
        (folder / f"{name}.run").write_text("".join(lines))
    judged_project(folder)
    values = np.random.default_rng(1)
    labels = np.repeat(["x", "y", "z"], 6)
    np.savez(folder / "features.npz", features=values.random((18, 4)), labels=labels)
    for label in ("x", "y"):
        (folder / "pictures" / label).mkdir(parents=True)
        for number in range(3):
            pixels = values.integers(0, 255, (16, 16, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / "pictures" / label / f"{number}.png")
    return folder


def judged_project(folder: Path) -> None:
    """A project of these runs, with some judgements."""
    from rankscope.workbench import Project

    (folder / "docs.jsonl").write_text("".join(f'{{"id": "d{d}", "text": "t"}}\n' for d in range(10)))
    runs = [folder / "a.run", folder / "b.run"]
    with Project.new(folder / "judging", texts=folder / "docs.jsonl", runs=runs) as project:
        project.make_pool("sample(1-3:all, 4-10:50%)")
        project.import_labels(folder / "qrels.txt", "ann")


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row.name, marks=pytest.mark.thorough if row.name in LONG else ()) for row in TABLE],
)
def test_a_fault_leaves_whole_files_and_says_what_it_is(row: Row, inputs: Path, tmp_path: Path) -> None:
    for path in inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    told = driven(row, tmp_path)
    good = told["none"]["files"]
    assert good
    wanted = {fault: row.code(fault, result["written"]) for fault, result in told.items()}
    assert {fault: result["code"] for fault, result in told.items()} == wanted, told
    assert not [result["said"] for result in told.values() if "Traceback" in result["said"]]
    for fault, result in told.items():
        assert not [name for name in result["files"] if name not in good and not may_stay(name, fault)], fault
        changed = [name for name, digest in result["files"].items() if name in good and good[name] != digest]
        assert not changed or not row.same_bytes, (fault, changed)
        assert not result["damaged"], fault
        if over_an_earlier_result(fault):
            assert result["files"].keys() >= good.keys(), f"{fault}: an earlier result is lost"
    assert not told["no permission"]["files"]


def may_stay(name: str, fault: str) -> bool:
    """Finished parts of work that was stopped; and where a folder was locked meanwhile, what the next start removes."""
    if name.endswith(".part"):
        return fault.startswith("no permission at file ")
    return Path(name).parent.name.endswith(".work")


def driven(row: Row, folder: Path) -> dict[str, Any]:
    arguments = row.arguments.replace("out/", f"{folder}/out/").split()
    command = [*DRIVER, str(folder), *(str(folder / each) if (folder / each).exists() else each for each in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_everything_is_written_by_the_one_writer() -> None:
    """No other module opens a file to write it, so that what holds for the writer holds for every output."""
    by_itself = re.compile(
        r"""(?<!formatter)\.write_(?:text|bytes)\(|\bopen\([^)\n]*["'][wax]b?\+?["']|\.open\(["'][wax]"""
    )
    source = ROOT / "src" / "rankscope"
    found = [str(path.relative_to(source)) for path in source.rglob("*.py") if by_itself.search(path.read_text())]
    assert found == ["core/files.py"]
