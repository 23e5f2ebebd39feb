"""An index of texts: build it, open it, search it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from rankscope.core.catalogue import did_you_mean
from rankscope.core.display import Display, Displayed
from rankscope.core.errors import SettingError
from rankscope.core.settings import Settings
from rankscope.core.validation import COUNT
from rankscope.core.wording import how_many, setting_usage, setting_value
from rankscope.engines.text.analysers import ANALYSERS, Analyser, Whole
from rankscope.engines.text.expansions import EXPANSIONS, Expansion, expand_query
from rankscope.engines.text.explanations import explain_score
from rankscope.engines.text.highlighting import Fragment, Highlighter
from rankscope.engines.text.index_files import IndexWriter
from rankscope.engines.text.index_reader import IndexReader, hold_in_memory, open_together, read_together
from rankscope.engines.text.matching import MatchCache
from rankscope.engines.text.queries import Node, any_of
from rankscope.engines.text.query_parser import Language, Operator, mend_surrogates, parse_query
from rankscope.engines.text.searching import Hits, Searcher, TopicLists, Unmatched, rank_topics
from rankscope.engines.text.segments import ID, Documents, blocks_of_documents
from rankscope.engines.text.similarities import BM25, SIMILARITIES, Explanation, Similarity
from rankscope.inputs.qrels import Qrels, read_junk
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.ranks.relevant_ranks import RelevantRanks

Syntax = Literal["lucene", "words"]
MOST_COMPARED = 10_000  # ids that a wrong one is compared with
WHOLE = Whole()  # how ids are read
USUAL_FIELDS = ("body", "text", "contents")  # looked at where a word names no field


class Index(Displayed):
    """Documents that can be searched, in memory or on a disk; several indexes are read as one.

    >>> index = Index.build([{"id": "a", "body": "The quick fox"}, {"id": "b", "body": "A fox and a fox"}])
    >>> print(index.search("fox"))
    0.113951  b
    0.0828734  a
    """

    def __init__(self, reader: IndexReader, folders: tuple[Path, ...] = ()) -> None:
        self.reader, self.folders = reader, folders
        self._cache = MatchCache()
        self._searchers: dict[tuple[Similarity, str], Searcher] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """What travels to another process: where the index lies, or all of one in memory; scores are made anew."""
        if self.folders:
            return Index.open, self.folders
        return Index, (self.reader,)

    @classmethod
    def build(
        cls,
        documents: Documents,
        folder: str | Path | None = None,
        *,
        analyser: str | Analyser = "english",
        analysers: Mapping[str, str | Analyser] | None = None,
        exact_lengths: bool = False,
    ) -> Index:
        """An index of documents, each with an `id` and texts in fields: in a folder that has none yet, or in memory.

        `analysers` are those of fields that have another than `analyser`. Lengths are kept in a byte, as Lucene keeps
        them, unless they are to be exact.
        """
        usual = str(analyser_named(analyser))
        others = {name: str(analyser_named(each)) for name, each in (analysers or {}).items()}
        if folder is None:
            return cls(hold_in_memory(blocks_of_documents(documents), usual, others, exact_lengths))
        with IndexWriter.create(Path(folder), usual, others, exact_lengths) as writer:
            for block in blocks_of_documents(documents):
                writer.add(block)
            writer.commit()
        return cls.open(folder)

    @classmethod
    def open(cls, *folders: str | Path) -> Index:
        """The index in a folder, or those in several as one: their statistics are summed, and scores are comparable.

        Fields that several have must have one analyser; an id that several have gets the name of its folder in front.
        """
        if not folders:
            raise SettingError("name the folder of an index to open")
        places = tuple(dict.fromkeys(map(Path, folders)))
        return cls(open_together(places), places)

    @classmethod
    def join(cls, indexes: Mapping[str, Index]) -> Index:
        """Indexes that are open as one, as `open` reads those of several folders; their names tell equal ids apart.

        >>> a, b = (Index.build([{"id": "1", "body": text}]) for text in ("a fox", "foxes"))
        >>> sorted(Index.join({"a": a, "b": b}).search("fox").ids)
        ['a/1', 'b/1']
        """
        return cls(read_together({name: index.reader for name, index in indexes.items()}))

    def add(self, documents: Documents, delete: Iterable[str] = ()) -> Index:
        """The index with more documents, and without some; it is opened anew. All of it counts at once, or nothing."""
        with IndexWriter.append(self._only_folder()) as writer:
            writer.delete(delete)
            for block in blocks_of_documents(documents):
                writer.add(block)
            writer.commit()
        return Index.open(*self.folders)

    def merge(self) -> Index:
        """The index as one segment, without what deleted documents left behind."""
        with IndexWriter.append(self._only_folder()) as writer:
            writer.merge()
            writer.commit()
        return Index.open(*self.folders)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that documents have."""
        return self.reader.fields

    @property
    def default_field(self) -> str:
        """Where words are looked up that name no field: `body`, `text` or `contents`, else the first field."""
        usual = [name for name in USUAL_FIELDS if name in self.fields]
        return (usual or [*self.fields, USUAL_FIELDS[0]])[0]

    def __len__(self) -> int:
        """How many documents there are, without deleted ones."""
        deleted = self.reader.deleted
        return self.reader.count - (0 if deleted is None else int(deleted.sum()))

    def parse(
        self,
        text: str,
        field: str | None = None,
        operator: Operator = "OR",
        syntax: Syntax = "lucene",
        leading: bool = False,
    ) -> Node:
        """What a query means: in Lucene's language, or as plain text in which no sign has a meaning.

        `id` is a field of which nothing is analysed: `id:184`, `id:18*`.
        """
        name = field or self.default_field
        if syntax == "words":
            return any_of(name, (term for term, _ in self._analyser_of(name).analyse(mend_surrogates(text))))
        analysers = {**self.reader.analysers, ID: WHOLE}
        language = Language(name, self._analyser_of(name), analysers, operator=operator, leading=leading)
        return parse_query(text, language)

    def search(
        self,
        query: str | Node,
        similarity: str | Similarity | None = None,
        *,
        limit: int | None = 10,
        field: str | None = None,
        operator: Operator = "OR",
        syntax: Syntax = "lucene",
        leading: bool = False,
        expand: str | Expansion | None = None,
    ) -> Hits:
        """The documents that match, the best first; `limit=None` gives all of them.

        `expand` takes words of the first documents into the query, such as 'rm3(terms=20)', and searches again.
        """
        name = field or self.default_field
        wanted = limit if limit is None else count_setting("limit", limit)
        node = self.parse(query, name, operator, syntax, leading) if isinstance(query, str) else query
        if expand is not None:
            node = self.expand(node, expand, similarity, name)
        return self.searcher(similarity, name).search(node, wanted)

    def expand(
        self,
        query: str | Node,
        expansion: str | Expansion = "rm3",
        similarity: str | Similarity | None = None,
        field: str | None = None,
    ) -> Node:
        """The query with words of its first documents, each with its weight; text is plain text.

        >>> index = Index.build([{"id": str(row), "body": text} for row, text in enumerate(["fox den", *"bcdefghij"])])
        >>> print(index.expand("fox"))
        (body:fox)^0.75 (body:den)^0.25
        """
        name = field or self.default_field
        node = self.parse(query, name, syntax="words") if isinstance(query, str) else query
        return expand_query(self.searcher(similarity, name), node, name, expansion_named(expansion))

    def run(
        self,
        topics: Mapping[str, str],
        similarity: str | Similarity | None = None,
        *,
        depth: int | None = None,
        unmatched: Unmatched = "missing",
        field: str | None = None,
        syntax: Syntax = "words",
        expand: str | Expansion | None = None,
        name: str = "",
    ) -> Run:
        """The rankings of topics, texts by the ids of queries, as a run: every match, or the first `depth`.

        Those that score the same as the last of these are listed too, so that every rule for ties can be applied to the
        run; `unmatched="last"` lists all other documents behind them as one group of equal scores. Topics of test
        collections are plain text: no sign has a meaning in them. `expand` as in `search`.
        """
        found, joining = similarity_named(similarity), None if expand is None else expansion_named(expand)
        lists = self._lists(found, field, syntax, depth, unmatched, joining)
        return lists.run(topics, name or (str(found) if joining is None else f"{found} {joining}"))

    def rank(
        self,
        topics: Mapping[str, str],
        qrels: Any,
        similarity: str | Similarity | None = None,
        settings: Settings | None = None,
        *,
        depth: int | None = None,
        unmatched: Unmatched = "missing",
        field: str | None = None,
        syntax: Syntax = "words",
        expand: str | Expansion | None = None,
        junk: Any = (),
        keep_scores: bool = False,
        name: str = "",
    ) -> RelevantRanks:
        """The ranks of all judged documents in the rankings of topics: those that the run would give, without a run.

        >>> index = Index.build([{"id": "a", "body": "a fox"}, {"id": "b", "body": "fox fox"}, {"id": "c", "body": ""}])
        >>> index.rank({"1": "fox"}, {"1": {"a": 1, "c": 1}}).judged.lists("rank")
        [[2]]
        >>> index.rank({"1": "fox"}, {"1": {"a": 1, "c": 1}}, unmatched="last").judged.lists("rank")
        [[2, 3]]
        """
        chosen, found = settings or Settings(), similarity_named(similarity)
        joining = None if expand is None else expansion_named(expand)
        reading = Reading(comments=chosen.comments)
        shared: dict[str, Any] = {"depth": depth, "unmatched": unmatched, "field": field, "syntax": syntax}
        run = self.run(topics, found, expand=joining, name=name, **shared)
        ranks = rank_topics(
            self.reader,
            topics,
            self._lists(found, field, syntax, depth, unmatched, joining).listing,
            Qrels.of(qrels, reading),
            run,
            chosen,
            junk=read_junk(junk, reading) if junk != () else (),
            keep_scores=keep_scores,
        )
        return ranks.with_collection(len(self))

    def _lists(
        self,
        similarity: Similarity,
        field: str | None,
        syntax: Syntax,
        depth: int | None,
        unmatched: Unmatched,
        expansion: Expansion | None,
    ) -> TopicLists:
        name = field or self.default_field
        self.reader.need_field(name)
        if unmatched not in ("missing", "last"):
            raise SettingError(f"{setting_value('unmatched', unmatched)}: must be missing or last")
        if depth is not None and unmatched == "last":
            lists_all = setting_value("unmatched", unmatched)
            raise SettingError(f"{lists_all} lists every document: leave {setting_usage('depth')} out")

        def parse(text: str) -> Node:
            node = self.parse(text, name, syntax=syntax)
            return node if expansion is None else self.expand(node, expansion, similarity, name)

        limit = None if depth is None else count_setting("depth", depth)
        return TopicLists(self.searcher(similarity, name), parse, limit, unmatched)

    def explain(
        self, query: str | Node, document: str, similarity: str | Similarity | None = None, field: str | None = None
    ) -> Explanation:
        """How the score of a document is made."""
        name = field or self.default_field
        node = self.parse(query, name) if isinstance(query, str) else query
        return explain_score(self.searcher(similarity, name), node, self.number_of(document))

    def highlight(
        self,
        query: str | Node,
        document: str,
        field: str | None = None,
        *,
        fragments: int | None = 3,
        size: int = 160,
        syntax: Syntax = "lucene",
    ) -> list[Fragment]:
        """The pieces of a document in which most of the query stands, with its words marked; None: the whole text.

        >>> index = Index.build([{"id": "a", "body": "Snow fell. The quick fox slept. It was night."}])
        >>> [piece.html() for piece in index.highlight("fox quick*", "a", size=25, fragments=1)]
        ['The <mark>quick</mark> <mark>fox</mark> slept.']
        """
        name = field or self.default_field
        self.reader.need_field(name)
        node = self.parse(query, name, syntax=syntax) if isinstance(query, str) else query
        text = self.document(document).get(name) or ""
        highlighter = Highlighter(self.reader, node, name)
        if fragments is None:
            return [highlighter.whole(text)]
        return highlighter.fragments(text, count_setting("fragments", fragments), count_setting("size", size))

    def searcher(self, similarity: str | Similarity | None = None, field: str | None = None) -> Searcher:
        """What searches under one similarity; scores of terms are kept for the next query."""
        found = similarity_named(similarity)
        key = (found, field or self.default_field)
        if key not in self._searchers:
            self._searchers[key] = Searcher(self.reader, found, key[1], self._cache)
        return self._searchers[key]

    def number_of(self, document: str) -> int:
        """The number of a document in the index."""
        ids, deleted = self.reader.ids, self.reader.deleted
        found = [place for place in (ids == document).arg_true().to_list() if deleted is None or not deleted[place]]
        if not found:
            near = did_you_mean(document, ids.head(MOST_COMPARED).to_list())
            raise SettingError(f"no document '{document}' in this index{near.removesuffix('.')}")
        return int(found[0])

    def document(self, document: str) -> dict[str, str | None]:
        """The texts of a document as they were given."""
        return self.reader.stored(self.number_of(document))

    def _analyser_of(self, field: str) -> Analyser:
        return WHOLE if field == ID else self.reader.analysers.get(field) or analyser_named("standard")

    def _only_folder(self) -> Path:
        if len(self.folders) != 1:
            raise SettingError("only an index that lies in one folder can be added to")
        return self.folders[0]

    def display(self) -> Display:
        where = f"in {', '.join(str(each) for each in self.folders)}" if self.folders else "in memory"
        fields = ", ".join(self.fields) or "none"
        return Display(f"Index of {how_many(len(self), 'document', 'documents')}, {where}; fields: {fields}")


