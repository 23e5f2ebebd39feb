"""From texts to an index, and from an index to documents, runs and ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from rankscope.calling import public
from rankscope.errors import SettingError
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.engines.live.live_run import LiveRun
    from rankscope.engines.text import Hits, Index
    from rankscope.engines.text.expansion.expansion import Expansion
    from rankscope.engines.text.similarities.similarity import Similarity
    from rankscope.inputs.run import Run
    from rankscope.inputs.topics.query_set import QuerySet
    from rankscope.ranks.relevant_ranks import RelevantRanks

RANKS = ".ranks.parquet"
Syntax = Literal["words", "lucene"]


@public
def index(
    documents: Any,
    output: str | Path | None = None,
    *,
    analyser: str = "english",
    fields: str | Sequence[str] | None = None,
    field_analyser: Mapping[str, str] | None = None,
    exact_lengths: bool = False,
    add: bool = False,
    format: str | None = None,
    encoding: str = "utf-8",
    max_ratio: float = 200.0,
    download: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Index:
    """Documents to an index that can be searched: in the folder `output`, or in memory.

    `documents`: a file or folder, `irds:NAME`, several of these, or a table or dictionaries with an `id` and texts.
    `fields` as "title,body" or "contents=title+body" chooses and joins; without it `contents` joins title and text.
    `add` adds to an index that is there, with the analysers it has.
    >>> index([{"id": "a", "body": "a quick fox"}, {"id": "b", "body": "a dog"}]).search("foxes").ids.to_list()
    ['a']
    """
    from rankscope.engines.text.text_index import Index

    given = documents_of(
        documents,
        fields=fields,
        format=format,
        encoding=encoding,
        max_ratio=max_ratio,
        download=download,
        progress=progress,
    )
    if add:
        if output is None:
            raise SettingError("an index in memory is new: name the folder of the one to add to")
        return Index.open(output).add(given)
    return Index.build(
        given, output, analyser=analyser, analysers=dict(field_analyser or {}), exact_lengths=exact_lengths
    )


def documents_of(
    documents: Any,
    *,
    fields: str | Sequence[str] | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    max_ratio: float = 200.0,
    download: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Any:
    """What an index is built from: the documents of files, or tables and dictionaries as they are."""
    paths = [documents] if isinstance(documents, str | Path) else documents
    if not isinstance(paths, Sequence) or not paths or not all(isinstance(each, str | Path) for each in paths):
        if fields is not None:
            raise SettingError("fields are chosen from files: give a table the columns that are to be indexed")
        return documents
    from rankscope.inputs.documents.reading import read_documents
    from rankscope.inputs.reading import Reading

    reading = Reading(format, encoding, max_ratio=max_ratio)
    return read_documents(paths, reading, fields, download=download, progress=progress)


class SearchChoices(TypedDict, total=False):
    """What `search` takes next to the query, the topics and the judgements."""

    output: str | Path | None
    similarity: str | Similarity
    syntax: Syntax | None
    field: str | None
    operator: Literal["or", "and"]
    limit: int
    depth: int | None
    unmatched: Literal["missing", "last"]
    expand: str | Expansion | None
    parts: str | Sequence[str] | None
    ties: str
    seed: int
    format: str | None
    encoding: str
    max_ratio: float
    download: bool
    system: str | None
    request: str | Path | Mapping[str, Any] | None
    vectors: str | Path | Mapping[str, Any] | None
    id_field: str | None
    page_size: int
    workers: int
    retries: int
    seconds: float
    restart: bool
    progress: Callable[[int, int], None] | None


@overload
def search(index: Any, query: str, **choices: Unpack[SearchChoices]) -> Hits: ...
@overload
def search(
    index: Any, query: None = None, *, topics: Any, qrels: None = None, **choices: Unpack[SearchChoices]
) -> Run: ...
@overload
def search(
    index: Any, query: None = None, *, topics: Any, qrels: Any, **choices: Unpack[SearchChoices]
) -> RelevantRanks: ...
@overload
def search(
    index: None = None, query: None = None, *, engine: str, topics: Any, **choices: Unpack[SearchChoices]
) -> LiveRun: ...
@public
def search(
    index: Any = None,
    query: str | None = None,
    *,
    topics: Any = None,
    qrels: Any = None,
    output: str | Path | None = None,
    similarity: str | Similarity = "bm25",
    syntax: Syntax | None = None,
    field: str | None = None,
    operator: Literal["or", "and"] = "or",
    limit: int = 10,
    depth: int | None = None,
    unmatched: Literal["missing", "last"] = "missing",
    expand: str | Expansion | None = None,
    parts: str | Sequence[str] | None = None,
    ties: str = "trec_eval",
    seed: int = 0,
    format: str | None = None,
    encoding: str = "utf-8",
    max_ratio: float = 200.0,
    download: bool = False,
    system: str | None = None,
    engine: str | None = None,
    request: str | Path | Mapping[str, Any] | None = None,
    vectors: str | Path | Mapping[str, Any] | None = None,
    id_field: str | None = None,
    page_size: int = 1000,
    workers: int = 4,
    retries: int = 5,
    seconds: float = 30,
    restart: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Hits | Run | RelevantRanks:
    """What does it find? The first documents for a query; a run of topics; with judgements the ranks of all of them.

    `index` is an `Index`, its folder, or several folders that are searched as one. A query is read in Lucene's
    language, topics as words in which no sign has a meaning; `syntax` says otherwise. `output` writes a run, or saves
    ranks as NAME.ranks.parquet; both say the same under every rule for `ties`.

    In place of an index, `engine` names one that answers over HTTP: "solr:http://localhost:8983/solr/NAME", or
    "opensearch:" or "elasticsearch:" and the address of an index. Everything from `request` on concerns such an engine
    alone: a template of JSON, vectors of the topics, the field that holds ids, how much is asked at once and how
    patiently. Its run has the engine's order and scores, and `latency`; see `rankscope.engines.live`.
    >>> import rankscope
    >>> small = rankscope.index([{"id": "a", "body": "a quick fox"}, {"id": "b", "body": "a dog and a fox"}])
    >>> search(small, "+fox -dog").ids.to_list()
    ['a']
    >>> search(small, topics={"1": "dog"}, qrels={"1": {"b": 1}}).ranks.tolist()
    [1]
    """
    reading: dict[str, Any] = {"format": format, "encoding": encoding, "max_ratio": max_ratio, "download": download}
    live: dict[str, Any] = {"request": request, "vectors": vectors, "id_field": id_field, "page_size": page_size}
    live |= {"workers": workers, "retries": retries, "seconds": seconds, "restart": restart, "progress": progress}
    if engine is not None:
        from rankscope.facade.live_searching import refuse_for_engine, search_engine

        refuse_for_engine(
            {"index": index, "query": query, "qrels": qrels, "expand": expand, "limit": limit, "seed": seed}
            | {"similarity": similarity, "operator": operator, "unmatched": unmatched, "ties": ties}
        )
        asked: dict[str, Any] = {"field": field, "syntax": syntax or "words", "depth": depth, "parts": parts}
        return search_engine(engine, topics, output, system=system, reading=reading, **asked, **live)
    _refuse_without_engine(live)
    if (query is None) == (topics is None):
        raise SettingError("give a query, or topics")
    opened = opened_index(index)
    shared: dict[str, Any] = {"field": field, "expand": expand}
    if query is not None:
        joined = operator.upper()
        return opened.search(
            query,
            similarity,
            limit=limit,
            operator=joined,  # type: ignore[arg-type]
            syntax=syntax or "lucene",
            **shared,
        )
    shared |= {"depth": depth, "unmatched": unmatched, "syntax": syntax or "words"}
    shared["name"] = system_name(system, output, similarity)
    texts = texts_of(topics, parts, **reading)
    if qrels is not None:
        return _save_ranks(opened, texts, qrels, similarity, {"ties": ties, "seed": seed}, output, shared)
    run = opened.run(texts, similarity, **shared)
    _write_run(run, output)
    return run


def unusual_settings(given: Mapping[str, Any]) -> str:
    """Settings of `search` that differ from what goes without saying, as users write them."""
    from inspect import signature

    usual = signature(search).parameters
    return ", ".join(setting_usage(name) for name, value in given.items() if value is not usual[name].default)


def _refuse_without_engine(live: Mapping[str, Any]) -> None:
    if given := unusual_settings(live):
        raise SettingError(f"{given}: only for an engine that answers over HTTP: give {setting_usage('engine')}")


def opened_index(given: Any) -> Index:
    """An index as it is, or opened: one folder, or several as one."""
    from rankscope.engines.text.text_index import Index

    if isinstance(given, Index):
        return given
    folders: Iterable[Any] = [given] if isinstance(given, str | Path) else given
    return Index.open(*folders)


def texts_of(topics: Any, parts: str | Sequence[str] | None = None, *, download: bool = False, **how: Any) -> Any:
    """The texts of topics by their ids."""
    return query_set_of(topics, download=download, **how).texts(parts)


def query_set_of(topics: Any, *, download: bool = False, **how: Any) -> QuerySet:
    """Topics with all their parts."""
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.topics.reading import read_topics

    return read_topics(topics, Reading(**how), download=download)


def system_name(system: str | None, output: str | Path | None, similarity: object) -> str:
    """What results call the system: its own name, that of the file without its endings, or its similarity.

    >>> system_name(None, "runs/bm25-k1.run.gz", "bm25"), system_name(None, "x.ranks.parquet", "bm25")
    ('bm25-k1', 'x')
    """
    from rankscope.inputs.formats import OUR_SUFFIXES
    from rankscope.inputs.sources import without_suffix
    from rankscope.names import one_line

    stem = without_suffix(without_suffix(os.path.basename(output or ""), [RANKS]), OUR_SUFFIXES)
    return one_line(system or stem or str(similarity))


def _write_run(run: Run, output: str | Path | None) -> None:
    from rankscope.inputs.formats import write

    if output is None:
        return
    if str(output).endswith(RANKS):
        raise SettingError(f"NAME{RANKS} holds the ranks of judged documents: give the judgements too (qrels)")
    write(run, output)


def _save_ranks(
    opened: Index,
    texts: Any,
    qrels: Any,
    similarity: str | Similarity,
    ties: Mapping[str, Any],
    output: str | Path | None,
    shared: Mapping[str, Any],
) -> RelevantRanks:
    from rankscope.ranks.storage import save_ranks
    from rankscope.settings import Settings

    ranks = opened.rank(texts, qrels, similarity, Settings(**ties), keep_scores=True, **shared)
    if output is None:
        return ranks
    if not str(output).endswith(RANKS):
        raise SettingError(f"with judgements the result must be called NAME{RANKS}, got '{output}'")
    save_ranks(ranks, output)
    return ranks
