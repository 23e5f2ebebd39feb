"""From pages of the web to documents, from documents to an index, and from an index to hits, runs and ranks.

In place of an index an engine that answers over HTTP can be asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import RANKS_SUFFIX, one_line
from rankscope.core.settings import MAX_RATIO, Settings
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.engines.crawler.state import Gathered
    from rankscope.engines.live.live_run import LiveRun
    from rankscope.engines.text import Hits, Index
    from rankscope.engines.text.expansions import Expansion
    from rankscope.engines.text.similarities import Similarity
    from rankscope.inputs.documents.topics import QuerySet
    from rankscope.inputs.run import Run
    from rankscope.ranks.relevant_ranks import RelevantRanks


Syntax = Literal["words", "lucene"]


@strict_keywords
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
    max_ratio: float = MAX_RATIO,
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
    max_ratio: float = MAX_RATIO,
    download: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Any:
    """What an index is built from: the documents of files, or tables and dictionaries as they are."""
    paths = [documents] if isinstance(documents, str | Path) else documents
    if not isinstance(paths, Sequence) or not paths or not all(isinstance(each, str | Path) for each in paths):
        if fields is not None:
            raise SettingError("fields are chosen from files: give a table the columns that are to be indexed")
        return documents
    from rankscope.inputs.documents.stream import read_documents
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
@strict_keywords
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
    max_ratio: float = MAX_RATIO,
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
        refuse_for_engine(
            {"index": index, "query": query, "qrels": qrels, "expand": expand, "limit": limit, "seed": seed}
            | {"similarity": similarity, "operator": operator, "unmatched": unmatched, "ties": ties}
        )
        asked: dict[str, Any] = {"field": field, "syntax": syntax or "words", "depth": depth, "parts": parts}
        return search_engine(engine, topics, output, system=system, reading=reading, **asked, **live)
    if lost := unusual_settings(live):
        raise SettingError(f"{lost}: only for an engine that answers over HTTP: give {setting_usage('engine')}")
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
    from rankscope.inputs.documents.topics import read_topics
    from rankscope.inputs.reading import Reading

    return read_topics(topics, Reading(**how), download=download)


def system_name(system: str | None, output: str | Path | None, similarity: object) -> str:
    """What results call the system: its own name, that of the file without its endings, or its similarity.

    >>> system_name(None, "runs/bm25-k1.run.gz", "bm25"), system_name(None, "x.ranks.parquet", "bm25")
    ('bm25-k1', 'x')
    """
    from rankscope.inputs.formats.registry import OUR_SUFFIXES
    from rankscope.inputs.sources import without_suffix

    stem = without_suffix(without_suffix(os.path.basename(output or ""), [RANKS_SUFFIX]), OUR_SUFFIXES)
    return one_line(system or stem or str(similarity))


def _write_run(run: Run, output: str | Path | None) -> None:
    from rankscope.inputs.formats.registry import write_file

    if output is None:
        return
    if str(output).endswith(RANKS_SUFFIX):
        raise SettingError(f"NAME{RANKS_SUFFIX} holds the ranks of judged documents: give the judgements too (qrels)")
    write_file(run, output)


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

    ranks = opened.rank(texts, qrels, similarity, Settings(**ties), keep_scores=True, **shared)
    if output is None:
        return ranks
    if not str(output).endswith(RANKS_SUFFIX):
        raise SettingError(f"with judgements the result must be called NAME{RANKS_SUFFIX}, got '{output}'")
    save_ranks(ranks, output)
    return ranks


# Topics to an engine that answers over HTTP.

ENGINE_DEPTH = 1000


def refuse_for_engine(choices: Mapping[str, Any]) -> None:
    """Choices that belong to an index, where they differ from what goes without saying."""
    if given := unusual_settings(choices):
        raise SettingError(
            f"{given}: not with {setting_usage('engine')}, which ranks by itself. What it can do belongs into "
            f"{setting_usage('request', 'FILE.json')}; judgements are for rankscope evaluate"
        )


def search_engine(
    engine: str,
    topics: Any,
    output: str | Path | None = None,
    *,
    request: str | Path | Mapping[str, Any] | None = None,
    vectors: str | Path | Mapping[str, Any] | None = None,
    field: str | None = None,
    syntax: Literal["words", "lucene"] = "words",
    depth: int | None = None,
    parts: str | Sequence[str] | None = None,
    id_field: str | None = None,
    page_size: int = 1000,
    workers: int = 4,
    retries: int = 5,
    seconds: float = 30,
    restart: bool = False,
    system: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    reading: Mapping[str, Any] | None = None,
) -> LiveRun:
    """The run of an engine for topics, as `search(engine=...)` gives it."""
    from rankscope.engines.live.endpoint import DIALECTS, Credentials, EngineAddress, EngineLimits, Extent
    from rankscope.engines.live.live_search import LiveSearch
    from rankscope.engines.live.requests import read_vectors, requests_of

    if topics is None:
        raise SettingError(f"{setting_usage('engine')} needs topics: give {setting_usage('topics', 'FILE')}")
    if str(output).endswith(RANKS_SUFFIX):
        raise SettingError(
            f"NAME{RANKS_SUFFIX} holds ranks of judged documents; an engine gives a run: name it NAME.run"
        )
    address, credentials = EngineAddress.parse(engine), Credentials.from_environment()
    extent, limits = (
        Extent(ENGINE_DEPTH if depth is None else depth, page_size),
        EngineLimits(workers, retries, seconds),
    )
    dialect, queries = DIALECTS[address.kind], query_set_of(topics, **(reading or {}))
    template = _request_template(dialect, request, field, syntax)
    given = None if vectors is None else read_vectors(vectors)
    live = LiveSearch(
        address=address,
        requests=requests_of(queries, queries.texts(parts), template, dialect, given),
        template=template.body,
        id_field=id_field or dialect.id_field,
        extent=extent,
        limits=limits,
        credentials=credentials,
    )
    return live.run(system_name(system, output, address.kind), output, restart, progress)


def _request_template(dialect: Any, request: Any, field: str | None, syntax: Literal["words", "lucene"]) -> Any:
    from rankscope.engines.live.requests import RequestTemplate

    if request is None:
        return RequestTemplate(dialect.usual_request(field, syntax), dropped=dialect.dropped)
    if field is not None:
        usage = setting_usage("request", "FILE.json")
        raise SettingError(f"{setting_usage('field')}: fields stand in the request that {usage} gives")
    return RequestTemplate.read(request, dialect.dropped)


@strict_keywords
def gather(
    addresses: str | Sequence[str],
    output: str | Path,
    *,
    pages: int = 1000,
    depth: int = 3,
    megabytes: float = 5,
    seconds: float = 10,
    pause: float = 1,
    allow: str | Sequence[str] = (),
    contact: str | None = None,
    restart: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """Pages of the hosts that are named to a Parquet table of documents (id, title, text), which `index` reads.

    Links are followed only inside of the folders that `addresses` lie in. robots.txt is obeyed, a host is asked for one
    page at a time with `pause` seconds between, and addresses that are not public are refused unless `allow` names
    them. Interrupted work continues when it is called again in the same way, unless `restart` is true.
    """
    from rankscope.engines.crawler.gathering import GatheringLimits, gather_pages

    rules = GatheringLimits(
        pages=pages, depth=depth, megabytes=megabytes, seconds=seconds, pause=pause, contact=contact
    )
    given = [addresses] if isinstance(addresses, str) else list(addresses)
    allowed = [allow] if isinstance(allow, str) else list(allow)
    return gather_pages(given, output, rules, allow=allowed, restart=restart, progress=progress)
