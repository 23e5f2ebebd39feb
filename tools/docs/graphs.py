"""docs/reference/graphs.md: all kinds of graph, from what they say of themselves."""

from __future__ import annotations

from typing import Any

from rankscope.reports.graphs import ALL, FEEDBACK
from rankscope.reports.graphs.kinds import GraphKind, KindOption, explanation_of
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

INTRODUCTION = """
`rankscope graph KIND QRELS RUN... -o FILE` draws one; in Python each is a function of the same name, as
`rankscope.reports.graphs.grip_graph(systems, way="bins")`, which gives a graph to save or show. [What graphs show, and
of which queries](../explanation/graphs.md); [one example of each](../gallery/README.md).
""".strip()
OF_FEEDBACK = "They take feedback results, in Python; `rankscope feedback --report` shows those that fit a study."
WORDS = {
    "collection size": "the size of the collection (`--collection-size D`)",
    "scores": "scores (runs have them; saved ranks, if they were kept)",
    "classes": "classes of queries (`--by CSV`)",
    "feedback": "feedback results",
}


def page() -> str:
    """The page."""
    return whole_page(
        "Graphs",
        INTRODUCTION,
        "## Of runs",
        overview(ALL),
        *(section(kind) for kind in ALL),
        "## Of feedback",
        OF_FEEDBACK,
        overview(FEEDBACK),
        *(section(kind) for kind in FEEDBACK),
    )


def overview(kinds: Any) -> str:
    """A line for each kind."""
    return table(["kind", "shows"], [[f"[{code(kind.name)}](#{kind.name})", kind.about] for kind in kinds])


def section(kind: GraphKind[Any]) -> str:
    """One kind."""
    of_runs = "feedback" not in kind.needs
    facts = [
        ("Shows", str(kind.systems) if of_runs else ""),
        ("Needs", ", ".join(WORDS[each] for each in kind.needs)),
        ("Uses, where there are", ", ".join(WORDS[each] for each in kind.uses)),
    ]
    lines = [f"- {label}: {text}" for label, text in facts if text]
    explained = explanation_of(kind.name).removeprefix("docs/")
    lines += [f"- [What it is, in one picture](../{explained})"] if explained else []
    rows = [option_row(option, of_runs) for option in kind.options]
    options = table(["option", "default", "meaning"], rows) if rows else ""
    return "\n\n".join(filter(None, [f"### {kind.name}", kind.text, "\n".join(lines), options]))


def option_row(option: KindOption, of_runs: bool) -> tuple[str, str, str]:
    """An option as it is written, its default, and what it does."""
    spelled = ", ".join(code(each) for each in option.spellings) if of_runs else code(option.name)
    choices = "" if all(each in option.declared.help for each in option.choices) else f": {', '.join(option.choices)}"
    return spelled, option.default_words, option.declared.help + choices
