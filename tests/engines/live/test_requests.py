"""What is sent: words without signs, templates with their places, vectors, credentials, and to which address."""

from __future__ import annotations

import base64
import json
import re
import ssl
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.engines.live.endpoint import Credentials, EngineAddress
from rankscope.engines.live.requests import RequestTemplate, TopicValues, escape_words
from rankscope.engines.text import Index
from tests.engines.live.engine_server import Asked, Hits, json_fault, running
from tests.needs import needed_module

needed_module("httpx", "gather")
INDEX = Index.build([{"id": "a", "body": "wing and flow"}, {"id": "b", "body": "c a b x1 NOT OR and"}])
NAMES = ("USER", "PASSWORD", "API_KEY", "TOKEN")


def rank(query: str) -> Hits:
    return [("a", 1.0)]


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"RANKSCOPE_ENGINE_{name}", raising=False)


@given(st.text(st.sampled_from("abc AND OR NOT+-!(){}[]^\"~*?:\\/&|<>='.,"), max_size=30).filter(str.strip))
def test_escaped_words_mean_what_plain_words_mean(text: str) -> None:
    """In Lucene's language the escaped text asks for the same terms, none required and none forbidden."""
    parsed = str(INDEX.parse(escape_words(text)))
    assert parsed == str(INDEX.parse(text, syntax="words"))


def sent(kind: str, topics: Any = None, **choices: Any) -> Asked:
    """What an engine receives for one topic."""
    with running(rank) as engine:
        rankscope.search(engine=engine.addresses()[kind], topics=topics or {"7": "wing? AND flow"}, **choices)
    return engine.asked[0]


def test_words_are_sent_escaped_and_queries_as_they_are() -> None:
    assert sent("solr").body["q"] == r"wing\? \AND flow"
    assert sent("solr", syntax="lucene", field="title").body["q"] == "wing? AND flow"
    assert sent("solr", field="title").body["df"] == "title"
    assert sent("opensearch").body["query"] == {"query_string": {"query": r"wing\? \AND flow"}}
    assert sent("opensearch", field="title").body["query"] == {"match": {"title": "wing? AND flow"}}
    lucene = {"query_string": {"query": "wing? AND flow", "default_field": "title"}}
    assert sent("elasticsearch", field="title", syntax="lucene").body["query"] == lucene
    angles = sent("opensearch", {"1": "a<b"}).body["query"]["query_string"]["query"]
    assert angles == "a b"


def test_a_template_is_filled_for_each_topic(tmp_path: Path) -> None:
    template = {
        "query": {"multi_match": {"query": "{query}", "fields": ["title^2", "body_{topic.lang}"]}},
        "post_filter": {"term": {"{topic.lang}_year": 1999}},
        "knn": {"vector": "{vector}", "note": "{vector} of {topic.id}, {{query}} {braces }"},
    }
    (tmp_path / "request.json").write_text(json.dumps(template))
    topics = {"7": {"title": "wing", "lang": "en"}}
    vectors = {"7": np.array([0.1, 2], dtype=np.float32)}
    body = sent("opensearch", topics, request=tmp_path / "request.json", vectors=vectors, parts="title").body
    assert body["query"] == {"multi_match": {"query": "wing", "fields": ["title^2", "body_en"]}}
    assert body["post_filter"] == {"term": {"en_year": 1999}}
    assert body["knn"] == {"vector": [0.1, 2.0], "note": "[0.1, 2.0] of 7, {query} {braces }"}


def test_parameters_of_solr_may_be_lists_and_objects() -> None:
    request = {"q": "{!knn f=v topK=10}{vector}", "fq": ["a:1", "b:{topic.id}"], "json": {"limit": 3}, "debug": False}
    body = sent("solr", request=request, vectors={"7": [0.5]}).body
    assert body["q"] == "{!knn f=v topK=10}[0.5]"
    assert body["fq"] == ["a:1", "b:7"]
    assert body["json"] == '{"limit": 3}'
    assert body["debug"] == "false"


