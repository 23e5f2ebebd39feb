"""`rankscope ledger`: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.core.file_guard import kind_of
from rankscope.reports.graphs.saving import graph_csv
from rankscope.reports.graphs.waterfall import waterfall
from tests.analysis.pipeline.test_ledger import CHECK, Lists

JUDGED = {f"q{n}": dict.fromkeys("abcd", 1) for n in range(6)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path


def write(folder: Path) -> None:
    lines = [f"{query} 0 {item} {grade}\n" for query, own in JUDGED.items() for item, grade in own.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "kinds.csv").write_text(
        "query,class\n" + "".join(f"{q},{'odd' if n % 2 else 'even'}\n" for n, q in enumerate(JUDGED))
    )
    for stage in CHECK:
        lists = stage_lists(stage)
        rows = [f"{query} Q0 {item} {k} {-k} x\n" for query, own in lists.items() for k, item in enumerate(own, 1)]
        (folder / f"{stage}.run").write_text("".join(rows))


def stage_lists(stage: str) -> Lists:
    """The case of the specification; the first query keeps everything."""
    return {query: CHECK["exact" if query == "q0" else stage]["q"] for query in JUDGED}


STAGES = [f"{stage}={stage}.run" for stage in CHECK]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["ledger", *arguments])


def printed(*arguments: str) -> str:
    done = run("qrels.txt", *STAGES, *arguments)
    assert done.exit_code == 0, done.exception
    return done.stdout


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert isinstance(done.exception, RankscopeError), done.output
    return str(done.exception)


def test_the_table_says_where_the_loss_is(folder: Path) -> None:
    lines = printed("--resamples", "100").splitlines()
    assert lines[0] == (
        "Of .625 lost in p = r from exact (1.000) to rerank (.375), .208 is lost at approximate, .208 at filter and "
        ".208 at rerank."
    )
    assert any(line.split()[:3] == ["approximate", "0.7917", "0.2083"] for line in lines)
    assert any(line.split()[:3] == ["all", "stages", "0.3750"] for line in lines)
    worst = next(line for line in lines if line.startswith("q1 "))
    assert worst.endswith("approximate: c; filter: d; rerank: b (rank 5)")


def test_every_format_tells_the_same_numbers(folder: Path) -> None:
    told = rankscope.ledger("qrels.txt", STAGES, scope=2, classes="kinds.csv")
    usual = ("--scope", "2", "--by", "kinds.csv")
    whole = json.loads(printed(*usual, "--format", "json"))
    assert [each["quantity"] for each in whole["quantities"]] == ["recall@2", "p = r", "recall"]
    assert whole["sentences"] == [*told.sentences]
    assert whole["quantities"][0]["within_reach"] == 0.5
    assert whole["worst_queries"][0]["items"][0] == {"item": "b", "fate": "demoted", "stage": "rerank", "rank": 5}
    rows = list(csv.DictReader(printed(*usual, "--format", "csv").splitlines()))
    entries = [entry for each in (*told.statements, *told.by_class) for entry in each.entries]
    assert [float(row["value"]) for row in rows] == [entry.value for entry in entries]
    assert [row["loss"] for row in rows] == ["" if entry.loss != entry.loss else str(entry.loss) for entry in entries]
    assert "| rerank | 0.2917 |" in printed(*usual, "--format", "markdown")
    assert ".292" in printed(*usual, "--format", "latex", "--latex-columns", "2")
    assert [row["class"] for row in rows[-5:]] == ["odd"] * 5


def test_the_result_goes_where_the_suffix_says_and_a_picture_leaves_the_table(folder: Path) -> None:
    assert printed("-o", "where.json") == ""
    assert json.loads((folder / "where.json").read_text())["format"] == "rankscope.ledger"
    assert printed("-o", "where.svg").startswith("Of .625 lost")
    assert "<svg" in (folder / "where.svg").read_text()
    assert printed("-o", "where.svg")
    assert "writes no .docx file" in refused("qrels.txt", *STAGES, "-o", "where.docx")


def test_a_page_has_the_sentence_a_graph_of_each_quantity_and_the_tables(folder: Path) -> None:
    assert printed("--scope", "2", "--by", "kinds.csv", "-o", "where.html").startswith("Of .208 lost in recall@2")
    page = (folder / "where.html").read_text(encoding="utf-8")
    told = rankscope.ledger("qrels.txt", STAGES, scope=2)
    assert f"<h1>{told.sentences[0]}</h1>" in page
    assert page.count('data-kind="ledger"') == 3
    assert "What to conclude: Of .625 lost in p = r" in page
    assert told.notes[0] in page
    assert "rerank: b (rank 5)" in page


def test_of_the_whole_list_nothing_is_demoted(folder: Path) -> None:
    tables = rankscope.ledger("qrels.txt", STAGES).tables()
    columns = {each.heading.partition(" (")[0]: each.grid.header for each in tables}
    assert {"demoted", "promoted"} <= {*columns["p = r"]}
    assert not {"demoted", "promoted"} & {*columns["recall"]}


def test_judgements_and_runs_that_were_swapped_are_told_so(folder: Path) -> None:
    assert "swapped? Judgements come first" in refused("exact.run", "exact=exact.run", "a=qrels.txt")


def test_one_query_has_no_interval_and_is_drawn_all_the_same(folder: Path) -> None:
    (folder / "one.txt").write_text("q1 0 a 1\nq1 0 c 1\n")
    for name in ("one.svg", "one.html"):
        done = run("one.txt", *STAGES, "-o", name)
        assert done.exit_code == 0, done.exception
    assert "95% intervals" not in (folder / "one.svg").read_text()


@pytest.mark.parametrize("name", ["items.csv", "items.parquet"])
def test_every_item_is_written_and_written_again(folder: Path, name: str) -> None:
    for _ in range(2):
        printed("--per-item", name, "--quiet")
    assert kind_of(folder / name) is None
    frame = pl.read_csv(folder / name) if name.endswith("csv") else pl.read_parquet(folder / name)
    assert frame.height == 6 * 4 * 4
    assert frame.filter(stage="rerank", item="b")["step"].to_list() == ["kept", *["demoted"] * 5]


def test_what_is_read_is_never_written_over(folder: Path) -> None:
    before = (folder / "filter.run").read_text()
    assert "this command reads it" in refused("qrels.txt", *STAGES, "--per-item", "filter.run")
    assert (folder / "filter.run").read_text() == before


def test_three_mistakes_are_told_at_once(folder: Path) -> None:
    told = refused(
        "qrels.txt", "exact=exact.run", "exact=filter.run", "rerank.run", "--scope", "0", "--unit", "classes"
    )
    assert told.splitlines() == [
        "4 settings cannot be so:",
        "  --scope 0: must be a whole number of at least 1 and below 2^63",
        "  'rerank.run': a stage is written name=RUN, as ann=rerank.run",
        "  stage 'exact' is named 2 times: each needs a name of its own",
        "  --unit classes needs the class of each query: give --by CLASSES.csv",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["exact=exact.run"], "at least two stages, got 1"),
        (["=exact.run", "a=filter.run"], "a stage is written name=RUN"),
        (["exact=", "a=filter.run"], "a stage is written name=RUN"),
        (["exact=exact.run", "a=filter.run", "--per-item", "x.txt"], "NAME.csv or NAME.parquet"),
        (["exact=exact.run", "a=filter.run", "--by", "other.csv"], "names none of the queries"),
        (["exact=none.run", "a=nothing.run"], "none.run"),
    ],
)
def test_what_cannot_be_is_refused_in_words(folder: Path, arguments: list[str], words: str) -> None:
    (folder / "other.csv").write_text("query,class\nz,x\n")
    assert words in refused("qrels.txt", *arguments)


def test_files_that_are_not_there_are_all_named(folder: Path) -> None:
    told = refused("qrels.txt", "exact=none.run", "a=nothing.run")
    assert "none.run" in told
    assert "nothing.run" in told


def test_the_graph_leads_from_the_first_value_to_the_last_and_is_that_of_the_kind(folder: Path) -> None:
    told = rankscope.ledger("qrels.txt", STAGES)
    drawn = waterfall(told.main)
    runs = {stage: f"{stage}.run" for stage in CHECK}
    kind = rankscope.graph("ledger", "qrels.txt", runs)
    assert kind.title == drawn.title == "Where p = r goes, from exact to rerank"
    assert kind.summary == told.sentences[0]
    bars = [(mark.name, mark.base, mark.y.tolist()) for mark in drawn.marks if mark.role == "bar"]  # type: ignore[attr-defined]
    values = [each.value for each in told.main.entries]
    assert bars[0] == ("p = r", 0.0, [values[0], values[-1]])
    assert bars[1:] == [("lost here", before, [after]) for before, after in pairwise(values[:-1])]
    assert "lost here" in graph_csv(drawn)


def test_a_report_of_systems_shows_no_stages(folder: Path) -> None:
    from rankscope.reports.page.report import figures_of

    ranks = [rankscope.reduce("qrels.txt", f"{stage}.run") for stage in CHECK]
    assert "ledger" not in {figure.kind.name for figure in figures_of(ranks)}
