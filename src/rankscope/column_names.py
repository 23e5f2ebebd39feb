"""What columns of tables are called: the names by which a query, an item, a score or a grade is found."""

from __future__ import annotations

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
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
RANK = ("rank",)
CLASS = ("class", "group", "category", "type")
KNOWN = frozenset((*QUERY, *ITEM, *SCORE, *GRADE, *RANK, *CLASS))


def plain_name(name: str) -> str:
    """A column's name for comparison: case and blanks around it do not matter."""
    return name.strip().lower()


FACTORS = ("query", "class", "assessor", "seed", "collection")  # what a value may vary with, in the order they are told
