"""Classic collections of texts with queries and judgements, as SMART and Glasgow have handed them down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankscope.collections.collection import KEPT, Collection, Truth
from rankscope.collections.kind import CollectionKind, NotThereError
from rankscope.inputs.documents.reading import read_documents
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.sources import COMPRESSED_SUFFIXES
from rankscope.inputs.topics.reading import read_topics

LAYOUT = "It should hold docs.jsonl (id, title, text; packed or not), queries.tsv (id, tab, text) and qrels.txt."


@dataclass(frozen=True)
class ReadTexts:
    """Reads one of these collections; they differ in their names only."""

    name: str

    def __call__(self, folder: Path) -> Collection:
        """Documents with ids and texts, all queries, and the queries that have a relevant document as the truth."""
        documents = read_documents([_file(folder, "docs.jsonl")])
        topics, judged = read_topics(_file(folder, "queries.tsv")), Qrels.of(_file(folder, "qrels.txt")).to_dict()
        lacking = len(topics) - sum(query in judged for query in topics)
        return Collection(
            name=self.name,
            ids=tuple(name for table in documents for name in table["id"]),
            truth=tuple(Truth(query, "", _whole(found)) for query, found in judged.items()),
            query_item=KEPT,
            measures=("AP", "nDCG@10", "P@10"),
            documents=documents,
            topics=topics,
            notes=(f"{lacking} queries have no relevant document",) if lacking else (),
        )


def _file(folder: Path, name: str) -> Path:
    """A file, packed or not."""
    found = next(
        (path for packed in ("", *COMPRESSED_SUFFIXES) if (path := folder / f"{name}{packed}").is_file()), None
    )
    if found is None:
        raise NotThereError(f"holds no {name}")
    return found


def _whole(grades: dict[str, float]) -> dict[str, int]:
    return {item: int(grade) for item, grade in grades.items()}


def _kind(name: str, about: str, source: str) -> CollectionKind:
    return CollectionKind(name=name, about=about, read=ReadTexts(name), layout=LAYOUT, source=source)


CRANFIELD = _kind("cranfield", "1400 abstracts on aerodynamics, 225 questions", "Cleverdon 1967")
CISI = _kind("cisi", "1460 abstracts on information science, 112 queries, 76 of them judged", "Fox 1983")
MEDLINE = _kind("medline", "1033 abstracts on medicine, 30 queries", "SMART, Salton 1971")
CACM = _kind("cacm", "3204 titles and abstracts of the CACM, 64 queries, 52 of them judged", "Fox 1983")
NPL = _kind("npl", "11426 abstracts on electrical engineering, 93 queries", "Vaswani and Cameron 1970")
ADI = _kind("adi", "82 short papers on documentation, 35 queries", "SMART, Salton 1971")
