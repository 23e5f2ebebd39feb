"""The real pysolr asks the service, unchanged; every answer is what the index answers in this process."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from rankscope.engines.text import Index
from rankscope.engines.text.queries import Boolean, Boost, Clause
from tests.needs import needed_module
from tests.workbench.projects import small_index

pysolr: Any = needed_module("pysolr", "dev")
QUERIES = [
    "fox",
    "fox den -cat",
    '"night fox"',
    "title:snow OR body:wi*",
    "fox AND NOT (den cat)",
    "riv?r^3 stone~1",
    "id:d0*",
    "[l TO r} fox",
    "*ight",
    "*:*",
    "nosuchword",
    "/st.n./",
]


@pytest.fixture
def solr(address: str) -> Any:
    logging.getLogger("pysolr").setLevel(logging.CRITICAL)
    return pysolr.Solr(f"{address}/solr/docs", timeout=20)


def listed(results: Any) -> list[tuple[str, np.float32]]:
    return [(each["id"], np.float32(each["score"])) for each in results.docs]


def in_process(query: Any, index: Index | None = None, **how: Any) -> list[tuple[str, np.float32]]:
    """What the index finds here."""
    hits = (index or small_index()).search(query, limit=None, leading=True, **how)
    return list(zip(hits.ids.to_list(), hits.scores, strict=True))


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_gives_what_the_index_gives(query: str, solr: Any) -> None:
    found = solr.search(query, rows=100, fl="id,score")
    expected = in_process(query)
    assert listed(found) == expected
    assert found.hits == len(expected)


def test_pages_follow_each_other(solr: Any) -> None:
    pages = [solr.search("fox night", start=start, rows=7, fl="id,score") for start in range(0, 70, 7)]
    assert [each for page in pages for each in listed(page)] == in_process("fox night")
    assert {page.hits for page in pages} == {len(in_process("fox night"))}
    assert solr.search("fox", rows=0).docs == []


def test_a_cursor_comes_to_the_end(solr: Any) -> None:
    found = [each["id"] for each in solr.search("*:*", sort="id asc", rows=7, cursorMark="*")]
    assert found == sorted(small_index().reader.ids.to_list())


def test_long_queries_go_by_post(solr: Any) -> None:
    query = " ".join(f"fox{number}" for number in range(300)) + " fox"
    assert listed(solr.search(query, rows=100, fl="id,score")) == in_process(query)


def test_words_are_joined_and_looked_up_as_asked(solr: Any) -> None:
    found = solr.search("fox 1", rows=100, fl="id,score", **{"q.op": "AND", "df": "title"})
    assert listed(found) == in_process("fox 1", field="title", operator="AND")
    assert found.hits


def test_filters_narrow_and_do_not_score(solr: Any) -> None:
    found = solr.search("fox den", rows=100, fl="id,score", fq=["title:(dog snow)", "-id:d1*"])
    allowed = {name for name, _ in in_process("title:(dog snow)")} - {name for name, _ in in_process("id:d1*")}
    assert listed(found) == [each for each in in_process("fox den") if each[0] in allowed]
    assert 0 < found.hits < len(in_process("fox den"))


def test_only_prohibitions_mean_all_other_documents(solr: Any) -> None:
    assert solr.search("-fox").hits == len(small_index()) - len(in_process("fox"))


def test_fields_are_shown_as_asked(solr: Any) -> None:
    (one,) = solr.search("id:d03", fl="id,name:title").docs
    assert one == {"id": "d03", "name": "den 3"}
    (whole,) = solr.search("id:d03").docs
    assert whole == small_index().document("d03")
    (without,) = solr.search("id:d09", fl="*,score").docs
    assert without.keys() == {"id", "body", "score"}  # it has no title


def test_sorting_is_by_text_and_what_has_none_comes_last(solr: Any) -> None:
    found = [each.get("title") for each in solr.search("*:*", rows=100, sort="title desc, id asc").docs]
    there = sorted(filter(None, found), reverse=True)
    assert found == [*there, *[None] * (60 - len(there))]
    ids = [each["id"] for each in solr.search("fox", rows=100, sort="score asc").docs]
    ranked = [name for name, _ in sorted(in_process("fox"), key=lambda each: each[1])]
    assert ids == ranked


def test_highlights_are_those_of_the_index(solr: Any) -> None:
    how = {"hl": "true", "hl.fl": "body,title", "hl.snippets": 2, "hl.fragsize": 20}
    found = solr.search("title:fox OR night", rows=60, **how, **{"hl.requireFieldMatch": "true"})
    index = small_index()
    for name, fields in found.highlighting.items():
        for field in ("body", "title"):
            pieces = index.highlight(index.parse("title:fox OR night"), name, field, fragments=2, size=20)
            marked = ["".join(f"<em>{part}</em>" if on else part for part, on in each) for each in pieces if each.marks]
            assert fields.get(field, []) == marked
    assert any("title" in fields for fields in found.highlighting.values())


def test_highlights_have_the_signs_asked_for_and_reach_other_fields(solr: Any) -> None:
    signs = {"hl": "on", "hl.fl": "*", "hl.simple.pre": "[", "hl.simple.post": "]", "hl.fragsize": 0}
    found = solr.search("title:den AND id:d03", **signs).highlighting["d03"]
    assert found == {"title": ["[den] 3"], "body": ["[den] river wind cat night leaf. A <b> & night."]}
    safe = solr.search("title:den AND id:d03", **signs, **{"hl.encoder": "html"}).highlighting["d03"]
    assert safe["body"] == ["[den] river wind cat night leaf. A &lt;b&gt; &amp; night."]


def test_scores_are_explained(solr: Any) -> None:
    found = solr.search("fox den", rows=3, debugQuery="true", fq="night")
    assert found.debug["parsedquery"] == str(small_index().parse("fox den"))
    assert found.debug["parsed_filter_queries"] == ["body:night"]
    for name, text in found.debug["explain"].items():
        value = float(text.split()[0])
        assert value == pytest.approx(float(dict(in_process("fox den"))[name]), rel=1e-6)


def test_more_like_this_finds_what_shares_words(solr: Any) -> None:
    found = solr.more_like_this("id:d03", "body", fl="id,score", rows=60, **{"mlt.mintf": 1, "mlt.mindf": 1})
    index = small_index()
    words = index.parse(index.document("d03")["body"] or "", syntax="words")
    alone = Boolean(tuple(map(Clause, dict.fromkeys(words.children))))
    expected = [each for each in in_process(alone) if each[0] != "d03"]
    assert sorted(listed(found)) == sorted(expected)
    assert found.raw_response["match"]["docs"][0]["id"] == "d03"
    assert solr.more_like_this("id:nothing", "body").hits == 0


def test_terms_are_suggested(solr: Any) -> None:
    found = solr.suggest_terms("body", "n")
    assert found == {"body": [("night", 60)]}


def test_ping_get_and_luke(solr: Any, address: str) -> None:
    assert '"OK"' in solr.ping()
    get = needed_module("httpx", "gather").get
    assert get(f"{address}/solr/docs/get?id=d03").json()["doc"] == small_index().document("d03")
    assert get(f"{address}/solr/docs/get?id=no").json()["doc"] is None
    assert [each["id"] for each in get(f"{address}/solr/docs/get/?ids=d03,no,d05").json()["response"]["docs"]] == [
        "d03",
        "d05",
    ]
    luke = get(f"{address}/solr/docs/admin/luke").json()
    assert luke["index"]["numDocs"] == 60
    assert luke["fields"]["body"]["docs"] == 60


def test_json_requests_are_read(address: str) -> None:
    body = {"query": "fox", "filter": ["night"], "limit": 2, "offset": 1, "fields": "id", "params": {"sort": "id asc"}}
    answer = needed_module("httpx", "gather").post(f"{address}/solr/docs/select", json=body).json()
    assert [each["id"] for each in answer["response"]["docs"]] == sorted(name for name, _ in in_process("fox"))[1:3]


def test_several_indexes_are_one(address: str, indexes: dict[str, Index]) -> None:
    found = pysolr.Solr(f"{address}/solr/docs,more", timeout=20).search("fox river", rows=100, fl="id,score")
    both = Index.join({name: indexes[name] for name in ("docs", "more")})
    assert listed(found) == in_process("fox river", both)
    with pytest.raises(pysolr.SolrError, match="field 'body' is analysed by english in docs and by german in german"):
        pysolr.Solr(f"{address}/solr/docs,german").search("fox")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"q": "fox AND"}, "HTTP 400.*column 8: expected a term"),
        ({"q": "nofield:x"}, "no field 'nofield' in this index"),
        ({"q": "fox", "df": "boddy"}, "no field 'boddy'.*body"),
        ({"q": "fox", "rows": 1001}, "rows=1001: at most 1,000 are given at once"),
        ({"q": "fox", "start": -1}, "start=-1: must be 0 or more"),
        ({"q": "fox", "rows": "many"}, "rows=many: must be a whole number"),
        ({"q": "fox", "sort": "title"}, "sort=title: must be a field and asc or desc"),
        ({"q": "fox", "facet": "true"}, "there are no facets"),
        ({"q": "fox", "defType": "edismax"}, "defType=edismax: queries are read in Lucene's language"),
        ({"q": "{!func}x"}, "parameters in braces are not read"),
        ({"q": "fox", "q.op": "XOR"}, "q.op=XOR: must be OR or AND"),
        ({"q": "fox", "hl": "true", "hl.fl": "nope"}, "no field 'nope'"),
        ({"q": "fox", "wt": "xml"}, "wt=xml: answers are JSON"),
        ({"q": "fox", "fl": "sum(a,b)"}, "functions are not shown"),
        ({"q": "fox", "cursorMark": "%"}, "begin with \\* and go on"),
    ],
)
def test_what_cannot_be_answered_is_an_error_of_pysolr(asked: dict[str, Any], words: str, solr: Any) -> None:
    with pytest.raises(pysolr.SolrError, match=words):
        solr.search(**asked)


def test_nothing_can_be_changed(solr: Any) -> None:
    for change in (lambda: solr.add([{"id": "x"}]), lambda: solr.delete(id="d03"), solr.commit):
        with pytest.raises(pysolr.SolrError, match=r"HTTP 403.*read-only"):
            change()
    assert solr.search("id:d03").hits == 1


def test_an_index_that_is_not_there_is_named(address: str) -> None:
    with pytest.raises(pysolr.SolrError, match=r"HTTP 404.*no index 'dosc'.*docs"):
        pysolr.Solr(f"{address}/solr/dosc").search("fox")


def test_a_filter_is_a_clause_without_a_score() -> None:
    from rankscope.workbench.service.indexes import filtered

    index = small_index()
    node = filtered(index.parse("fox"), [index.parse("night")])
    assert isinstance(node, Boolean)
    assert isinstance(node.clauses[1].query, Boost)
    assert in_process(node) == in_process("fox")
