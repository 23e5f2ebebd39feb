"""What is known of our formats before they are loaded, so that a file of text loads no reader of Parquet."""

from __future__ import annotations

import re
from dataclasses import dataclass

ANYTHING, NOTHING, JSON = b"", b"(?!)", rb"\s*[\[{]"
TREC_LINE = rb"(?:[^\s,;]+[ \t]+){3}[-+]?\d+(?:[ \t]+[-+.\deE]+[ \t]+\S+)?[ \t]*[\r\n]"  # fourth: rank or grade
TABLE = rb"[\r\n]*(?!" + TREC_LINE + rb")[^\r\n]*[,;\t]"  # a header has two names at least


@dataclass(frozen=True, eq=False)
class KnownFormat:
    """Where a format stands, what its files are called, and a pattern without which no file of it begins.

    >>> KnownFormat("parquet", "package.module:PARQUET", (".parquet", ".pq"), b"PAR1").may_begin(b"q1 0 a 1")
    False
    """

    name: str
    address: str
    suffixes: tuple[str, ...]
    begins: bytes = ANYTHING

    def may_begin(self, head: bytes) -> bool:
        """Whether a file that begins so can be of this format; if so, the format itself decides."""
        return re.match(self.begins, head) is not None


KNOWN = (  # in the order they are asked: signatures first, then what looks like JSON or a header; TREC takes any text
    KnownFormat("parquet", "rankscope.inputs.formats.parquet:PARQUET", (".parquet", ".pq"), b"PAR1"),
    KnownFormat("arrow", "rankscope.inputs.formats.arrow:ARROW", (".arrow", ".feather", ".ipc"), rb"ARROW1|\xff{4}"),
    KnownFormat("mteb", "rankscope.inputs.formats.mteb:MTEB", ("_predictions.json",), JSON),
    KnownFormat("json", "rankscope.inputs.formats.nested_json:JSON", (".json",), JSON),
    KnownFormat("jsonl", "rankscope.inputs.formats.json_lines:JSON_LINES", (".jsonl", ".ndjson"), JSON),
    KnownFormat("letor", "rankscope.inputs.formats.letor:LETOR", (), rb"(?:\s*#[^\n]*\n)*\s*[-+.\de]+\s+qid:"),
    KnownFormat(
        "msmarco", "rankscope.inputs.formats.headerless:MSMARCO", (), rb"\s*[^\t\r\n]+\t[^\t\r\n]+\t1\r?(?:\n|$)"
    ),
    KnownFormat("tsv", "rankscope.inputs.formats.delimited:TSV", (".tsv", ".tab"), TABLE),
    KnownFormat("csv", "rankscope.inputs.formats.delimited:CSV", (".csv",), TABLE),
    KnownFormat("beir", "rankscope.inputs.formats.beir:BEIR", (), NOTHING),
    KnownFormat("headerless", "rankscope.inputs.formats.headerless:NUMBERED", (), NOTHING),
    KnownFormat(
        "trec", "rankscope.inputs.formats.trec:TREC", (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
    ),
)
