"""docs/reference/coverage.md: every claim of five documents, how it stands, and what shows it."""

from __future__ import annotations

from tools.claims.rows import STATUSES, ClaimedDocument, ClaimRow, all_rows, counts, documents
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

INTRODUCTION = """
rankscope implements what five documents define, draw and recommend. Here is every claim of theirs, in our words, with
the command that shows it, the page that explains it and the test that checks it.

Commands are run in a folder of small files (icons, digits, the lecture's examples, notes); scripts are named from the
root of a clone. `python -m tools.claims.run_rows FOLDER` makes the folder, runs every command and names those that
fail; what `serve` serves is asked for, and the site of [a tutorial](../tutorials/gather-to-report.md) is there to
gather. Figures next to the papers' descriptions: [two papers](../gallery/papers/README.md), [a
third](../studies/brughi2014.md#the-papers-figures).
""".strip()


def page() -> str:
    """The page."""
    return whole_page("The claims of the documents", INTRODUCTION, _summary(), *map(_part, documents()))


def _summary() -> str:
    found = counts(all_rows())
    rows = [[status, str(count), STATUSES[status]] for status, count in found.items()]
    return table(["status", "rows", "means"], [*rows, ["all", str(sum(found.values())), ""]])


def _part(document: ClaimedDocument) -> str:
    head = f"## {document.key}\n\n{document.title}."
    rows = table(["#", "claim", "status", "command", "page", "test"], map(_cells, document.rows))
    return f"{head}\n\n{rows}"


def _cells(row: ClaimRow) -> list[str]:
    claim = f"{row.claim}. *{row.note[0].upper()}{row.note[1:]}.*" if row.note else f"{row.claim}."
    page = f"[{_page_name(row.page)}](../{row.page})" if row.page else ""
    commands = "<br>".join(map(code, row.run))
    return [str(row.number), claim, row.status, commands, page, "<br>".join(map(_test_link, row.test))]


def _page_name(page: str) -> str:
    """The name of its file; of a README that of its folder."""
    return page.removesuffix("/README.md").removesuffix(".md").rsplit("/", 1)[-1]


def _test_link(node: str) -> str:
    file, _, name = node.partition("::")
    return f"[{name.removeprefix('test_').replace('_', ' ')}](../../{file})"
