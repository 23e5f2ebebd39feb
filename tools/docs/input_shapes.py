"""docs/reference/input-shapes.md: every shape of input, with the examples that its reader declares, and their rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rankscope.inputs.formats import registry
from rankscope.inputs.formats.registry import HOLDS_RUN, Example, InputShape
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from tools.docs.markdown import page as whole_page
from tools.docs.markdown import table

INTRODUCTION = """
Files are recognised by their first bytes and names, packed (gz, bz2, xz, zst) or not; nobody has to say what they are.
This page is made from the readers: each declares the shapes it reads with an example, and below each example stands
what rankscope reads from it. A run that gives an order and no scores is shown with scores that fall by one. Python
objects of these shapes (dictionaries, lists of dictionaries) are read as the files are.
""".strip()
MAPPING = """
## Names that do not tell: `--map`, `--map-qrels`, `--map-runs`

Every command that evaluates runs takes `--map` (`columns=` in Python, as text or as a dictionary):

    --map query=NAME,item=NAME,grade=NAME,score=NAME,rank=NAME

Only what the names do not tell need be given. `--map` serves all files of a command: `grade` is looked for in
judgements, `score` and `rank` in runs, and a file that has none of the names but tells its columns by itself is read by
its own names. Where judgements and runs call the same thing differently each has a map of its own, which wins over
`--map` (`map_qrels=` and `map_runs=` in Python):

    --map-qrels query=search,item=product,grade=stars --map-runs query=q,item=sku,score=points

A map that no file of its kind has any column of is refused, and so is a second `--map`. Dots lead into objects of JSON
and structures of Parquet: `item=_source.sku`; in JSON `results=` names the list of hits, and paths of hits begin at a
hit. Numbers count the columns of a text without a header: `query=1,item=3,score=5`; TREC text that lacks columns is
read so, and the message about it says with which numbers. A name that is not there is refused with those that are;
where two columns could be meant, rankscope asks.

## Queries without ids

Responses of search engines do not say which query they answer. A query id next to a response is taken. Else a file with
one response gives its query its own name (`red-shoes.json` answers `red-shoes`; a folder of such files is one run), and
several responses in a file are numbered from 1 in their order. Both are said with the result. Responses may also stand
behind their queries, [{query: response}](#query-response).

## Chunks of documents: `--roll-up`

See [how to evaluate chunks and documents](../how-to/rag-chunks.md).
""".strip()


def page() -> str:
    """The page."""
    shapes = registry.all_shapes()
    rows = [[f"[{each.name}](#{each.anchor})", each.format, each.holds] for each in shapes]
    return whole_page(
        "Input shapes", INTRODUCTION, table(["shape", "format", "holds"], rows), MAPPING, *map(section, shapes)
    )


def section(shape: InputShape) -> str:
    """One shape: what it is, and its examples."""
    head = f'<a id="{shape.anchor}"></a>\n\n## {shape.name}\n\nHolds {shape.holds}. {shape.about}'
    return "\n\n".join([head, *map(shown, shape.examples)])


def shown(example: Example) -> str:
    """An example, how it is given, and the rows it is read as."""
    given = f", with `--map {example.columns}`" if example.columns else ""
    rows = "\n".join(f"{query}\t{item}\t{value:g}" for query, item, value in read(example))
    text = example.text.rstrip("\n")
    return f"`{example.file}`{given}:\n\n```text\n{text}\n```\n\nread as {example.holds}:\n\n```text\n{rows}\n```"


def read(example: Example) -> list[tuple[str, str, float]]:
    """The rows of an example, written and read as users do."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / example.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(example.text, encoding="utf-8")
        whole, reading = Path(folder) / example.file.partition("/")[0], Reading(columns=example.columns)
        if example.holds == HOLDS_RUN:
            return Run.of(whole, reading).table().rows()
        return Qrels.of(whole, reading).table.rows()
