"""`rankscope measures`: what exists, what it means, formula and source."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand
from rankscope.commands.line.output import print_result
from rankscope.core.catalogue import summary_of
from rankscope.core.notation import is_required


@click.command("measures", cls=GuardedCommand, short_help="Which measures exist.")
@click.argument("name", required=False)
def measures_command(name: str | None) -> None:
    """Which measures exist; with NAME, what one means: formula, parameters, source, aliases.

    \b
    rankscope measures
    rankscope measures nDCG
    rankscope measures 'P(rel=2)@10'
    """
    print_result(measure_explanation(name) if name else measure_list())


def measure_list() -> str:
    """One line for each measure."""
    from rankscope.measures.notation import MEASURES

    rows = [(_shape(kind), summary_of(kind)) for kind in MEASURES]
    width = max(len(shape) for shape, _ in rows)
    lines = [f"{shape:<{width}}  {text}" for shape, text in rows]
    tail = "Lists: all_trec, official, set. trec_eval's own names (map, ndcg_cut_10, P.5,10) work too."
    return "\n".join([*lines, "", tail, "rankscope measures NAME explains one."]) + "\n"


def measure_explanation(name: str) -> str:
    from rankscope.measures.notation import MEASURES, parse_measure

    bare = MEASURES.take_apart(name).name
    kind = MEASURES.find(bare) if bare in MEASURES else type(parse_measure(name))
    text = inspect.cleandoc(kind.__doc__ or "")
    words = {"mean": "mean over queries", "sum": "sum over queries", "geometric": "geometric mean over queries"}
    better = "lower is better" if kind.lower_is_better else "higher is better"
    summary = words.get(kind.summary, "none") + ("" if kind.counts else f"; {better}")
    facts = [("Formula", kind.formula), ("Source", kind.source), ("Summary", summary)]
    if kind.aliases:
        facts.append(("Also called", ", ".join(kind.aliases)))
    trec = [each for each in (kind.trec, kind.trec_cut) if each]
    if trec:
        facts.append(("In trec_eval", ", ".join(trec).replace("{scope}", "K").replace("{scope:.2f}", "0.10")))
    if kind.needs:
        facts.append(("Needs", ", ".join(sorted(kind.needs))))
    facts += [("Parameter", line) for line in _parameters(kind)]
    facts.append(("Written", _shape(kind)))
    width = max(len(label) for label, _ in facts)
    lines = [f"  {label + ':':<{width + 1}} {value}" for label, value in facts]
    return "\n".join([kind.name, "", text, "", *lines]) + "\n"


def _shape(kind: Any) -> str:
    scope = next((each for each in fields(kind) if each.name == "scope"), None)
    if scope is None:
        return str(kind.name)
    cut = "L" if kind.name == "IPrec" else "K"
    return f"{kind.name}@{cut}" if is_required(scope) else f"{kind.name}[@{cut}]"


def _parameters(kind: Any) -> list[str]:
    lines = []
    for each in fields(kind):
        if each.name == "scope":
            continue
        choices = f" (one of {', '.join(map(str, kind.choices[each.name]))})" if each.name in kind.choices else ""
        default = "from the data" if each.default is None else each.default
        lines.append(f"{each.name}, default {default}{choices}")
    return lines
