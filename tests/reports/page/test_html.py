"""The report: complete, self-contained, honest, the same bytes for the same input."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.analysis.comparison.estimates import compared_of, estimates_of
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.commands.line.main import cli
from rankscope.core.wording import decimal_text
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.evaluation.scores import Scores
from rankscope.reports import graphs
from rankscope.reports.graphs.layout import legend_of
from rankscope.reports.page import html
from rankscope.reports.page.headline import plain_sentences
from rankscope.reports.page.html import natural_key
from rankscope.reports.page.report import Report, figures_of
from tests.data import GOLDEN
from tests.reports.examples import many_scores, report_of, report_of_two_sizes, scores_of

CASE = GOLDEN / "missing-queries-0"
RIVALS = tuple(graphs.KINDS.of_rivals())  # what shows the stages of one pipeline is in no report
NEED_SIZE = {kind.name for kind in RIVALS if "collection size" in kind.needs}
OF_MANY = {kind.name for kind in RIVALS if kind.systems.worth > 2}


class Page(HTMLParser):
    """What stands in a page: attributes, and the text of each element that has an id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.blocks: dict[str, str] = {}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._inside = dict(attrs).get("id") or ("" if tag == "script" else self._inside)

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.blocks[self._inside] = self.blocks.get(self._inside, "") + data

    def values(self, name: str) -> list[str]:
        return [value for _, each, value in self.attributes if each == name]


@pytest.fixture(scope="module")
def page() -> str:
    return html.render_report(report_of("rough", "fine"))


def unpacked(text: str) -> str:
    return zlib.decompress(base64.b64decode(text)).decode()


def test_no_attribute_names_an_address_outside_the_file(page: str) -> None:
    parsed = Page(page)
    places = [value for name in ("src", "href", "action", "data", "srcset") for value in parsed.values(name)]
    assert places
    assert [place for place in places if not place.startswith(("#", "data:"))] == []
    assert "@import" not in page
    assert any("default-src 'none'" in value for value in parsed.values("content"))


def test_equal_inputs_give_equal_bytes(page: str) -> None:
    assert html.render_report(Report.of(scores_of("rough", "fine"))) == page


def test_nothing_in_the_page_tells_when_or_where_it_was_made(page: str) -> None:
    without_vega = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert str(Path.home()) not in without_vega
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", without_vega)


def test_ids_are_there_once(page: str) -> None:
    ids = Page(page).values("id")
    assert len(ids) == len(set(ids))


def data_of(page: str, name: str) -> Any:
    return json.loads(unpacked(Page(page).blocks[f"data-{name}"]))


def test_every_kind_of_graph_is_drawn_with_its_data(page: str) -> None:
    parsed = Page(page)
    assert set(parsed.values("data-kind")) == {kind.name for kind in RIVALS} - OF_MANY
    for id in parsed.values("data-figure"):
        for graph in data_of(page, id)["graphs"]:
            assert graph["marks"], id
            assert graph["title"]
            assert graph["summary"]
    labels = [value for tag, name, value in parsed.attributes if name == "aria-label" and tag == "div"]
    assert len([each for each in labels if "Arrow keys" in each]) == len(parsed.values("data-figure"))


def test_what_is_drawn_is_the_data_of_the_graph(page: str) -> None:
    (figure,) = [each for each in report_of("rough", "fine").figures if each.kind.name == "grip"]
    (drawn,) = data_of(page, "grip")["graphs"]
    curves = [mark for mark in figure.drawn.resolved().marks if mark.role == "curve"]
    found = [mark for mark in drawn["marks"] if mark["role"] == "curve"]
    assert [mark["name"] for mark in found] == [mark.name for mark in curves]
    assert [mark["system"] for mark in found] == [("rough", "fine").index(mark.name) for mark in curves]
    for mark, other in zip(curves, found, strict=True):
        np.testing.assert_allclose(other["y"], mark.y, rtol=1e-4)  # type: ignore[attr-defined]


def test_graphs_of_single_systems_share_a_place(page: str) -> None:
    data = data_of(page, "grep")
    assert data["systems"] == [1, 0]  # the best first
    assert [graph["title"].split(":")[0] for graph in data["graphs"]] == ["GReP of fine", "GReP of rough"]


