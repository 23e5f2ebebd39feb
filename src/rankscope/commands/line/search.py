"""`rankscope search`: what an index holds for a query, or the rankings of many topics.

With --engine the run is that of an engine which answers over HTTP: how it came about, how long the engine took, and
what was odd.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.options import text_file_options
from rankscope.commands.line.output import colourful, is_no_run, print_result, progress_line, say
from rankscope.core.errors import SettingError
from rankscope.core.names import RANKS_SUFFIX, one_line
from rankscope.core.settings import SETTINGS, Settings
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.engines.live.live_run import Latency, LiveRun, Oddities
    from rankscope.engines.text import Hits
    from rankscope.engines.text.highlighting import Highlighter


TIES = next(each for each in SETTINGS if each.name == "ties")
ENGINE_OPTIONS = (
    "engine",
    "request",
    "vectors",
    "id_field",
    "page_size",
    "workers",
    "retries",
    "seconds",
    "restart",
)  # what an engine that answers over HTTP has
MARKS = "\ue000", "\ue001"  # around a word of the query until lines are cut: signs that no text has
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


@click.command(
    "search",
    cls=GuardedCommand,
    free_text="query",
    one_text=True,
    short_help="What does it find? A query, or topics to a run or to ranks.",
)
@click.argument(
    "words", nargs=-1, type=Input(), metavar="INDEX... QUERY | INDEX... --topics FILE | --engine KIND:URL --topics FILE"
)
@click.option(
    "--topics", type=Input(), metavar="FILE", help="Search for all topics of this file; all else are indexes."
)
@click.option(
    "--qrels",
    type=Input(),
    metavar="FILE",
    help=f"Judgements: the ranks of all judged documents, as NAME{RANKS_SUFFIX}.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("saved ranks", "a run", makes_folder=True),
    metavar="FILE",
    help=f"Where the rankings go: NAME.run, .jsonl, .parquet, ..., or NAME{RANKS_SUFFIX} with --qrels.",
)
@click.option(
    "--similarity",
    default="bm25",
    show_default=True,
    metavar="NAME",
    help="How documents are scored: 'bm25(k1=0.9, b=0.4)', 'bm25f(title=2, body=1)', classic, 'lm-dirichlet(mu=1000)', "
    "lm-jelinek-mercer, dfr, ib, dfi, axiomatic-f2exp, axiomatic-f2log, boolean.",
)
@click.option(
    "--syntax",
    type=click.Choice(["words", "lucene"]),
    help="Read queries as words, in which no sign has a meaning, or in Lucene's language. Default: lucene for QUERY, "
    "words for topics.",
)
@click.option(
    "--field", metavar="NAME", help="Where words are looked up that name no field. Default: contents or body."
)
@click.option(
    "--operator",
    type=click.Choice(["or", "and"]),
    default="or",
    show_default=True,
    help="Whether QUERY asks for any of its words or for all of them.",
)
@click.option("-n", "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Documents to show.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="List only the first K documents of a topic, and all that score the same as the last of them. Default: every "
    "match; of an engine the first 1000.",
)
@click.option(
    "--unmatched",
    type=click.Choice(["missing", "last"]),
    default="missing",
    show_default=True,
    help="Documents that do not match: not listed, or behind all others as one group of equal scores, for complete "
    "graphs with --ties expected or hash.",
)
@click.option(
    "--expand",
    metavar="NAME",
    help="Take words of the first documents into each query, and search again: 'rm3(terms=20)', rocchio.",
)
@click.option("--parts", metavar="NAMES", help="Parts of the topics to search for, as title+desc. Default: the title.")
@click.option(
    "--ties",
    type=click.Choice([str(each) for each in TIES.choices]),
    default="trec_eval",
    show_default=True,
    help=f"{TIES.meaning}. Of saved ranks; a run keeps equal scores as they are.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of --ties hash.")
@click.option(
    "--format",
    metavar="NAME",
    help="Format of the topics, where it cannot be recognised: tsv, csv, jsonl, trec, xml, smart, parquet.",
)
@text_file_options
@click.option("--download", is_flag=True, help="Let ir_datasets fetch what irds:NAME lacks.")
@click.option(
    "--engine",
    metavar="KIND:URL",
    help="Ask an engine that answers over HTTP in place of an index: solr:http://localhost:8983/solr/NAME, or "
    "opensearch: or elasticsearch: with http://localhost:9200/NAME. Credentials come from the environment.",
)
@click.option(
    "--request",
    type=Input(),
    metavar="FILE.json",
    help="Send this request to the engine, with places that topics fill: {query}, {query.escaped}, {topic.PART}, "
    "{topic.id}, {vector}.",
)
@click.option(
    "--vectors", type=Input(), metavar="FILE", help="Vectors of the topics for {vector}, with ids: .npz or Parquet."
)
@click.option("--id-field", metavar="NAME", help="Field with the document's id in the engine. Default: id or _id.")
@click.option(
    "--page-size",
    type=click.IntRange(1, 10_000),
    default=1000,
    show_default=True,
    help="Ask the engine for so many documents at a time.",
)
@click.option(
    "--workers", type=click.IntRange(1, 256), default=4, show_default=True, help="Ask for so many topics at a time."
)
@click.option(
    "--retries",
    type=click.IntRange(0, 100),
    default=5,
    show_default=True,
    help="Ask the engine again so many times, with growing pauses, when it fails or is busy.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True, max=3600),
    default=30,
    show_default=True,
    help="Wait so long for an answer of the engine.",
)
@click.option("--restart", is_flag=True, help="Begin anew where stopped work with an engine could go on.")
@click.option("--system", metavar="NAME", help="Name in tables and graphs. Default: that of the result's file.")
@click.option("--quiet", is_flag=True, help="No warnings and no messages.")
def search_command(words: tuple[str, ...], topics: str | None, quiet: bool, **given: Any) -> None:
    """What does it find? The first documents for a query; or the rankings of all topics of a file.

    QUERY is Lucene's language: words, "phrases", title:word, +must -not, te?t te*, roam~, [a TO b], word^2. Topics are
    plain words unless --syntax lucene. Several indexes are searched as one. A run and saved ranks of the same search
    give the same numbers. With --engine the run is that of Solr, OpenSearch or Elasticsearch, and NAME.latency.json
    next to it says how long they took; interrupted work continues when the same command is run again.

    \b
    rankscope search cranfield.index 'wing "boundary layer" -supersonic'
    rankscope search cranfield.index -- '-supersonic +wing'
    rankscope search cranfield.index --topics queries.tsv -o bm25.run
    rankscope search cranfield.index --topics queries.tsv --qrels qrels.txt --similarity 'lm-dirichlet(mu=1000)' \\
        -o dirichlet.ranks.parquet
    rankscope search --engine solr:http://localhost:8983/solr/papers --topics queries.tsv -o solr.run
    """
    live = {name: given.pop(name) for name in ENGINE_OPTIONS}
    if live["engine"] is not None:
        rank_live(words, topics, quiet, given, live)
        return
    if lost := options_given(ENGINE_OPTIONS):
        raise SettingError(f"{', '.join(lost)}: belongs to --engine KIND:URL")
    if topics is None:
        _show(words, quiet, given)
    else:
        _rank(words, topics, quiet, given)


def _show(words: tuple[str, ...], quiet: bool, given: dict[str, Any]) -> None:
    from rankscope.commands.search import opened_index, search
    from rankscope.engines.text.highlighting import Highlighter

    if len(words) < 2:
        raise SettingError(
            "search needs an index and a query: rankscope search INDEX... QUERY, or --topics FILE. A query that begins "
            "with a minus has -- before it: rankscope search INDEX... -- -QUERY"
        )
    if alone := [f"--{name}" for name in ("qrels", "output", "parts", "depth") if given[name] is not None]:
        raise SettingError(f"{', '.join(alone)}: belongs to --topics FILE; a query is shown here")
    *folders, query = words
    index = opened_index(folders)
    field: str = given["field"] or index.default_field
    syntax: Any = given["syntax"] or "lucene"
    shown = {name: given[name] for name in ("similarity", "operator", "limit", "expand")}
    hits = search(index, query, syntax=syntax, field=field, **shown)
    parsed = index.parse(query, field, given["operator"].upper(), syntax)
    print_result(hits_text(hits, Highlighter(index.reader, parsed, field), colourful(sys.stdout)))
    if not quiet:
        say(_found_words(hits))


def _found_words(hits: Hits) -> str:
    if not hits.total:
        return "no document matches"
    matching = how_many(hits.total, "document matches", "documents match")
    if hits.total == len(hits):
        return matching
    return f"{matching}; the first {'is' if len(hits) == 1 else f'{len(hits)} are'} shown"


def hits_text(hits: Hits, highlighter: Highlighter, colour: bool = False) -> str:
    """Rank, score, id and title of each hit, and below it the piece of its text that has most of the query."""
    names = [one_line(name) for name in hits.ids]
    scores = [f"{score:.4f}" for score in hits.scores.tolist()]
    wide = max(map(len, names), default=0), max(map(len, scores), default=0), len(str(len(names)))
    room = max(shutil.get_terminal_size((100, 24)).columns - sum(wide) - 6, 30)
    lines = []
    for rank, (name, score, doc) in enumerate(zip(names, scores, hits.docs.tolist(), strict=True), 1):
        head, *more = document_lines(hits.reader.stored(doc), highlighter, room, colour)
        lines.append(f"{rank:>{wide[2]}}  {score:>{wide[1]}}  {name:<{wide[0]}}  {head}".rstrip())
        lines += [f"{'':{sum(wide) + 6}}{each}" for each in more]
    return "".join(f"{line}\n" for line in lines)


def document_lines(
    stored: dict[str, str | None], highlighter: Highlighter, room: int, colour: bool = False
) -> list[str]:
    """The title, and the best piece of the text that is not the title again, the query's words bold where colours are.

    >>> from rankscope.engines.text import Index
    >>> from rankscope.engines.text.highlighting import Highlighter
    >>> index = Index.build([{"id": "a", "title": "A fox", "contents": "A fox\\nlives in a den. It is red."}])
    >>> document_lines(index.document("a"), Highlighter(index.reader, index.parse("red"), "contents"), room=40)
    ['A fox', 'lives in a den. It is red.']
    """
    title = " ".join((stored.get("title") or "").split())
    text = stored.get(highlighter.field) or ""
    rest = " ".join(text.removeprefix(stored.get("title") or "").split()).removeprefix(title).strip()
    pieces = highlighter.fragments(rest, 1, 2 * room - 8) if rest else []
    found = [line for piece in pieces for line in textwrap.wrap(piece.plain(*MARKS), room)]
    head = one_line(title if len(title) <= room else f"{title[: room - 4].rstrip()} ...")
    begin, end = (BOLD, PLAIN) if colour else ("", "")
    marked = [line.replace(MARKS[0], begin).replace(MARKS[1], end) for line in found]
    return [each for each in (head, *marked) if each] or [""]


def _rank(words: tuple[str, ...], topics: str, quiet: bool, given: dict[str, Any]) -> None:
    from rankscope.commands.search import search, texts_of

    output, qrels = given["output"], given["qrels"]
    if output is None:
        raise SettingError(f"--topics needs -o FILE: NAME.run for a run, or NAME{RANKS_SUFFIX} with --qrels FILE")
    if is_no_run(output):
        raise SettingError(f"{output}: a run is a list for programs, in no such format. Give -o NAME.run, .jsonl, ...")
    if (qrels is not None) != output.endswith(RANKS_SUFFIX):
        raise SettingError(
            f"--qrels FILE and -o NAME{RANKS_SUFFIX} belong together: a run of another name needs no judgements"
        )
    for name in ("limit", "operator"):
        given.pop(name)
    reading = {name: given[name] for name in ("parts", "format", "encoding", "max_ratio", "download")}
    texts = texts_of(topics, **reading)
    found = search(list(words), topics=texts, **{**given, "parts": None})
    if quiet:
        return
    if qrels is not None:
        _tell_ranks(found, given)
    say(f"{output}: {how_many(len(texts), 'topics')}, {given['similarity']}")


def _tell_ranks(ranks: Any, given: dict[str, Any]) -> None:
    """The cautions of `evaluate`, and where the order of equal scores decides much."""
    from rankscope.measures.evaluation.coverage import warnings_of
    from rankscope.measures.evaluation.scores import SystemScores

    for caution in warnings_of(SystemScores(ranks, ()), Settings(ties=given["ties"], seed=given["seed"])):
        say(f"! {caution.text}")
    if given["unmatched"] == "last" and given["ties"] not in ("expected", "hash"):
        say("! unmatched documents are in the order of their ids: --ties expected or hash favours none of them")


PERCENTILES = ("p50", "p90", "p95", "p99", "max")
INDEX_OPTIONS = ("similarity", "operator", "limit", "unmatched", "expand", "ties", "seed", "qrels")


def rank_live(
    words: tuple[str, ...], topics: str | None, quiet: bool, given: dict[str, Any], live: dict[str, Any]
) -> None:
    """Ask the engine for all topics, and say what came of it."""
    from rankscope.commands.search import search

    _check_engine_options(words, topics, given["output"])
    shared = {name: value for name, value in given.items() if name not in INDEX_OPTIONS}
    try:
        with progress_line(quiet) as show:
            shown = None if show is None else lambda done, whole: show("asking", done / whole)
            run = search(topics=topics, progress=shown, **shared, **live)
    except KeyboardInterrupt:
        if not quiet:
            say("stopped: give the same command again to go on")
        raise
    if not quiet:
        for line in _lines_of_run(run, live, given["output"]):
            say(line)


def options_given(names: tuple[str, ...]) -> list[str]:
    """Those of some options that were given on the command line, as they are written."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name.replace('_', '-')}" for name in names if source(name) == ParameterSource.COMMANDLINE]


