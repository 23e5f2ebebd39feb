"""Where lower is better, everything is said as of a measure that counts the other way: same words, signs turned.

The twin of P@8 is 1 - P@8; eighths have no rounding, so that both have the same ties, p-values and order of systems.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.commands.report import graph
from rankscope.core import catalogue
from rankscope.core.arrays import FloatArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures import P
from rankscope.measures.measure import Measure
from rankscope.measures.notation import MEASURES
from rankscope.ranks.relevant_ranks import RelevantRanks

HIGHER, LOWER = "P@8", "miss@8"
NUMBER = re.compile(r"[+\-\u2212]?(?:\d[\d,]*\.\d+|\.\d+|\d[\d,]*)(?:e[+-]?\d+)?")
EASE = {"alpha": 0.3, "beta": 0.55, "gamma": 0.5, "delta": 0.12}


@dataclass(frozen=True)
class Miss(Measure):
    """Precision: share of the first `scope` items that are relevant."""

    name = "miss"
    formula = "1 - v(k) / k"
    source = "the twin of P"
    lower_is_better = True
    worst = 1.0

    scope: int = given_behind_at()
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The complement of precision."""
        return 1.0 - P(self.scope, rel=self.rel).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The complement of the expected precision."""
        return 1.0 - np.asarray(P(self.scope, rel=self.rel).expected(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return P(self.scope, rel=self.rel).worth(grade, settings)


@pytest.fixture(autouse=True)
def _twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if another package brought it."""
    ours = catalogue.additions
    monkeypatch.setattr(catalogue, "additions", lambda group: (Miss,) if group == MEASURES.group else ours(group))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """36 queries of three classes, four runs; one query has no answer of delta."""
    where = tmp_path_factory.mktemp("twins")
    chance = np.random.default_rng(3)
    qrels, other, runs = [], [], {name: list[str]() for name in EASE}
    for number in range(36):
        query, kind, hard = f"q{number:02}", number % 3, chance.normal(0, 0.08)
        grades = {f"r{each}": 1 for each in range(8)} | {f"n{each}": 0 for each in range(20)}
        qrels += [f"{query} 0 {item} {grade}" for item, grade in grades.items()]
        other += [f"{query} 0 {item} {grade ^ int(chance.random() < 0.1)}" for item, grade in grades.items()]
        for name, ease in EASE.items():
            share = np.clip(ease + hard + 0.2 * (kind == 2 and name == "alpha") + chance.normal(0, 0.05), 0.02, 0.95)
            found, rest = ([each for each in grades if each.startswith(letter)] for letter in "rn")
            items = [found.pop() if found and chance.random() < share else rest.pop() for _ in range(20)]
            if (name, number) != ("delta", 5):
                runs[name] += [f"{query} Q0 {item} {rank} {100 - rank} {name}" for rank, item in enumerate(items, 1)]
    files = {"qrels.txt": qrels, "other.txt": other, **{f"{name}.run": lines for name, lines in runs.items()}}
    files["people.txt"] = [line for line in qrels if int(line[1:3]) < 20]
    files["classes.csv"] = ["query,class", *(f"q{number:02},{'abc'[number % 3]}" for number in range(36))]
    tasks = (
        ("one", "qrels", "alpha beta gamma"),
        ("two", "other", "alpha gamma beta"),
        ("three", "people", "alpha delta"),
    )
    files["suite.toml"] = ['measures = ["AP"]']
    for task, judged, names in tasks:
        listed = ", ".join(f's{place} = "{name}.run"' for place, name in enumerate(names.split()))
        files["suite.toml"] += ["[[task]]", f'name = "{task}"', f'qrels = "{judged}.txt"', f"runs = {{ {listed} }}"]
    for name, lines in files.items():
        (where / name).write_text("\n".join(lines) + "\n")
    return where


