"""What benchmarks hand on: BEIR folders of judgements and MTEB's predictions.

BEIR has judgements in qrels/test.tsv and so on, under the header `query-id corpus-id score`; MTEB has JSON of the
form {subset: {split: {query: {item: score}}}}. Of several splits or subsets one is chosen behind a `#`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rankscope.core.errors import InputError
from rankscope.inputs.formats import json_files, json_rows
from rankscope.inputs.formats.delimited import TSV
from rankscope.inputs.formats.json_rows import ObjectPairs
from rankscope.inputs.formats.json_tables import json_kind
from rankscope.inputs.formats.registry import (
    HOLDS_JUDGEMENTS,
    HOLDS_RUN,
    Example,
    FileFormat,
    InputShape,
    refusal,
    refuse_duplicates,
    refuse_ids,
    refuse_infinite,
    with_whole_numbers,
)
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

BEIR_SHAPES = (
    InputShape(
        name="BEIR folder",
        holds=HOLDS_JUDGEMENTS,
        about="A folder with `qrels/test.tsv` under the header `query-id corpus-id score`; another split is chosen "
        "behind a #: `scifact#train`.",
        examples=(Example("scifact/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\n", HOLDS_JUDGEMENTS),),
        format="beir",
    ),
)

BEIR_ADVICE = "A BEIR folder holds its judgements in qrels/test.tsv, or in a file of another split next to it."


def is_beir_folder(folder: Path) -> bool:
    """Whether judgements lie where BEIR has them."""
    return bool(_splits(folder))


def _splits(folder: Path) -> dict[str, Path]:
    return {file.stem: file for file in sorted(folder.glob("qrels/*.tsv")) if file.is_file()}


def _chosen_split(source: Source) -> Path:
    """The file of the chosen split, of `test`, or of the only split."""
    splits = _splits(Path(source.path))
    wanted = source.part or ("test" if "test" in splits or len(splits) != 1 else next(iter(splits)))
    if wanted in splits:
        return splits[wanted]
    if not splits:
        raise InputError.of(source.name, ["has no judgements (qrels/*.tsv)"], BEIR_ADVICE)
    what = f"has no split '{wanted}'; there are: {', '.join(splits)}"
    raise InputError.of(source.name, [what], f"Choose one behind a #: {Path(source.path).name}#{next(iter(splits))}")


def write_beir_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write one split's file: `query-id corpus-id score` between tabs, without quotes, grades as whole numbers."""
    table = with_whole_numbers(qrels.table, "grade")
    refuse_ids(table, qrels.name, {"holds a tab, a line end, a quote or a NUL": r'[\t\r\n"\x00]'}, "BEIR")
    if table.get_column("grade").dtype.is_float():
        raise InputError.of(qrels.name, ["BEIR's readers want whole grades"], "Write CSV, JSON or Parquet.")
    file.write("query-id\tcorpus-id\tscore\n")
    file.writelines(f"{query}\t{item}\t{grade}\n" for query, item, grade in table.iter_rows())


BEIR = FileFormat(
    name="beir",
    about="BEIR folders: judgements in qrels/test.tsv, qrels/dev.tsv and so on, under the header "
    "`query-id corpus-id score`",
    suffixes=(),
    recognises=lambda head: False,  # it is no file
    read_run=refusal("is a folder, which holds judgements and no run", "Name the run's file."),
    read_qrels=lambda source, reading: TSV.read_qrels(Source(str(_chosen_split(source))), reading),
    write_run=refusal("a run cannot be written in BEIR's form", "Write TREC text, JSON or Parquet."),
    write_qrels=write_beir_qrels,
    shapes=BEIR_SHAPES,
    has_parts=True,
)


# MTEB predictions: JSON of the form {subset: {split: {query: {item: score}}}}, perhaps with facts about the model.

MTEB_SHAPES = (
    InputShape(
        name="MTEB predictions",
        holds=HOLDS_RUN,
        about="{subset: {split: {query: {item: score}}}}, perhaps with `mteb_model_meta`; of several one is chosen "
        "behind a #: `NanoBEIR_predictions.json#default/test`.",
        examples=(Example("Task_predictions.json", '{"default": {"test": {"q1": {"a": 2.5, "b": 1.0}}}}\n'),),
        format="mteb",
    ),
)

