"""Every shape that a reader declares is recognised and read, without being told what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankscope.inputs.formats import registry
from rankscope.inputs.formats.registry import HOLDS_RUN, Example, InputShape
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source

SHAPES = registry.all_shapes()
EXAMPLES = [(shape, example) for shape in SHAPES for example in shape.examples]
ROWS = {  # what each example says, by its file and what it holds
    "run.json": [("q1", "a", 2.5), ("q1", "b", 1.0), ("q2", "c", 0.3)],
    "qrels.json": [("q1", "a", 2.0), ("q1", "b", 0.0), ("q2", "c", 1.0)],
    "order.json": [("q1", "a", 0.0), ("q1", "b", -1.0), ("q2", "c", 0.0)],
    "relevant.json": [("q1", "a", 1.0), ("q1", "d", 1.0), ("q2", "c", 1.0)],
    "hits.json": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "pairs.json": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "graded.json": [("q1", "a", 2.0), ("q1", "d", 0.0)],
    "dpr.json": [("0", "290", 85.2), ("0", "12", 80.1)],
    "columns.json": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "frame.json": [("q1", "a", 2.0), ("q1", "b", 1.0)],
    "rows.json": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "judged.json": [("hat", "/a", 1.0)],
    "search.json": [("red shoes", "p7", 3.1), ("red shoes", "p2", 2.4), ("blue hat", "p4", 1.9)],
    "nested.json": [("red shoes", "p7", 3.1)],
    "red-shoes.json": [("red-shoes", "p7", 3.1), ("red-shoes", "p2", 2.4)],
    "responses.jsonl": [("q1", "R-7", 3.1), ("q2", "R-4", 1.9)],
    "msearch.json": [("1", "p7", 3.1), ("1", "p2", 2.4), ("2", "p4", 1.9)],
    "rank_eval.json": [("q1", "p7", 3.0), ("q1", "p9", 0.0)],
    "by-query.json": [("q1", "p7", 3.1), ("q1", "p2", 2.4), ("q2", "p4", 1.9)],
    "solr.json": [("red shoes", "p7", 3.1), ("red shoes", "p2", 2.4)],
    "solr.jsonl": [("17", "R-7", -1.0), ("18", "R-4", -1.0)],
    "quepid.json": [("red shoes", "p7", 3.0), ("red shoes", "p9", 0.0)],
    "quepid.csv": [("red shoes", "p7", 3.0), ("red shoes", "p9", 0.0)],
    "snapshot.json": [("red shoes", "p7", -1.0), ("red shoes", "p2", -2.0)],
    "ratings.json": [
        ("red shoes", "p7", 3.0),
        ("red shoes", "p2", 2.0),
        ("shoes red", "p7", 3.0),
        ("shoes red", "p2", 2.0),
    ],
    "quepid-rre.json": [("red shoes", "p9", 0.0), ("red shoes", "p7", 3.0), ("red shoes", "p2", 3.0)],
    "evaluation.json": [("red shoes", "p7", 3.1), ("red shoes", "p2", 2.4)],
    "kilt.jsonl": [("q1", "290", -1.0), ("q1", "12", -2.0), ("q2", "73", -1.0)],
    "kilt-dev.jsonl": [("q1", "290", 1.0), ("q1", "12", 1.0), ("q2", "73", 1.0)],
    "run.jsonl": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "judged.jsonl": [("q1", "a", 2.0)],
    "run.msmarco.tsv": [("174249", "119821", -1.0), ("174249", "8788", -2.0), ("300674", "7067032", -1.0)],
    "plain.txt": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "plain.csv": [("q1", "a", 2.0), ("q1", "b", 0.0)],
    "quepid-ltr.txt": [("41", "p7", 3.0), ("41", "p9", 0.0)],
    "letor.txt": [("10", "GX029-35", 2.0)],
    "run.csv": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "shop.csv": [("red shoes", "p7", -1.0), ("red shoes", "p2", -2.0)],
    "judged.csv": [("rote Schuhe", "p7", 3.0)],
    "qrels.tsv": [("q1", "a", 1.0)],
    "scifact/qrels/test.tsv": [("q1", "a", 1.0)],
    "bm25.run": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "untagged.run": [("q1", "a", 2.5), ("q1", "b", 1.0)],
    "qrels.txt": [("q1", "a", 2.0), ("q1", "b", 0.0)],
    "qrels.dev.tsv": [("174249", "8788", 1.0), ("300674", "7067032", 1.0)],
    "Task_predictions.json": [("q1", "a", 2.5), ("q1", "b", 1.0)],
}
RAGAS = {
    "a run": [
        ("Who wrote it?", "d1#2", -1.0),
        ("Who wrote it?", "d3#0", -2.0),
        ("When?", "d2#1", -1.0),
        ("When?", "d1#0", -2.0),
    ],
    "judgements": [("Who wrote it?", "d1#2", 1.0), ("When?", "d2#1", 1.0)],
}


def rows_of(path: Path, example: Example) -> list[tuple[str, str, float]]:
    """What a file is read as."""
    reading = Reading(columns=example.columns)
    if example.holds == HOLDS_RUN:
        return Run.of(path, reading).table().rows()
    return Qrels.of(path, reading).table.rows()


def written(folder: Path, example: Example) -> Path:
    """The example as a file; of a folder, its own path."""
    path = folder / example.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example.text, encoding="utf-8")
    return folder / example.file.partition("/")[0]


@pytest.mark.parametrize(("shape", "example"), EXAMPLES, ids=lambda each: getattr(each, "file", ""))
def test_each_example_is_read_back(shape: InputShape, example: Example, tmp_path: Path) -> None:
    path = written(tmp_path, example)
    expected = RAGAS[example.holds] if example.file == "ragas.jsonl" else ROWS[example.file]
    assert rows_of(path, example) == expected


@pytest.mark.parametrize(("shape", "example"), EXAMPLES, ids=lambda each: getattr(each, "file", ""))
def test_each_example_is_of_the_format_it_is_shown_under(shape: InputShape, example: Example, tmp_path: Path) -> None:
    found = registry.recognised_format(Source(str(written(tmp_path, example))), Reading(columns=example.columns))
    lines = example.file.endswith(".jsonl") and shape.format == "json"
    assert found.name == ("jsonl" if lines else "csv" if example.file == "quepid.csv" else shape.format)


def test_every_format_declares_its_shapes() -> None:
    for each in registry.FORMATS.own():
        assert getattr(each, "shapes", ()), each.name
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
