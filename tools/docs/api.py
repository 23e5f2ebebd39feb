"""docs/reference/api.md: what `import rankscope` offers, with signatures."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import rankscope
from rankscope.core.options import option_parameters, plain_type
from rankscope.core.settings import SETTINGS, InputChoices, input_parameters
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

INTRODUCTION = """
Each question has one function, called as its [command](commands.md) is, with the same options and defaults. Names that
are packages too have verbs of their own: `simulate_feedback`, `forecast_growth`. Names load when they are used, so
`import rankscope` costs nothing.

```python
import rankscope
from rankscope.measures import P, nDCG

scores = rankscope.evaluate("qrels.txt", ["bm25.run", "dense.run"], [P @ 10, nDCG(gain="exp") @ 20])
verdict = rankscope.compare("qrels.txt", ["bm25.run", "dense.run"], "nDCG@10", classes="kinds.csv")
rankscope.graph("precision-recall", "qrels.txt", "bm25.run").save("pr.pdf")
```
""".strip()
PACKAGES = """
`from rankscope import *` brings the names on this page and no package. Packages are reached as
`rankscope.analysis.anova`, or with `from rankscope import analysis`. What is in them:
[architecture](../explanation/architecture.md). Names of before version 1.1 (`rankscope.statistics`, `rankscope.graphs`,
...) still work and say where they stand now.
""".strip()
SHARED = """
`evaluate`, `compare`, `gate`, `report`, `graph` and `forecast_growth` take these with their own. None means not
chosen: then the default holds, or what `compat` says.
""".strip()
WIDTH = 100


def page() -> str:
    """The page."""
    public = {name: getattr(rankscope, name) for name in places()}
    asked = {name: each for name, each in public.items() if inspect.isfunction(each) and _is_verb(each)}
    others = {name: each for name, each in public.items() if name not in asked}
    return whole_page(
        "Python",
        INTRODUCTION,
        "## Questions",
        *(section(name, each) for name, each in asked.items()),
        "## Shared keywords",
        SHARED,
        table(["keyword", "type", "default", "meaning"], shared_rows()),
        "## What they take and give",
        table(["name", "where", "what"], [row(name, each) for name, each in others.items()]),
        "## Packages",
        PACKAGES,
    )


def places() -> dict[str, str]:
    """The module of each public name, in the order in which the stub lists them."""
    stub = Path(rankscope.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    found = re.findall(r"^from \.([\w.]+) import \w+ as (\w+)$", stub, re.M)
    return {name: f"rankscope.{module}" for module, name in found if name != "__version__"}


def section(name: str, function: Any) -> str:
    """One function: how it is called, what it says of itself first, and what its own parameters mean."""
    parts = [f"### `{name}`", f"```python\n{signature(name, function)}\n```", first_paragraph(function)]
    own = option_parameters(function).values()
    parts += [table(["parameter", "meaning"], [[code(each.name), each.option.help] for each in own])] if own else []
    return "\n\n".join(parts)


def signature(name: str, function: Any) -> str:
    """How a function is called, on one line or on several; what many share stands in a table of its own."""
    found = inspect.signature(inspect.unwrap(function))
    parts: list[str] = []
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(parameter(each))
    whole = f"{name}({', '.join(parts)}) -> {found.return_annotation}"
    if len(whole) <= WIDTH:
        return whole
    lines = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{lines}) -> {found.return_annotation}"


def parameter(each: inspect.Parameter) -> str:
    """A parameter with its type and default; keywords that are shared have a table of their own."""
    if each.kind is each.VAR_KEYWORD:
        return f"**{each.name}"
    default = "" if each.default is each.empty else f" = {each.default!r}"
    return f"{each.name}: {plain_type(each.annotation)}{default}".replace("'", '"')


def first_paragraph(entry: Any) -> str:
    """What an entry says of itself first."""
    return " ".join((inspect.getdoc(entry) or "").partition("\n\n")[0].split())


def row(name: str, entry: Any) -> list[str]:
    """A name, where it stands, and its first paragraph."""
    return [code(name), code(places()[name]), first_paragraph(entry)]


def shared_rows() -> list[list[str]]:
    """What reading and every setting mean."""
    settings, inputs = {each.name: each for each in SETTINGS}, input_parameters()
    rows = []
    for name, hint in InputChoices.__annotations__.items():
        known, kind = settings.get(name), str(plain_type(getattr(hint, "__forward_arg__", hint)))
        default, meaning = (
            (inputs[name].default, inputs[name].option.help) if known is None else (known.default, known.meaning)
        )
        rows.append([code(name), code(kind.removesuffix(" | None")), code(default), meaning])
    return rows


def _is_verb(function: Any) -> bool:
    return function.__module__.startswith("rankscope.commands.") or function.__name__ == "needed_sample"
