"""How far do assessors agree, and does it change which system is best?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.errors import InputError
from rankscope.settings import Choices

if TYPE_CHECKING:
    from rankscope.inputs.reading import Reading
    from rankscope.statistics.agreement.agreement import Agreement
    from rankscope.statistics.agreement.marks import AssessorGrades


@public
def agreement(
    judgements: Mapping[str, Any] | Sequence[Any],
    runs: Any = None,
    measure: str = "AP",
    *,
    classes: Any = None,
    level: float = 0.95,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    **settings: Unpack[Choices],
) -> Agreement:
    """How far assessors agree, every two and all together, with limits over queries; one judgement file for each.

    `judgements`: files, or judgements by the name of who made them. With `runs` also how the order of systems changes
    from one assessor to the other. `classes`: the class of each query, a dictionary, a table or a file. `rel` is the
    lowest grade that counts as relevant. `columns`, `map_qrels` and `map_runs` as in `evaluate`.
    >>> ann = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1}}
    >>> bob = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1}}
    >>> agreement({"ann": ann, "bob": bob}).between("ann", "bob")["raw"].value
    0.8
    """
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.several import all_problems, named_runs
    from rankscope.settings import Settings
    from rankscope.statistics.agreement.agreement import agreement as agree

    chosen = Settings(**settings)
    reading = reading_with(columns, None, None, "utf-8", chosen.comments, 200.0, map_qrels, map_runs, chosen.scores)
    errors: list[InputError] = []
    named = {} if runs is None else {run.name: run for run in named_runs(_listed(runs), reading, errors)}
    with all_problems(named.values()):
        marks = marks_of(judgements, classes, reading, errors)
    found = agree(marks, relevant=chosen.rel, by_class=classes is not None, level=level)
    if runs is None:
        return found
    with all_problems(named.values()):
        return with_orders(found, named, measure, **settings)


def with_orders(found: Agreement, runs: Any, measure: str = "AP", **settings: Unpack[Choices]) -> Agreement:
    """The same with how the order of systems changes between every two assessors."""
    from rankscope.statistics.agreement.orders import order_changes

    return replace(found, orders=order_changes(found.marks, _listed(runs), measure, **settings))


def _listed(runs: Any) -> Any:
    return list(runs) if isinstance(runs, tuple) else runs


def marks_of(
    judgements: Mapping[str, Any] | Sequence[Any],
    classes: Any = None,
    reading: Reading | None = None,
    errors: Iterable[InputError] = (),
) -> AssessorGrades:
    """The grades of all assessors side by side; files go by their names. All problems of all files at once.

    `errors` are those of other files that were read before.
    """
    from rankscope.inputs.checks import raise_all
    from rankscope.inputs.classes import read_classes
    from rankscope.inputs.qrels import Qrels
    from rankscope.statistics.agreement.marks import AssessorGrades

    named = judgements_by_name(judgements)
    found: dict[str, dict[str, dict[str, float]]] = {}
    wrong = []
    for name, data in named.items():
        try:
            found[name] = Qrels.of(data, reading).to_dict()
        except InputError as error:
            wrong.append(error)
    raise_all([*wrong, *errors])
    return AssessorGrades.of(found, None if classes is None else read_classes(classes))


def judgements_by_name(judgements: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Judgements by who made them; files go by their names.

    >>> list(judgements_by_name(["ann.txt", "bob.txt"]))
    ['ann', 'bob']
    """
    if isinstance(judgements, Mapping):
        return dict(judgements)
    from rankscope.names import distinct_names, name_of

    paths = [each if isinstance(each, str | Path) else None for each in judgements]
    names = [f"assessor {place}" if path is None else Path(name_of(path)).stem for place, path in enumerate(paths, 1)]
    return dict(zip(distinct_names(names, paths), judgements, strict=True))
