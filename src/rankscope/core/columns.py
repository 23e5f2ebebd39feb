"""Names of columns: by which a query, an item, a score or a grade is found in tables of others."""

from __future__ import annotations

from collections.abc import Iterable

# A table may have both a query's id and its text under the plain word, and both an inner and an outer item number
# (PyTerrier: qid and query, docno and docid), so the words that can only mean the id come first.
QUERY = ("query_id", "query-id", "qid", "q_id", "queryid", "topic_id", "query", "topic")
ITEM = (
    "item_id",
    "doc_id",
    "docno",
    "corpus-id",
    "corpus_id",
    "document_id",
    "passage_id",
    "pid",
    "docid",
    "item",
    "doc",
    "document",
)
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "rating", "score")
RANK = ("rank",)
CLASS = ("class", "group", "category", "type")
KNOWN = frozenset((*QUERY, *ITEM, *SCORE, *GRADE, *RANK, *CLASS))
FACTORS = ("query", "class", "assessor", "seed", "collection")  # what a value may vary with, in the order they are told
ROLES = ("query", "item", "grade", "score", "rank")
# Names that mean a role only where nothing above does, and where no other of the same line stands next to them.
LIKELY: dict[str, tuple[str, ...]] = {
    "query": (
        "query_text",
        "search_query",
        "search_term",
        "search_phrase",
        "user_query",
        "question_id",
        "question",
        "keyword",
        "keywords",
        "user_input",
        "q",
    ),
    "item": (
        "id",
        "_id",
        "chunk_id",
        "node_id",
        "product_id",
        "article_id",
        "page_id",
        "result_id",
        "wikipedia_id",
        "sku",
        "asin",
        "url",
        "uri",
    ),
    "grade": ("gain", "relevant", "is_relevant", "relevancy", "graded_relevance", "gold"),
    "score": ("_score", "relevance_score", "similarity_score", "retrieval_score", "bm25", "bm25_score", "rrf_score"),
    "rank": ("position", "pos"),
}


def plain_name(name: str) -> str:
    """A column's name for comparison: case and blanks around it do not matter."""
    return name.strip().lower()


def loose_name(name: str) -> str:
    """A column's name where words are written apart in many ways.

    >>> loose_name(" Search Term"), loose_name("doc-ID")
    ('search_term', 'doc_id')
    """
    return plain_name(name).replace(" ", "_").replace("-", "_")


def likely_names(role: str, names: Iterable[str]) -> list[str]:
    """The names that may well mean a role; one that other words of the role would mean for certain is not among them.

    >>> likely_names("item", ["Search term", "Product ID", "url"])
    ['Product ID', 'url']
    """
    return [name for name in names if loose_name(name) in LIKELY.get(role, ())]
