"""Compares two checkouts, part by part, and shows what a user could see change: `python tools/frozen.py BEFORE AFTER`.

For work that moves code and should change nothing else. Both checkouts run on this machine, at the same time, with this
Python and the same inputs, so that no processor and no library makes a difference. Each part runs in a process of its
own that imports one checkout alone and uses what is public there: commands, names in `__all__`, calls that version 1.0
documents. Files of the tests that serve as inputs are those of BEFORE. Clocks, paths and the version are masked.

Every entry that differs is printed as a unified diff, cut to some lines; then the script exits with 1.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import importlib
import inspect
import io
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

Entries = Iterator[tuple[str, str]]  # the name of something compared, and the text of it

INPUTS = ("plain", "graded", "rough")
COMMANDS = """
evaluate qrels.txt a.run b.run c.run -m AP,nDCG@10,P@5,RR,bpref,infAP,RBP,ERR,Estar --by kinds.csv --collection-size 60
evaluate qrels.txt a.run -q --ties expected -m AP,RR
evaluate qrels.txt a.run b.run --mean geometric --judged-only --depth 10 --format csv
evaluate qrels.txt a.run --explain q3 --collection-size 60
evaluate qrels.txt a.run -o a.ranks.parquet --collection-size 60
graph precision-recall qrels.txt a.run b.run -o graph.csv
compare qrels.txt a.run b.run c.run -m AP,nDCG@10 --by kinds.csv --resamples 500 --permutations 500
compare qrels.txt a.run b.run -m P@5 --equivalent-within .05 --test wilcoxon --explain-by lengths.csv
compare qrels.txt a.run b.run c.run --pairs baseline --correction benjamini-hochberg --intervals t --write-up
ledger qrels.txt first=a.run second=b.run --scope 10
report qrels.txt a.run b.run -m AP,P@5 -o report.html
gate qrels.txt a.run b.run -m AP --min-effect .02
describe pictures -d thumbnail,edge-histogram -o described.npz
benchmark pictures -d thumbnail -o benchmark
rank features.npz -o ranked.ranks.parquet
evaluate ranked.ranks.parquet -m AP,Rprec,ER
labels features.npz --least .3
labels described.npz --least .1
gather nowhere
index docs.jsonl -o docs.index
search docs.index 'wing "shock wave" -heat'
search docs.index --topics topics.tsv -o words.run
search docs.index --topics topics.tsv --qrels qrels.txt --similarity classic -o words.ranks.parquet
fuse a.run b.run c.run --method rrf -o fused.run
fuse a.run b.run --method wsum --tune --qrels qrels.txt -o tuned.run
look docs.index terms --limit 5
look docs.index explain 'wing flow' d1
feedback features.npz --methods rocchio --topics x,y --starts 2 --rounds 1 --scope 5 -o study.parquet
feedback features.npz examples --methods rocchio --topics x,y --sizes 1,2
users list
users score qrels.txt --user noisy(0.1)
forecast qrels.txt a.run --to 2x --collection-size 60 --force --backtest
homogeneity qrels.txt a.run --collection-size 60
estimate --collection-size 20000 --scope 100 --hits 6 --judged 500 --found 3
reuse qrels.txt a.run b.run c.run --pool-depth 5
agreement qrels.txt second.qrels.txt
stability qrels.txt a.run b.run c.run
components qrels.txt a.run b.run c.run
plan qrels.txt a.run b.run --budget 500
prefer score answers.csv --by kinds.csv
prefer interleave a.run b.run --depth 5 -o lists.csv
prefer clicks lists.csv clicks.csv
project new judging --texts docs.jsonl --topics topics.tsv --runs a.run --runs b.run --grades 0,1,2,3
project pool judging --method depth(3)
project invite judging Cleo
project guideline judging guideline.md
project import judging qrels.txt --assessor Ann
project import judging second.qrels.txt --assessor Bob
project export judging -o exported.txt --merge any
project agreement judging
project backup judging -o backup.db
project check judging
project questionnaire judging
project times judging
measures nDCG
evaluate qrels.txt missing.run
evaluate qrels.txt bad.run
evaluate qrels.txt a.run -m nDGC@10
evaluate qrels.txt a.run -m P@0,AP(rel=x)
evaluate qrels.txt a.run --ties odd
compare qrels.txt a.run
graph precison qrels.txt a.run -o graph.svg
fuse a.run b.run --method rff -o fused.run
index missing.jsonl -o none.index
"""
CALLS = """
import rankscope
from rankscope import InputError, MeasureError, Qrels, RelevanceEvaluator, RelevantRanks, Run, ScoreTable, Settings
from rankscope.measures import AP, P, RR, nDCG
from rankscope.statistics import anova
qrels, runs = "qrels.txt", ["a.run", "b.run"]
ranks = rankscope.reduce(Qrels.of(qrels), Run.of("a.run"), Settings(collection_size=60), keep_scores=True)
scores = rankscope.evaluate(qrels, runs, ["AP", "nDCG@10", "P@5", "RR"])
rankscope.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}, ["AP", "nDCG@10"])
rankscope.evaluate(qrels, runs, [P @ 10, nDCG(gain="exp") @ 20], rel=2)
rankscope.evaluate(qrels, "a.run", ["nDCG@10", "R@100"], compat="pytrec_eval", classes="kinds.csv")
rankscope.evaluate(ranks, measures=["AP", "Rprec", "P@10", "success@1", "nDCG@10"])
rankscope.evaluate_ranks([ranks], [AP(), RR()], Settings())
rankscope.evaluate(qrels, "missing.run")
rankscope.evaluate(qrels, "a.run", "nDGC@10")
rankscope.evaluate(qrels, "a.run", "AP", ties="odd")
rankscope.evaluate(qrels, "a.run", "AP", tie="given")
rankscope.no_such_name
scores.to_latex()
rankscope.compare(scores, "AP", resamples=500, permutations=500)
rankscope.compare(qrels, runs, "nDCG@10", classes="kinds.csv", resamples=500, permutations=500)
rankscope.explain_by(scores, "lengths.csv")
rankscope.explain_query(qrels, "a.run", "q3", collection_size=60)
rankscope.gate(qrels, runs, "nDCG@10", min_effect=0.01)
rankscope.gate_sequentially(qrels, runs, "RR", sequential="looks.json")
rankscope.ledger(qrels, {"first": "a.run", "second": "b.run"}, scope=10)
rankscope.graph("precision-recall", qrels, runs)
rankscope.forecast_growth(ranks, measures=["Rprec", "P@10"], to="4x", force=True)
rankscope.homogeneity(ranks)
rankscope.estimate(collection_size=20_000, scope=100, hits=6, judged=500, found=3)
rankscope.needed_sample(20_000, 64, 0.2)
rankscope.pool_reuse(qrels, ["a.run", "b.run", "c.run"], pool_depth=5)
rankscope.agreement({"Ann": "qrels.txt", "Bob": "second.qrels.txt"})
rankscope.stability(qrels, ["a.run", "b.run", "c.run"])
rankscope.variance_components(qrels, runs, "AP")
rankscope.plan_judging(qrels, runs, budget=2000, cost="query=10,judgement=1")
rankscope.prefer("answers.csv", systems=["a", "b"])
rankscope.interleave_runs("a.run", "b.run", depth=5)
rankscope.fuse(runs)
rankscope.fuse(runs, "wsum", qrels=qrels, tune=True)
rankscope.describe("pictures", ["thumbnail"])
rankscope.rank("features.npz")
rankscope.check_labels("features.npz")
rankscope.nearest_ranks([[0.0, 1.0], [1.0, 0.0], [0.9, 0.1]], ["x", "y", "y"], "l2")
rankscope.simulate_feedback("features.npz", methods="rocchio", topics=["x", "y"], rounds=1, scope=5, on="home")
index = rankscope.index("docs.jsonl", "called.index")
rankscope.search(index, 'wing "shock wave"', limit=5)
rankscope.ask_feedback("examples", "features.npz", methods="rocchio", topics=["x", "y"], sizes=[1, 2])
rankscope.score_user("qrels.txt", user="noisy(0.1)")
rankscope.compare_sequentially(qrels, runs, "RR", sequential="both.json")
rankscope.estimate_runs({"q1": {"d1": 1, "d2": 0, "d3": -1}}, {"q1": ["d1", "d2", "d3"]}, "P@2", resamples=50)
rankscope.report(scores, "AP")
rankscope.parse_measure("nDCG(gain=exp)@20")
rankscope.parse_measures("AP,P.5,10")
RelevanceEvaluator({"q1": {"a": 1}}, {"map", "ndcg"}).evaluate({"q1": {"a": 1.0, "b": 2.0}})
RelevantRanks.from_ranks([[1, 3, 4, 9]])
Settings(rel=2)
anova(ScoreTable.of(scores, "AP"))
rankscope.load_ranks("saved.ranks.parquet")
"""
WORDS = ["wing", "flow", "shock", "wave", "heat", "plate", "boundary", "layer", "jet", "pressure", "wall", "speed"]
TREE = "FROZEN_TREE"  # tells a worker its checkout
VERSION = re.compile(r'__version__ = "([^"]+)"')
MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|[+-]\d\d:\d\d)?)?"), "CLOCK"),
    (re.compile(r"(?<=_us\": )\d{16}"), "CLOCK"),
    (re.compile(r"\b\d+(\.\d+)?(e-\d+)? ?(s|ms|seconds?)\b|(?<=\"seconds\": )[\d.e-]+"), "SECONDS"),
    (re.compile(r"\b[0-9a-f]{64}\b|(?<=[\"-])[0-9a-f]{16}(?=[\".])|(?<=[st]-)[0-9a-f]{8}\b"), "DIGEST"),
    (re.compile(r"(?<=/enter/)\S+|\b0x[0-9a-f]+\b"), "DRAWN"),
)


# The inputs


def write_inputs(folder: Path, name: str) -> None:
    """Judgements of two assessors, three runs, and what else the commands read; the same for the same name.

    `plain` has grades 0 and 1 and no equal scores, `graded` grades to 3 and ties; `rough` has queries without an
    answer or a relevant item, items without judgement, grades below 0, and ids whose bytes do not sort as numbers.
    """
    folder.mkdir(parents=True)
    chance, rough, digits = random.Random(name), name == "rough", 9 if name == "plain" else 1
    queries = [f"q{number}" for number in range({"plain": 12, "graded": 30, "rough": 16}[name])]
    grades = {"plain": (0, 0, 0, 1), "graded": (0, 0, 0, 1, 2, 3), "rough": (-1, 0, 0, 0, 1, 2)}[name]
    items = [f"d{number}" for number in range(1, 61)]
    pairs = [pair for pair in product(queries, items) if not rough or chance.random() < 0.7]
    worth = {pair: 0 if rough and pair[0] == "q1" else chance.choice(grades) for pair in pairs}
    other = {pair: max(0, chance.choice((grade, grade, grade, 1))) for pair, grade in worth.items()}
    lines = {"bad.run": ["q1 Q0 d1 1 high a", "q1 Q0 d2"], "guideline.md": ["Relevant is what answers the question."]}
    for judgements, said in (("qrels.txt", worth), ("second.qrels.txt", other)):
        lines[judgements] = [f"{query} 0 {item} {grade}" for (query, item), grade in said.items()]
    best: dict[str, list[str]] = {query: [] for query in queries}  # what stands first in each run
    for system, skill in (("a", 0.5), ("b", 0.9), ("c", 0.6)):
        lines[f"{system}.run"] = []
        for query in queries[rough:]:
            found = [(chance.random() + skill * worth.get((query, each), 0), each) for each in chance.sample(items, 40)]
            found = sorted(((round(score, digits), each) for score, each in found), reverse=True)
            best[query].append(found[0][1])
            lines[f"{system}.run"] += [f"{query} Q0 {each} 1 {score} {system}" for score, each in found]
    lines["kinds.csv"] = ["query,class", *(f"{query},{chance.choice('xy')}" for query in queries)]
    lines["lengths.csv"] = ["query,length", *(f"{query},{chance.randint(2, 6)}" for query in queries)]
    lines["topics.tsv"] = [f"{query}\t{' '.join(chance.sample(WORDS, 2))}" for query in queries]
    texts = [
        {"id": each, "title": chance.choice(WORDS), "text": " ".join(chance.choices(WORDS, k=12))} for each in items
    ]
    lines["docs.jsonl"] = [json.dumps(each) for each in texts]
    answers = [f"{query},a,b,{chance.choice(('left', 'right', 'equal'))}" for query in queries]
    lines["answers.csv"] = ["query,left,right,choice", *answers]
    lines["clicks.csv"] = ["query,item", *(f"{query},{chance.choice(best[query][:2])}" for query in queries[rough:])]
    for file, each in lines.items():
        (folder / file).write_text("\n".join(each) + "\n")
    write_vectors(folder, chance)


def write_vectors(folder: Path, chance: random.Random) -> None:
    """Vectors of three classes, and pictures of two."""
    labels = [chance.choice("xyz") for _ in range(36)]
    vectors = [[chance.random() + (label == each) for each in "xyzw"] for label in labels]
    np.savez(folder / "features.npz", features=vectors, labels=labels, ids=[f"i{at}" for at in range(36)])
    for kind, at in product((0, 1), range(3)):
        place = folder / "pictures" / f"kind{kind}" / f"{at}.ppm"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"P6 32 32 255\n" + bytes(chance.randrange(128) + 127 * kind for _ in range(3 * 32 * 32)))


# The parts: each runs with one checkout


def golden(before: Path) -> Entries:
    """What trec_eval's golden cases print, with the options of each file of expected lines."""
    options = {"all": [], "level2": ["--rel", "2"], "judged-only": ["--judged-only"], "depth5": ["--depth", "5"]}
    cases = next((before / "tests").rglob("eight-queries-mean")).parent
    for expected in sorted(cases.glob("*/expected.*.txt.gz")):
        case = shutil.copytree(expected.parent, expected.parent.name, dirs_exist_ok=True)
        version, _, option = expected.name.removeprefix("expected.").removesuffix(".txt.gz").rpartition(".")
        compat = ["--compat", f"trec_eval-{version.partition('.')[0]}", *options[option]]
        files = [f"{case}/qrels", f"{case}/run"]
        printed = called("evaluate", *files, "-m", "all_trec", "-q", "--format", "trec", "--quiet", *compat)
        lines = gzip.decompress(expected.read_bytes()).decode()
        yield f"{case} {version} {option}", f"{printed}as trec_eval: {lines in printed}\n"


