"""How well the tests see faults: `python tools/mutants.py --resume results.jsonl`. Never part of `make test` or CI.

A mutant is the source with one fault put in. They are drawn by a printed seed, all before any is run, from every line
of `src/rankscope`: at least two a package and 60 in all, the rest by how many places a package has; those of `ALWAYS`
are among them. Each is put into a copy of the tree, never into the checkout, where the tests of its package run, the
nearest to the fault first, until one fails. A failure counts only if the same test passes on the copy without the
fault; so does a test that does not come to an end (`died` by time).

A mutant is its text: the file, the line, what is replaced and by what. `--save` and `--load` keep a list of them, so
that the same faults are put into a later tree, wherever the lines have moved by then. Those that change nothing that
can be seen are struck out by hand, with the reason, in `tools/equivalent_mutants.json`.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "src/rankscope"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.json")  # mutants and reasons
LOOSE = "(loose modules)"
NOT_COPIED = (".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", ".site", "site-output", "dist", ".bench")
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SWAPPED |= {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
TURNED = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "and": "or", "or": "and"}
REMOVABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Return, ast.Continue, ast.Break)
VERDICT = re.compile(
    r"^(?:(?P<test>.+?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?|ERROR (?P<file>\S+)(?: - .*)?)$", re.MULTILINE
)
STARTS_PROCESSES = {"subprocess", "tests.clusters", "playwright.sync_api"}  # tests that import these come later
NO_TESTS = 5  # what pytest ends with where all that was named is deselected


@dataclass(frozen=True)
class Mutant:
    """One fault: in this line (without its indentation), from this column on, `before` is replaced by `after`."""

    file: str  # where the line was when it was drawn
    line: str
    column: int
    operator: str
    before: str
    after: str
    previous: str  # the lines around, which decide between lines of the same text
    next: str

    @property
    def text(self) -> str:
        """What it is called, wherever its line stands."""
        return f"{self.line}  [{self.column}: {self.before} -> {self.after}]"


ALWAYS = {("hits = hits.take(np.lexsort((hits.line, -hits.score, hits.entry)))", "-", "+")}  # line, before, after


@dataclass(frozen=True)
class Result:
    """What became of a mutant: died, survived, equivalent, gone, or unfinished; where, and by which test."""

    mutant: Mutant
    outcome: str
    stage: str = ""  # package, tree, thorough
    by: str = ""
    hung: bool = False
    seconds: float = 0.0
    place: str = ""


# Drawing


def sites(text: str, file: str) -> list[list[Mutant]]:
    """The places of a source where a fault can be put in, in their order; two faults at each whole number.

    >>> [[f"{each.before} -> {each.after}" for each in place] for place in sites("k: int = 2\\nx[0] = -k", "f.py")]
    [['2 -> 3', '2 -> 1'], ['x[0] = -k -> pass'], ['0 -> 1', '0 -> -1'], ['- -> +']]
    """
    lines = text.split("\n")
    bare = [line.strip() for line in lines]
    above = ["", *accumulate(bare, _last_said)]
    below = list(accumulate(reversed([*bare[1:], ""]), _last_said))[::-1]
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    tokens = [each for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type not in skipped]
    starts = [each.start for each in tokens]
    found: list[tuple[tuple[int, int], list[Mutant]]] = []

    def where(row: int, byte: int) -> tuple[int, int]:
        return row, len(lines[row - 1].encode()[:byte].decode())  # trees count bytes, tokens count characters

    def add(operator: str, start: tuple[int, int], before: str, *after: str) -> None:
        row, at = start
        column = at - len(lines[row - 1]) + len(lines[row - 1].lstrip())
        around = {"previous": above[row - 1], "next": below[row - 1]}
        found.append((start, [Mutant(file, bare[row - 1], column, operator, before, each, **around) for each in after]))

    def said_by(node: ast.expr | ast.stmt) -> str:
        return lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()

    def between(left: Any, right: Any, operator: str, table: dict[str, str]) -> None:
        first = bisect_left(starts, where(left.end_lineno, left.end_col_offset))
        last = bisect_left(starts, where(right.lineno, right.col_offset))
        there = [each for each in tokens[first:last] if each.string not in "()"]
        said = " ".join(each.string for each in there)
        if said in table and there[0].start[0] == there[-1].start[0]:
            add(operator, there[0].start, said, table[said])

    for node in _code(ast.parse(text)):
        start = where(node.lineno, node.col_offset) if isinstance(node, ast.expr | ast.stmt) else (0, 0)
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                add("sign", start, sign := lines[start[0] - 1][start[1]], TURNED[sign])
            case ast.BinOp(left=left, right=right) if not (_is_text(left) or _is_text(right)):
                between(left, right, "sign", TURNED)
            case ast.AugAssign(target=left, value=right):
                between(left, right, "sign", TURNED)
            case ast.Compare():
                for left, right in pairwise([node.left, *node.comparators]):
                    between(left, right, "comparison", SWAPPED)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    between(left, right, "and/or", TURNED)
            case ast.Constant(value=bool(value)):
                add("constant", start, str(value), str(not value))
            case ast.Constant(value=int(value)):
                add("number", start, said_by(node), str(value + 1), str(value - 1))
            case ast.Constant(value=float(value)):
                add("number", start, said_by(node), str(2 * value or 1.0))
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name() | ast.Tuple()]):
                continue  # a docstring, or a name that would be missing
            case ast.stmt() if isinstance(node, REMOVABLE) and node.lineno == node.end_lineno:
                add("removed line", start, said_by(node), "pass")
    return [place for _, place in sorted(found, key=lambda each: (each[0], each[1][0].text))]


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What runs: no annotations, formatted texts, `__all__`, imports for types alone, promises of dataclasses."""
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.JoinedStr() | ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.keyword(arg="strict"):
                    continue
                case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.Call(func=ast.Name(id="dataclass")):
                    continue
                case ast.AST() if name not in ("annotation", "returns", "type_params"):
                    yield from _code(child)