def _check_engine_options(words: tuple[str, ...], topics: str | None, output: str | None) -> None:
    """Everything about --engine that cannot be, at once."""
    others = options_given(INDEX_OPTIONS)
    problems = [f"'{words[0]}': --engine takes the place of an index and of a query"] if words else []
    problems += [] if topics else ["--engine needs --topics FILE"]
    problems += [] if output else ["--engine needs -o NAME.run"]
    problems += [f"{output}: a run is a list for programs; give -o NAME.run"] if output and is_no_run(output) else []
    problems += [f"{', '.join(others)}: an engine ranks by itself; --request FILE.json says how"] if others else []
    if problems:
        raise SettingError.of(problems)


def _lines_of_run(run: LiveRun, live: dict[str, Any], output: str) -> Iterator[str]:
    from rankscope.engines.live.endpoint import Credentials, EngineAddress
    from rankscope.engines.live.live_run import latency_path
    from rankscope.inputs.formats.registry import format_of_path

    address, latency = EngineAddress.parse(live["engine"]), run.latency
    again = f", {latency.retries:,} of them sent again" if latency.retries else ""
    more = "; earlier work went on" if run.resumed else ""
    yield f"{output}: {how_many(latency.topics, 'topics')} from {address}{more}"
    yield f"  {how_many(latency.requests, 'requests')}, {live['workers']} at a time{again}; {latency_path(output)}:"
    yield from _latency_table(latency)
    yield from _cautions(run.oddities, format_of_path(output).name == "trec")
    if address.is_open and Credentials.from_environment().header:
        yield "! credentials were sent unencrypted: give an address with https:// if there is one"