@pytest.mark.thorough
def test_few_graphs_are_drawn_before_the_reader_asks_whatever_the_number_of_systems() -> None:
    page = html.render_report(Report.of(many_scores(30)))
    assert len(Page(page).values("data-figure")) <= 25
    assert {"precision-recall", "precision-scope", "grip", "forecast"} <= set(Page(page).values("data-kind"))
    names = {mark.get("system") for mark in data_of(page, "precision-recall")["graphs"][0]["marks"]}
    assert names >= set(range(30))


def test_no_graph_says_nothing() -> None:
    report = Report.of(many_scores(3, queries=1))
    drawn = {figure.kind.name for figure in report.figures if figure.graph is not None}
    assert not drawn & {kind.name for kind in graphs.ALL if kind.compares}
    assert "One query shows no chance" in html.render_report(report)
    several = {figure.kind.name for figure in Report.of(many_scores(3)).figures if figure.graph is not None}
    assert not several & {"class-matrix", "comparison-intervals"}


def test_other_groups_of_queries_can_be_chosen_and_each_has_its_graph() -> None:
    report = report_of_two_sizes()
    page = html.render_report(report)
    (figure,) = [each for each in report.figures if each.kind.name == "precision-recall"]
    every, *groups = [each.text for each in figure.alternatives]
    assert every == "every generality, at recall levels: 24 queries"
    assert groups == ["c = 8: 12 queries", "c = 4: 12 queries"]
    assert [each.id for each in figure.alternatives if each.chosen] == [figure.id]
    data = data_of(page, "precision-recall")
    assert len(data["graphs"]) == 3
    for each, graph in zip(figure.alternatives, data["graphs"], strict=True):
        assert graph["subtitle"] == each.graph.subtitle
    for text, graph in zip(groups, data["graphs"][1:], strict=True):
        assert f" with {text.partition(':')[0]}" in graph["subtitle"]


def test_the_first_graph_is_of_every_query_and_cautions_where_generality_is_mixed() -> None:
    first = report_of_two_sizes().figures[0]
    assert first.kind.name == "precision-recall"
    assert first.drawn.subtitle.startswith("mixed generality: c = 4 to 8, d = 200, G = 4.64 to 5.64, levels depend on")
    assert {entry.note for entry in legend_of(first.drawn)} == {"24 queries"}
    one_size = Report.of(scores_of("rough", "fine")).figures[0]
    assert "random level" in one_size.drawn.subtitle
    assert not one_size.alternatives


def test_bands_of_graphs_are_said_to_be_for_whole_curves(page: str) -> None:
    assert "Bands take queries as independent" not in page
    assert "Bands are for whole curves" in page


def test_the_list_of_queries_holds_the_values_of_the_scores(page: str) -> None:
    table, systems = data_of(page, "queries"), data_of(page, "systems")
    scores = scores_of("rough", "fine")
    assert systems["names"] == ["rough", "fine"]
    assert systems["order"] == [1, 0]
    assert table["queries"] == sorted(scores.systems[0].ranks.queries, key=natural_key)
    row = [scores.systems[0].ranks.queries.index(query) for query in table["queries"]]
    for place, system in enumerate(scores.systems):
        for number, column in enumerate(system.columns):
            values = np.array(table["values"][place][number]) / table["unit"]
            np.testing.assert_allclose(values, column.values[row], atol=0.51 / table["unit"])
    assert {table["classes"][code] for code in table["class"]} == set(scores.systems[0].ranks.classes or ())


def test_queries_stand_in_natural_order() -> None:
    names = ["q10", "q9", "q1", "q100", "q2"]
    scores = evaluate({name: {"a": 1} for name in names}, {"x": {name: {"a": 1.0} for name in names}}, ["AP"])
    assert data_of(html.render_report(Report.of(scores)), "queries")["queries"] == ["q1", "q2", "q9", "q10", "q100"]


def test_means_and_intervals_stand_in_the_page(page: str) -> None:
    for row in report_of("rough", "fine").estimates.rows:
        for mean in row.means:
            assert f">{decimal_text(mean.value)}<" in page
            assert f"95 % interval {decimal_text(mean.low)} to {decimal_text(mean.high)}" in page
    assert "seed 0" in page


