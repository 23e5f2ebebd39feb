"""Topics from files, one module a format: names, `recognises`, and `read`, which gives ids and parts.

A new format adds its line here, before TSV, which takes any text.
"""

from __future__ import annotations

from rankscope.catalogue import Catalogue, Later, later
from rankscope.inputs.topics.format import TopicFormat

ALL: dict[str, Later] = later(  # in the order they are asked
    "rankscope.inputs.topics",
    {
        "parquet": "parquet",
        "jsonl": "json_lines",
        "trec": "trec",
        "xml": "xml",
        "smart": "smart",
        "csv": "delimited:CSV",
        "tsv": "delimited:TSV",
    },
)
BINARY = ("parquet",)
TOPIC_FORMATS: Catalogue[TopicFormat] = Catalogue("topic format", ALL, "rankscope.topic_formats")
