"""The report for those who do not wait: printed at the load event, without scripts, and while it loads."""

from __future__ import annotations

import gzip
import os
import random
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.reports.page import html
from rankscope.reports.page.report import Report
from tests.browser.chromium import OPTIONS
from tests.browser.opened import MARKS, Opened
from tests.data import data_folder
from tests.needs import needed_program
from tests.reports.examples import many_scores

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SEED = 63  # of the lines that made runs lose
SAID = """() => {
  const told = each => each ? each.textContent.replace(/\\s+/g, "") : "";
  const own = figure => ["h3", ".subtitle", ".legend", ".conclusion"].map(name => told(figure.querySelector(name)));
  const shown = [...document.querySelectorAll("figure:not([hidden])")];
  return {
    ...Object.fromEntries(shown.map(each => [each.id, own(each)])),
    colours: shown.map(each => [...each.querySelectorAll(".legend [style]")].map(part => part.style.cssText)),
    key: [...document.querySelectorAll("#key li:not(.screen)")].map(told),
    queries: [...document.querySelectorAll("#query-list tr")].map(told),
    panel: told(document.querySelector("#panel")),
    conclusion: told(document.querySelector("#query-conclusion")),
  };
}"""  # everything in words that the script writes anew
PLACES = "() => [...document.querySelectorAll('figure:not([hidden]) .plot, #query-list, #settings')].map(each => "
PLACES += "{ const box = each.getBoundingClientRect(); return [box.top + scrollY, box.height]; })"


def printed(page: Path) -> tuple[int, str]:
    """How many pages Chromium prints at the load event, and their text."""
    advice = "reports are not printed. Debian: apt-get install chromium poppler-utils"
    browser = os.environ.get("CHROMIUM") or needed_program("chromium", "chromium-browser", advice=advice)
    count_of, text_of = (needed_program(name, advice=advice) for name in ("pdfinfo", "pdftotext"))
    paper, own = page.with_suffix(".pdf"), page.with_suffix(".profile")
    options = [*OPTIONS, "--headless", f"--user-data-dir={own}", "--no-pdf-header-footer", f"--print-to-pdf={paper}"]
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True, timeout=300)
    told = subprocess.run([count_of, paper], check=True, capture_output=True, text=True).stdout
    text = subprocess.run([text_of, "-layout", paper, "-"], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Page size:.*A4", told)
    return int(re.search(r"Pages:\s+(\d+)", told)[1]), text  # type: ignore[index]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the two systems of the demo."""
    folder = tmp_path_factory.mktemp("demo")
    done = CliRunner().invoke(cli, ["demo", "-o", str(folder), "--quiet"])
    assert done.exit_code == 0, done.output
    return folder / "report.html"


def test_a_demo_printed_at_load_has_its_graphs_and_what_is_folded(demo: Path) -> None:
    pages, text = printed(demo)
    assert pages <= 8
    for heading in (
        "Tables behind the verdict",
        "Would the leaderboard look the same again?",
        "How far a user has to look",
    ):
        assert heading in text
    for folded in ("second minus first", "What becomes of the order", "judgements", "score_width"):
        assert folded in text, folded
    for word in ("generality index", "recall r", "What to conclude:"):  # axes and words of graphs
        assert word in text, word


def test_what_the_script_says_at_first_stands_in_the_file(browser: Browser, file: Path, many: Path) -> None:
    for path in (file, many):
        opened = Opened(browser, path)
        context = browser.new_context(java_script_enabled=False)
        plain = context.new_page()
        plain.goto(path.as_uri())
        assert plain.evaluate(SAID) == opened.page.evaluate(SAID)
        context.close()
        opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_scripts_every_graph_is_drawn_and_legible(browser: Browser, many: Path, scheme: Any) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme=scheme)
    page = context.new_page()
    page.goto(many.as_uri())
    plots = page.locator("figure .plot")
    assert plots.count() > 8
    for place in range(plots.count()):
        marks = plots.nth(place).evaluate(MARKS)
        assert marks["broken"] == 0
        assert marks["seen"] >= 2
        assert marks["words"] >= 6
    words = page.evaluate("getComputedStyle(document.querySelector('.plot svg text')).fill")
    light = int(re.findall(r"\d+", words)[0]) > 128
    assert light == (scheme == "dark")
    folded = page.locator("#tables details")
    assert not page.locator("#tables table").first.is_visible()
    folded.locator("summary").click()
    assert page.locator("#tables table").first.is_visible()
    context.close()


def test_nothing_moves_when_the_script_takes_over(browser: Browser, many: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    waiting: Page = context.new_page()
    waiting.add_init_script("window.DecompressionStream = class { constructor() { throw new Error('not yet'); } };")
    waiting.goto(many.as_uri())
    opened = Opened(browser, many, viewport={"width": 1280, "height": 900})
    before, after = waiting.evaluate(PLACES), opened.page.evaluate(PLACES)
    assert len(before) == len(after)
    for (top, high), (now, tall) in zip(before, after, strict=True):
        assert abs(top - now) < 2
        assert abs(high - tall) < 2
    opened.context.close()
    context.close()


@pytest.mark.thorough
def test_nothing_is_cut_off_at_the_right_edge_of_paper(browser: Browser, many: Path, file: Path) -> None:
    for path in (many, file):
        context = browser.new_context(java_script_enabled=False, viewport={"width": 1039, "height": 718})
        page = context.new_page()
        page.goto(path.as_uri())
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1039
        context.close()


@pytest.mark.thorough
def test_fourteen_systems_print_on_few_pages(tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(html.render_report(Report.of(many_scores(14))), encoding="utf-8")
    pages, text = printed(path)
    assert pages <= 8
    assert "AP (primary, decides): systems" in text


# real runs


def thinned(runs: list[Path], count: int, folder: Path) -> list[Path]:
    """So many more runs: each a real one that lost a share of its lines by chance, 10 to 50 %."""
    print(f"{count} made runs: seeds {SEED} to {SEED + count - 1}")
    made = []
    for number in range(count):
        chance = random.Random(SEED + number)
        share = chance.uniform(0.1, 0.5)
        source = runs[number % len(runs)]
        made.append(folder / f"{source.stem}-less{number}.run")
        with gzip.open(source, "rt", encoding="utf-8") as lines:
            made[-1].write_text("".join(line for line in lines if chance.random() >= share), encoding="utf-8")
    return made


@pytest.mark.thorough
@pytest.mark.parametrize(("systems", "most"), [(12, 10), (25, 14), (63, 20)])
def test_a_report_of_real_runs_prints_on_few_pages(systems: int, most: int, tmp_path: Path) -> None:
    folder = data_folder("trec-robust03" if systems == 12 else "trec-covid-r1")
    qrels, size = ("qrels.txt.gz", "528155") if systems == 12 else ("qrels-rnd1.txt", "51078")
    runs = sorted((folder / "runs").glob("*.gz"))
    runs += thinned(runs, systems - len(runs), tmp_path)
    assert len(runs) == systems
    page = tmp_path / "report.html"
    files = [str(folder / qrels), *map(str, runs)]
    done = CliRunner().invoke(cli, ["report", *files, "--collection-size", size, "-o", str(page), "--quiet"])
    assert done.exit_code == 0, done.output
    pages, text = printed(page)
    assert pages <= most
    assert "Rprec (secondary): second minus first" in text
    assert "Where" in text or "run sha256" in text
