"""Several runs at once, each under a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from rankscope.errors import InputError, SwappedInputs
from rankscope.inputs.checks import Problems, raise_all
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.names import distinct_names

SEVERAL = (Mapping, list, tuple)  # what a dictionary of runs holds, one level below its names
LISTED = (list, tuple, np.ndarray)
RESPONSES = (("hits", "hits"), ("response", "docs"))  # of Elasticsearch and OpenSearch, and of Solr


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


@contextmanager
def all_problems(runs: Iterable[Run], *others: Callable[[], object]) -> Iterator[None]:
    """In this block the first input that cannot be read raises the problems of all of them: of the other runs too, and
    of what `others` read.
    """
    try:
        yield
    except SwappedInputs:
        raise
    except InputError as error:
        told = {report.source for report in error.reports}
        rest = (partial(_read_through, run) for run in runs if run.place not in told)
        errors = [*_errors_of(others), error, *_errors_of(rest)]
        if len(errors) == 1:
            raise
        raise_all(errors)


def _errors_of(reads: Iterable[Callable[[], object]]) -> Iterator[InputError]:
    for read in reads:
        try:
            read()
        except InputError as error:
            yield error


def _read_through(run: Run) -> None:
    """Raise what is wrong with the rows of a run."""
    problems = Problems(run.place)
    for _ in run.blocks(problems):
        pass
    problems.raise_if_any()


def _is_one_run(runs: list[Any]) -> bool:
    """Rows of one run, named tuples as ir_datasets has them, rather than several runs."""
    return bool(runs) and isinstance(runs[0], tuple) and hasattr(runs[0], "query_id")


def _is_by_name(runs: Mapping[Any, Any]) -> bool:
    """{name: run} rather than {query: {item: score}} or {query: response}: the values are runs themselves."""
    first = next(iter(runs.values()), None)
    if _is_response(first):
        return False
    if isinstance(first, Mapping):
        inner = next(iter(first.values()), None)
        return isinstance(inner, SEVERAL) or _is_response(inner)
    return first is not None and not isinstance(first, LISTED)


def _is_response(value: Any) -> bool:
    """What a search engine answered to one query: a dictionary, or what its client makes of it."""
    body = value if isinstance(value, Mapping) else getattr(value, "body", None)
    if not isinstance(body, Mapping):
        return False
    return any(isinstance(body.get(one), Mapping) and two in body[one] for one, two in RESPONSES)


def _distinguish(runs: list[Run]) -> None:
    """Every run under a name of its own."""
    paths = [None if run.source is None or run.source.address == "-" else run.source.address for run in runs]
    for run, name in zip(runs, distinct_names([run.name for run in runs], paths), strict=True):
        run.name = name
