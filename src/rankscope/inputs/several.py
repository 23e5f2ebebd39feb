"""Several runs at once, each under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.errors import InputError
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.names import distinct_names

SEVERAL = (Mapping, list, tuple)  # what a dictionary of runs holds, one level below its names
LISTED = (list, tuple, np.ndarray)


def named_runs(runs: Any, reading: Reading, errors: list[InputError]) -> list[Run]:
    """Runs with distinct names, from one run, a list of runs, or {name: run}; a bad one adds to `errors`.

    They are to be used at once: dictionaries are not copied.
    """
    if isinstance(runs, Mapping) and _is_by_name(runs):
        pairs = [(str(name), data) for name, data in runs.items()]
    else:
        pairs = [("", data) for data in (runs if isinstance(runs, list) and not _is_one_run(runs) else [runs])]
    results = []
    for name, data in pairs:
        try:
            results.append(Run.of(data, reading, name=name, keep=False))
        except InputError as error:
            errors.append(error)
    _distinguish(results)
    return results


def _is_one_run(runs: list[Any]) -> bool:
    """Rows of one run, named tuples as ir_datasets has them, rather than several runs."""
    return bool(runs) and isinstance(runs[0], tuple) and hasattr(runs[0], "query_id")


def _is_by_name(runs: Mapping[Any, Any]) -> bool:
    """{name: run} rather than {query: {item: score}}: the values are runs themselves."""
    first = next(iter(runs.values()), None)
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), SEVERAL)
    return first is not None and not isinstance(first, LISTED)


def _distinguish(runs: list[Run]) -> None:
    """Every run under a name of its own."""
    paths = [None if run.source is None or run.source.address == "-" else run.source.address for run in runs]
    for run, name in zip(runs, distinct_names([run.name for run in runs], paths), strict=True):
        run.name = name
