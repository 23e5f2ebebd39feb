"""Looking into an index: what it holds, its terms, where they stand, its documents, how texts are read; links to a
service.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote, urlsplit

import numpy as np

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError
from rankscope.core.wording import setting_usage, setting_value
from rankscope.engines.text.analysers import Analyser, tokens_of
from rankscope.engines.text.highlighting import Fragment, MarkedWord
from rankscope.engines.text.index_columns import ARRAYS, FieldColumns
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import Fuzzy
from rankscope.engines.text.regular_expressions import similar_terms
from rankscope.engines.text.segments import ID
from rankscope.engines.text.text_index import Index

By = Literal["documents", "occurrences", "name"]
AROUND = 40  # signs of context on either side
GAP = "_"  # stands for a position at which no term is kept


@dataclass(frozen=True)
class FieldOverview:
    """A field: N documents that have it, T terms in all, distinct ones, mean length, analyser, and bytes."""

    field: str
    documents: int
    tokens: int
    terms: int
    mean_length: float
    analyser: str
    bytes: int


@dataclass(frozen=True)
class SegmentOverview:
    """A segment: documents, deleted ones among them, and bytes of fields and stored texts."""

    name: str
    documents: int
    deleted: int
    bytes: int


@dataclass(frozen=True)
class IndexOverview:
    """An index as a whole."""

    documents: int
    deleted: int
    lengths: str  # how lengths are kept
    fields: tuple[FieldOverview, ...]
    segments: tuple[SegmentOverview, ...]

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.segments)


def overview(index: Index) -> IndexOverview:
    """What an index holds.

    >>> found = overview(Index.build([{"id": "a", "body": "a fox and a fox"}, {"id": "b", "body": ""}]))
    >>> found.documents, [(each.field, each.documents, each.tokens, each.terms) for each in found.fields]
    (2, [('body', 1, 2, 1)])
    """
    reader = index.reader
    return IndexOverview(
        documents=len(index),
        deleted=reader.count - len(index),
        lengths="exact" if reader.exact_lengths else "in a byte",
        fields=tuple(_field_overview(reader, name) for name in reader.fields),
        segments=tuple(
            SegmentOverview(
                name=segment.name or str(place),
                documents=segment.count,
                deleted=len(segment.deleted),
                bytes=segment.documents.bytes + sum(map(_column_bytes, segment.fields.values())),
            )
            for place, segment in enumerate(reader.segments, start=1)
        ),
    )


def _field_overview(reader: IndexReader, name: str) -> FieldOverview:
    statistics = reader.field(name)
    return FieldOverview(
        field=name,
        documents=statistics.documents,
        tokens=statistics.tokens,
        terms=len(reader.vocabulary(name)),
        mean_length=statistics.tokens / statistics.documents if statistics.documents else 0.0,
        analyser=str(reader.analysers[name]),
        bytes=sum(_column_bytes(columns) for _, columns in reader.columns(name)),
    )


def _column_bytes(columns: FieldColumns) -> int:
    return sum(getattr(columns, name).nbytes for name in ARRAYS)


@dataclass(frozen=True)
class TermRow:
    """A term, how many documents have it, and how often it occurs."""

    term: str
    documents: int
    occurrences: int


@dataclass(frozen=True)
class TermList:
    """Terms of a field; `total` is how many there are with this beginning."""

    field: str
    terms: tuple[TermRow, ...]
    total: int


def list_terms(
    index: Index, field: str | None = None, prefix: str = "", by: By = "documents", limit: int | None = 20
) -> TermList:
    """The terms of a field that begin so: those of most documents or occurrences first, or in their own order.

    >>> index = Index.build([{"id": "a", "body": "red fox"}, {"id": "b", "body": "fox fur"}])
    >>> [(each.term, each.documents) for each in list_terms(index, prefix="f").terms]
    [('fox', 2), ('fur', 1)]
    """
    if by not in get_args(By):
        raise SettingError(f"{setting_value('by', by)}: must be one of {', '.join(get_args(By))}")
    name = _known_field(index, field)
    vocabulary = index.reader.vocabulary(name)
    places = np.flatnonzero(vocabulary.terms.str.starts_with(prefix)) if prefix else np.arange(len(vocabulary))
    if by != "name":
        counts = vocabulary.documents if by == "documents" else vocabulary.occurrences
        places = places[np.argsort(-counts[places], kind="stable")]
    shown = places[:limit]
    rows = zip(
        vocabulary.terms.gather(shown).to_list(),
        vocabulary.documents[shown].tolist(),
        vocabulary.occurrences[shown].tolist(),
        strict=True,
    )
    return TermList(name, tuple(TermRow(*row) for row in rows), len(places))


@dataclass(frozen=True)
class PostingRow:
    """A document with a term: its positions, counted from 0, and the text around the first of them."""

    id: str
    positions: tuple[int, ...]
    context: Fragment


@dataclass(frozen=True)
class PostingList:
    """Where a term stands. Deleted documents count in `documents` and `occurrences` until segments are merged."""

    field: str
    term: str
    documents: int
    occurrences: int
    rows: tuple[PostingRow, ...]


def find_postings(index: Index, word: str, field: str | None = None, limit: int | None = 20) -> PostingList:
    """Where a term stands: the word itself where it is a term, else the term that the analyser makes of it.

    >>> index = Index.build([{"id": "a", "body": "Red foxes"}, {"id": "b", "body": "a fox, a fox"}])
    >>> found = find_postings(index, "foxes")
    >>> found.term, [(each.id, each.positions, each.context.plain("[", "]")) for each in found.rows]
    ('fox', [('a', (1,), 'Red [foxes]'), ('b', (1, 3), 'a [fox], a [fox]')])
    """
    name = _known_field(index, field)
    reader, term = index.reader, _known_term(index, word, name)
    postings = reader.postings(name, term, positions=True)
    live = [
        (doc, tuple(places))
        for doc, places in zip(postings.docs.tolist(), postings.places(), strict=True)
        if reader.deleted is None or not reader.deleted[doc]
    ][:limit]
    texts = [row.get(name) or "" for row in reader.stored_rows([doc for doc, _ in live])]
    rows = [
        PostingRow(reader.ids[doc], places, _context(text, reader.analysers[name], places))
        for (doc, places), text in zip(live, texts, strict=True)
    ]
    statistics = reader.term(name, term)
    return PostingList(
        field=name, term=term, documents=statistics.documents, occurrences=statistics.occurrences, rows=tuple(rows)
    )


def _known_field(index: Index, field: str | None) -> str:
    name = field or index.default_field
    index.reader.need_field(name)
    return name


def _known_term(index: Index, word: str, field: str) -> str:
    """The term that a word means; what is none is an error with the most similar one."""
    reader = index.reader
    analysed = [term for term, _ in reader.analysers[field].analyse(word)]
    candidates = [word, *(analysed if len(analysed) == 1 else [])]
    found = [term for term in candidates if reader.term(field, term).documents]
    if found:
        return found[0]
    wanted = candidates[-1]
    near = [each for each in similar_terms(reader, Fuzzy(field, wanted, 2)) if each]
    raise SettingError(f"no term '{wanted}' in field {field}{did_you_mean(wanted, near[:10]).removesuffix('.')}")


def _context(text: str, analyser: Analyser, positions: Sequence[int]) -> Fragment:
    """The text around the first position, with every position in it marked."""
    tokens = tokens_of(text, analyser)
    spans = [(tokens[place].start, tokens[place].end) for place in positions if place < len(tokens)]
    if not spans:
        return Fragment("", (), 0)
    begin, end = max(0, spans[0][0] - AROUND), spans[0][1] + AROUND
    begin = text.rfind(" ", 0, begin) + 1 if begin else 0
    stop = text.find(" ", end)
    end = len(text) if stop < 0 else stop
    marks = [MarkedWord(start - begin, last - begin, 1.0, "") for start, last in spans if last <= end]
    return Fragment(text[begin:end], tuple(marks), begin)


@dataclass(frozen=True)
class DocumentView:
    """A document: its fields as they were given, or rebuilt from the terms that the index keeps; lengths in terms."""

    id: str
    number: int
    fields: dict[str, str | None]
    lengths: dict[str, int]


def view_document(index: Index, document: str, rebuild: bool = False) -> DocumentView:
    """A document as it was given, or what the index knows of it: its terms in order, `_` where none is kept.

    >>> index = Index.build([{"id": "a", "body": "The quick foxes and the den"}])
    >>> view_document(index, "a", rebuild=True).fields
    {'body': '_ quick fox _ _ den'}
    """
    number, reader = index.number_of(document), index.reader
    stored = reader.stored(number)
    lengths = dict.fromkeys(reader.fields, 0)
    for name in reader.fields:
        for base, columns in reader.columns(name):
            if base <= number < base + len(columns.lengths):
                lengths[name] = int(columns.lengths[number - base])
    if rebuild:
        fields: dict[str, str | None] = {name: rebuilt_field(reader, name, number) for name in reader.fields}
    else:
        fields = {name: text for name, text in stored.items() if name != ID}
    return DocumentView(document, number, fields, lengths)


def rebuilt_field(reader: IndexReader, field: str, number: int) -> str:
    """The terms of a document in the order of their positions, `_` at each position without one."""
    placed: dict[int, str] = {}
    for base, columns in reader.columns(field):
        if base <= number < base + len(columns.lengths):
            _, codes, _ = columns.by_document.rows(np.array([number - base]))
            for code in codes.tolist():
                placed |= dict.fromkeys(_positions(columns, code, number - base), columns.terms[code])
    return " ".join(placed.get(place, GAP) for place in range(max(placed, default=-1) + 1))


def _positions(columns: FieldColumns, code: int, doc: int) -> list[int]:
    """Where a term stands in a document of the segment."""
    begin, end = int(columns.starts[code]), int(columns.starts[code + 1])
    place = begin + int(np.searchsorted(columns.docs[begin:end], doc))
    first = int(columns.position_starts[code]) + int(columns.counts[begin:place].sum(dtype=np.int64))
    return [int(each) for each in columns.positions[first : first + int(columns.counts[place])]]


@dataclass(frozen=True)
class AnalysedToken:
    """A token, where it stands, and what each step of the analyser made of it; None from where it was dropped."""

    position: int
    start: int
    end: int
    token: str
    steps: tuple[str | None, ...]


@dataclass(frozen=True)
class AnalysisView:
    """How an analyser reads a text: the names of its steps, and the tokens."""

    analyser: str
    steps: tuple[str, ...]
    tokens: tuple[AnalysedToken, ...]


def analyse_stepwise(text: str, analyser: Analyser) -> AnalysisView:
    """The tokens of a text, and what each step makes of them.

    >>> from rankscope.engines.text.analysers import ANALYSERS
    >>> found = analyse_stepwise("The dog's", ANALYSERS.parse("english"))
    >>> [each.steps for each in found.tokens]
    [('The', 'the', None, None), ('dog', 'dog', 'dog', 'dog')]
    """
    names = tuple(getattr(step, "__name__", str(step)).replace("_", " ") for step in analyser.steps)
    tokens = []
    for each in tokens_of(text, analyser):
        word: str | None = each.text
        steps = [word := (step(word) or None) if word else None for step in analyser.steps]
        tokens.append(
            AnalysedToken(position=each.position, start=each.start, end=each.end, token=each.text, steps=tuple(steps))
        )
    return AnalysisView(str(analyser), names, tuple(tokens))


# Links to documents of an index that a service shows, as `rankscope serve` does.

INDEX_SUFFIX = ".index"
SOLR = "solr"


@dataclass(frozen=True)
class ServedLinks:
    """Where a service shows the documents of an index.

    >>> ServedLinks.of("http://127.0.0.1:8384", [Path("notes.index")]).link("a b.md")
    'http://127.0.0.1:8384/solr/notes/get?id=a%20b.md'
    >>> ServedLinks.of("http://localhost:9200/notes", []).link("a b.md")
    'http://localhost:9200/notes/_doc/a%20b.md'
    """

    address: str
    is_solr: bool

    @classmethod
    def of(cls, url: str, folders: Sequence[Path]) -> ServedLinks:
        """From the address of a service, which calls an index as its folder without `.index`, or of an index there."""
        usage = setting_usage("served", "URL")
        try:
            parts = urlsplit(url.strip())
            known = parts.port is None or parts.port > 0
        except ValueError:
            known = False
        if not known or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise SettingError(f"{usage} is the address of a service or of an index there, as http://127.0.0.1:8384")
        if "@" in parts.netloc:
            raise SettingError(f"{usage}: a user name or a password does not belong into an address")
        path = [each for each in parts.path.split("/") if each]
        if path in ([], [SOLR]):
            path = [SOLR, ",".join(folder.resolve().name.removesuffix(INDEX_SUFFIX) for folder in folders)]
        return cls(f"{parts.scheme}://{parts.netloc}/{'/'.join(path)}", SOLR in path)

    def link(self, document: str) -> str:
        """The address of a document."""
        name = quote(document, safe="")
        return f"{self.address}/get?id={name}" if self.is_solr else f"{self.address}/_doc/{name}"
