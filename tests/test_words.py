"""No reader stumbles: the phrases that the glossary discourages are in no page, text, help or output."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.commands.line.every_command import leaf_commands

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
AVOID = "## Phrases to avoid"
QUERIES = range(12)
ITEMS = range(40)


def discouraged_phrases() -> list[str]:
    rows = GLOSSARY.read_text(encoding="utf-8").split(AVOID)[1].splitlines()
    cells = [row.split("|")[1] for row in rows if row.startswith("|") and not row.startswith(("|---", "| avoid"))]
    return [phrase.strip() for cell in cells for phrase in cell.split(",")]


PHRASES = re.compile(r"\b(" + "|".join(r"\s+".join(each.split()) for each in discouraged_phrases()) + r")\b", re.I)


def phrases_in(text: str) -> list[str]:
    return [found[0] for found in PHRASES.finditer(text)]


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_glossary_has_phrases_to_avoid() -> None:
    assert {"foretold", "told from", "hangs on", "less first"} <= set(discouraged_phrases())
    assert phrases_in("What is Told\n from it hangs on chance") == ["Told\n from", "hangs on"]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_has_a_discouraged_phrase(page: Path) -> None:
    assert phrases_in(page.read_text(encoding="utf-8").split(AVOID)[0]) == []


def test_no_text_of_the_code_has_a_discouraged_phrase() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {phrase}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for phrase in phrases_in(node.value)
    ]
    assert found == []


@pytest.mark.parametrize(
    "word",
    [
        "significan",
        "p-value",
        "confidence interval",
        "multiple testing",
        "effect size",
        "power",
        "baseline",
        "leaderboard",
        "regression test",
        "interim analys",
        "equivalence",
    ],
)
def test_what_people_search_for_stands_in_headings_in_the_glossary_and_in_help(word: str) -> None:
    headings = [line for page in pages() for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    helps = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert any(word in line.lower() for line in headings)
    assert word in GLOSSARY.read_text(encoding="utf-8").lower()
    assert word in " ".join(helps.split()).lower()


@pytest.mark.parametrize("name", ["", "project", *leaf_commands()])
def test_no_help_has_a_discouraged_phrase(name: str) -> None:
    shown = CliRunner().invoke(cli, [*name.split(), "--help"], catch_exceptions=False)
    assert phrases_in(shown.output) == []


@pytest.mark.parametrize("name", leaf_commands())
def test_the_help_of_every_option_is_a_whole_phrase(name: str) -> None:
    options = [each for each in leaf_commands()[name].params if isinstance(each, click.Option)]
    short = [each.opts[0] for each in options if len((each.help or "").split(". Default")[0].split()) < 3]
    assert short == []
    assert [each.opts[0] for each in options if not re.search(r"[.)]$", (each.help or "").strip())] == []
    assert [each.opts[0] for each in options if re.match("(Of|By|As|Between|Default) ", each.help or "")] == []


@pytest.mark.parametrize("name", ["", "project", *leaf_commands()])
def test_no_help_shows_the_none_of_python(name: str) -> None:
    shown = CliRunner().invoke(cli, [*name.split(), "--help"], catch_exceptions=False)
    assert re.findall(r".*\bNone\b.*", shown.output) == []


def test_no_table_of_settings_shows_the_none_of_python() -> None:
    pages = ("commands.md", "settings.md", "graphs.md", "measures.md")
    texts = {page: (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8") for page in pages}
    assert {page: found for page, text in texts.items() if (found := re.findall(r".*\bNone\b.*", text))} == {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements and two runs of which one is better, with ties and classes of queries."""
    where = tmp_path_factory.mktemp("words")
    qrels = [f"q{query} 0 d{item} {int(item % 10 == 0)}" for query in QUERIES for item in ITEMS]
    (where / "qrels").write_text("\n".join(qrels) + "\n")
    for name, step in (("first", 7), ("second", 3)):
        lines = [
            f"q{query} Q0 d{item} 0 {100 - (item * step + query) % 41 // 2 + (item % 10 == 0) * query} {name}"
            for query in QUERIES
            for item in ITEMS
        ]
        (where / f"{name}.run").write_text("\n".join(lines) + "\n")
    (where / "kinds.csv").write_text("query,class\n" + "".join(f"q{query},{'xy'[query % 2]}\n" for query in QUERIES))
    return where


BOTH = ("qrels", "first.run", "second.run")
PRINTED = {
    "evaluate": ("evaluate", *BOTH, "-m", "AP,P@100"),
    "compare": ("compare", *BOTH, "-m", "AP,nDCG@10", "--by", "kinds.csv"),
    "gate": ("gate", *BOTH, "--self-test", "20"),
    "forecast": ("forecast", "qrels", "first.run", "--to", "2x", "--collection-size", "40", "--force", "--backtest"),
    "estimate": (
        "estimate",
        "--collection-size",
        "900",
        "--scope",
        "9",
        "--hits",
        "3",
        "--judged",
        "50",
        "--found",
        "2",
    ),
    "measures": ("measures",),
}


def printed(folder: Path, arguments: tuple[str, ...]) -> str:
    result = CliRunner().invoke(
        cli, [str(folder / each) if (folder / each).exists() else each for each in arguments], catch_exceptions=False
    )
    assert result.exit_code in (0, 1), result.output
    return result.output


@pytest.mark.parametrize("arguments", PRINTED.values(), ids=PRINTED)
def test_no_command_prints_a_discouraged_phrase(folder: Path, arguments: tuple[str, ...]) -> None:
    assert phrases_in(printed(folder, arguments)) == []


@pytest.mark.thorough
def test_no_report_has_a_discouraged_phrase(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    printed(folder, ("report", *BOTH, "--collection-size", "40", "--by", "kinds.csv", "-o", str(page)))
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", page.read_text(encoding="utf-8"), flags=re.S)
    assert "second" in text
    assert phrases_in(text) == []


@pytest.mark.parametrize("kind", ["precision-recall", "grip", "rank-intervals", "forecast", "class-matrix"])
def test_no_graph_has_a_discouraged_phrase(folder: Path, tmp_path: Path, kind: str) -> None:
    graph = tmp_path / "graph.json"
    printed(
        folder,
        ("graph", kind, *BOTH, "--collection-size", "40", "--by", "kinds.csv", "--force", "-o", str(graph)),
    )
    assert phrases_in(graph.read_text(encoding="utf-8")) == []