def printed(command: str, measure: str) -> str:
    """What commands print, and what they write into files called out."""
    for old in Path().glob("out*"):
        old.unlink()
    texts = []
    for each in command.split(" && "):
        done = CliRunner().invoke(cli, each.format(m=measure).split(), catch_exceptions=False)
        assert done.exit_code in (0, 1), done.output
        texts += [done.output, f"exit code {done.exit_code}"]
    for path in sorted(Path().glob("out*")):
        if path.suffix in (".html", ".json", ".jsonl", ".md", ".tex", ".csv"):
            texts.append(re.sub(r"<(style|script|svg)\b.*?</\1>|<[^>]+>", "\n", path.read_text(), flags=re.S))
    return "\n".join(texts)


def words(text: str, measure: str) -> list[str]:
    """Lines without numbers, signs, the name of the measure and how wide columns are."""
    plain = text.replace("$-$", "-").replace(measure, "M").replace(f"{{{measure.partition('@')[0]}}}", "{M}")
    lines = (re.sub(r"-{2,}", "--", re.sub(r"\s+", " ", NUMBER.sub("#", each))).strip() for each in plain.splitlines())
    return [each for each in lines if each]


BOTH = "qrels.txt alpha.run beta.run"
ALL = f"{BOTH} gamma.run delta.run"
TESTS = "sign-flip,t,wilcoxon,sign,bootstrap,pairs,rank-intervals,randomised-tukey,two-way,blocked-tukey,welch,tukey"
COMMANDS = {
    "evaluate": f"evaluate {ALL} -m {{m}}",
    "evaluate by class": f"evaluate {BOTH} -m {{m}} --by classes.csv --format markdown",
    "evaluate in LaTeX": f"evaluate {ALL} -m {{m}} --format latex",
    "evaluate the order of ties": f"evaluate {BOTH} -m {{m}} --ties expected -q",
    "compare two": f"compare {BOTH} -m {{m}} --by classes.csv",
    "compare two turned": "compare qrels.txt beta.run alpha.run -m {m} --by classes.csv",
    "compare equal ones": "compare qrels.txt beta.run gamma.run -m {m}",
    "compare four": f"compare {ALL} -m {{m}} --by classes.csv -o out.md",
    "compare in LaTeX": f"compare {ALL} -m {{m}} -o out.tex",
    "compare, secondary": f"compare {BOTH} -m AP,{{m}},RR",
    "compare, tests": "compare qrels.txt alpha.run beta.run gamma.run -m {m} --by classes.csv"
    + "".join(f" --test {each}" for each in TESTS.split(",")),
    "compare, sequential": f"compare {ALL} -m {{m}} --sequential out.looks",
    "gate, loss": "gate qrels.txt beta.run alpha.run -m {m} --min-effect 0.02",
    "gate, gain": f"gate {BOTH} -m {{m}} --rule beyond",
    "gate, undecided": "gate qrels.txt gamma.run beta.run -m {m}",
    "gate by class": "gate qrels.txt gamma.run delta.run -m {m} --by classes.csv --format markdown --self-test 100",
    "gate, sequential": "gate qrels.txt gamma.run delta.run -m {m} --sequential out.looks --format markdown",
    "history": "gate qrels.txt beta.run gamma.run -m {m} --history out.history --build 1 && "
    "gate qrels.txt gamma.run delta.run -m {m} --history out.history --build 2 && "
    "report --history out.history -o out.html",
    "stability": f"stability {ALL} -m {{m}}",
    "stability of assessors": "stability alpha.run beta.run delta.run --assessor qrels.txt --assessor other.txt -m {m}",
    "components": f"components {BOTH} -m {{m}} --by classes.csv",
    "plan": f"plan {BOTH} -m {{m}} --budget 200",
    "reuse": f"reuse {ALL} -m {{m}} --pool-depth 3",
    "estimate": "estimate people.txt alpha.run beta.run --machine qrels.txt -m {m}",
    "agreement": "agreement qrels.txt other.txt --runs alpha.run --runs beta.run --runs delta.run -m {m}",
    "fuse": "fuse alpha.run beta.run gamma.run --method wsum --tune --qrels qrels.txt -m {m} -o out.run",
    "suite": "report --suite suite.toml -m {m} -o out.html",
    "report": f"report {ALL} -m {{m}} -o out.html --by classes.csv --collection-size 1000",
    "feedback": "feedback digits --methods rocchio,svm --topics 3,5,8 --list split -m {m} --on home --report out.html "
    "-o out.parquet --force",
    "resilience": "feedback digits resilience --methods rocchio,svm --topics 3,5 -m {m}",
}
LONG = ("report", "feedback", "resilience", "stability of assessors", "compare, tests")
TURNED = {  # words that must differ: of the lower, and of the higher
    "reuse": ("#% more;", "#% less;"),
    "feedback": ("has the lowest mean M", "has the highest mean M"),
    "resilience": ("the share of # - M that is left", "the share of it that is left"),
}
OF_ONE = r"lower is better|Of the first # results # are relevant .*|M is # for .*"


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.thorough) if each in LONG else each for each in COMMANDS]
)
def test_commands_say_the_same_of_both(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    higher, lower = (words(printed(COMMANDS[name], each), each) for each in (HIGHER, LOWER))
    old, new = TURNED.get(name, ("", ""))
    assert not old or any(old in line for line in lower)
    lower = [line.replace(old, new) for line in lower]
    higher, lower = ([each for each in some if not re.fullmatch(OF_ONE, each)] for some in (higher, lower))
    assert lower == higher


@pytest.mark.parametrize(
    ("kind", "systems"),
    [
        ("per-query-differences", "alpha beta"),
        ("per-query-differences", "beta alpha"),
        ("comparison-intervals", "alpha beta gamma"),
        ("class-matrix", "alpha"),
        ("class-matrix", "alpha beta"),
        ("rank-intervals", "alpha beta gamma"),
        ("power-curve", "alpha beta"),
    ],
)
def test_graphs_say_the_same_of_both(kind: str, systems: str, folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in systems.split()]
    told = []
    for measure in (HIGHER, LOWER):
        made = graph(kind, folder / "qrels.txt", runs, measure=measure, classes=folder / "classes.csv")
        text = "\n".join([made.title, made.subtitle, made.summary, made.conclusion, *made.series])
        told.append(words(text, measure))
    assert told[0] == told[1]
    assert "is better" in str(told) or kind not in ("per-query-differences",)


ENDS = {"low": "high", "high": "low", "paired low": "paired high", "paired high": "paired low"}


def turned(value: Any, key: str) -> Any:
    """A number of the twin as it would be of the measure itself."""
    if not isinstance(value, int | float):
        return value
    if key in ("difference", "d/sd", "change", "mean difference", "pseudo-median"):
        return -value
    return 1 - value if key in ("mean", "baseline", "candidate", "value_first", "value_second") else value


def check_twins(higher: Any, lower: Any, key: str = "") -> None:
    """The same rows; differences with the other sign, means from the other end, limits changed over, all else equal."""
    if isinstance(higher, dict):
        ends = ENDS if {"mean", "difference", "change"} & higher.keys() else {}
        assert higher.keys() == lower.keys()
        for name, value in higher.items():
            if name in ends and value is not None:
                other = lower[ends[name]]
                assert value == pytest.approx(1 - other if "mean" in higher else -other, abs=1e-9), name
            elif name != "better" or value not in ("higher", "lower"):
                check_twins(value, lower[name], name)
    elif isinstance(higher, list):
        assert len(higher) == len(lower)
        for one, other in zip(higher, lower, strict=True):
            check_twins(one, other, key)
    elif isinstance(higher, str):
        assert words(higher, HIGHER) == words(lower, LOWER)
    elif isinstance(higher, float):
        assert higher == pytest.approx(turned(lower, key), abs=1e-9, rel=1e-6), key
    else:
        assert higher == lower, key


@pytest.mark.parametrize(
    "command",
    [
        f"compare {ALL} -m {{m}} --by classes.csv --format json",
        f"compare {ALL} -m {{m}} --sequential out.looks --format json",
        f"gate {BOTH} -m {{m}} --by classes.csv --format json",
        "gate qrels.txt beta.run alpha.run -m {m} --format json",
        "gate qrels.txt beta.run alpha.run -m {m} --sequential out.looks --format json",
    ],
)
def test_numbers_are_turned_and_nothing_else(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    higher, lower = (printed(f"{command} --quiet", each).rpartition("exit code")[0] for each in (HIGHER, LOWER))
    check_twins(json.loads(higher), json.loads(lower))