def conformance(before: Path) -> Entries:
    """The table of whose numbers come out, made anew with the peers."""
    for page in importlib.import_module("tools.make_docs").PAGES:
        if page.path == "conformance.md":
            yield page.path, page.make()


def pages(before: Path) -> Entries:
    """The other pages that the checkout makes from its code."""
    for page in importlib.import_module("tools.make_docs").PAGES:
        if not page.runs_peers:
            yield page.path, page.make()


def commands(before: Path) -> Entries:
    """What every command prints and writes for three inputs, as text and as JSON, and its help; errors too."""
    helps: dict[str, str] = {}
    for name, line in product(INPUTS, COMMANDS.strip().splitlines()):
        words = shlex.split(line.replace("(", "\\(").replace(")", "\\)"))
        command = words[: 2 if words[0] in ("users", "prefer", "project") else 1]
        if (asked := f"{shlex.join(command)} --help") not in helps:
            helps[asked] = called(*command, "--help")
            yield asked, helps[asked]
            if "--help-all" in helps[asked]:  # the rest of its options
                helps[asked] = called(*command, "--help-all")
        has_json = "--format " in helps[asked] and not {"--format", "-o"} & set(words)
        with contextlib.chdir(name):
            for more in ([], ["--format", "json"])[: 1 + has_json]:
                there, printed = contents(), called(*words, *more)
                written = {path: text for path, text in contents().items() if there.get(path) != text}
                files = "".join(f"== {path}\n{text}\n" for path, text in written.items())
                result = "\n".join(written) if words[0] == "benchmark" else printed + files  # that one tells the time
                yield f"{name}: {shlex.join([*words, *more])}", result


