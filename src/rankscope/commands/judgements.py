"""Judgements: how far assessors agree, several files merged into one, whether they can be used for new systems.

And labels: which items may belong to a class whose label they do not have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import distinct_names, name_of
from rankscope.core.settings import LEVEL, MAX_RATIO, Choices, Settings
from rankscope.core.validation import OneOf, Optional
from rankscope.core.wording import setting_usage
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.analysis.assessors.agreement import Agreement
    from rankscope.analysis.assessors.grades import AssessorGrades
    from rankscope.analysis.sampling.reuse import Reuse
    from rankscope.engines.nearest.label_check import LabelCheck
    from rankscope.inputs.reading import Reading


# How far do assessors agree, and does it change which system is best?


@strict_keywords
def agreement(
    judgements: Mapping[str, Any] | Sequence[Any],
    runs: Any = None,
    measure: str = "AP",
    *,
    classes: Any = None,
    level: float = LEVEL,
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
    from rankscope.analysis.assessors.agreement import agreement as agree
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems, named_runs

    chosen = Settings(**settings)
    reading = reading_with(columns, None, None, "utf-8", chosen.comments, MAX_RATIO, map_qrels, map_runs, chosen.scores)
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
    from rankscope.analysis.assessors.order_changes import order_changes

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
    from rankscope.analysis.assessors.grades import AssessorGrades
    from rankscope.inputs.problems import raise_all
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.side_tables import read_classes

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

    paths = [each if isinstance(each, str | Path) else None for each in judgements]
    names = [f"assessor {place}" if path is None else Path(name_of(path)).stem for place, path in enumerate(paths, 1)]
    return dict(zip(distinct_names(names, paths), judgements, strict=True))


# Judgements of several assessors as one file, with where it comes from next to it.


@dataclass(frozen=True)
class MergedFiles:
    """What was written: how many pairs have a grade, and how many stayed open and were left out."""

    path: Path
    rule: str
    pairs: int
    left_out: int


def merge_files(
    files: Sequence[str | Path], output: str | Path, merge: str = "majority", open_pairs: str | None = None
) -> MergedFiles:
    """Write one grade for each pair that anybody judged, and OUTPUT.provenance.json next to it.

    Pairs that the rule does not decide are listed in an error unless `open_pairs` says what becomes of them: lower,
    higher or leave-out.
    """
    from rankscope.analysis.assessors.grades import OPEN_PAIRS, MergeRule
    from rankscope.core.validation import check
    from rankscope.inputs.formats.registry import write_file
    from rankscope.inputs.qrels import Qrels

    decided = check({"open_pairs": open_pairs}, open_pairs=Optional(OneOf(OPEN_PAIRS)))["open_pairs"]
    rule, marks = MergeRule.parse(merge), marks_of(files)
    if unknown := [name for name in rule.weights if name not in marks.assessors]:
        raise SettingError.of([f"merge: {unknown_name('assessor', name, marks.assessors)}" for name in unknown])
    grades, left_out = _merged(marks, rule, decided)
    write_file(Qrels.of(grades), output)
    _write_provenance(files, output, marks.assessors, {"rule": str(rule), "open pairs": decided, "left out": left_out})
    return MergedFiles(Path(output), str(rule), sum(map(len, grades.values())), left_out)


def _merged(marks: Any, rule: Any, open_pairs: str | None) -> tuple[dict[str, dict[str, float]], int]:
    from rankscope.analysis.assessors.grades import decide_open

    grades: dict[str, dict[str, float]] = {}
    apart: list[str] = []
    left_out = 0
    for query, item, row in zip(marks.query.tolist(), marks.items, marks.grades.tolist(), strict=True):
        said = {name: grade for name, grade in zip(marks.assessors, row, strict=True) if grade == grade}
        found = decide_open(merged := rule.merge(said), open_pairs)
        if found is not None:
            grades.setdefault(marks.queries[query], {})[item] = found
            continue
        left_out += 1
        if open_pairs is None and merged.between:
            words = ", ".join(f"{name} {grade:g}" for name, grade in said.items())
            apart.append(f"query {marks.queries[query]}, item {item}: {words}")
    if apart:
        advice = f"Say what becomes of them: {setting_usage('open_pairs', 'lower|higher|leave-out')}."
        raise InputError.of(f"assessors differ, and '{rule}' does not decide", apart, advice)
    return grades, left_out


def _write_provenance(
    files: Sequence[str | Path], output: str | Path, names: Sequence[str], how: dict[str, object]
) -> None:
    from rankscope.core.files import atomic

    digests = [hashlib.sha256(Path(each).read_bytes()).hexdigest() for each in (*files, output)]
    sources = [
        {"assessor": name, "file": name_of(path), "sha256": digest}
        for name, path, digest in zip(names, files, digests, strict=False)
    ]
    whole = {"format": "rankscope provenance", "version": 1, "rankscope": __version__, **how, "sources": sources}
    whole["file"] = {"name": Path(output).name, "sha256": digests[-1]}
    with atomic(f"{output}.provenance.json") as text:
        text.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


@strict_keywords
def pool_reuse(
    qrels: Any,
    runs: Any,
    measure: str = "AP",
    *,
    pool_depth: int = 100,
    teams: Mapping[str, str] | str | Path | None = None,
    compat: str | None = None,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    **settings: Unpack[Choices],
) -> Reuse:
    """How a system outside the pool fares: each run without the judgements that it alone has brought in.

    `runs`: a list, or a dictionary by name. `teams`: the team of each run, a dictionary or a CSV file (run, team).
    `columns`, `map_qrels` and `map_runs` as in `evaluate`.
    """
    from rankscope.analysis.sampling.reuse import reuse_pool
    from rankscope.commands.scores import read_runs
    from rankscope.inputs.mix_ups import refuse_swapped
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems

    reading = reading_with(columns, None, None, "utf-8", True, MAX_RATIO, map_qrels, map_runs)
    refuse_swapped(qrels, runs, reading)
    read = partial(Qrels.of, qrels, reading)
    named = read_runs(runs, reading, read)
    with all_problems(named, read):
        judged = read()
    chosen: dict[str, Any] = {**settings, **({} if compat is None else {"compat": compat})}
    by_name = {run.name: run for run in named}
    with all_problems(named):
        return reuse_pool(judged, by_name, measure, pool_depth, _teams(teams), chosen)


@strict_keywords
def check_labels(
    features: Any,
    labels: Any = None,
    *,
    metric: str | None = None,
    least: float = 0.5,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> LabelCheck:
    """Items that rank as members of a class whose label they do not have, and members that no other member finds.

    `features` as for `rank`; `least`: by more than this share of the members an item must be found among as many items
    as the class has other members.
    """
    from rankscope.commands.feedback import labelled_items
    from rankscope.engines.nearest.label_check import check_labels as check

    how = {"labels": labels, "separator": separator, "label_column": label_column, "id_column": id_column}
    items = labelled_items(features, **how)
    return check(items, metric or items.metric or "cosine", least, progress)


def _teams(given: Mapping[str, str] | str | Path | None) -> dict[str, str] | None:
    if given is None or isinstance(given, Mapping):
        return None if given is None else dict(given)
    from rankscope.inputs.side_tables import read_pairs

    return read_pairs(given, ("run", "team"))
