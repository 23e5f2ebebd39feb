"""Names in pairs from a small table with two columns, such as the team of each run."""

from __future__ import annotations

from pathlib import Path

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats.delimited import read_table
from rankscope.inputs.sources import Source


def read_pairs(path: str | Path, columns: tuple[str, str]) -> dict[str, str]:
    """The second column by the first; a column that is not there, or a name with two partners, is an `InputError`."""
    problems = Problems(Source(str(path)).name)
    table = read_table(Source(str(path)), problems, expected=",".join(columns), known=frozenset(columns))
    frame = table.frame
    problems.raise_if_any()
    lacking = [name for name in columns if name not in frame.columns]
    if lacking:
        told = f"needs the columns {' and '.join(columns)}, has: {', '.join(frame.columns)}"
        raise InputError.of(problems.source, [told])
    first, second = (frame.get_column(name).cast(str).to_list() for name in columns)
    twice = sorted({name for name in first if len({b for a, b in zip(first, second, strict=True) if a == name}) > 1})
    if twice:
        raise InputError.of(problems.source, [f"{columns[0]} {name} has two of {columns[1]}" for name in twice])
    return dict(zip(first, second, strict=True))
