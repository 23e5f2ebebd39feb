"""BEIR folders: judgements in qrels/test.tsv, qrels/dev.tsv and so on, under the header `query-id corpus-id score`.

Of several splits `test` is taken, or the one chosen behind a `#`: `scifact#train`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from rankscope.errors import InputError
from rankscope.inputs.formats.delimited import TSV
from rankscope.inputs.formats.format import FileFormat, refusal
from rankscope.inputs.formats.writing import refuse_ids, whole_numbers
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, Example, InputShape
from rankscope.inputs.sources import Source

SHAPES = (
    InputShape(
        name="BEIR folder",
        holds=HOLDS_JUDGEMENTS,
        about="A folder with `qrels/test.tsv` under the header `query-id corpus-id score`; another split is chosen "
        "behind a #: `scifact#train`.",
        examples=(Example("scifact/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\n", HOLDS_JUDGEMENTS),),
        format="beir",
    ),
)

ADVICE = "A BEIR folder holds its judgements in qrels/test.tsv, or in a file of another split next to it."


def recognises_folder(folder: Path) -> bool:
    """Whether judgements lie where BEIR has them."""
    return bool(_splits(folder))


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """The judgements of the chosen split, of `test`, or of the only split."""
    return TSV.read_qrels(Source(str(_chosen(source))), reading)


def _splits(folder: Path) -> dict[str, Path]:
    return {file.stem: file for file in sorted(folder.glob("qrels/*.tsv")) if file.is_file()}


def _chosen(source: Source) -> Path:
    splits = _splits(Path(source.path))
    wanted = source.part or ("test" if "test" in splits or len(splits) != 1 else next(iter(splits)))
    if wanted in splits:
        return splits[wanted]
    if not splits:
        raise InputError.of(source.name, ["has no judgements (qrels/*.tsv)"], ADVICE)
    what = f"has no split '{wanted}'; there are: {', '.join(splits)}"
    raise InputError.of(source.name, [what], f"Choose one behind a #: {Path(source.path).name}#{next(iter(splits))}")


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write one split's file: `query-id corpus-id score` between tabs, without quotes, grades as whole numbers."""
    table = whole_numbers(qrels.table, "grade")
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
    read_qrels=read_qrels,
    write_run=refusal("a run cannot be written in BEIR's form", "Write TREC text, JSON or Parquet."),
    write_qrels=write_qrels,
    shapes=SHAPES,
    has_parts=True,
)
