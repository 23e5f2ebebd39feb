"""JSON that search engines and tools write: responses of Elasticsearch, OpenSearch and Solr, ratings, cases and
snapshots of Quepid, files of the Rated Ranking Evaluator, and KILT's provenance of pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rankscope.inputs.formats.json_rows import QUERY_WORDS, ResultRows, fields_of, list_of
from rankscope.inputs.formats.registry import HOLDS_EITHER, HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.problems import shorten_value
from rankscope.inputs.values import as_number

# Elasticsearch and OpenSearch: responses of _search and _msearch as runs, requests of _rank_eval as judgements.

QUERY_NAMES_BESIDE = tuple(word for word in QUERY_WORDS if word != "_id")
NAMES_OF_RESPONSES = ("response", "body", "raw")

ELASTIC_SHAPE = InputShape(
    name="Elasticsearch or OpenSearch response",
    holds=HOLDS_RUN,
    about="What `_search` answers: `hits.hits` with `_id` and `_score`, one response in a file, several in a list, or "
    "one on each line. A response does not say what was asked: a query id next to it is taken "
    '({"qid": "q1", "hits": ...} or {"qid": "q1", "response": {...}}); else a file with one response is called '
    "after itself, and several are numbered from 1. Where `_score` is null (sorted by a field) the order counts.",
    examples=(
        Example(
            "red-shoes.json",
            '{"took": 3, "timed_out": false,\n "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},\n'
            ' "hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 3.1, "hits": [\n'
            '  {"_index": "products", "_id": "p7", "_score": 3.1, "_source": {"sku": "R-7"}},\n'
            '  {"_index": "products", "_id": "p2", "_score": 2.4, "_source": {"sku": "R-2"}}]}}\n',
        ),
        Example(
            "responses.jsonl",
            '{"qid": "q1", "hits": {"hits": [{"_id": "p7", "_score": 3.1, "_source": {"sku": "R-7"}}]}}\n'
            '{"qid": "q2", "hits": {"hits": [{"_id": "p4", "_score": 1.9, "_source": {"sku": "R-4"}}]}}\n',
            columns="item=_source.sku",
        ),
    ),
)
MSEARCH_SHAPE = InputShape(
    name="_msearch response",
    holds=HOLDS_RUN,
    about="`responses` in the order of the requests, which carry no ids: they are numbered from 1.",
    examples=(
        Example(
            "msearch.json",
            '{"took": 5, "responses": [\n'
            '  {"hits": {"hits": [{"_id": "p7", "_score": 3.1}, {"_id": "p2", "_score": 2.4}]}, "status": 200},\n'
            '  {"hits": {"hits": [{"_id": "p4", "_score": 1.9}]}, "status": 200}]}\n',
        ),
    ),
)
RANK_EVAL_SHAPE = InputShape(
    name="_rank_eval request",
    holds=HOLDS_JUDGEMENTS,
    about="`requests`, each with an `id` and `ratings` of documents by `_id`.",
    examples=(
        Example(
            "rank_eval.json",
            '{"requests": [\n  {"id": "q1", "request": {"query": {"match": {"title": "red shoes"}}},\n'
            '   "ratings": [{"_index": "products", "_id": "p7", "rating": 3}, '
            '{"_index": "products", "_id": "p9", "rating": 0}]}],\n'
            ' "metric": {"precision": {"k": 10}}}\n',
            HOLDS_JUDGEMENTS,
        ),
    ),
)


def _elastic_hits(record: dict[Any, Any]) -> list[Any] | None:
    inner = fields_of(record.get("hits"))
    return None if inner is None else list_of(inner.get("hits"))


def _elastic_response(record: dict[Any, Any]) -> dict[Any, Any] | None:
    """The response itself, or one wrapped with what was asked."""
    if "hits" in record or "error" in record:
        return record if _elastic_hits(record) is not None or fields_of(record.get("error")) is not None else None
    wrapped = (fields_of(record.get(name)) for name in NAMES_OF_RESPONSES)
    return next((each for each in wrapped if each is not None and _elastic_hits(each) is not None), None)


class ElasticResponse:
    """One response of `_search`."""

    shape = ELASTIC_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By hits within hits, or an error in their place."""
        return _elastic_response(record) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its hits in their order; an error in place of hits is a problem."""
        whole = fields_of(record) or {}
        response = _elastic_response(whole) or {}
        asked = None if "error" in response and hits.answered is None else hits.query_of(whole, QUERY_NAMES_BESIDE)
        found = _elastic_hits(response)
        if found is None:
            error = fields_of(response.get("error")) or {}
            place = f"response {number}" if asked is None else f"query {asked}"
            hits.problems.add(place, f"is an error: {shorten_value(error.get('type', error))}")
        else:
            hits.add_numbered(asked, number, of, found)


class SeveralResponses:
    """The responses of `_msearch`."""

    shape = MSEARCH_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By a list of responses."""
        return list_of(record.get("responses")) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Each response under its number."""
        one = ElasticResponse()
        responses = list_of((fields_of(record) or {}).get("responses")) or []
        before = hits.numbered
        for place, response in enumerate(responses, before + 1):
            if one.recognises(fields_of(response) or {}, hits):
                one.add(response, place, 2, hits)
            else:
                hits.problems.add(f"response {place}", f"must hold hits, got {shorten_value(response)}")


class RatingRequests:
    """The request of `_rank_eval`."""

    shape = RANK_EVAL_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By requests that have ratings."""
        requests = list_of(record.get("requests")) or [None]
        return "ratings" in (fields_of(requests[0]) or {})

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The ratings of each request under its id."""
        requests = list_of((fields_of(record) or {}).get("requests")) or []
        for place, each in enumerate(requests, 1):
            found = (fields_of(each) or {}).get("ratings")
            hits.add_numbered(hits.query_of(each, ("id",)), place, len(requests), found)


# Solr: what `select` answers as JSON.

SOLR_SHAPE = InputShape(
    name="Solr response",
    holds=HOLDS_RUN,
    about="`response.docs`, with a score where `fl` asks for it, else the order counts; one response in a file, "
    "several in a list, or one on each line. The query is `responseHeader.params.q` where parameters are echoed, "
    "unless an id is next to it; else it is called after the file, or numbered. The id is the field `id`; another is "
    "mapped.",
    examples=(
        Example(
            "solr.json",
            '{"responseHeader": {"status": 0, "QTime": 2, "params": {"q": "red shoes", "fl": "id,score"}},\n'
            ' "response": {"numFound": 2, "start": 0, "maxScore": 3.1, "numFoundExact": true, "docs": [\n'
            '  {"id": "p7", "score": 3.1}, {"id": "p2", "score": 2.4}]}}\n',
        ),
        Example(
            "solr.jsonl",
            '{"responseHeader": {"params": {"q": "red shoes", "qid": "17"}}, "response": {"docs": [{"sku": "R-7"}]}}\n'
            '{"responseHeader": {"params": {"q": "blue hat", "qid": "18"}}, "response": {"docs": [{"sku": "R-4"}]}}\n',
            columns="query=responseHeader.params.qid,item=sku",
        ),
    ),
)


def _solr_docs(record: dict[Any, Any]) -> list[Any] | None:
    response = fields_of(record.get("response"))
    return None if response is None else list_of(response.get("docs"))


class SolrResponse:
    """One response of `select`."""

    shape = SOLR_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By documents within a response."""
        return _solr_docs(record) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """Its documents in their order."""
        whole = fields_of(record) or {}
        query = hits.query_of(whole, QUERY_WORDS)
        if query is None and "query" not in hits.choices.columns:
            header = fields_of(whole.get("responseHeader")) or {}
            query = (fields_of(header.get("params")) or {}).get("q")
        hits.add_numbered(query, number, of, _solr_docs(whole) or [])


