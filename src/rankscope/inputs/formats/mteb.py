"""MTEB predictions: JSON of the form {subset: {split: {query: {item: score}}}}, perhaps with facts about the model.

Of several subsets or splits one is chosen behind a `#`: `NanoBEIR_predictions.json#default/test`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TextIO

from rankscope.errors import InputError
from rankscope.inputs import nested
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import json_text
from rankscope.inputs.formats.format import FileFormat, refusal
from rankscope.inputs.formats.writing import refuse_duplicates, refuse_infinite
from rankscope.inputs.nested import ObjectPairs
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.parsed import kind
from rankscope.inputs.shapes.shape import HOLDS_RUN, Example, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

SHAPES = (
    InputShape(
        name="MTEB predictions",
        holds=HOLDS_RUN,
        about="{subset: {split: {query: {item: score}}}}, perhaps with `mteb_model_meta`; of several one is chosen "
        "behind a #: `NanoBEIR_predictions.json#default/test`.",
        examples=(Example("Task_predictions.json", '{"default": {"test": {"q1": {"a": 2.5, "b": 1.0}}}}\n'),),
        format="mteb",
    ),
)

SUFFIXES = ("_predictions.json",)
MODEL_FACTS = "mteb_model_meta"
RESULTS = rb'\s*\{\s*"(?:dataset_revision|task_name|mteb_version)"\s*:'  # how MTEB begins a file of means
RESPONSE = re.compile(json_text.NAME + rb'\s*\{\s*"hits"\s*:\s*\{')  # of a search engine, behind its query
BEGINNING = re.compile(RESULTS + rb'|\s*\{\s*"mteb_model_meta"\s*:|(?:' + json_text.NAME + rb"){3}\s*\{")
OF_RESULTS = (
    "Give the predictions (..._predictions.json) of the same run; models are compared over tasks in Python: "
    "rankscope.compare([rankscope.adapters.mteb.from_results({...})])."
)
FORM = "The form is {subset: {split: {query: {item: score}}}}."


def recognises(head: bytes) -> bool:
    """Four objects one within the other, or facts about the model first; or results, to say what they are."""
    return BEGINNING.match(head) is not None and RESPONSE.match(head) is None


def read_run(source: Source, reading: Reading) -> Run:
    """The run of the only subset and split, or of the one chosen."""

    def read(problems: Problems) -> Iterator[Table]:
        data = json_text.whole(source, reading.encoding, problems)
        yield nested.table_of(_chosen(_parts(data, problems), source, problems), "score", problems)

    return Run.from_tables(source.stem(SUFFIXES), read, source)


def _parts(data: object, problems: Problems) -> dict[str, ObjectPairs]:
    """The rankings by subset/split."""
    found: dict[str, ObjectPairs] = {}
    subsets = data if isinstance(data, ObjectPairs) else _complain("the file", data, problems)
    if {"task_name", "scores"} <= dict(subsets).keys():
        problems.add("", "holds MTEB results, the means of a task, and no rankings", OF_RESULTS)
        problems.raise_if_any()
    for subset, splits in subsets:
        if subset == MODEL_FACTS:
            continue
        for split, rankings in splits if isinstance(splits, ObjectPairs) else _complain(subset, splits, problems):
            part = f"{subset}/{split}"
            if part in found:
                problems.add("", f"{part} is there twice", FORM)
            found[part] = rankings if isinstance(rankings, ObjectPairs) else _complain(part, rankings, problems)
    problems.raise_if_any()
    return found


def _complain(place: str, value: object, problems: Problems) -> ObjectPairs:
    problems.add(place, f"must hold an object, got {kind(value)}", FORM)
    return ObjectPairs()


def _chosen(parts: dict[str, ObjectPairs], source: Source, problems: Problems) -> ObjectPairs:
    fitting = [part for part in parts if source.part in ("", part, *part.split("/", 1))]
    if len(fitting) == 1:
        return parts[fitting[0]]
    what = f"has no part '{source.part}'" if source.part and not fitting else f"holds {len(fitting)} rankings"
    listed = ", ".join(fitting or parts) or "none"
    example = next(iter(fitting or parts), "subset/split")
    problems.add("", f"{what}; subsets and splits: {listed}", f"Choose one behind a #: {_plain(source)}#{example}")
    raise InputError([problems.report()])


def _plain(source: Source) -> str:
    return Source(source.path).name


def write_run(run: Run, file: TextIO) -> None:
    """Write the run as split `test` of the subset `default`, as MTEB names the only ones of a task."""
    table = run.table()
    refuse_duplicates(table, run.place, "MTEB JSON")
    refuse_infinite(table, run.place, "score", "MTEB JSON")
    json.dump({"default": {"test": run.to_dict()}}, file, ensure_ascii=False, allow_nan=False)
    file.write("\n")


MTEB = FileFormat(
    name="mteb",
    about="MTEB predictions: JSON of the form {subset: {split: {query: {item: score}}}}, perhaps with facts "
    "about the model",
    suffixes=SUFFIXES,
    recognises=recognises,
    read_run=read_run,
    read_qrels=refusal("is of MTEB, whose files hold runs and means, but no judgements"),
    write_run=write_run,
    write_qrels=refusal("judgements cannot be written as MTEB predictions", "Write JSON, CSV or Parquet."),
    shapes=SHAPES,
    has_parts=True,
)
