"""How the rows of a run lie in its files: every query in one place, or scattered; told before all is read.

Parquet files mostly say the first and the last query of each group of rows; else the first rows of the first file are
looked at. This is a guess that saves a pass: that no query lies in two parts is checked when they have been reduced.
"""

from __future__ import annotations

from itertools import islice

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.part_runs import read_part
from rankscope.inputs.reading import Reading
from rankscope.ranks.grouping import Scattered, whole_queries

BLOCKS = 4  # of the first file, and of the second, that are looked at


def looks_scattered(files: PartFiles, reading: Reading) -> bool:
    """Whether a query comes back in the first rows of the first file, or the second file has one of the first."""
    seen: set[str] = set()
    for source in [each for each in files.parts if each.size][:2]:
        part = read_part(source, reading)
        try:
            for whole in whole_queries(islice(part.blocks(Problems(source.name)), BLOCKS)):
                if not seen.isdisjoint(whole.queries):
                    return True
                seen.update(whole.queries)
        except Scattered:
            return True
        except InputError:
            return False
    return False
