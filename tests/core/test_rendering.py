"""One result as text, Markdown and LaTeX: the words, tables and notes that the renderer is given, in their places."""

from __future__ import annotations

from rankscope.core.rendering import HeadedTable, Presentation

SAID = Presentation(
    sentences=["B is better.", "By .05 AP."],
    tables=[
        HeadedTable("Means", [{"system": "A", "mean": 0.2}, {"system": "B", "mean": 0.25}], note="12 queries"),
        "And so.",
    ],
    conclusions=["Merge it."],
    notes=["few queries", "one class"],
)


def test_text_has_blocks_with_an_empty_line_between() -> None:
    assert SAID.text() == (
        "B is better.\nBy .05 AP.\n\n"
        "Means\nsystem    mean\n------  ------\nA       0.2000\nB       0.2500\n12 queries\n\n"
        "And so.\n\n"
        "Merge it.\n\n"
        "! few queries\n! one class\n"
    )


def test_markdown_has_headings_and_a_list_of_notes() -> None:
    assert SAID.markdown() == (
        "B is better. By .05 AP.\n\n"
        "## Means\n\n| system | mean |\n| --- | ---: |\n| A | 0.2000 |\n| B | 0.2500 |\n\n12 queries\n\n"
        "And so.\n\n"
        "Merge it.\n\n"
        "- few queries\n- one class\n"
    )


def test_a_table_for_a_paper_says_everything_below_it() -> None:
    written = SAID.latex(240.0)
    assert r"\toprule" in written
    assert all(text in written for text in ("B is better.", "Merge it.", "few queries", "one class"))