def names(before: Path) -> Entries:
    """What every package exports that exports something in BEFORE, with signatures."""
    for init in sorted((before / "src" / "rankscope").rglob("__init__.py")):
        package = ".".join(init.parent.relative_to(before / "src").parts)
        try:
            module = importlib.import_module(package)
            listed = sorted(getattr(module, "__all__", ()))
            yield package, "".join(described(name, getattr(module, name, "missing")) for name in listed)
        except Exception as error:
            yield package, f"{type(error).__name__}: {error}\n"


def calls(before: Path) -> Entries:
    """Calls of version 1.0, as its pages and tests write them, and what they give."""
    os.chdir("graded")
    called("evaluate", "qrels.txt", "a.run", "-o", "saved.ranks.parquet", "--quiet")
    scope: dict[str, Any] = {}
    for line in CALLS.strip().splitlines():
        try:
            try:
                code = compile(line, "<call>", "eval")
            except SyntaxError:
                exec(line, scope)
                yield line, "done\n"
            else:
                yield line, shown(eval(code, scope))
        except Exception as error:
            yield line, f"{type(error).__name__}: {error}\n"


def ranks(before: Path) -> Entries:
    """The bytes of saved ranks, apart from the version and from the digest, which follows from the bytes."""
    found = importlib.import_module("rankscope")
    for name, keep in product(INPUTS, (False, True)):
        with contextlib.chdir(name):
            saved = found.reduce("qrels.txt", "a.run", keep_scores=keep)
            found.save_ranks(saved, "saved.ranks.parquet")
            data = Path("saved.ranks.parquet").read_bytes()
        data = re.sub(rb"\b[0-9a-f]{64}\b", b"DIGEST", data.replace(found.__version__.encode(), b"VERSION"))
        yield f"{name}{', scores kept' * keep}", shown(saved) + data.hex("\n", 16) + "\n"


