"""Scores as people and programs want them: a table, trec_eval's lines, CSV, JSON, LaTeX, Markdown, Parquet."""

from __future__ import annotations

from types import ModuleType

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError
from rankscope.reports import csv, json, latex, markdown, parquet, table, trec

ALL: tuple[ModuleType, ...] = (table, trec, csv, json, latex, markdown, parquet)


def by_name(wanted: str) -> ModuleType:
    """A format of output by its name."""
    names = [each.name for each in ALL]
    if wanted not in names:
        raise SettingError(f"no output format '{wanted}'{did_you_mean(wanted, names)} There are: {', '.join(names)}")
    return ALL[names.index(wanted)]


def by_suffix(path: str) -> ModuleType | None:
    """A format of output by the suffix of the file, if it tells."""
    return next((each for each in ALL if path.endswith(each.suffixes)), None)