def _last_said(before: str, line: str) -> str:
    return line or before


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def sources(root: Path) -> dict[str, str]:
    """The text of every file of the package, by its path."""
    paths = sorted((root / SOURCE).rglob("*.py"))
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def package_of(file: str) -> str:
    """The folder of the package that a file lies in."""
    inside = file.removeprefix(f"{SOURCE}/")
    return inside.partition("/")[0] if "/" in inside else LOOSE


def applied(mutant: Mutant, files: dict[str, str]) -> tuple[str, int, str] | None:
    """The file where the line stands now, its number, and the text with the fault; None where it cannot be told."""
    for some in ([mutant.file], [each for each in files if each != mutant.file]):
        found = []
        for file in some:
            lines = files.get(file, "").split("\n")
            for number in [at for at, line in enumerate(lines) if line.strip() == mutant.line]:
                before, after = (
                    next(filter(None, map(str.strip, each)), "") for each in (lines[:number][::-1], lines[number + 1 :])
                )
                found.append(((before == mutant.previous) + (after == mutant.next), file, number))
        best = [each for each in found if each[0] == max(found)[0]]
        if len(best) == 1:
            _, file, number = best[0]
            lines = files[file].split("\n")
            at = lines[number].index(mutant.line) + mutant.column
            if not lines[number].startswith(mutant.before, at):
                return None
            lines[number] = lines[number][:at] + mutant.after + lines[number][at + len(mutant.before) :]
            return file, number + 1, "\n".join(lines)
        if found:
            return None
    return None


