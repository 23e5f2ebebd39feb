"""Judgements that lie in several files: one behind the other, with the problems of all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems, line_in_file
from rankscope.inputs.formats import read_qrels
from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.part_runs import AlikeParts, add_reports, files_of, format_of_part
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading


def qrels_of_parts(path: str | Path, reading: Reading) -> Qrels | None:
    """Judgements from a folder or pattern; None where the path is neither, or a folder with a form of its own."""
    files = files_of(path, reading)
    if files is None:
        return None
    parts = _read(files, reading)
    return replace(
        parts[0],
        query=parts[0].query.as_texts().joined([each.query.as_texts() for each in parts[1:]]),
        item=parts[0].item.as_texts().joined([each.item.as_texts() for each in parts[1:]]),
        grade=np.concatenate([each.grade for each in parts]),
        line=np.concatenate([each.line for each in parts]),
        name=files.name,
        digest=files.digest,
        files=files.names,
    )


def _read(files: PartFiles, reading: Reading) -> list[Qrels]:
    """The judgements of each file that has any; one error for all that is wrong with any."""
    problems, alike, parts = Problems(files.name), AlikeParts(), []
    for number, (source, name) in enumerate(zip(files.parts, files.names, strict=True)):
        own = Problems(source.name)
        try:
            if source.size and not alike.refuse("is", format_of_part(source, reading), own):
                part = read_qrels(source, reading)
                parts.append(replace(part, line=part.line + line_in_file(number, 0)))
        except InputError as error:
            add_reports(error, own)
        problems.take_over(own, name, number)
    if not parts and not problems.any:
        problems.add("", "holds no judgements")
    problems.raise_if_any()
    return parts