# Quepid: ratings and cases as judgements, snapshots as runs.

QUEPID_TEXTS = ("query", "query_text")

QUEPID_RATINGS_SHAPE = InputShape(
    name="Quepid ratings or case",
    holds=HOLDS_JUDGEMENTS,
    about="`queries` with their `ratings`, as Quepid exports ratings (JSON) and whole cases. Queries are called by "
    "their text, as in its CSV; a query without ratings gives no judgements. Its CSV (query, docid, rating) is a "
    "table, in which rows without a rating are left out; its TREC export is TREC text, its LTR "
    "export is LETOR text, its RRE export has the shape of RRE's ratings.",
    examples=(
        Example(
            "quepid.json",
            '{"queries": [\n  {"query": "red shoes", "ratings": {"p7": 3, "p9": 0}},\n'
            '  {"query": "blue hat", "ratings": {}}]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example("quepid.csv", "query,docid,rating\nred shoes,p7,3\nred shoes,p9,0\nblue hat\n", HOLDS_JUDGEMENTS),
    ),
)
QUEPID_SNAPSHOT_SHAPE = InputShape(
    name="Quepid snapshot",
    holds=HOLDS_RUN,
    about="`docs` by number of the query, and `queries` with their texts, by which they are called. Documents that "
    "Quepid shows only because they are rated (`rated_only`) are no results and left out. The order counts.",
    examples=(
        Example(
            "snapshot.json",
            '{"id": 12, "name": "BM25", "docs": {"41": [{"id": "p7", "explain": "{}", "rated_only": false},\n'
            '  {"id": "p9", "explain": "{}", "rated_only": true}, {"id": "p2", "explain": "{}"}]},\n'
            ' "queries": [{"query_id": 41, "query_text": "red shoes"}]}\n',
        ),
    ),
)


def _objects_in(value: Any) -> list[dict[Any, Any]]:
    """The objects of a list, what is none left out."""
    return [fields for each in list_of(value) or [] if (fields := fields_of(each)) is not None]


class QuepidRatings:
    """Ratings by query."""

    shape = QUEPID_RATINGS_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By queries that have ratings, and no documents next to them."""
        rated = any("ratings" in each for each in _objects_in(record.get("queries")))
        return rated and fields_of(record.get("docs")) is None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The ratings under the text of each query."""
        for place, each in enumerate(_objects_in((fields_of(record) or {}).get("queries")), 1):
            ratings = each.get("ratings")
            hits.add_numbered(hits.query_of(each, QUEPID_TEXTS), place, 2, [] if ratings is None else ratings)


class QuepidSnapshot:
    """Results by number of the query."""

    shape = QUEPID_SNAPSHOT_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By documents in an object next to a list of queries."""
        return fields_of(record.get("docs")) is not None and list_of(record.get("queries")) is not None

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """What was found under the text of each query."""
        fields = fields_of(record) or {}
        texts = {
            str(each.get("query_id", each.get("id"))): hits.query_of(each, QUEPID_TEXTS)
            for each in _objects_in(fields.get("queries"))
        }
        for query, docs in (fields_of(fields.get("docs")) or {}).items():
            listed = list_of(docs)
            found = [each for each in listed or [] if not (fields_of(each) or {}).get("rated_only")]
            hits.add(texts.get(str(query)) or query, docs if listed is None else found)


# Rated Ranking Evaluator: its ratings as judgements, what it found as runs.

RRE_RATINGS_SHAPE = InputShape(
    name="RRE ratings",
    holds=HOLDS_JUDGEMENTS,
    about="`topics` with `query_groups`, or these or `queries` alone (Quepid's RRE export); `relevant_documents` as "
    "{id: {gain: number}} or {gain: [ids]}. Each query is called by its placeholder `$query`, or the one that "
    "`query_placeholder` names; queries of a group share its documents.",
    examples=(
        Example(
            "ratings.json",
            '{"index": "core1", "id_field": "id", "topics": [{"description": "Shoes", "query_groups": [\n'
            '  {"name": "by colour", "queries": [\n'
            '    {"template": "only_q.json", "placeholders": {"$query": "red shoes"}},\n'
            '    {"template": "only_q.json", "placeholders": {"$query": "shoes red"}}],\n'
            '   "relevant_documents": {"p7": {"gain": 3}, "p2": {"gain": 2}}}]}]}\n',
            HOLDS_JUDGEMENTS,
        ),
        Example(
            "quepid-rre.json",
            '{"id_field": "id", "index": "Shoes", "template": "template.json", "queries": [\n'
            '  {"placeholders": {"$query": "red shoes"}, "relevant_documents": {"0": ["p9"], "3": ["p7", "p2"]}}]}\n',
            HOLDS_JUDGEMENTS,
        ),
    ),
)
RRE_EVALUATION_SHAPE = InputShape(
    name="RRE evaluation",
    holds=HOLDS_RUN,
    about="evaluation.json: the hits of each query evaluation, by version of the configuration. Of several versions "
    "one is chosen behind a #: `evaluation.json#v1.1`. A query is called by its parameter `q`.",
    examples=(
        Example(
            "evaluation.json",
            '{"name": "Ranking Evaluation Report", "corpora": [{"name": "shoes.json", "topics": [{"name": "Shoes",\n'
            '  "query-groups": [{"name": "by colour", "query-evaluations": [\n'
            '   {"query": "{\\"q\\": \\"red shoes\\"}", "results": {"v1.0": {"total-hits": 2, "hits": [\n'
            '     {"id": "p7", "score": 3.1, "_isRelevant": true, "_gain": 3}, {"id": "p2", "score": 2.4}]}}}]}]}]}]}'
            "\n",
        ),
    ),
)


def _rre_groups(record: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    """Query groups, wherever they stand; queries that have documents of their own are groups of one."""
    for topic in _objects_in(record.get("topics")):
        yield from _rre_groups(topic)
    yield from _objects_in(record.get("query_groups"))
    for query in _objects_in(record.get("queries")):
        if "relevant_documents" in query:
            yield {"queries": [query], "relevant_documents": query["relevant_documents"]}


class RreRatings:
    """Documents by gain, or gains by document."""

    shape = RRE_RATINGS_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By relevant documents of a group of queries."""
        return any("relevant_documents" in each for each in _rre_groups(record))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The documents of a group under each of its queries."""
        whole = fields_of(record) or {}
        name = str(whole.get("query_placeholder", "$query"))
        for group in _rre_groups(whole):
            graded = list(_rre_grades(group.get("relevant_documents"), hits))
            for query in _objects_in(group.get("queries")):
                placeholders = fields_of(query.get("placeholders")) or {}
                hits.add(placeholders.get(name, next(iter(placeholders.values()), group.get("name"))), graded)


def _rre_grades(documents: Any, hits: ResultRows) -> Iterator[list[Any]]:
    """Documents with their gains, from either form."""
    fields = fields_of(documents)
    if fields is None:
        hits.problems.add("", f"relevant_documents must be an object, got {shorten_value(documents)}")
        return
    for name, value in fields.items():
        if (listed := list_of(value)) is not None:
            yield from ([each, as_number(name) if as_number(name) is not None else name] for each in listed)
        else:
            inner = fields_of(value)
            yield [name, value if inner is None else inner.get("gain", "no gain")]


class RreEvaluation:
    """What each version of a configuration found."""

    shape = RRE_EVALUATION_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By corpora that have topics."""
        return any("topics" in each for each in _objects_in(record.get("corpora")))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """The hits of the only version, or of the one chosen."""
        evaluations = list(_rre_evaluations(fields_of(record) or {}))
        versions = list(dict.fromkeys(name for each in evaluations for name in fields_of(each.get("results")) or {}))
        chosen = hits.choices.part or (versions[0] if len(versions) == 1 else "")
        if chosen not in versions:
            what = f"has no version '{chosen}'" if chosen else f"holds {len(versions)} rankings"
            advice = f"Choose one behind a #: {hits.choices.stem}.json#{versions[0] if versions else 'v1.0'}"
            hits.problems.add("", f"{what}; versions: {', '.join(map(str, versions)) or 'none'}", advice)
            return
        for each in evaluations:
            result = fields_of((fields_of(each.get("results")) or {}).get(chosen)) or {}
            hits.add(_rre_query_text(each.get("query")), result.get("hits", []))


def _rre_evaluations(record: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    for corpus in _objects_in(record.get("corpora")):
        for topic in _objects_in(corpus.get("topics")):
            for group in _objects_in(topic.get("query-groups")):
                yield from _objects_in(group.get("query-evaluations"))


def _rre_query_text(query: Any) -> Any:
    """The parameter `q` of a query written as JSON; the text as it is where it has none."""
    if not isinstance(query, str):
        return query
    try:
        inner = json.loads(query)
    except (ValueError, RecursionError):
        return query
    return inner["q"] if isinstance(inner, dict) and isinstance(inner.get("q"), str) else query.strip()


# KILT, as Pyserini writes it too: provenance of pages.

KILT_LINES = (
    '{"id": "q1", "input": "Who wrote it?", "output": [{"provenance": [{"wikipedia_id": "290"}, '
    '{"wikipedia_id": "12"}]}]}\n'
    '{"id": "q2", "input": "When?", "output": [{"provenance": [{"wikipedia_id": "73"}]}]}\n'
)
KILT_SHAPE = InputShape(
    name="KILT",
    holds=HOLDS_EITHER,
    about="An object on each line with `id` and `output`, whose `provenance` lists pages: of guesses (Pyserini's "
    "--output-format kilt) in their order, as judgements each page has grade 1. A page that comes again under a "
    "query counts once, at its first place.",
    examples=(Example("kilt.jsonl", KILT_LINES), Example("kilt-dev.jsonl", KILT_LINES, HOLDS_JUDGEMENTS)),
)


class Kilt:
    """One question with its pages."""

    shape = KILT_SHAPE

    def recognises(self, record: dict[Any, Any], hits: ResultRows) -> bool:
        """By the provenance of an output."""
        return any("provenance" in each for each in _objects_in(record.get("output")))

    def add(self, record: Any, number: int, of: int, hits: ResultRows) -> None:
        """All pages of all outputs, each once."""
        fields = fields_of(record) or {}
        once: dict[str, Any] = {}
        for output in _objects_in(fields.get("output")):
            for page in list_of(output.get("provenance")) or []:
                once.setdefault(str((fields_of(page) or {}).get("wikipedia_id", page)), page)
        hits.add_numbered(hits.query_of(fields, ("id",)), number, of, list(once.values()))
