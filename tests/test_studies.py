"""The study of 2014 runs anywhere, keeps its design, and its page and the pages on statistics say what programs say."""

from __future__ import annotations

import importlib
import re
import shlex
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from benchmarks import class_errors, skewed_errors
from benchmarks.__main__ import PARTS
from rankscope.analysis.statistics.deciding_test import missed_share
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.commands.line.main import cli
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from tests.data import data_folder
from tests.needs import needed_module

DOCS = Path(__file__).parents[1] / "docs"
STUDIES = DOCS / "studies"
HOW_TO = (DOCS / "how-to" / "compare.md").read_text(encoding="utf-8")


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(STUDIES))
    return importlib.import_module("brughi2014")


@pytest.fixture
def data(study: Any) -> Any:
    return importlib.import_module("brughi2014_data")


def printed(study: Any, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    study.main(list(arguments))
    said = capsys.readouterr()
    return said.out, said.err


@pytest.fixture
def told(study: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    return printed(
        study, capsys, "--systems", "simple", "--data", str(tmp_path / "no"), "--figures", str(tmp_path / "figures")
    )


@pytest.mark.thorough
def test_without_photos_the_study_runs_on_the_shipped_icons_and_says_so(
    study: Any, told: tuple[str, str], tmp_path: Path
) -> None:
    out, error = told
    assert error.startswith(f"! No Corel-1k in {tmp_path / 'no' / 'corel1k'}: the icons that ship with rankscope")
    assert out.splitlines()[1].startswith("icons, seed 0: 475 pictures = 5 classes x 35 + 300 distractors; 25 queries")
    assert re.findall(r"^(\d+)\. ", out, re.M) == [str(number) for number in range(1, 13)]
    assert study.CAVEAT in out
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "brughi2014-figure-2.png",
        "brughi2014-simple-figure-3a.svg",
        "brughi2014-simple-figure-3b.svg",
    ]


def test_the_design_is_balanced_and_no_distractor_is_of_a_class_asked(data: Any, tmp_path: Path) -> None:
    given = data.experiment(str(tmp_path), seed=4)
    class_of = dict(zip(*(getattr(data.load("icons"), name) for name in ("ids", "labels")), strict=True))
    assert [given.labels.count(label) for label in given.classes] == [35] * 5
    assert not {class_of[each] for each, label in zip(given.ids, given.labels, strict=True) if not label} & {
        *given.classes
    }
    asked = [given.labels[each] for each in given.queries.tolist()]
    assert sorted(asked) == sorted(label for label in given.classes for _ in range(5))
    assert data.experiment(str(tmp_path), seed=4).ids == given.ids
    assert data.experiment(str(tmp_path), seed=5).ids != given.ids


@pytest.mark.thorough
def test_the_printed_tests_are_those_of_scipy(data: Any, told: tuple[str, str], tmp_path: Path) -> None:
    given = data.experiment(str(tmp_path))
    systems = [each.ranks(given) for each in data.simple(given, tmp_path)]
    table = ScoreTable.of(evaluate_ranks(systems, ["AP"], Settings()))
    cells = [table.where(label).values[:, column] for label in table.class_names for column in (0, 1)]
    result = stats.f_oneway(*cells)
    assert f"{result.statistic:.4f}" in told[0].split("3. One-way")[1].split("4. ")[0]
    for label in table.class_names:
        own = table.where(label)
        p = stats.ttest_rel(own.values[:, 1], own.values[:, 0]).pvalue
        row = next(line for line in told[0].split("p (holm)")[1].splitlines() if line.startswith(label))
        assert (f"{p:.4f}" if p >= 1e-4 else "<0.0001") in row


@pytest.mark.thorough
def test_the_rankers_of_the_paper_can_be_put_in(data: Any, study: Any, tmp_path: Path) -> None:
    needed_module("cv2", "images")
    needed_module("sklearn", "feedback")
    whole = data.experiment(str(tmp_path))
    class_of = np.array(whole.labels)[whole.queries]
    two = np.concatenate([whole.queries[class_of == label][:2] for label in whole.classes])
    given = replace(whole, queries=two)
    ranked = data.rankers(given, tmp_path / "work")
    systems = [each.ranks(given) for each in ranked]
    assert [each.system for each in systems] == ["bag of words", "SIFT matching"]
    assert all(len(each) == 10 and (each.relevant == 34).all() and (each.collection == 474).all() for each in systems)
    assert any(line.startswith("9. Conclusions") for line in study.study(given, ranked))
    kept = {each: each.stat().st_mtime_ns for each in (tmp_path / "work").iterdir()}
    again = data.rankers(given, tmp_path / "work")[1]  # what lies in the folder is not computed again
    assert np.array_equal(again.scores, ranked[1].scores)
    assert len(kept) == 10
    assert {each: each.stat().st_mtime_ns for each in kept} == kept


@pytest.mark.thorough
def test_the_page_of_the_study_quotes_what_it_prints_now(
    study: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data_folder("corel1k").parent
    out, error = printed(
        study, capsys, "--systems", "simple", "--data", str(folder), "--figures", str(tmp_path / "figures")
    )
    page = (STUDIES / "brughi2014.md").read_text(encoding="utf-8")
    quoted = page.split("$ python docs/studies/brughi2014.py --systems simple\n")[1].split("```")[0]
    assert error == ""
    words, numbers = apart(out)
    assert words == apart(quoted)[0], "run: python docs/studies/brughi2014.py --systems simple"
    np.testing.assert_allclose(numbers, apart(quoted)[1], rtol=0.2, atol=0.02)  # another decoder gives other pixels


def test_the_table_of_the_papers_figures_has_the_numbers_that_are_printed() -> None:
    page = (STUDIES / "brughi2014.md").read_text(encoding="utf-8")
    table = page.split("## The paper's figures")[1].split("## Figure 3a")[0]
    printed = page.split("$ python docs/studies/brughi2014.py\n")[-1].split("```")[0]
    part = printed.split("10. Next to the figures of the paper")[1].split("11. Bands over the collection")[0]
    areas = [float(value) for value in re.findall(r"0\.\d{4}", part)]
    for value in areas[2:]:
        assert f"{value:.3f}".removeprefix("0") in table  # by trapezia, as printed and from the start
    assert all(f"{value:.2f}".removeprefix("0") in table for value in areas[:2])
    overlap = re.findall(r"overlap at (\d+ of \d+) levels", part)[0]
    none = re.findall(r"here none in (\d of \d)", part)[0]
    assert f"overlap at {overlap} levels" in table
    assert f"none in {none}" in table
    first, second = re.findall(r"0\.\d{3}(?!\d)", part.split("Figure 3b")[1])[:2]
    assert f"({second[1:]} against {first[1:]})" in table
    random = re.findall(r"mean AP of 0(\.\d{3})", part)[0]
    for label in ("africa", "elephants"):
        mean = re.findall(rf"^{label} +SIFT matching.* (0\.\d{{4}})  0\.\d+$", printed, re.M)[0]
        assert f"{float(mean):.3f}".removeprefix("0") in table
    assert f"which has {random}" in table


@pytest.mark.thorough
def test_both_errors_of_the_difference_are_printed(data: Any, told: tuple[str, str], tmp_path: Path) -> None:
    """The paired one, and that of fixed classes, which an earlier version printed alone."""
    given = data.experiment(str(tmp_path))
    systems = [each.ranks(given) for each in data.simple(given, tmp_path)]
    table = ScoreTable.of(evaluate_ranks(systems, ["AP"], Settings()))
    own = table.values[:, 1] - table.values[:, 0]
    error = float(stats.sem(own))
    assert f"paired standard error {error:.4f} = {own.std(ddof=1):.4f} / sqrt(25)" in told[0]
    assert f"The paired error of section 5, {error:.4f}," in told[0]


def apart(text: str) -> tuple[list[str], list[float]]:
    """The words and the numbers of a text, regardless of the width of its columns."""
    number = r"[-−+]?\d*\.?\d+(?:e-?\d+)?"
    words = re.sub(number, "#", re.sub(r"-{3,}", "", text)).split()
    return words, [float(each.replace("−", "-")) for each in re.findall(number, re.sub(r"-{3,}", "", text))]


@pytest.fixture
def robust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = data_folder("trec-robust03")
    (tmp_path / "runs").symlink_to(folder / "runs")
    (tmp_path / "qrels.txt.gz").symlink_to(folder / "qrels.txt.gz")
    topics = [*range(303, 451), *range(601, 651)]
    rows = [f"{topic},{'old' if topic < 600 else 'new'}" for topic in topics]
    (tmp_path / "kinds.csv").write_text("\n".join(["query,class", *rows, ""]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = re.findall(r"^\$ rankscope (compare qrels.+)$", HOW_TO, re.M)


def test_the_page_on_comparing_has_examples() -> None:
    assert len(COMMANDS) >= 5


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_on_the_page_prints_what_the_page_says(command: str, robust: Path) -> None:
    words = [found for each in shlex.split(command) for found in (sorted(glob(each)) if "*" in each else [each])]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    if " -o " not in command:
        assert done.stdout.splitlines()[0] in HOW_TO


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--mean geometric", "compare tests means over queries: leave --mean geometric out"),
        (
            "--by other.csv",
            "--by other.csv: none of its queries is among those compared, which are called 303, 307, 310",
        ),
    ],
)
def test_a_choice_that_compare_cannot_follow_is_an_error(options: str, words: str, robust: Path) -> None:
    (robust / "other.csv").write_text("query,class\nq1,x\n")
    files = ["qrels.txt.gz", "runs/Sel50.gz", "runs/pircRBa1.gz"]
    done = CliRunner().invoke(cli, ["compare", *files, *options.split()])
    assert done.exit_code != 0
    assert words in str(done.exception)


def test_the_python_on_the_page_says_the_same(robust: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.+?)```", HOW_TO, re.S)
    exec(compile(block, "compare.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] in HOW_TO


@pytest.mark.parametrize("part", ["skewed-errors", "class-errors", "error-rates", "small-samples"])
def test_the_page_on_statistics_has_the_tables_of_the_benchmarks(part: str) -> None:
    title = PARTS[part][0]
    measured = (DOCS / "performance.md").read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    page = (DOCS / "reference" / "error-rates.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", measured, re.M)
    for table in tables[:1] if part in ("error-rates", "small-samples") else tables:
        assert table in page


def test_what_the_page_says_of_small_samples_is_in_the_measured_tables() -> None:
    title = PARTS["small-samples"][0]
    measured = (DOCS / "performance.md").read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    page = (DOCS / "reference" / "error-rates.md").read_text(encoding="utf-8")
    said = " ".join(page.split("**Why not BCa for few.**")[1].split("On real AP of up to 100 units")[0].split())
    coverage, faults = (
        [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()[2:]]
        for table in re.findall(r"(?:^\|.*\n)+", measured, re.M)
    )
    held = {(row[0], row[1]): [each.removeprefix("0") for each in row[2:]] for row in coverage}

    def of(start: str, how: str) -> list[str]:
        return next(cells for (name, way), cells in held.items() if name.startswith(start) and way == how)

    two, three, five, ten = of("Medline RR", "BCa")[:4]
    assert f"{two} of samples of two queries, {three} of three, {five} of five and {ten} of ten" in said
    flat = next([each[1:] for each in row[1:5]] for row in faults if row[0] == "Medline RR")
    assert f"no width in {', '.join(flat[:3])} and {flat[3]} of them" in said
    medline = of("Medline RR", "Student's t")[:4]
    assert (
        f"({', '.join(medline)}), and elsewhere leaves the range in up to {max(row[9] for row in faults)[1:]}" in said
    )
    few = {name: cells[:5] for (name, way), cells in held.items() if way == "default" and " DCG@10" not in name}
    unequal = next(cells for name, cells in few.items() if "6 to 308" in name)
    least = min(min(cells) for name, cells in few.items() if "6 to 308" not in name)
    assert f"holds in {least} and more" in said
    assert f"({min(unequal)} of ten classes of 6 to 308" in said
    assert unequal.index(min(unequal)) == 3
    without = of("Robust 2003 DCG@10", "default")[:5]
    assert f"t holds in {min(without)} to {max(without)} for DCG@10" in said
    many = {name: cells[5:] for (name, way), cells in held.items() if way == "BCa"}
    odd = {name for name in many if name.startswith("CISI") or "6 to 308" in name}
    at_25 = [cells[0] for name, cells in many.items() if name not in odd]
    assert f"BCa holds in {min(at_25)} to {max(at_25)} of samples of 25" in said
    assert "CISI's AP ({} at 25, {} at 50".format(*next(many[name] for name in odd if name.startswith("CISI"))) in said
    assert "unequal size ({} and {})".format(*next(many[name] for name in odd if "6 to 308" in name)) in said


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scores", list(class_errors.processes()))
def test_class_verdicts_err_no_more_often_than_they_say(scores: str) -> None:
    five, ten = (class_errors.rates(scores, queries, trials=300)[0] for queries in (5, 10))
    known = scores in ("mean 0, lognormal(0, 1)", "mean 0, Cranfield RR")  # above .06, as the page says
    assert five <= 0.06
    assert ten <= (0.12 if known else 0.06)


def test_the_pooled_model_and_the_t_test_do() -> None:
    assert class_errors.rates("spreads that differ", 5, trials=1_000)[2] > 0.12
    assert class_errors.rates("mean 0, exponential", 5, trials=1_000)[1] > 0.15


def test_a_class_of_ten_queries_that_gains_much_is_found() -> None:
    assert class_errors.power("mean 0, normal", 10, 3.0, trials=300)[0] > 0.9


@pytest.mark.parametrize("correlation", class_errors.CORRELATIONS)
def test_the_mixed_model_errs_no_more_where_systems_go_against_each_other(correlation: float) -> None:
    now, at_boundary = class_errors.opposed_rates(correlation, 5, trials=1_000)
    assert now <= 0.06
    assert at_boundary > 0.075


@pytest.mark.parametrize("queries", skewed_errors.RARE_SIZES)
def test_rare_large_gains_mislead_only_samples_that_lack_them(queries: int) -> None:
    everywhere, with_gain = skewed_errors.rare_rates(queries, trials=500)["verdict"]
    assert with_gain <= 0.06
    assert everywhere <= missed_share(queries) + 0.06


def test_the_simulated_t_test_is_that_of_scipy() -> None:
    differences = np.random.default_rng(0).normal(size=(3, 4, 6))
    np.testing.assert_allclose(class_errors.t_p(differences), stats.ttest_1samp(differences, 0, axis=-1).pvalue)


@pytest.mark.thorough
def test_the_feedback_study_runs_and_its_page_has_its_methods(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tests.feedback.cases import clusters

    monkeypatch.syspath_prepend(str(STUDIES))
    module = importlib.import_module("feedback_study")
    result = module.run("small", *clusters(items=60, classes=2), tmp_path, starts=1)
    rows = re.findall(r"^\| ([a-z][a-z-]+) \|", module.table(result), re.M)[1:]
    page = (STUDIES / "feedback.md").read_text(encoding="utf-8")
    assert all(page.count(f"| {name} |") == 3 for name in rows)
    assert f"{len(rows) - 4} methods and four controls" in page