def _latency_table(latency: Latency) -> Iterator[str]:
    """The percentiles; all pages only where there are more than the first ones."""
    rows = {
        "first page": latency.first_page,
        "all pages": latency.whole_topic if latency.requests > latency.topics else None,
        "engine's own": latency.engine_time,
    }
    yield f"  {'milliseconds':<14}" + "".join(f"{name:>10}" for name in PERCENTILES)
    for name, row in rows.items():
        if row is not None:
            yield f"  {name:<14}" + "".join(f"{getattr(row, each):>10,.1f}" for each in PERCENTILES)


def _cautions(odd: Oddities, has_ranks: bool) -> Iterator[str]:
    """What to know before the run is evaluated."""
    if odd.empty:
        yield f"! {how_many(odd.empty, 'topics')} found nothing: is the field searched the right one?"
    if odd.tied and not odd.unordered:
        rule = "rank" if has_ranks else "given"
        tied = how_many(odd.tied, "topics")
        yield f"  {tied} with equal scores: evaluate with --ties {rule} to keep the engine's order"
    if odd.unordered and has_ranks:
        yield f"! {how_many(odd.unordered, 'topics')} not in the order of scores: evaluate with --ties rank"
    if odd.unordered and not has_ranks:
        yield f"! {how_many(odd.unordered, 'topics')} not in the order of scores, which only NAME.run can hold"
    if odd.duplicates or odd.moved:
        dropped = f"{how_many(odd.duplicates, 'documents')} came twice and the first counts"
        moved = f"matches changed between the pages of {how_many(odd.moved, 'topics')}"
        yield f"! {'; '.join([dropped] * bool(odd.duplicates) + [moved] * bool(odd.moved))}"
