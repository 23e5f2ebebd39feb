"""The tool that puts faults into the source: what it draws, where it puts them, and what it finds again."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tools import mutants
from tools.mutants import Mutant, Result, applied, draw, is_fault, nearest_tests, package_of, sites, sources, table

LOOK = '''"""The first file: 1 + 1 is no place for a fault here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from somewhere import Thing

__all__ = ["Box"][0:1]


@dataclass(frozen=True)
class Box:
    """A box that holds 3 things."""

    most: Annotated[int, 7] = 4

    def add(self, thing: Thing) -> str:
        """Add one."""
        self.count += 1
        if self.count >= self.most and thing is not None:
            raise ValueError("more than 4")
        return f"{self.count + 1} things"
'''
COUNT = "def last(x):\n    é = 'ü' if x[-1] < 2.5 else None\n    return (é) == x\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {"look/box.py": LOOK, "scale/count.py": COUNT, "version.py": "major = 1\nminor = 0\nis_whole = True\n"}
    for name, text in files.items():
        path = tmp_path / mutants.SOURCE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def said(text: str) -> list[str]:
    return [f"{each.operator}: {each.before} -> {each.after}" for place in sites(text, "a.py") for each in place]


def test_faults_are_put_where_code_runs_and_nowhere_else() -> None:
    assert said(LOOK) == [
        "number: 4 -> 5",
        "number: 4 -> 3",
        "removed line: self.count += 1 -> pass",
        "sign: += -> -=",
        "number: 1 -> 2",
        "number: 1 -> 0",
        "comparison: >= -> >",
        "and/or: and -> or",
        "comparison: is not -> is",
        'removed line: raise ValueError("more than 4") -> pass',
        'removed line: return f"{self.count + 1} things" -> pass',
    ]
    assert said(COUNT) == [
        "sign: - -> +",
        "number: 1 -> 2",
        "number: 1 -> 0",
        "comparison: < -> <=",
        "number: 2.5 -> 5.0",
        "removed line: return (é) == x -> pass",
        "comparison: == -> !=",
    ]


def test_a_fault_changes_one_place_and_nothing_else(tree: Path) -> None:
    files = sources(tree)
    faults = [each for file, text in files.items() for place in sites(text, file) for each in place]
    for fault in faults:
        there = applied(fault, files)
        assert there is not None
        file, number, text = there
        old, new = files[file].split("\n"), text.split("\n")
        assert [at for at, (left, right) in enumerate(zip(old, new, strict=True), 1) if left != right] == [number]
        at = len(old[number - 1]) - len(fault.line) + fault.column
        assert new[number - 1] == old[number - 1][:at] + fault.after + old[number - 1][at + len(fault.before) :]
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(files[file]))


def test_the_drawing_is_the_same_for_a_seed_with_two_of_each_package(tree: Path) -> None:
    files = sources(tree)
    drawn = draw(files, seed=3, count=9)
    assert drawn == draw(files, seed=3, count=9)
    assert drawn != draw(files, seed=4, count=9)
    assert len(set(drawn)) == 9
    of_package = [package_of(each.file) for each in drawn]
    assert all(of_package.count(name) >= 2 for name in ("look", "scale", mutants.LOOSE))
    assert all(package_of(each.file) == "look" for each in draw(files, seed=3, count=4, package="look"))


def test_what_is_always_drawn_is_drawn_whatever_the_seed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    always = ("é = 'ü' if x[-1] < 2.5 else None", "-", "+")
    monkeypatch.setattr(mutants, "ALWAYS", {always})
    for seed in range(5):
        drawn = draw(sources(tree), seed=seed, count=6)
        assert always in [(each.line, each.before, each.after) for each in drawn]


def test_those_of_this_tree_that_are_always_drawn_are_there() -> None:
    lines = {line.strip() for text in sources(mutants.ROOT).values() for line in text.splitlines()}
    assert {line for line, *_ in mutants.ALWAYS} <= lines
    assert all(line.count(before) == 1 for line, before, _ in mutants.ALWAYS)


def test_a_fault_is_found_again_by_its_text_after_its_line_was_moved() -> None:
    [[more, _]] = sites("a = 0.5 if x else y\nrows = take(2)\nb = y\n", "old.py")[1:]
    moved = {"new.py": "class A:\n    z = 1\n    rows = take(2)\n    b = y\n", "other.py": "z = 1\n"}
    assert applied(more, moved) == ("new.py", 3, moved["new.py"].replace("take(2)", "take(3)"))
    twice = {"new.py": "rows = take(2)\nc = 1\n", "other.py": "a = 1\nrows = take(2)\nb = y\n"}
    found = applied(more, twice)  # the lines around decide
    assert found is not None
    assert found[:2] == ("other.py", 2)
    assert applied(more, {"new.py": "rows = take(2)\nc = 1\nrows = take(2)\n"}) is None
    assert applied(more, {"old.py": "rows = take(3)\n"}) is None


def test_what_does_not_compile_or_says_the_same_is_no_fault() -> None:
    mutant = Mutant(
        file="a.py", line="x = -(1)", column=4, operator="sign", before="-", after="+", previous="", next=""
    )
    files = {"a.py": "x = -(1)\n"}
    assert is_fault(mutant, files)
    for after in ("*", "- "):
        assert not is_fault(replace(mutant, after=after), files)


def test_the_nearest_tests_come_first(tree: Path) -> None:
    tests = {
        "test_all.py": "import rankscope.look.shelf\n",
        "look/test_a.py": "from rankscope.look.shelf import Shelf\n",
        "look/test_b.py": "from rankscope.look import box\n",
        "look/test_box.py": "import rankscope.look.shelf\n",
        "scale/test_c.py": "from rankscope.look.box import Box\n",
        "scale/test_d.py": "import rankscope.scale\n",
    }
    for name, text in tests.items():
        (tree / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "tests" / name).write_text(text, encoding="utf-8")
    (tree / mutants.SOURCE / "look" / "shelf.py").write_text('"""\n>>> 1\n1\n"""\nfrom rankscope.look.box import Box\n')
    own, others = nearest_tests(tree, f"{mutants.SOURCE}/look/box.py")
    names = ["tests/look/test_box.py", "src/rankscope/look/shelf.py", "tests/look/test_b.py", "tests/scale/test_c.py"]
    assert sorted(own[:4]) == sorted(names)
    assert own[0] == names[0]
    assert own[4:] == ["tests/look/test_a.py"]
    assert others == ["tests/test_all.py"]


def test_the_table_counts_by_package(tree: Path) -> None:
    drawn = draw(sources(tree), seed=1, count=6)
    ends = [
        ("died", "package"),
        ("survived", ""),
        ("died", "thorough"),
        ("equivalent", ""),
        ("died", "tree"),
        ("gone", ""),
    ]
    results = [Result(mutant, *end) for mutant, end in zip(drawn, ends, strict=True)]
    assert table(results).splitlines()[-1] == "| **all** | 6 | 1 | 2 | 1 | 1 | 1 |"
    assert json.loads(json.dumps(asdict(results[0]))) == asdict(results[0])


def test_every_fault_that_is_struck_out_has_a_reason_and_is_known_where_it_was_moved(tree: Path) -> None:
    assert all(len(reason.split()) > 3 for _, reason in mutants.struck_out())
    one, other = draw(sources(tree), seed=1, count=6)[:2]
    struck = [(one, "why")]
    assert mutants.reason_of(one, struck) == mutants.reason_of(replace(one, file="new.py"), struck) == "why"
    assert not mutants.reason_of(replace(one, file="new.py", next="return"), struck)
    assert not mutants.reason_of(other, struck)