MTEB_SUFFIXES = ("_predictions.json",)
MODEL_FACTS = "mteb_model_meta"
RESULTS_BEGIN = rb'\s*\{\s*"(?:dataset_revision|task_name|mteb_version)"\s*:'  # how MTEB begins a file of means
RESPONSE_BEGIN = re.compile(json_files.NAME_BEGIN + rb'\s*\{\s*"hits"\s*:\s*\{')  # of a search engine, behind its query
MTEB_BEGIN = re.compile(RESULTS_BEGIN + rb'|\s*\{\s*"mteb_model_meta"\s*:|(?:' + json_files.NAME_BEGIN + rb"){3}\s*\{")
OF_RESULTS = (
    "Give the predictions (..._predictions.json) of the same run; models are compared over tasks in Python: "
    "rankscope.compare([rankscope.commands.adapters.mteb.from_results({...})])."
)
MTEB_FORM = "The form is {subset: {split: {query: {item: score}}}}."


def read_mteb_run(source: Source, reading: Reading) -> Run:
    """The run of the only subset and split, or of the one chosen."""

    def read(problems: Problems) -> Iterator[Table]:
        data = json_files.whole_json(source, reading.encoding, problems)
        yield json_rows.table_of_nested(_chosen_part(_mteb_parts(data, problems), source, problems), "score", problems)

    return Run.from_tables(source.stem(MTEB_SUFFIXES), read, source)


def _mteb_parts(data: object, problems: Problems) -> dict[str, ObjectPairs]:
    found: dict[str, ObjectPairs] = {}
    subsets = data if isinstance(data, ObjectPairs) else _complain_of_mteb("the file", data, problems)
    if {"task_name", "scores"} <= dict(subsets).keys():
        problems.add("", "holds MTEB results, the means of a task, and no rankings", OF_RESULTS)
        problems.raise_if_any()
    for subset, splits in subsets:
        if subset == MODEL_FACTS:
            continue
        for split, rankings in (
            splits if isinstance(splits, ObjectPairs) else _complain_of_mteb(subset, splits, problems)
        ):
            part = f"{subset}/{split}"
            if part in found:
                problems.add("", f"{part} is there twice", MTEB_FORM)
            found[part] = rankings if isinstance(rankings, ObjectPairs) else _complain_of_mteb(part, rankings, problems)
    problems.raise_if_any()
    return found


def _complain_of_mteb(place: str, value: object, problems: Problems) -> ObjectPairs:
    problems.add(place, f"must hold an object, got {json_kind(value)}", MTEB_FORM)
    return ObjectPairs()


def _chosen_part(parts: dict[str, ObjectPairs], source: Source, problems: Problems) -> ObjectPairs:
    fitting = [part for part in parts if source.part in ("", part, *part.split("/", 1))]
    if len(fitting) == 1:
        return parts[fitting[0]]
    what = f"has no part '{source.part}'" if source.part and not fitting else f"holds {len(fitting)} rankings"
    listed = ", ".join(fitting or parts) or "none"
    example = next(iter(fitting or parts), "subset/split")
    advice = f"Choose one behind a #: {Source(source.path).name}#{example}"
    problems.add("", f"{what}; subsets and splits: {listed}", advice)
    raise InputError([problems.report()])


def write_mteb_run(run: Run, file: TextIO) -> None:
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
    suffixes=MTEB_SUFFIXES,
    # Four objects one within the other, or facts about the model first; or results, to say what they are.
    recognises=lambda head: MTEB_BEGIN.match(head) is not None and RESPONSE_BEGIN.match(head) is None,
    read_run=read_mteb_run,
    read_qrels=refusal("is of MTEB, whose files hold runs and means, but no judgements"),
    write_run=write_mteb_run,
    write_qrels=refusal("judgements cannot be written as MTEB predictions", "Write JSON, CSV or Parquet."),
    shapes=MTEB_SHAPES,
    has_parts=True,
)
