"""Looking into an index: statistics, terms and postings as Lucene has them, documents rebuilt, analysis and queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from rankscope.engines.text.analysers import ANALYSERS
from rankscope.engines.text.explanations import NODE_KINDS, QueryTree, tree_of
from rankscope.engines.text.inspection import (
    analyse_stepwise,
    find_postings,
    list_terms,
    overview,
    rebuilt_field,
    view_document,
)
from tests.engines.text.golden_files import ANALYSER_NAMES, golden_rows, golden_statistics
from tests.engines.text.golden_index import golden_documents, golden_index


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_fields_and_terms_are_those_of_lucene(analyser: str) -> None:
    index, expected = golden_index(analyser), golden_statistics()[analyser]
    fields = {each.field: each for each in overview(index).fields}
    for name in ("title", "body", "date"):
        found = fields[name]
        assert (found.terms, found.documents, found.tokens) == (
            expected[name]["terms"],
            expected[name]["documents_with_field"],
            expected[name]["sum_total_term_freq"],
        )
        by_name = [[each.term, each.documents, each.occurrences] for each in list_terms(index, name, by="name").terms]
        assert by_name[:15] == expected[name]["first"]
        top = list_terms(index, name, by="documents", limit=len(expected[name]["top"]))
        assert [each.documents for each in top.terms] == [row[1] for row in expected[name]["top"]]
        assert top.total == found.terms


def test_orders_of_terms() -> None:
    index = Index.build([{"id": "a", "body": "fox fox fox dog"}, {"id": "b", "body": "dog fur"}])
    orders = {by: [each.term for each in list_terms(index, by=by).terms] for by in ("documents", "occurrences", "name")}
    assert orders == {
        "documents": ["dog", "fox", "fur"],
        "occurrences": ["fox", "dog", "fur"],
        "name": ["dog", "fox", "fur"],
    }
    assert list_terms(index, prefix="f", limit=1).total == 2
    assert list_terms(index, prefix="x").terms == ()


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_postings_are_those_of_lucene(analyser: str) -> None:
    index = golden_index(analyser)
    for term, expected in golden_statistics()[analyser]["postings_of_body"].items():
        found = find_postings(index, term, "body", limit=None)
        assert found.term == term
        assert [[each.id, list(each.positions)] for each in found.rows] == expected


def test_every_position_in_the_context_is_marked_with_the_term() -> None:
    index = golden_index("english")
    analyser = ANALYSERS.parse("english")
    for each in list_terms(index, "body", by="documents", limit=30).terms:
        for row in find_postings(index, each.term, "body").rows:
            marked = [part for part, is_marked in row.context if is_marked]
            assert marked
            assert {analyser.term(part) for part in marked} == {each.term}


def test_a_word_is_found_by_its_term_and_a_wrong_one_gets_a_hint() -> None:
    index = Index.build([{"id": "a", "body": "Red foxes"}, {"id": "b", "body": "running"}])
    assert find_postings(index, "running").term == "run"
    with pytest.raises(SettingError, match="no term 'fxo' in field body \\(did you mean 'fox'\\?\\)"):
        find_postings(index, "fxo")
    with pytest.raises(SettingError, match="no field 'bdy' in this index \\(did you mean 'body'"):
        find_postings(index, "fox", "bdy")
    with pytest.raises(SettingError, match="must be one of documents, occurrences, name"):
        list_terms(index, by="size")  # type: ignore[arg-type]


def test_deleted_documents_are_counted_but_not_shown(tmp_path: Path) -> None:
    documents = [{"id": name, "body": "a fox"} for name in "abc"]
    index = Index.build(documents, tmp_path / "index").add([{"id": "d", "body": "fox"}], delete=["b"])
    found = overview(index)
    assert (found.documents, found.deleted, len(found.segments)) == (3, 1, 2)
    assert [(each.documents, each.deleted) for each in found.segments] == [(3, 1), (1, 0)]
    assert found.bytes > 0
    postings = find_postings(index, "fox")
    assert (postings.documents, [each.id for each in postings.rows]) == (4, ["a", "c", "d"])
    with pytest.raises(SettingError, match="no document 'b'"):
        view_document(index, "b")


@pytest.mark.parametrize("analyser", ANALYSER_NAMES)
def test_a_rebuilt_document_has_the_terms_of_its_analysis(analyser: str, tmp_path: Path) -> None:
    documents = golden_documents()
    index = Index.build(documents[:150], tmp_path / "index", analyser=analyser).add(documents[150:])
    assert len(index.reader.segments) == 2
    for number in range(0, len(documents), 7):
        for field in ("title", "body"):
            analysed = index.reader.analysers[field].analyse(documents[number].get(field, ""))
            found = rebuilt_field(index.reader, field, number).split(" ")
            assert [(term, place) for place, term in enumerate(found) if term and term != "_"] == [
                each for each in analysed if each[0] != "_"
            ]


def test_a_document_as_it_was_given() -> None:
    row = golden_rows("documents")[5]
    found = view_document(golden_index("english"), row["id"])
    assert {name: text or "" for name, text in found.fields.items()} == {
        name: text for name, text in row.items() if name != "id"
    }
    analysed = ANALYSERS.parse("english").analyse(row["body"])
    assert (found.number, found.lengths["body"]) == (5, len(analysed))


@pytest.mark.parametrize("name", ["whitespace", "standard", "english", "german"])
def test_the_last_step_gives_the_terms(name: str) -> None:
    analyser = ANALYSERS.parse(name)
    for row in golden_rows("tokens"):
        found = analyse_stepwise(row["text"], analyser)
        last = [(each.steps[-1] if each.steps else each.token, each.position) for each in found.tokens]
        assert [each for each in last if each[0] is not None] == analyser.analyse(row["text"])
        assert all(len(each.steps) == len(found.steps) for each in found.tokens)


def walked(tree: QueryTree) -> list[QueryTree]:
    return [tree, *(below for part in tree.parts for below in walked(part))]


def test_a_tree_has_every_part_of_the_query_with_the_documents_it_finds() -> None:
    index = golden_index("english")
    kinds = set()
    for row in golden_rows("queries"):
        if row["settings"] or "error" in row["analyzers"]["english"]:
            continue
        node: Any = index.parse(row["query"], "body")
        tree = tree_of(node, index.searcher(None, "body").matcher)
        assert tree.documents == len(row["analyzers"]["english"]["bm25"][0])
        assert tree.text == row["analyzers"]["english"]["parsed"]
        kinds |= {each.kind for each in walked(tree)}
    assert kinds == set(NODE_KINDS.values()) - {"best of"}  # which has no sign in the language


def test_terms_of_patterns_and_roles_of_clauses() -> None:
    index = Index.build([{"id": "a", "body": "fox fur"}, {"id": "b", "body": "fog dog"}])
    tree = tree_of(index.parse("+f* -dog fxo~1"), index.searcher().matcher)
    assert [(each.role, each.kind, each.terms, each.documents) for each in tree.parts] == [
        ("required", "prefix", 3, 2),
        ("prohibited", "term", None, 1),
        ("optional", "fuzzy term", 1, 1),
    ]


def test_an_index_without_documents_can_be_looked_at() -> None:
    index = Index.build([])
    assert (overview(index).documents, overview(index).fields) == (0, ())
