"""Nothing is silent but what is asked to be: warnings say what the values say, and --quiet leaves the results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from tests.commands.line.every_command import leaf_commands
from tests.engines.images.pictures_folder import written

WITHOUT_WORDS = {
    "components",
    "estimate",
    "look",
    "measures",
    "plan",
    "reuse",
    "stability",
    "project agreement",
    "project questionnaire",
    "project times",
    "prefer score",
    "prefer clicks",
    "users list",
    "users score",
}  # they say nothing but the result


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements, two runs full of things to warn of, vectors with labels, and pictures."""
    where = tmp_path_factory.mktemp("quiet")
    qrels, runs = [], {"one": [], "two": []}  # type: ignore[var-annotated]
    for query in range(12):
        qrels += [f"q{query:02} 0 d{item} {int(item < 2)}" for item in range(4)]
        for shift, lines in enumerate(runs.values()):
            if query:  # the first query is missing
                lines += [f"q{query:02} Q0 d{(item + shift * query) % 5} 0 {4 - item // 2} run" for item in range(5)]
    (where / "qrels").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (where / f"{name}.run").write_text("\n".join(lines) + "\n")
    vectors = np.random.default_rng(1).random((24, 6))
    np.savez(where / "f.npz", features=vectors, labels=np.arange(24) % 6)
    np.save(where / "f.npy", vectors)
    table = pl.DataFrame({"file": [f"i{row}" for row in range(24)], "kind": "k", "Class": np.arange(24) % 6})
    table.write_csv(where / "labels.csv")
    written(where / "photos")
    (where / "photos" / "broken.png").write_bytes(b"no picture")
    return where


def test_every_command_that_has_more_to_say_than_its_result_can_be_quiet() -> None:
    for name, command in leaf_commands().items():
        quiet = any("--quiet" in parameter.opts for parameter in command.params)
        assert quiet == (name not in WITHOUT_WORDS), name


CASES = {
    "evaluate": ("evaluate", "qrels", "one.run", "-m", "AP,R@100"),
    "evaluate trec": ("evaluate", "qrels", "one.run", "-m", "AP,R@100", "--format", "trec"),
    "evaluate markdown": ("evaluate", "qrels", "one.run", "--format", "markdown"),
    "evaluate latex": ("evaluate", "qrels", "one.run", "--format", "latex"),
    "evaluate ranks": ("evaluate", "qrels", "one.run", "-o", "OUT.ranks.parquet"),
    "compare": ("compare", "qrels", "one.run", "two.run", "-m", "AP"),
    "gate": ("gate", "qrels", "one.run", "one.run", "-m", "AP"),
    "graph": ("graph", "precision-scope", "qrels", "one.run", "-o", "OUT.svg"),
    "report": ("report", "qrels", "one.run", "-m", "AP", "-o", "OUT.html"),
    "rank": ("rank", "f.npz", "-o", "OUT.ranks.parquet"),
    "describe": ("describe", "photos", "-d", "colour-layout", "-o", "OUT.npz"),
    "benchmark": ("benchmark", "photos", "-d", "thumbnail(side=4)", "--show", "1", "-o", "OUT"),
    "forecast": ("forecast", "qrels", "one.run", "--to", "2x", "--collection-size", "9", "-m", "AP", "--force"),
}
FILES = ("qrels", "one.run", "two.run", "f.npz", "photos")