def is_fault(mutant: Mutant, files: dict[str, str]) -> bool:
    """Whether it can be found again by its text, compiles, and says something else than the source."""
    there = applied(mutant, files)
    if there is None:
        return False
    try:
        compile(there[2], there[0], "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return ast.dump(ast.parse(there[2])) != ast.dump(ast.parse(files[there[0]]))


def draw(files: dict[str, str], seed: int, count: int, package: str | None = None) -> list[Mutant]:
    """At least two of each package, the rest by how many places it has; the same for the same seed and source."""
    places: dict[str, list[list[Mutant]]] = defaultdict(list)
    for file, text in files.items():
        places[package_of(file)] += sites(text, file)
    faults = [mutant for group in places.values() for place in group for mutant in place]
    always = [each for each in faults if (each.line, each.before, each.after) in ALWAYS]
    if package is not None:
        places = defaultdict(list, {package: places[package]})
    total, rest = sum(map(len, places.values())), max(0, count - 2 * len(places))
    share = {name: rest * len(group) / max(total, 1) for name, group in places.items()}
    quota = {name: 2 + int(share[name]) for name in places}
    most_left = sorted(places, key=lambda name: (int(share[name]) - share[name], name))
    for name in most_left[: rest - sum(map(int, share.values()))]:
        quota[name] += 1
    drawn: list[Mutant] = []
    for name in sorted(places):
        chance = random.Random(f"{seed} {name}")
        chosen = [each for each in always if package_of(each.file) == name]
        for place in chance.sample(places[name], len(places[name])):
            mutant = chance.choice(place)
            if len(chosen) >= quota[name]:
                break
            if mutant not in chosen and is_fault(mutant, files):
                chosen.append(mutant)
        drawn += chosen
    return drawn


# The tests that see a module


@cache
def _imports(root: Path) -> dict[str, frozenset[str]]:
    """What each file of the package and of the tests imports, or names in a text, as dotted names."""
    found: dict[str, frozenset[str]] = {}
    for path in [*(root / SOURCE).rglob("*.py"), *(root / "tests").rglob("*.py")]:
        names: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
            elif isinstance(node, ast.Import):
                names |= {each.name for each in node.names}
            elif isinstance(node, ast.Constant) and str(node.value).startswith(("rankscope.", "tests.")):
                names.add(str(node.value).replace(":", "."))
        found[path.relative_to(root).as_posix()] = frozenset(names)
    return found


def nearest_tests(root: Path, file: str) -> tuple[list[str], list[str]]:
    """The tests of a module's package and those that import it, the nearest first; and all others that reach it."""
    imports, importers = _imports(root), defaultdict[str, set[str]](set)
    for each, named in imports.items():
        for name in named:
            importers[name].add(each)
    distance, border = {file: 0}, [file]
    for each in border:  # it grows: the importers of importers follow
        module = each.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        reached = sorted(importers[module] - distance.keys())
        distance |= dict.fromkeys(reached, distance[each] + 1)
        border += reached
    package, same_name = package_of(file), f"test_{Path(file).name}"
    folder = Path(file.replace(SOURCE, "tests", 1)).parent.as_posix()
    own = re.compile("tests/[^/]+" if package == LOOSE else f"tests/{package}/.+")

    def holds_tests(each: str) -> bool:
        return Path(each).name.startswith("test_") or (each.startswith("src/") and ">>>" in (root / each).read_text())

    def near(each: str) -> tuple[Any, ...]:
        by_name = each != file, Path(each).name != same_name
        slow = each.startswith("tests/") and not imports[each].isdisjoint(STARTS_PROCESSES)
        return *by_name, slow, distance.get(each, 99), not each.startswith(folder), each

    def of_package(each: str) -> bool:
        if each.startswith("src/"):
            return package_of(each) == package
        return distance.get(each) == 1 or own.fullmatch(each) is not None

    files = sorted(filter(holds_tests, imports), key=near)
    return list(filter(of_package, files)), [each for each in files if each in distance and not of_package(each)]


# Running


class Copy:
    """A copy of the tree, with the data next to it, in which one mutant after the other is tried."""

    def __init__(self, root: Path, folder: Path, stall: float) -> None:
        self.root, self.stall, self.tmp = folder / "rankscope", stall, folder / "tmp"
        shutil.copytree(root, self.root, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
        if (root.parent / "shared").is_dir():
            (folder / "shared").symlink_to(root.parent / "shared")
        subprocess.run([sys.executable, "-m", "compileall", "-q", SOURCE], cwd=self.root, check=True)
        paths = os.pathsep.join([str(self.root / "src"), str(self.root)])
        self.environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(self.tmp)}
        self.sound: dict[str, bool] = {}  # whether a test passes without a fault

    def pytest(self, tests: Sequence[str], marker: str, end: float, *more: str) -> tuple[str, str]:
        """How the tests ended (passed, failed, hung or unfinished), and the test that decided it."""
        for each in (self.tmp, self.root / ".hypothesis"):
            shutil.rmtree(each, ignore_errors=True)
        self.tmp.mkdir()
        skipped = [f"--deselect={test}" for test, sound in self.sound.items() if not sound]
        options = ["-x", "-vv", "--tb=no", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", marker]
        command = [sys.executable, "-m", "pytest", *options, *skipped, *more, *tests]
        where: dict[str, Any] = {"cwd": self.root, "env": self.environment, "start_new_session": True}
        log = self.tmp / "log"
        with log.open("wb") as stream:
            work = subprocess.Popen(command, stdout=stream, stderr=stream, **where)
            size, heard, ended = 0, time.monotonic(), ""
            while work.poll() is None and not ended:
                time.sleep(0.1)
                now = time.monotonic()
                if log.stat().st_size != size:
                    size, heard = log.stat().st_size, now
                ended = "unfinished" if now > end else "hung" if now > heard + self.stall else ""
            if ended:
                os.killpg(work.pid, signal.SIGKILL)
                work.wait()
        said = log.read_text(encoding="utf-8", errors="replace")
        if ended:
            last = said.rpartition("\n")[2].strip()
            return ended, last if "::" in last else ""
        found = VERDICT.search(said)
        named = found["test"] or found["file"] if found else ""
        return ("passed", "") if work.returncode in (0, NO_TESTS) else ("failed", named)

    def is_sound(self, test: str, tests: Sequence[str], marker: str) -> bool:
        """Whether a test passes, or all can be collected, on the tree as it stands."""
        if test and test in self.sound:
            return self.sound[test]
        more = [] if test else ["--collect-only"]
        sound = self.pytest([test] if test else tests, marker, time.monotonic() + 2 * self.stall, *more)[0] == "passed"
        if test:
            self.sound[test] = sound
        return sound

    def run(self, mutant: Mutant, stages: Sequence[str], minutes: float) -> Result:
        """Put the fault in, run the tests stage by stage until one dies of it, take it out."""
        there = applied(mutant, sources(self.root))
        if there is None:
            return Result(mutant, "gone")
        file, number, text = there
        path, start = self.root / file, time.monotonic()
        original, times, end = path.read_bytes(), path.stat(), start + 60 * minutes
        own, others = nearest_tests(self.root, file)
        groups = {"package": own, "tree": others, "thorough": [*own, *(others if "tree" in stages else [])]}
        place = f"{file}:{number}"
        try:
            for stage in stages:
                tests = groups[stage]
                marker = "thorough" if stage == "thorough" else "not thorough"
                while tests:
                    path.write_text(text, encoding="utf-8")
                    ended, test = self.pytest(tests, marker, end)
                    if ended == "passed":
                        break
                    seconds = round(time.monotonic() - start, 1)
                    if ended == "unfinished":
                        return Result(mutant, "unfinished", stage, test, seconds=seconds, place=place)
                    path.write_bytes(original)
                    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
                    if self.is_sound(test, tests, marker):
                        return Result(mutant, "died", stage, test, ended == "hung", seconds, place)
                    if not test:
                        return Result(
                            mutant, "unfinished", stage, "tests that cannot be collected", False, seconds, place
                        )
                    at = test.partition("::")[0]
                    tests = tests[tests.index(at) + (at == test) :]
            return Result(mutant, "survived", stages[-1], seconds=round(time.monotonic() - start, 1), place=place)
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def struck_out() -> list[tuple[Mutant, str]]:
    """Mutants that change nothing that can be seen, and why."""
    kept = json.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else []
    return [(Mutant(**each["mutant"]), each["reason"]) for each in kept]


def reason_of(mutant: Mutant, struck: Sequence[tuple[Mutant, str]]) -> str:
    """Why a mutant is struck out, told by its text and its file or the lines around; nothing where it is not."""
    for each, reason in struck:
        around = (each.previous, each.next) == (mutant.previous, mutant.next)
        if each.text == mutant.text and (around or each.file == mutant.file):
            return reason
    return ""


def run_all(root: Path, mutants: Sequence[Mutant], choices: argparse.Namespace) -> Iterator[Result]:
    """What becomes of each mutant, as it is known; `choices` are those of the command line."""
    copies = queue.SimpleQueue[Copy]()
    stages = ["package", *(["tree"] if choices.whole else []), *(["thorough"] if choices.all else [])]

    def work(mutant: Mutant) -> Result:
        copy = copies.get()
        try:
            return copy.run(mutant, stages, choices.minutes)
        finally:
            copies.put(copy)

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(choices.jobs) as pool:
        for job in range(min(choices.jobs, len(mutants))):
            copies.put(Copy(root, Path(folder) / str(job), choices.stall))
        try:
            for done in as_completed([pool.submit(work, mutant) for mutant in mutants]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


# What became of them


def table(results: Iterable[Result]) -> str:
    """What became of them, by package, as Markdown."""
    by_package: dict[str, Counter[str]] = defaultdict(Counter)
    for each in results:
        kind = each.outcome if each.outcome != "died" else "thorough" if each.stage == "thorough" else "tests"
        by_package[package_of(each.mutant.file)][kind] += 1
    by_package = {name: by_package[name] for name in sorted(by_package)}
    whole = sum(by_package.values(), Counter[str]())
    lines = [
        "| package | drawn | equivalent | died in `make test` | only in `make test-all` | survived | not finished |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, counts in {**by_package, "**all**": whole}.items():
        cells = [counts[kind] for kind in ("equivalent", "tests", "thorough", "survived")]
        rest = counts["unfinished"] + counts["gone"]
        lines.append("| " + " | ".join(map(str, [name, counts.total(), *cells, rest])) + " |")
    return "\n".join(lines)


def results_in(file: Path | None) -> dict[Mutant, Result]:
    """What a file of results holds, the last word on each mutant."""
    lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
    kept = [Result(**{**data, "mutant": Mutant(**data["mutant"])}) for data in map(json.loads, lines)]
    return {each.mutant: each for each in kept}


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw or load, run what is not known yet, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0], prog="mutants")
    parser.add_argument("--seed", type=int, default=1, help="seed of the drawing (default 1)")
    parser.add_argument("--count", type=int, default=60, help="how many are drawn (default 60)")
    parser.add_argument("--package", help=f"of this package only; {LOOSE!r} are those next to the packages")
    parser.add_argument("--only", metavar="TEXT", help="run those that have this in their file or text")
    parser.add_argument("--list", action="store_true", help="draw, print, and run nothing")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the mutants that are drawn")
    parser.add_argument("--load", type=Path, metavar="FILE", help="take these mutants instead of drawing")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="results as they come, kept and gone on with")
    parser.add_argument("--again", action="store_true", help="run survivors once more: a test was written for them")
    parser.add_argument("--table", action="store_true", help="print what became of them, and run nothing")
    parser.add_argument("--whole", action="store_true", help="let survivors meet all tests of the tree that reach them")
    parser.add_argument("--all", action="store_true", help="let survivors meet the thorough tests too")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default 1)")
    parser.add_argument("--stall", type=float, default=240, help="seconds after which a test hangs (default 240)")
    parser.add_argument("--minutes", type=float, default=30, help="limit of one mutant: not finished (default 30)")
    choices = parser.parse_args(arguments)
    if choices.load:
        mutants = [Mutant(**each) for each in json.loads(choices.load.read_text(encoding="utf-8"))]
    else:
        print(f"seed {choices.seed}")
        mutants = draw(sources(ROOT), choices.seed, choices.count, choices.package)
    if choices.save:
        choices.save.write_text(json.dumps(list(map(asdict, mutants)), indent=1) + "\n", encoding="utf-8")
    mutants = [each for each in mutants if choices.only is None or choices.only in f"{each.file} {each.text}"]
    if choices.list:
        print("\n".join(f"{each.file}: {each.text}" for each in mutants))
        return
    known, struck = results_in(choices.resume), struck_out()
    reasons = {each: reason for each in mutants if (reason := reason_of(each, struck))}
    known |= {each: Result(each, "equivalent", by=reason) for each, reason in reasons.items()}
    anew = {"unfinished", "gone", *(["survived"] if choices.again else [])}
    waiting = [each for each in mutants if each not in known or known[each].outcome in anew]
    for result in run_all(ROOT, [] if choices.table else waiting, choices):
        known[result.mutant] = result
        end = f"({result.stage}{', by time' if result.hung else ''}, {result.seconds:.0f} s) {result.by}"
        print(f"{result.outcome:10} {result.place or result.mutant.file}: {result.mutant.text} {end}", flush=True)
        if choices.resume:
            with choices.resume.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(result)) + "\n")
    print(table(known.get(each, Result(each, "unfinished")) for each in mutants))


if __name__ == "__main__":
    main()
