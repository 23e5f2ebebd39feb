"""What is seen in an index, as text for a terminal; bold where colours are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.names import one_line, visible
from rankscope.number_texts import how_many
from rankscope.reports.formats.rows import table
from rankscope.wording import short_number

if TYPE_CHECKING:
    from rankscope.engines.text.explanation import Explanation
    from rankscope.engines.text.index.storage import CheckedIndex
    from rankscope.engines.text.looking import AnalysisView, DocumentView, IndexOverview, PostingList, TermList
    from rankscope.engines.text.query_tree import QueryTree

T = TypeVar("T")
BAR = 24  # signs of the longest bar
UNITS = ("bytes", "KB", "MB", "GB", "TB")
DROPPED = "·"
MOST_POSITIONS = 8


def overview_text(found: IndexOverview) -> str:
    """The whole, then a row for each field and for each segment."""
    gone = f", {found.deleted:,} deleted" if found.deleted else ""
    parts = "one segment" if len(found.segments) == 1 else f"{len(found.segments):,} segments"
    head = (
        f"{how_many(found.documents, 'documents')}{gone} in {parts}, {bytes_text(found.bytes)}; lengths kept "
        f"{_lengths(found)}"
    )
    fields = [
        {
            "field": each.field,
            "documents N": each.documents,
            "tokens T": each.tokens,
            "terms": each.terms,
            "mean length": round(each.mean_length, 1),
            "analyser": each.analyser,
            "size": bytes_text(each.bytes),
        }
        for each in found.fields
    ]
    blocks = [head, table(fields, places=1).rstrip("\n")] if fields else [head]
    if len(found.segments) > 1:
        segments = [
            {
                "segment": each.name,
                "documents": each.documents,
                "deleted": each.deleted,
                "size": bytes_text(each.bytes),
            }
            for each in found.segments
        ]
        blocks.append(table(segments).rstrip("\n"))
    return "\n\n".join(blocks) + "\n"


def checked_text(found: Mapping[str, CheckedIndex]) -> str:
    """A line for each index."""
    return "".join(_checked_line(name, each) for name, each in found.items())


def _checked_line(name: str, found: CheckedIndex) -> str:
    line = f"{name}: {how_many(found.files, 'files')}, {bytes_text(found.bytes)}: all hold what was written"
    own = "its index.json has no digest yet, and gets one when documents are next added or merged"
    return f"{line}\n" if found.signed else f"{line}; {own}\n"


def _lengths(found: IndexOverview) -> str:
    return "exactly" if found.lengths == "exact" else "in a byte, as Lucene keeps them"


def terms_text(found: TermList, by: str) -> str:
    """A row for each term with a bar; how many more there are."""
    if not found.terms:
        return f"no such terms in field {found.field}\n"
    counted = "occurrences" if by == "occurrences" else "documents"
    longest = max(getattr(each, counted) for each in found.terms)
    rows = [
        {
            "term": each.term,
            "documents n": each.documents,
            "occurrences F": each.occurrences,
            counted: bar(getattr(each, counted) / longest),
        }
        for each in found.terms
    ]
    return table(rows) + _more(len(found.terms), found.total, f"terms of field {found.field}")


def postings_text(found: PostingList, bold: bool, links: Sequence[str] = ()) -> str:
    """The term, then for each document its positions and the text around the first, and where it is served."""
    head = (
        f"{_strong(visible(f'{found.field}:{found.term}'), bold)}  in {found.documents:,} "
        f"{_count(found.documents, 'document')}, {found.occurrences:,} {_count(found.occurrences, 'occurrence')}"
    )
    width = max([len(one_line(each.id)) for each in found.rows], default=0)
    places = [_positions(each.positions) for each in found.rows]
    broad = max(map(len, places), default=0)
    lines = [
        f"{one_line(each.id):<{width}}  {where:<{broad}}  "
        + (each.context.terminal() if bold else each.context.plain("[", "]"))
        + (f"  {link}" if link else "")
        for each, where, link in zip(found.rows, places, links or [""] * len(places), strict=True)
    ]
    return "\n".join([head, "", *lines]) + "\n" + _more(len(lines), found.documents, "documents")


def document_text(found: DocumentView, rebuilt: bool, bold: bool, link: str = "") -> str:
    """Each field under its name, and where the document is served."""
    how = "rebuilt from the index" if rebuilt else "as it was given"
    blocks = [f"{_strong(visible(found.id), bold)}  number {found.number:,}, {how}" + (f"\n{link}" if link else "")]
    for name, text in found.fields.items():
        length = found.lengths.get(name, 0)
        blocks.append(f"{_strong(visible(name), bold)}  {length:,} {_count(length, 'term')}\n{visible(text or '-')}")
    return "\n\n".join(blocks) + "\n"


def analysis_text(found: AnalysisView) -> str:
    """A row for each token, a column for each step; a dot where the token was dropped."""
    rows = [
        {
            "position": each.position,
            "signs": f"{each.start}-{each.end}",
            "token": each.token,
            **{name: DROPPED if word is None else word for name, word in zip(found.steps, each.steps, strict=True)},
        }
        for each in found.tokens
    ]
    kept = sum(not each.steps or each.steps[-1] is not None for each in found.tokens)
    tail = f"\n{found.analyser}: {len(rows):,} {_count(len(rows), 'token')}, {kept:,} {_count(kept, 'term')}\n"
    return (table(rows) if rows else "no token\n") + tail


def explanation_text(found: Explanation, head: str, bold: bool) -> str:
    """The tree of values."""

    def line(each: Explanation) -> str:
        return f"{_strong(_value(each.value), bold)}  {visible(each.text)}"

    return head + "\n\n" + "\n".join(tree_lines(found, line, lambda each: each.parts)) + "\n"


def query_text(found: QueryTree, bold: bool) -> str:
    """The query as Lucene prints it, then its tree."""

    def line(each: QueryTree) -> str:
        terms = "" if each.terms is None else f"{each.terms:,} {_count(each.terms, 'term')}, "
        role = f"{each.role} " if each.role else ""
        matched = f"{terms}{each.documents:,} {_count(each.documents, 'document')}"
        return f"{role}{each.kind}  {_strong(visible(each.text), bold)}  {matched}"

    return "\n".join(tree_lines(found, line, lambda each: each.parts)) + "\n"


def tree_lines(root: T, line: Callable[[T], str], parts: Callable[[T], Sequence[T]]) -> Iterator[str]:
    """A tree with branches drawn.

    >>> print(*tree_lines(3, str, lambda number: range(number - 1)), sep="\\n")
    3
    ├─ 0
    └─ 1
    """
    yield line(root)
    below = list(parts(root))
    for place, each in enumerate(below):
        last = place == len(below) - 1
        first, *others = tree_lines(each, line, parts)
        yield ("└─ " if last else "├─ ") + first
        for other in others:
            yield ("   " if last else "│  ") + other


def bytes_text(count: int) -> str:
    """A size as people read it.

    >>> bytes_text(900), bytes_text(1_234_567)
    ('900 bytes', '1.2 MB')
    """
    size, unit = float(count), 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {UNITS[unit]}" if unit == 0 else f"{size:.1f} {UNITS[unit]}"


def bar(share: float) -> str:
    """A bar of this share of the longest, to an eighth of a sign.

    >>> bar(0.5), bar(0.001)
    ('████████████', '▏')
    """
    eighths = max(round(share * BAR * 8), 1)
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]


def plain_value(value: Any) -> Any:
    """A value as JSON holds it: dataclasses as objects."""
    from dataclasses import fields, is_dataclass

    from rankscope.engines.text.fragments import Fragment

    if isinstance(value, Fragment):
        return value.plain("[", "]")
    if is_dataclass(value):
        return {each.name: plain_value(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if isinstance(value, dict):
        return {key: plain_value(each) for key, each in value.items()}
    return value


def _value(value: float) -> str:
    return short_number(float(f"{value:.7g}"))


def _positions(positions: Sequence[int]) -> str:
    shown = ", ".join(map(str, positions[:MOST_POSITIONS]))
    more = len(positions) - MOST_POSITIONS
    return f"[{shown}, {more} more]" if more > 0 else f"[{shown}]"


def _more(shown: int, total: int, what: str) -> str:
    return f"\n{shown:,} of {total:,} {what}\n" if shown < total else ""


def _count(number: int, word: str) -> str:
    return word if number == 1 else f"{word}s"


def _strong(text: str, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text