def arguments(case: tuple[str, ...], folder: Path, tmp_path: Path) -> list[str]:
    return [
        str(folder / each) if each in FILES else str(tmp_path / each) if each.startswith("OUT") else each
        for each in case
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_quiet_leaves_only_results(case: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    results = {}
    for name, more in (("loud", []), ("quiet", ["--quiet"])):
        (tmp_path / name).mkdir()
        results[name] = called(*arguments(case, folder, tmp_path / name), *more)
    loud, quiet = results["loud"], results["quiet"]
    assert loud.exit_code == quiet.exit_code == 0
    assert quiet.stderr == ""
    assert "!" not in quiet.stdout
    assert len(loud.output) > len(quiet.output)
    assert not words(quiet.stdout) - words(loud.stdout)
    assert [path.name for path in sorted((tmp_path / "loud").iterdir())] == [
        path.name for path in sorted((tmp_path / "quiet").iterdir())
    ]


def words(text: str) -> set[str]:
    """The lines without their numbers: times differ from call to call."""
    return {re.sub(r"[\d.\s-]+", " ", line) for line in text.splitlines()}


def test_errors_are_not_quiet(folder: Path) -> None:
    with pytest.raises(RankscopeError, match="swapped"):
        called("evaluate", folder / "one.run", folder / "qrels", "--quiet")


def test_quiet_json_keeps_its_field_of_warnings(folder: Path) -> None:
    quiet = called("evaluate", folder / "qrels", folder / "one.run", "-m", "R@100", "--format", "json", "--quiet")
    assert any("cut deeper" in line for line in json.loads(quiet.stdout)["warnings"])
    assert quiet.stderr == ""


# what is said, tied to the values it speaks of


def test_a_cut_off_behind_the_end_of_the_lists_is_said(folder: Path) -> None:
    said = called(
        "evaluate", folder / "qrels", folder / "one.run", "-m", "R@100,P@5,Rprec,P@6", "--format", "trec"
    ).stderr
    line = "cut deeper than the list goes: R@100 in 11, P@6 in 11 of 11 queries; lists hold 5 items"
    assert line in said
    assert "P@5 in" not in said
    whole = called(
        "evaluate", folder / "qrels", folder / "one.run", "-m", "R@100", "--collection-size", 5, "--format", "trec"
    ).stderr
    assert "cut deeper" not in whole  # five items are all there are


def test_means_of_random_orders_are_said_to_be_so_where_the_format_has_no_place_for_it(
    folder: Path, tmp_path: Path
) -> None:
    tied = tmp_path / "tied.run"  # of 15 equal scores, two relevant and two not: 8,190 orders
    tied.write_text("".join(f"q01 Q0 d{item} 0 1 run\n" for item in range(15)))
    names = ["-m", "AP,infAP", "--ties", "expected", "--format"]
    trec = called("evaluate", folder / "qrels", tied, *names, "trec")
    csv = called("evaluate", folder / "qrels", tied, *names, "csv")
    error = pl.read_csv(csv.stdout.encode()).filter(pl.col("measure") == "infAP").get_column("standard_error")[0]
    assert error > 0
    said = "where equal scores have more than 5,040 orders, not exact but the mean of 1,000 random orders (seed 0): "
    assert f"{said}infAP (standard error {error:.2g})" in trec.stderr
    assert [len(line.split("\t")) for line in trec.stdout.splitlines()] == [3, 3]
    table = called("evaluate", folder / "qrels", tied, *names, "table").stdout
    assert f"(se {error:.2g}) [" in table


def test_a_random_level_above_one_percent_is_said(folder: Path, tmp_path: Path) -> None:
    ranks = tmp_path / "r.ranks.parquet"
    said = called("rank", folder / "f.npz", "-o", ranks).stderr
    assert f"in a random order {3 / 23:.1%} of the items are relevant (3 of 23)" in said
    assert "too few distractors" in called("evaluate", ranks, "-m", "AP").stdout
    run = ("evaluate", folder / "qrels", folder / "one.run", "-m", "AP", "--collection-size")
    assert "too few distractors" in called(*run, 199).stdout
    assert "too few distractors" not in called(*run, 200).stdout
    assert called(*run, 100, folder / "two.run").stdout.count("too few distractors") == 1
    benchmark = called("benchmark", folder / "photos", "-d", "thumbnail(side=4)", "--show", 1, "-o", tmp_path / "b")
    assert benchmark.stderr.count("too few distractors") == 1


@pytest.mark.parametrize(
    ("more", "labels", "rest"),
    [([], "Class", "kind"), (["--label-column", "kind"], "kind", "Class")],
)
def test_rank_says_which_columns_it_took(folder: Path, tmp_path: Path, more: list[str], labels: str, rest: str) -> None:
    result = called(
        "rank", folder / "f.npy", "--labels", folder / "labels.csv", "-o", tmp_path / "r.ranks.parquet", *more
    )
    taken = f"labels.csv: labels from column '{labels}', ids from column 'file', rows in the order of the items"
    assert f"{taken}; not read: {rest}" in result.stderr


def test_json_that_can_be_read_as_either_gives_a_number_and_a_question(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.json", tmp_path / "run.json"
    qrels.write_text('{"1": {"a": 1, "b": 0}}')
    run.write_text('{"1": {"a": 2.5, "b": 1.5}}')
    assert "swapped" not in called("evaluate", qrels, run, "-m", "AP").output
    said = called("evaluate", run, qrels, "-m", "AP").stdout
    assert "run.json has grades with fractions, and qrels.json whole scores from 0 to 1: swapped?" in said


@pytest.mark.parametrize("format", ["trec", "csv"])
def test_swapped_judgements_and_rankings_are_asked_about_in_one_line(format: str, tmp_path: Path) -> None:
    texts = {
        "trec": ("1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n"),
        "csv": ("query,item,grade\n1,a,1\n1,b,0\n", "query,item,score\n1,a,2.5\n1,b,1.5\n"),
    }[format]
    qrels, run = (tmp_path / f"{name}.{format}" for name in ("qrels", "run"))
    qrels.write_text(texts[0])
    run.write_text(texts[1])
    assert "swapped" not in called("evaluate", qrels, run, "-m", "AP").output
    for more in ([], ["-o", str(tmp_path / "x.ranks.parquet")]):
        with pytest.raises(RankscopeError) as error:
            called("evaluate", run, qrels, "-m", "AP", *more)
        told = f"run.{format} reads as rankings and qrels.{format} as judgements"
        assert str(error.value) == f"{told}: swapped? Judgements come first, then runs"