def lucene(before: Path) -> Entries:
    """Every answer to the queries of the Lucene golden files: documents and scores, or the error."""
    found = importlib.import_module("rankscope")
    files = next((before / "tests").rglob("similarities.jsonl.gz")).parent
    rows = {
        name: [json.loads(line) for line in gzip.decompress((files / f"{name}.jsonl.gz").read_bytes()).splitlines()]
        for name in ("documents", "queries", "similarities")
    }
    documents = [{name: text for name, text in row.items() if text} for row in rows["documents"]]
    indexes = {name: found.Index.build(documents, analyser=name) for name in ("whitespace", "standard", "english")}
    asked = [(row, analyser, "bm25") for row in rows["queries"] for analyser in indexes]
    asked += [(row, "english", "classic") for row in rows["queries"]]
    asked += [(row, "english", row["similarity"]) for row in rows["similarities"]]
    for row, analyser, similarity in asked:
        settings = row.get("settings", {})
        options = {"operator": settings.get("op", "OR"), "leading": settings.get("leading", False)}
        try:
            hits = indexes[analyser].search(row["query"], similarity, limit=None, **options)
            text = "".join(f"{item} {score!r}\n" for item, score in zip(hits.ids, hits.scores.tolist(), strict=True))
        except Exception as error:
            text = f"{type(error).__name__}: {error}\n"
        yield f"{analyser} {similarity} {settings}: {row['query']}", text


