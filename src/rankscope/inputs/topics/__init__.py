"""Topics from files: formats, each with names, `recognises`, and `read`, which gives ids and parts.

A new format adds its line here, before TSV, which takes any text.
"""

from __future__ import annotations

from rankscope.catalogue import Catalogue, Later
from rankscope.inputs.topics.format import TopicFormat

ALL: dict[str, Later] = {  # in the order they are asked
    "parquet": Later("rankscope.inputs.topics.parquet:PARQUET_TOPICS"),
    "jsonl": Later("rankscope.inputs.topics.json_lines:JSON_TOPICS"),
    "trec": Later("rankscope.inputs.topics.trec:TREC_TOPICS"),
    "xml": Later("rankscope.inputs.topics.xml:XML_TOPICS"),
    "smart": Later("rankscope.inputs.topics.smart:SMART_TOPICS"),
    "csv": Later("rankscope.inputs.topics.delimited:CSV"),
    "tsv": Later("rankscope.inputs.topics.delimited:TSV"),
}
BINARY = ("parquet",)
TOPIC_FORMATS: Catalogue[TopicFormat] = Catalogue("topic format", ALL, "rankscope.topic_formats")
