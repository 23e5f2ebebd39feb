"""The real opensearch-py asks the service, unchanged; every answer is what the index answers in this process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rankscope.engines.text import Index
from tests.needs import needed_module
from tests.workbench.projects import small_index

opensearchpy: Any = needed_module("opensearchpy", "dev")


@pytest.fixture
def client(address: str) -> Any:
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)
    found = opensearchpy.OpenSearch(address, timeout=20)
    yield found
    found.close()


def listed(answer: Any) -> list[tuple[str, np.float32]]:
    return [(hit["_id"], np.float32(hit["_score"])) for hit in answer["hits"]["hits"]]


def in_process(query: Any, index: Index | None = None, **how: Any) -> list[tuple[str, np.float32]]:
    hits = (index or small_index()).search(query, limit=None, **how)
    return list(zip(hits.ids.to_list(), hits.scores, strict=True))


SAME = [  # a query of OpenSearch, and the same in Lucene's language
    ({"match": {"body": "fox den"}}, "fox den"),
    ({"match": {"body": {"query": "fox den", "operator": "and"}}}, "+fox +den"),
    ({"match": {"body": {"query": "fox den cat", "minimum_should_match": 1, "boost": 2}}}, "(fox den cat)^2"),
    ({"match": {"body": {"query": "fxo", "fuzziness": "AUTO"}}}, "fxo~1"),
    ({"match_phrase": {"body": "fox"}}, "fox"),
    ({"match_phrase": {"body": "night fox"}}, '"night fox"'),
    ({"match_phrase": {"body": {"query": "night fox", "slop": 3}}}, '"night fox"~3'),
    ({"multi_match": {"query": "snow", "fields": ["title^2", "body"], "type": "most_fields"}}, "title:snow^2 snow"),
    ({"multi_match": {"query": "snow", "fields": ["body"]}}, "snow"),
    ({"query_string": {"query": "title:dog OR fox^2"}}, "title:dog OR fox^2"),
    ({"query_string": {"query": "fox 1", "default_field": "title", "default_operator": "AND"}}, "+title:fox +title:1"),
    ({"term": {"body": "fox"}}, "fox"),
    ({"term": {"body": {"value": "fox", "boost": 3}}}, "fox^3"),
    ({"terms": {"body": ["fox", "den"]}}, "+(fox den)^0 +*:*"),
    ({"ids": {"values": ["d03", "d07"]}}, "+id:(d03 d07)^0 +*:*"),
    ({"prefix": {"body": "ri"}}, "ri*"),
    ({"wildcard": {"body": {"value": "s*n?"}}}, "s*n?"),
    ({"regexp": {"body": "st.n."}}, "/st.n./"),
    ({"fuzzy": {"body": {"value": "fxo", "fuzziness": 1}}}, "fxo~1"),
    ({"range": {"title": {"gte": "dog", "lt": "fox"}}}, "title:[dog TO fox}"),
    ({"exists": {"field": "title"}}, "title:[* TO *]"),
    ({"match_all": {}}, "*:*"),
    ({"bool": {"must": {"match": {"body": "fox"}}, "should": [{"match": {"body": "den"}}]}}, "+fox den"),
    ({"bool": {"must": [{"match": {"body": "fox"}}], "must_not": [{"term": {"body": "cat"}}]}}, "+fox -cat"),
    ({"bool": {"filter": [{"term": {"body": "fox"}}], "should": [{"term": {"body": "den"}}]}}, "+fox^0 den"),
    ({"bool": {"must_not": [{"term": {"body": "fox"}}]}}, "+*:*^0 -fox"),
    ({"constant_score": {"filter": {"term": {"body": "fox"}}, "boost": 1.5}}, "+fox^0 +*:*^1.5"),
]


@pytest.mark.parametrize(("query", "same"), SAME, ids=[str(same) for _, same in SAME])
def test_a_query_means_what_it_means_in_lucenes_language(query: Any, same: str, client: Any) -> None:
    found = client.search(index="docs", body={"query": query, "size": 100})
    expected = in_process(same)
    assert listed(found) == expected
    assert found["hits"]["total"] == {"value": len(expected), "relation": "eq"}
    assert expected


def test_a_query_in_the_address_is_lucenes_language(client: Any) -> None:
    found = client.search(index="docs", q="fox AND night", size=100)
    assert listed(found) == in_process("fox AND night")
    narrow = client.search(index="docs", q="fox 1", df="title", default_operator="AND", size=100)
    assert listed(narrow) == in_process("+title:fox +title:1")


def test_the_best_field_counts(client: Any) -> None:
    query = {"multi_match": {"query": "snow", "fields": ["title^3", "body"], "tie_breaker": 0.5}}
    found = dict(listed(client.search(index="docs", body={"query": query, "size": 100})))
    title, body = dict(in_process("title:snow^3")), dict(in_process("snow"))
    for name in title.keys() | body.keys():
        best, other = sorted((float(title.get(name, 0)), float(body.get(name, 0))), reverse=True)
        assert found[name] == pytest.approx(best + other / 2, rel=1e-6)
    assert found.keys() == title.keys() | body.keys()


def test_words_of_a_text_are_looked_for_in_several_fields(client: Any) -> None:
    query = {"query_string": {"query": "+snow title:1", "fields": ["title", "body"]}}
    found = dict(listed(client.search(index="docs", body={"query": query, "size": 100})))
    title, body, one = (dict(in_process(text)) for text in ("title:snow", "snow", "title:1"))
    expected = {name: max(title.get(name, 0), body.get(name, 0)) + one.get(name, 0) for name in {*title, *body}}
    assert found.keys() == expected.keys()
    assert [found[name] for name in found] == pytest.approx([expected[name] for name in found], rel=1e-6)


@pytest.mark.parametrize(("minimum", "least"), [(2, 2), ("-1", 3), ("75%", 3), ("50%", 2), (4, 4)])
def test_so_many_must_match(minimum: Any, least: int, client: Any) -> None:
    words = ["fox", "den", "cat", "leaf"]
    should = [{"term": {"body": word}} for word in words]
    query = {"bool": {"should": should, "minimum_should_match": minimum}}
    found = client.search(index="docs", body={"query": query, "size": 100})
    having = [{name for name, _ in in_process(word)} for word in words]
    expected = [each for each in in_process(" ".join(words)) if sum(each[0] in names for names in having) >= least]
    assert listed(found) == expected
    match = {"match": {"body": {"query": " ".join(words), "minimum_should_match": minimum}}}
    assert listed(client.search(index="docs", body={"query": match, "size": 100})) == expected


def test_pages_follow_each_other(client: Any) -> None:
    body = {"query": {"match": {"body": "fox night"}}}
    pages = [client.search(index="docs", body=body, from_=start, size=7) for start in range(0, 70, 7)]
    assert [each for page in pages for each in listed(page)] == in_process("fox night")


def test_a_scan_gives_every_document_once(client: Any) -> None:
    found = [hit["_id"] for hit in opensearchpy.helpers.scan(client, index="docs", size=7)]
    assert found == small_index().reader.ids.to_list()
    query = {"query": {"match": {"body": "fox"}}}
    ranked = opensearchpy.helpers.scan(client, index="docs", query=query, size=7, preserve_order=True)
    assert [hit["_id"] for hit in ranked] == [name for name, _ in in_process("fox")]


def test_sorting_and_its_values(client: Any) -> None:
    body = {"sort": [{"title": {"order": "desc"}}, "_id"], "size": 100, "_source": False}
    hits = client.search(index="docs", body=body)["hits"]["hits"]
    titles = [hit["sort"][0] for hit in hits]
    there = sorted(filter(None, titles), reverse=True)
    assert titles == [*there, *[None] * (60 - len(there))]
    assert {hit["_score"] for hit in hits} == {None}
    assert all("_source" not in hit for hit in hits)
    tracked = client.search(index="docs", q="fox", sort="title:asc", track_scores=True)["hits"]["hits"]
    assert [np.float32(hit["_score"]) for hit in tracked] == [dict(in_process("fox"))[hit["_id"]] for hit in tracked]


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        (True, {"title", "body"}),
        (["ti*"], {"title"}),
        ("body", {"body"}),
        ({"excludes": ["body"]}, {"title"}),
        ({"includes": ["*"], "excludes": "x"}, {"title", "body"}),
    ],
)
def test_sources_are_shown_as_asked(source: Any, fields: set[str], client: Any) -> None:
    (hit,) = client.search(index="docs", body={"query": {"ids": {"values": "d03"}}, "_source": source})["hits"]["hits"]
    assert hit["_source"] == {name: small_index().document("d03")[name] for name in fields}


def test_highlights_are_those_of_the_index(client: Any) -> None:
    how = {"fields": {"body": {"number_of_fragments": 2, "fragment_size": 20}, "ti*": {"pre_tags": ["["]}}}
    body = {"query": {"match": {"body": "night fox"}}, "highlight": how, "size": 60}
    for hit in client.search(index="docs", body=body)["hits"]["hits"]:
        pieces = small_index().highlight("night fox", hit["_id"], "body", fragments=2, size=20)
        marked = ["".join(f"<em>{part}</em>" if on else part for part, on in each) for each in pieces]
        assert hit["highlight"] == {"body": marked}  # nothing was looked for in the title
    whole = {"fields": {"title": {"number_of_fragments": 0, "no_match_size": 3, "encoder": "html"}}}
    body = {"query": {"match": {"title": "snow"}}, "highlight": whole, "size": 1}
    (hit,) = client.search(index="docs", body=body)["hits"]["hits"]
    assert hit["highlight"]["title"][0].startswith("<em>snow</em> ")


def test_scores_are_explained(client: Any) -> None:
    body = {"query": {"match": {"body": "fox den"}}, "explain": True, "size": 3}
    for hit in client.search(index="docs", body=body)["hits"]["hits"]:
        assert hit["_explanation"]["value"] == pytest.approx(hit["_score"])
        assert sum(part["value"] for part in hit["_explanation"]["details"]) == pytest.approx(hit["_score"])
    one = client.explain(index="docs", id="d53", body={"query": {"match": {"body": "fox"}}})
    assert one["matched"]
    assert not client.explain(index="docs", id="d03", body={"query": {"term": {"body": "fox"}}})["matched"]


def test_counts_documents_and_fields(client: Any) -> None:
    assert client.count(index="docs")["count"] == 60
    assert client.count(index="docs", body={"query": {"match": {"body": "fox"}}})["count"] == len(in_process("fox"))
    document = {name: text for name, text in small_index().document("d03").items() if name != "id"}
    assert client.get(index="docs", id="d03")["_source"] == document
    assert client.get_source(index="docs", id="d03") == document
    assert client.exists(index="docs", id="d03")
    assert not client.exists(index="docs", id="d99")
    several = client.mget(index="docs", body={"ids": ["d03", "d99"]})["docs"]
    assert [each["found"] for each in several] == [True, False]
    fields = client.indices.get_mapping(index="docs")["docs"]["mappings"]["properties"]
    assert fields == {name: {"type": "text", "analyzer": "english"} for name in ("title", "body")}
    assert client.indices.exists(index="docs")
    assert not client.indices.exists(index="nope")
    assert [row["docs.count"] for row in client.cat.indices(format="json")] == ["60", "5", "1"]
    assert client.cat.indices(index="docs", v=True).splitlines()[0].startswith("health status index")
    assert client.info()["version"]["distribution"] == "opensearch"
    assert client.ping()
    assert client.cluster.health()["status"] == "green"
    tokens = client.indices.analyze(index="docs", body={"field": "body", "text": "The Foxes"})["tokens"]
    assert [(each["token"], each["start_offset"], each["position"]) for each in tokens] == [("fox", 4, 1)]


def test_several_searches_at_once(client: Any) -> None:
    lines = [{"index": "docs"}, {"query": {"match": {"body": "fox"}}, "size": 60}, {"index": "nope"}, {}]
    first, second = client.msearch(body=lines)["responses"]
    assert listed(first) == in_process("fox")
    assert (second["status"], second["error"]["type"]) == (404, "index_not_found_exception")


def test_more_like_this(client: Any) -> None:
    how = {"fields": ["body"], "min_term_freq": 1, "min_doc_freq": 1, "minimum_should_match": 1}
    query = {"more_like_this": {**how, "like": [{"_index": "docs", "_id": "d03"}]}}
    found = listed(client.search(index="docs", body={"query": query, "size": 100}))
    text = small_index().document("d03")["body"] or ""
    words = " ".join(dict.fromkeys(text.replace("<b> & ", "b ").replace(".", "").split()))
    expected = [each for each in in_process(words, syntax="words") if each[0] != "d03"]
    assert sorted(found) == sorted(expected)
    by_text = {"more_like_this": {**how, "like": text}}
    assert client.search(index="docs", body={"query": by_text})["hits"]["hits"][0]["_id"] in {"d03", "d33"}


def test_several_indexes_are_one(client: Any, indexes: dict[str, Index]) -> None:
    both = Index.join({name: indexes[name] for name in ("docs", "more")})
    for name in ("docs,more", "more,docs", "[dm]o*"):
        found = client.search(index=name, body={"query": {"match": {"body": "fox river"}}, "size": 100})
        assert listed(found) == in_process("fox river", both)
        assert {hit["_index"] for hit in found["hits"]["hits"]} == {"docs", "more"}
        assert all((hit["_id"][0] == "m") == (hit["_index"] == "more") for hit in found["hits"]["hits"])
    with pytest.raises(opensearchpy.RequestError, match="is analysed by english in docs and by german in german"):
        client.search(body={})


WRONG = [
    ({"query": {"knn": {}}}, r"unknown query \[knn\]; there are: match_all"),
    ({"query": {"match": {"boddy": "fox"}}}, "no field 'boddy'.*body"),
    ({"query": {"match": {"body": {"qurey": "fox"}}}}, r"\[match\] does not know \[qurey\].*query"),
    ({"query": {"query_string": {"query": "fox AND"}}}, "column 8: expected a term"),
    ({"query": {"match": {"body": "fox"}, "term": {"body": "fox"}}}, "must name one kind of query, and names 2"),
    ({"query": {"bool": {"must": "fox"}}}, r"\[query\] must be an object"),
    ({"query": {"regexp": {"body": "(a"}}}, "column"),
    (
        {"query": {"bool": {"should": [{"match_all": {}}], "minimum_should_match": "2<75%"}}},
        "must be a number or a share",
    ),
    ({"query": {"multi_match": {"query": "a", "type": "cross_fields"}}}, "there are best_fields"),
    ({"aggs": {"a": {}}}, r"\[search\] does not know \[aggs\]"),
    ({"size": 10_001}, "whole number from 0 to 10000"),
    ({"from": 9_995}, "at most 10000, and is 10005: use a scroll"),
    ({"sort": [{"title": "up"}]}, "goes asc or desc"),
    ({"highlight": {"fields": {"nope": {}}}}, "no field 'nope'"),
    ({"query": {"match": {"body": "a" * 9000}}}, "9,000 bytes, and at most 8,192"),
    ({"query": {"terms": {"body": [f"w{number}" for number in range(1100)]}}}, "1,101 clauses, and at most 1,024"),
]


@pytest.mark.parametrize(("body", "words"), WRONG, ids=[words[:30] for _, words in WRONG])
def test_what_cannot_be_answered_is_a_request_error(body: Any, words: str, client: Any) -> None:
    with pytest.raises(opensearchpy.RequestError, match=words) as told:
        client.search(index="docs", body=body)
    assert told.value.status_code == 400
    assert told.value.error.endswith("_exception")


def test_queries_in_queries_come_to_an_end(client: Any) -> None:
    query: Any = {"match_all": {}}
    for _ in range(50):
        query = {"bool": {"must": [query]}}
    with pytest.raises(opensearchpy.RequestError, match="more than 50 deep"):
        client.search(index="docs", body={"query": query})
    assert client.count(index="docs", body={"query": query["bool"]["must"][0]})["count"] == 60


def test_what_is_not_there_is_not_found(client: Any) -> None:
    with pytest.raises(opensearchpy.NotFoundError, match="index_not_found_exception"):
        client.search(index="nope", body={})
    with pytest.raises(opensearchpy.NotFoundError) as told:
        client.get(index="docs", id="d99")
    assert told.value.info == {"_index": "docs", "_id": "d99", "found": False}
    with pytest.raises(opensearchpy.NotFoundError, match="no such scroll"):
        client.scroll(body={"scroll_id": "bm9uc2Vuc2U="})


def test_nothing_can_be_changed(client: Any) -> None:
    forbidden: list[Callable[[], object]] = [
        lambda: client.index(index="docs", id="x", body={}),
        lambda: client.bulk(body='{"index":{"_index":"docs"}}\n{}\n'),
        lambda: client.update(index="docs", id="d03", body={"doc": {}}),
        lambda: client.delete_by_query(index="docs", body={"query": {"match_all": {}}}),
    ]
    for change in forbidden:
        with pytest.raises(opensearchpy.AuthorizationException, match="read-only"):
            change()
    impossible: list[Callable[[], object]] = [
        lambda: client.delete(index="docs", id="d03"),
        lambda: client.indices.delete(index="docs"),
    ]
    for change in impossible:
        with pytest.raises(opensearchpy.TransportError, match="read-only") as told:
            change()
        assert told.value.status_code == 405
    assert client.count(index="docs")["count"] == 60
