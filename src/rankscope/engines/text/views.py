"""What is seen in an index: the views, what each needs and takes, and what it shows, as text and as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.core.names import one_line, visible
from rankscope.core.rendering import text_table
from rankscope.core.wording import how_many, short_number

if TYPE_CHECKING:
    from rankscope.engines.text.explanations import QueryTree
    from rankscope.engines.text.index_files import CheckedIndex
    from rankscope.engines.text.inspection import AnalysisView, DocumentView, IndexOverview, PostingList, TermList
    from rankscope.engines.text.similarities import Explanation

Shown = tuple[str, Any]  # text for people, and the same as a value


@dataclass(frozen=True)
class View:
    """One way to look: what it needs behind its name, which options it has, and what it shows."""

    needs: tuple[str, ...]
    options: tuple[str, ...]
    show: Callable[[Any, list[str], dict[str, Any], bool], Shown]


def _overview(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.inspection import overview

    found = overview(index)
    return overview_text(found), plain_value(found) | {"bytes": found.bytes}


def _terms(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.inspection import list_terms

    by: Any = options["by"] or "documents"
    found = list_terms(index, options["field"], options["prefix"] or "", by, options["limit"] or 20)
    return terms_text(found, by), plain_value(found)


def _postings(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.inspection import find_postings

    found = find_postings(index, words[0], options["field"], options["limit"] or 20)
    links = [_link(index, each.id, options) for each in found.rows]
    value = plain_value(found)
    for row, link in zip(value["rows"], links, strict=True):
        row |= _linked(link)
    return postings_text(found, bold, links), value


def _document(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.inspection import view_document

    found = view_document(index, words[0], options["rebuild"])
    link = _link(index, words[0], options)
    return document_text(found, options["rebuild"], bold, link), plain_value(found) | _linked(link)


def _explain(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    query, document = words
    node = index.parse(query, options["field"], options["operator"] or "OR")
    found = index.explain(node, document, options["similarity"], options["field"])
    hits = index.searcher(options["similarity"], options["field"]).search(node)
    rank, total = hits.rank_of(index.number_of(document)), hits.total
    place = f"rank {rank:,} of {total:,}" if rank else f"is not among the {total:,} documents found"
    link = _link(index, document, options)
    head = f"{document} for {node}: {place}" + (f"\n{link}" if link else "")
    value = {"query": str(node), "document": document, "rank": rank or None, "found": total, **_linked(link)}
    return explanation_text(found, head, bold), value | {"explanation": plain_value(found)}


def _link(index: Any, document: str, options: dict[str, Any]) -> str:
    """Where the document is served; nothing where no service is named."""
    from rankscope.engines.text.inspection import ServedLinks

    return ServedLinks.of(options["served"], index.folders).link(document) if options["served"] else ""


def _linked(link: str) -> dict[str, str]:
    return {"served": link} if link else {}


def _analyse(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.analysers import ANALYSERS
    from rankscope.engines.text.inspection import analyse_stepwise

    field = options["field"] or index.default_field
    index.reader.need_field(field)
    analyser = ANALYSERS.parse(options["analyser"]) if options["analyser"] else index.reader.analysers[field]
    found = analyse_stepwise(words[0], analyser)
    return analysis_text(found), plain_value(found)


def _query(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.explanations import tree_of

    node = index.parse(words[0], options["field"], options["operator"] or "OR")
    found = tree_of(node, index.searcher(None, options["field"]).matcher)
    return query_text(found, bold), plain_value(found)


def _check(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.index_files import check_index

    found = {str(folder): check_index(folder) for folder in index.folders}
    return checked_text(found), {"indexes": {name: plain_value(each) for name, each in found.items()}}


OVERVIEW = View((), (), _overview)
VIEWS: dict[str, View] = {
    "terms": View((), ("field", "prefix", "by", "limit"), _terms),
    "postings": View(("TERM",), ("field", "limit", "served"), _postings),
    "document": View(("ID",), ("rebuild", "served"), _document),
    "explain": View(("QUERY", "ID"), ("field", "similarity", "operator", "served"), _explain),
    "analyse": View(("TEXT",), ("field", "analyser"), _analyse),
    "query": View(("TEXT",), ("field", "operator"), _query),
    "check": View((), (), _check),
}


# What is seen in an index, as text for a terminal; bold where colours are wanted.

T = TypeVar("T")
BAR = 24  # signs of the longest bar
UNITS = ("bytes", "KB", "MB", "GB", "TB")
DROPPED = "·"
MOST_POSITIONS = 8


def overview_text(found: IndexOverview) -> str:
    """The whole, then a row for each field and for each segment."""
    gone = f", {found.deleted:,} deleted" if found.deleted else ""
    parts = "one segment" if len(found.segments) == 1 else f"{len(found.segments):,} segments"
    lengths = "exactly" if found.lengths == "exact" else "in a byte, as Lucene keeps them"
    head = (
        f"{how_many(found.documents, 'documents')}{gone} in {parts}, {bytes_text(found.bytes)}; lengths kept {lengths}"
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
    blocks = [head, text_table(fields, places=1).rstrip("\n")] if fields else [head]
    if len(found.segments) > 1:
        segments = [
            {"segment": each.name, "documents": each.documents, "deleted": each.deleted, "size": bytes_text(each.bytes)}
            for each in found.segments
        ]
        blocks.append(text_table(segments).rstrip("\n"))
    return "\n\n".join(blocks) + "\n"


def checked_text(found: Mapping[str, CheckedIndex]) -> str:
    """A line for each index."""
    lines = []
    for name, each in found.items():
        lines.append(f"{name}: {how_many(each.files, 'files')}, {bytes_text(each.bytes)}: all hold what was written")
        if not each.signed:
            lines[-1] += "; its index.json has no digest yet, and gets one when documents are next added or merged"
    return "".join(f"{line}\n" for line in lines)


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
            counted: bar_text(getattr(each, counted) / longest),
        }
        for each in found.terms
    ]
    return text_table(rows) + _more(len(found.terms), found.total, f"terms of field {found.field}")


def postings_text(found: PostingList, bold: bool, links: Sequence[str] = ()) -> str:
    """The term, then for each document its positions and the text around the first, and where it is served."""
    head = (
        f"{_strong(visible(f'{found.field}:{found.term}'), bold)}  in {how_many(found.documents, 'documents')}, "
        f"{how_many(found.occurrences, 'occurrences')}"
    )
    width = max([len(one_line(each.id)) for each in found.rows], default=0)
    places = []
    for each in found.rows:
        shown = ", ".join(map(str, each.positions[:MOST_POSITIONS]))
        more = len(each.positions) - MOST_POSITIONS
        places.append(f"[{shown}, {more} more]" if more > 0 else f"[{shown}]")
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
        blocks.append(f"{_strong(visible(name), bold)}  {how_many(length, 'terms')}\n{visible(text or '-')}")
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
    tail = f"\n{found.analyser}: {how_many(len(rows), 'tokens')}, {how_many(kept, 'terms')}\n"
    return (text_table(rows) if rows else "no token\n") + tail


def explanation_text(found: Explanation, head: str, bold: bool) -> str:
    def line(each: Explanation) -> str:
        return f"{_strong(short_number(float(f'{each.value:.7g}')), bold)}  {visible(each.text)}"

    return head + "\n\n" + "\n".join(tree_lines(found, line, lambda each: each.parts)) + "\n"


def query_text(found: QueryTree, bold: bool) -> str:
    """The query as Lucene prints it, then its tree."""

    def line(each: QueryTree) -> str:
        terms = "" if each.terms is None else f"{how_many(each.terms, 'terms')}, "
        role = f"{each.role} " if each.role else ""
        matched = f"{terms}{how_many(each.documents, 'documents')}"
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


def bar_text(share: float) -> str:
    """A bar of this share of the longest, to an eighth of a sign.

    >>> bar_text(0.5), bar_text(0.001)
    ('████████████', '▏')
    """
    eighths = max(round(share * BAR * 8), 1)
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]


def plain_value(value: Any) -> Any:
    """A value as JSON holds it: dataclasses as objects."""
    from dataclasses import fields, is_dataclass

    from rankscope.engines.text.highlighting import Fragment

    if isinstance(value, Fragment):
        return value.plain("[", "]")
    if is_dataclass(value):
        return {each.name: plain_value(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if isinstance(value, dict):
        return {key: plain_value(each) for key, each in value.items()}
    return value


def _more(shown: int, total: int, what: str) -> str:
    return f"\n{shown:,} of {total:,} {what}\n" if shown < total else ""


def _strong(text: str, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text