PARTS: dict[str, Callable[[Path], Entries]] = {
    each.__name__: each for each in (golden, conformance, commands, names, calls, pages, ranks, lucene)
}


# What the parts are made with


def called(*arguments: str) -> str:
    """What a command prints and how it ends, called in this process by the entry point of the checkout."""
    script = tomllib.loads((Path(os.environ[TREE]) / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = script["rankscope"].partition(":")
    start = getattr(importlib.import_module(module), function)
    out, err, own, code = io.BytesIO(), io.BytesIO(), sys.argv, None
    texts = [io.TextIOWrapper(each, "utf-8", write_through=True) for each in (out, err)]
    sys.argv = ["rankscope", *arguments]
    try:
        with contextlib.redirect_stdout(texts[0]), contextlib.redirect_stderr(texts[1]):
            start()
    except SystemExit as left:
        code = left.code
    finally:
        sys.argv = own
    return f"{out.getvalue().decode()}== ends with {code}\n{err.getvalue().decode()}"


def contents() -> dict[str, str]:
    """The files of this folder and below: texts as they are, of others that they exist: some hold the time."""
    paths = sorted(each for each in Path().rglob("*") if each.is_file())
    data = {str(path): path.read_bytes() for path in paths}
    return {path: "binary" if b"\0" in each else each.decode("utf-8", "replace") for path, each in data.items()}


def described(name: str, value: object) -> str:
    """A name with its signature; of a class also what it offers itself."""
    try:
        said = f"{name}{inspect.signature(value)}" if callable(value) else f"{name}: {type(value).__name__}"
    except ValueError:
        said = name
    if not inspect.isclass(value):
        return f"{said}\n"
    own = [base for base in value.__mro__ if base.__module__.startswith("rankscope")]
    members = {each: member for base in reversed(own) for each, member in vars(base).items() if each[0] != "_"}
    lines = [f"class {said}\n"]
    for each, member in sorted(members.items()):
        inner = getattr(member, "__func__", member)
        lines.append(f"    {each}{inspect.signature(inner)}\n" if inspect.isfunction(inner) else f"    {each}\n")
    return "".join(lines)


def shown(value: Any) -> str:
    """A result as a prompt shows it, and whole where it is a table."""
    text = f"{type(value).__name__}\n{value!r}\n"
    if hasattr(value, "to_polars"):
        text += json.dumps(value.to_polars().to_dicts(), indent=1, default=repr) + "\n"
    elif callable(getattr(value, "rows", None)):
        text += json.dumps(list(value.rows()), indent=1, default=repr) + "\n"
    return text


# Both checkouts


def snapshot(tree: Path, before: Path, part: str, folder: Path) -> dict[str, str]:
    """The entries of one part of one checkout, masked."""
    for name in INPUTS:
        write_inputs(folder / name, name)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RANKSCOPE"))},
        **dict.fromkeys(("NO_COLOR", "OMP_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
        "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}",
        "PYTHONHASHSEED": "0",
        "PYTHONWARNINGS": "ignore",
        "COLUMNS": "100",
        "TZ": "UTC",
        TREE: str(tree),
    }
    command = [sys.executable, "-P", __file__, str(before), "--worker", part]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        return {"the part ended early": f"{done.stdout}{done.stderr}"}
    entries: dict[str, str] = json.loads((folder / "entries.json").read_text())
    version = VERSION.search((tree / "src" / "rankscope" / "version.py").read_text())
    places = {str(folder): "FOLDER", str(tree): "TREE", version[1] if version else "": "VERSION"}
    return {name: masked(text, places) for name, text in entries.items()}


def masked(text: str, places: dict[str, str]) -> str:
    """A text without what is another at another time and place.

    >>> masked("1.0.0 at 2026-01-02T10:00:00Z, after 0.25 s: 3 of 4", {"1.0.0": "VERSION"})
    'VERSION at CLOCK, after SECONDS: 3 of 4'
    """
    for place, word in places.items():
        text = text.replace(place, word) if place else text
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text


def differences(before: dict[str, str], after: dict[str, str], lines: int) -> Iterator[str]:
    """A unified diff of every entry that differs, cut to some lines."""
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old != new:
            left, right = ((text or "").splitlines() for text in (old, new))
            found = list(difflib.unified_diff(left, right, "before", "after", n=1, lineterm=""))
            gone = [f"... {len(found) - lines} lines more"] if len(found) > lines else []
            yield "\n".join([f"-- {name}", *found[:lines], *gone])


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and say by the exit code whether anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0], prog="frozen")
    parser.add_argument("before", type=Path, help="checkout before the change")
    parser.add_argument("after", type=Path, nargs="?", help="checkout after it (default: this one)")
    parser.add_argument("--only", metavar="PART", choices=PARTS, action="append", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--lines", type=int, default=40, help="lines of a difference that are printed (default 40)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default 2)")
    parser.add_argument("--worker", metavar="PART", choices=PARTS, help=argparse.SUPPRESS)
    choices = parser.parse_args(arguments)
    before = choices.before.resolve()
    if choices.worker:
        target = Path("entries.json").resolve()  # parts change the folder
        target.write_text(json.dumps(dict(PARTS[choices.worker](before))))
        return 0
    after, parts, count = (choices.after or Path(__file__).parents[1]).resolve(), choices.only or list(PARTS), 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(choices.jobs) as pool:
        waiting = {
            part: [
                pool.submit(snapshot, tree, before, part, Path(folder, part, side))
                for side, tree in (("a", before), ("b", after))
            ]
            for part in parts
        }
        for part, both in waiting.items():
            old, new = (each.result() for each in both)
            found = list(differences(old, new, choices.lines))
            if "the part ended early" in {**old, **new} and not found:
                found = [new["the part ended early"]]
            count += len(found)
            print("\n".join([f"{part}: {len(old)} entries, {len(found)} differ", *found]), flush=True)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