def test_only_the_script_of_the_page_may_run(page: str) -> None:
    (policy,) = [value for value in Page(page).values("content") if "default-src" in value]
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe-eval" not in policy
    assert "eval(" not in script
    assert "innerHTML" not in script


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    bad = '</script><img src=x onerror=alert(1)>"&'
    scores = evaluate({bad: {"a": 1}, "q": {"b": 1}}, {bad: {bad: {"a": 1.0}, "q": {"x": 2.0}}}, ["AP"])
    text = html.render_report(Report.of(scores, bad))
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert "<img" not in outside
    assert "&lt;img" in outside


# what is told


def test_each_summary_is_the_one_every_table_shows() -> None:
    scores = scores_of("rough", "fine")
    for row in estimates_of(scores).rows:
        for system, mean in zip(scores.systems, row.means, strict=True):
            assert mean.value == scores[system.name, row.asked]
            assert mean.low <= mean.value <= mean.high


def test_classes_are_drawn_where_they_are_what_queries_look_for() -> None:
    scores = scores_of("rough", "fine")
    assert estimates_of(scores).unit == "classes"
    assert estimates_of(replace(scores, by_class_wanted=True)).unit == "queries"


def test_sums_have_no_interval_and_no_difference() -> None:
    scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"one": {"1": {"a": 1.0}}, "two": {"2": {"b": 1.0}}}, ["num_rel"])
    (row,) = estimates_of(scores).rows
    assert not row.means[0].has_interval
    assert row.differences == ()
    assert plain_sentences(("one", "two"), estimates_of(scores)) == ("num_rel is 2.0000 for one, 2.0000 for two.",)
    assert html.render_report(Report.of(scores))


def two_systems(one: list[float], other: list[float], measure: str = "RR") -> Scores:
    """Reciprocal ranks as asked for, of two systems."""
    qrels = {f"q{row}": {"hit": 1} for row in range(len(one))}

    def run(values: list[float]) -> dict[str, dict[str, float]]:
        ranked = {}
        for row, value in enumerate(values):
            others = {f"x{place}": 100.0 - place for place in range(round(1 / value) - 1)}
            ranked[f"q{row}"] = {**others, "hit": 1.0}
        return ranked

    return evaluate(qrels, {"first": run(one), "second": run(other)}, [measure])


def told(scores: Scores) -> str:
    compared = compared_of(scores)
    assert compared is not None
    return " ".join(verdict_sentences(compared))


def test_a_difference_that_the_test_supports_is_called_better() -> None:
    text = told(two_systems([0.5] * 12, [1.0] * 11 + [0.5]))
    assert text.startswith("second is significantly better than first by .458 RR [.115, .550] (12 queries, p = .030).")


def test_a_difference_that_chance_may_have_made_decides_nothing() -> None:
    text = told(two_systems([0.5, 1.0] * 6, [1.0, 0.5] * 6))
    assert text.startswith("No significant difference in RR: second minus first is .000")
    assert "is better than" not in text


def test_where_lower_is_better_the_lower_system_wins() -> None:
    scores = two_systems([0.5] * 11 + [1.0], [1.0] * 12, measure="ER")
    assert told(scores).startswith("second is significantly better than first by .917 ER")
    (row,) = estimates_of(scores, compared_of(scores)).rows
    assert row.differences[0].side == "better"
    assert row.differences[0].estimate.value < 0


def test_with_many_systems_p_values_are_corrected_for_all_pairs() -> None:
    report = report_of("rough", "middle", "fine")
    assert report.compared is not None
    families = report.compared.families
    assert (families.primary.size, families.secondary[0].size) == (3, 3 * (len(report.estimates.rows) - 1))
    assert "pairs differ" in " ".join(report.sentences)


def test_the_tables_behind_the_verdict_stand_in_the_page() -> None:
    report = report_of("rough", "fine")
    text = html.render_report(report)
    for measure, parts in report.statistics:
        for part in parts:
            assert part.heading in text
            assert part.heading.startswith(measure)


def test_one_system_has_no_statistics_of_differences() -> None:
    report = report_of("rough")
    assert report.compared is None
    assert 'id="statistics"' not in html.render_report(report)


def test_classes_are_a_table_of_means_with_intervals_where_they_can_be_read() -> None:
    scores = replace(scores_of("rough", "fine"), by_class_wanted=True)
    report = Report.of(scores)
    assert report.classes is not None
    names = sorted(set(scores.systems[0].ranks.classes or ()))
    assert [row[0].text for row in report.classes.grid.rows] == names