def count_setting(name: str, value: int) -> int:
    """A setting as a plain number; one that is not a whole number from 1 on is an error.

    >>> count_setting("depth", 10)
    10
    """
    try:
        return COUNT.plain(value)
    except ValueError as refusal:
        raise SettingError(f"{setting_value(name, value)}: {refusal}") from None


def analyser_named(given: str | Analyser) -> Analyser:
    """The analyser of a name such as `english`, or the one that is given.

    >>> [term for term, _ in analyser_named("english").analyse("The foxes")]
    ['fox']
    """
    return ANALYSERS.parse(given) if isinstance(given, str) else given


def similarity_named(given: str | Similarity | None) -> Similarity:
    """The similarity of a name such as `bm25(k1=1.2)`, or the one that is given; BM25 where none is.

    >>> similarity_named(None) == similarity_named("bm25")
    True
    """
    if given is None:
        return BM25()
    if isinstance(given, str):
        return SIMILARITIES.parse(given)
    if not isinstance(given, Similarity):
        raise SettingError(f"a similarity is a name such as 'bm25(k1=1.2)', got {given!r}; how many to list is limit=")
    return given


def expansion_named(given: str | Expansion) -> Expansion:
    """The expansion of a name such as `rm3(terms=20)`, or the one that is given.

    >>> expansion_named("rm3(terms=20)").terms
    20
    """
    return EXPANSIONS.parse(given) if isinstance(given, str) else given
