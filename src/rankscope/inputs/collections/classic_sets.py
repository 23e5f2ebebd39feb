"""Small classic sets: collections of texts with queries and judgements, as SMART and Glasgow have handed them down, and
the digits and letters of UCI.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from rankscope.core.errors import MissingExtra
from rankscope.inputs.collections.collection import KEPT, Collection, CollectionKind, NotThereError, Truth, text_lines
from rankscope.inputs.documents.stream import read_documents
from rankscope.inputs.documents.topics import read_topics
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.sources import packed_or_not

TEXTS_LAYOUT = "It should hold docs.jsonl (id, title, text; packed or not), queries.tsv (id, tab, text) and qrels.txt."


def read_texts(name: str, folder: Path) -> Collection:
    """Documents with ids and texts, all queries, and the queries that have a relevant document as the truth."""
    documents = read_documents([_file_of_texts(folder, "docs.jsonl")])
    topics = read_topics(_file_of_texts(folder, "queries.tsv"))
    judged = Qrels.of(_file_of_texts(folder, "qrels.txt")).to_dict()
    grades = {query: {item: int(grade) for item, grade in found.items()} for query, found in judged.items()}
    lacking = len(topics) - sum(query in judged for query in topics)
    return Collection(
        name=name,
        ids=tuple(each for table in documents for each in table["id"]),
        truth=tuple(Truth(query, "", found) for query, found in grades.items()),
        query_item=KEPT,
        measures=("AP", "nDCG@10", "P@10"),
        documents=documents,
        topics=topics,
        notes=(f"{lacking} queries have no relevant document",) if lacking else (),
    )


def _file_of_texts(folder: Path, name: str) -> Path:
    found = packed_or_not(folder, name)
    if found is None:
        raise NotThereError(f"holds no {name}")
    return found


def _kind_of_texts(name: str, about: str, source: str) -> CollectionKind:
    return CollectionKind(name=name, about=about, read=partial(read_texts, name), layout=TEXTS_LAYOUT, source=source)


CRANFIELD = _kind_of_texts("cranfield", "1400 abstracts on aerodynamics, 225 questions", "Cleverdon 1967")
CISI = _kind_of_texts("cisi", "1460 abstracts on information science, 112 queries, 76 of them judged", "Fox 1983")
MEDLINE = _kind_of_texts("medline", "1033 abstracts on medicine, 30 queries", "SMART, Salton 1971")
CACM = _kind_of_texts("cacm", "3204 titles and abstracts of the CACM, 64 queries, 52 of them judged", "Fox 1983")
NPL = _kind_of_texts("npl", "11426 abstracts on electrical engineering, 93 queries", "Vaswani and Cameron 1970")
ADI = _kind_of_texts("adi", "82 short papers on documentation, 35 queries", "SMART, Salton 1971")


# The handwritten digits that come with scikit-learn: 1797 pictures of 8x8.


def read_digits(_: Path) -> Collection:
    """The pixels are the features, whole numbers from 0 to 16."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise MissingExtra("scikit-learn", "feedback") from None
    data = load_digits()
    count = len(data.target)
    return Collection(
        name="digits",
        ids=tuple(f"{row:04}" for row in range(count)),
        labels=tuple(map(str, data.target.tolist())),
        images=np.minimum(data.images * 16, 255).astype(np.uint8),
        features=data.data.astype(np.int64),
    )


DIGITS = CollectionKind(
    name="digits",
    about="1797 handwritten digits of 8x8 pixels in 10 classes; comes with scikit-learn",
    read=read_digits,
    source="Alpaydin and Kaynak 1998 (UCI)",
)


# UCI letter recognition: 20,000 letters as 16 whole numbers each, with very many equal distances.

LETTER_FILE = "letter-recognition.data"
LETTER_COLUMNS = 16


def read_letters(folder: Path) -> Collection:
    """One line per letter: its class, then 16 whole numbers from 0 to 15."""
    if not (folder / LETTER_FILE).is_file():
        raise NotThereError(f"holds no {LETTER_FILE}")
    rows = [line.split(",") for line in text_lines(folder / LETTER_FILE)]
    wrong = [number for number, row in enumerate(rows, start=1) if len(row) != LETTER_COLUMNS + 1]
    if wrong or not rows:
        place = f"line {wrong[0]} of " if wrong else ""
        raise NotThereError(f"has no class and {LETTER_COLUMNS} numbers in {place}{LETTER_FILE}")
    return Collection(
        name="letter",
        ids=tuple(f"{row:05}" for row in range(len(rows))),
        labels=tuple(row[0] for row in rows),
        features=np.array([row[1:] for row in rows], dtype=np.int64),
    )


LETTER = CollectionKind(
    name="letter",
    about="20000 letters in 26 classes, 16 whole numbers each; many exact ties",
    read=read_letters,
    layout=f"It should hold {LETTER_FILE}: the class and {LETTER_COLUMNS} numbers a line, separated by commas.",
    source="Frey and Slate 1991 (UCI)",
)