def test_another_field_can_hold_the_id() -> None:
    with running(rank) as engine:
        for address in (engine.solr(), engine.opensearch()):
            run = rankscope.search(engine=address, topics={"1": "x"}, id_field="docno")
            assert run.table().rows() == [("1", "a", 1.0)]
    assert engine.asked[0].body["fl"] == "docno,score"
    assert engine.asked[1].body["_source"] == ["docno"]


def test_an_id_may_lie_inside_of_an_object() -> None:
    hit = {"_id": "x", "_score": 1.0, "_source": {"meta": {"docno": "d7"}}}
    with running(rank, lambda asked, number: json_fault(200, {"hits": {"hits": [hit]}})) as engine:
        run = rankscope.search(engine=engine.opensearch(), topics={"1": "x"}, id_field="meta.docno")
    assert run.table().rows() == [("1", "d7", 1.0)]


@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_vectors_come_from_files_with_ids(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"vectors.{suffix}"
    matrix = np.array([[0.1, 0.25], [3, 4]], dtype=np.float32)
    if suffix == "npz":
        np.savez(path, features=matrix, ids=np.array(["8", "7"]))
    else:
        pl.DataFrame({"id": ["8", "7"], "vector": matrix.tolist()}).write_parquet(path)
    request = {"query": {"knn": {"query": "{vector}"}}}
    assert sent("opensearch", {"7": "x"}, request=request, vectors=path).body["query"]["knn"]["query"] == [3.0, 4.0]
    np.savez(tmp_path / "bare.npz", features=matrix)
    with pytest.raises(InputError, match="has no ids"):
        sent("opensearch", {"7": "x"}, request=request, vectors=tmp_path / "bare.npz")


@pytest.mark.parametrize(
    ("request_", "choices", "words"),
    [
        ({"q": "{querry}"}, {}, [r"no place {querry} \(did you mean 'query'\?\)", "{topic.text}"]),
        ({"q": "same"}, {}, ["has no place for the topic"]),
        ({"q": "{query}", "rows": 10, "start": 5}, {}, ["'rows' says which page", "'start' says which page"]),
        ({"q": "{vector}"}, {}, ["give the vectors of the topics with vectors=FILE"]),
        ({"q": "{vector}"}, {"vectors": {"8": [1]}}, ["vectors=FILE has no vector of topic 7"]),
        ({"q": "{query}"}, {"vectors": {"7": [1]}}, ["has no place {vector}"]),
        ({"q": "{query}"}, {"field": "title"}, ["fields stand in the request"]),
        ({"q": "{vector}"}, {"vectors": {"7": [np.nan]}}, ["finite numbers"]),
    ],
)
def test_a_request_that_cannot_be_is_refused_before_anything_is_sent(
    request_: dict[str, Any], choices: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(RankscopeError) as raised:
        rankscope.search(engine="solr:http://x/solr/y", topics={"7": "a"}, request=request_, **choices)
    for each in words:
        assert re.search(each, str(raised.value)), each


def test_a_template_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"q": "{query}",}')
    with pytest.raises(InputError, match=r"r.json.*\n.*is no JSON: .*line 1 column"):
        RequestTemplate.read(tmp_path / "r.json")
    (tmp_path / "r.json").write_text("[1]")
    with pytest.raises(InputError, match="must be an object"):
        RequestTemplate.read(tmp_path / "r.json")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        RequestTemplate.read(tmp_path / "none.json")


def test_a_part_that_a_topic_lacks_is_empty() -> None:
    assert RequestTemplate({"q": "{topic.desc}"}).filled(TopicValues("1", "x", {})) == {"q": ""}


ADDRESSES = {
    "solr:http://h:8983/solr/x/": "http://h:8983/solr/x/select",
    "solr:http://h/search/solr/x": "http://h/search/solr/x/select",
    "SOLR:https://h/solr/x/query": "https://h/solr/x/query",
    "opensearch:http://h:9200/a,b-*": "http://h:9200/a,b-*/_search",
    "elasticsearch:https://h/es/x/_search": "https://h/es/x/_search",
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_leads_to_where_searches_are_answered(text: str) -> None:
    from rankscope.engines.live.endpoint import DIALECTS

    address = EngineAddress.parse(text)
    assert DIALECTS[address.kind].search_address(address.url) == ADDRESSES[text]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://h/solr/x", "begins with the kind of the engine: solr:http://"),
        ("slor:http://h/solr/x", r"no engine 'slor' \(did you mean 'solr'\?\)"),
        ("solr:h/solr/x", "no address of a host"),
        ("solr:http://h:port/solr/x", "no address of a host"),
        ("solr:http://h:8983/solr", "must name a collection"),
        ("opensearch:http://h:9200", "must name an index"),
        ("solr:http://h/solr/x?fq=a", "parameters belong into request=FILE.json"),
    ],
)
def test_an_address_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        EngineAddress.parse(text)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    for text in ("solr:http://me:s3cret@h/solr/x", "opensearch:https://s3cret@h/x", "solr:http://h/solr/x?key=s3cret"):
        with pytest.raises(SettingError) as raised:
            EngineAddress.parse(text)
        assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("environment", "header"),
    [
        ({"USER": "me", "PASSWORD": "pässword:"}, "Basic " + base64.b64encode("me:pässword:".encode()).decode()),
        ({"API_KEY": "k1=="}, "ApiKey k1=="),
        ({"TOKEN": "t1"}, "Bearer t1"),
        ({}, None),
    ],
)
def test_credentials_come_from_the_environment(
    environment: dict[str, str], header: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"RANKSCOPE_ENGINE_{name}", value)
    assert sent("solr").headers.get("Authorization") == header


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"USER": "me"}, "belong together"),
        ({"USER": "me", "PASSWORD": "x", "TOKEN": "t"}, "an engine is told only one of them"),
        ({"TOKEN": "a\nb"}, "RANKSCOPE_ENGINE_TOKEN holds a sign that cannot be sent"),
    ],
)
def test_credentials_that_cannot_be_are_refused(environment: dict[str, str], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        Credentials.from_environment({f"RANKSCOPE_ENGINE_{name}": value for name, value in environment.items()})


def test_what_an_engine_repeats_of_a_secret_is_masked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANKSCOPE_ENGINE_TOKEN", "s3cret")
    error = json_fault(403, {"error": {"reason": "token s3cret has no right"}})
    with running(rank, lambda asked, number: error) as engine, pytest.raises(InputError) as raised:
        rankscope.search(engine=engine.opensearch(), topics={"1": "x"}, output=tmp_path / "x.run")
    assert "token *** has no right" in str(raised.value)
    assert "s3cret" not in str(raised.value) + repr(Credentials.from_environment())
    assert all(b"s3cret" not in each.read_bytes() for each in tmp_path.iterdir())


def test_certificates_are_verified_and_proxies_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    original = httpx.Client.__init__

    def recorded(self: httpx.Client, **given: Any) -> None:
        made.append(given)
        original(self, **given)

    monkeypatch.setattr(httpx.Client, "__init__", recorded)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    sent("solr")
    (given,) = made
    assert given["verify"].verify_mode == ssl.CERT_REQUIRED
    assert given["verify"].check_hostname
    assert given["trust_env"] is False
    assert "follow_redirects" not in given


@pytest.mark.parametrize(
    "choices",
    [{"qrels": {"1": {"a": 1}}}, {"similarity": "classic"}, {"expand": "rm3"}, {"index": "x.index"}, {"limit": 5}],
    ids=str,
)
def test_choices_of_an_index_are_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(choices))}: not with engine"):
        rankscope.search(engine="solr:http://x/solr/y", topics={"1": "a"}, **choices)