# data that are not there


def test_without_a_collection_size_the_graphs_that_need_it_say_so_and_the_others_are_drawn() -> None:
    ranks = [replace(system.ranks, collection=np.full(len(system.ranks), -1)) for system in scores_of("rough", "fine")]
    figures = figures_of(ranks)
    missing = {figure.kind.name: figure.reason for figure in figures if figure.graph is None}
    assert set(missing) == NEED_SIZE
    assert all("the setting collection_size" in reason for reason in missing.values())
    assert {figure.kind.name for figure in figures if figure.graph is not None} == {
        kind.name for kind in RIVALS
    } - NEED_SIZE - OF_MANY


def test_one_system_has_no_differences_and_says_why() -> None:
    text = html.render_report(report_of("rough"))
    assert "Not drawn" in text
    assert "It compares systems, and there is one" in text


# the command


def test_the_command_writes_a_page_from_run_files(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    done = CliRunner().invoke(cli, ["report", str(CASE / "qrels"), str(CASE / "run"), "-o", str(target)])
    assert done.exit_code == 0, done.output
    text = target.read_text(encoding="utf-8")
    assert "3 judged queries are missing from the run and count as 0" in text
    assert "score-distribution" in Page(text).values("data-kind")


def test_readers_are_told_of_settings_and_not_how_a_command_spells_them(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(6)))
    for name in ("one", "two"):
        (tmp_path / name).write_text("".join(f"q{n} Q0 {item} 0 1 {name}\n" for n in range(6) for item in "ab"))
    target = tmp_path / "report.html"
    given = [str(tmp_path / "qrels"), str(tmp_path / "one"), str(tmp_path / "two"), "-o", str(target)]
    done = CliRunner().invoke(cli, ["report", *given, "--ties", "hash", "-m", "AP,RR"])
    assert done.exit_code == 0, done.output
    assert "6 pairs of equal score are split by relevance: --ties hash decides" in done.output
    words = re.sub(r"<(style|script|svg)\b.*?</\1>", "", target.read_text(encoding="utf-8"), flags=re.S)
    assert "6 pairs of equal score are split by relevance; the setting ties=hash decides" in words
    assert "give the setting collection_size" in words
    assert "give the setting classes" in words
    assert not re.findall(r"--[a-z][a-z-]*", re.sub(r"<[^>]*>", "", words))
    assert '<th scope="row">ties</th><td>hash <span class="note">by hand</span></td>' in words


def test_a_peers_way_of_counting_reaches_the_page(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    arguments = ["report", str(CASE / "qrels"), str(CASE / "run"), "-o", str(target), "--compat", "pytrec_eval"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    text = target.read_text(encoding="utf-8")
    assert "are left out" in text
    assert "score-distribution" in Page(text).values("data-kind")


def test_a_collection_size_that_cannot_be_is_told_in_place_of_the_graphs(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    sized = ["--collection-size", "5", "-o", str(target)]
    done = CliRunner().invoke(cli, ["report", str(CASE / "qrels"), str(CASE / "run"), *sized])
    assert done.exit_code == 0, done.output
    assert "Not drawn" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [["-m", "nDGC"], ["-o", "."]])
def test_a_bad_choice_leaves_no_page(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["report", str(CASE / "qrels"), str(CASE / "run"), *arguments])
    assert done.exit_code != 0
    assert list(tmp_path.iterdir()) == []


def test_all_problems_of_all_files_come_in_one_message(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a\n")
    (tmp_path / "bad.run").write_text("1 Q0 a 1 n/a sys\n")
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "qrels"), str(tmp_path / "bad.run")])
    assert "qrels: 1 problem" in str(done.exception)
    assert "bad.run: 1 problem" in str(done.exception)


@pytest.mark.thorough
def test_the_demo_ends_in_a_report_of_all_graphs_under_two_and_a_half_megabytes(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["demo", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    page = tmp_path / "report.html"
    assert done.output.endswith(f"\nOpen {page} in a browser:\n{page.as_uri()}\n")
    content = page.read_bytes()
    assert len(content) < 1_200_000
    assert content.count(b"data:image/png") == 1 + 2 * 10  # of the first query; the others are packed
    assert set(Page(content.decode()).values("data-kind")) == {kind.name for kind in RIVALS} - OF_MANY
