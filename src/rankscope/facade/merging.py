"""Judgements of several assessors as one file, with where it comes from next to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.catalogue import unknown_name
from rankscope.errors import InputError, SettingError
from rankscope.wording import setting_usage


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
    from rankscope.facade.agreeing import marks_of
    from rankscope.inputs.formats import write
    from rankscope.inputs.qrels import Qrels
    from rankscope.statistics.agreement.merging import OPEN, MergeRule
    from rankscope.validation import OneOf, Optional, check

    decided = check({"open_pairs": open_pairs}, open_pairs=Optional(OneOf(OPEN)))["open_pairs"]
    rule, marks = MergeRule.parse(merge), marks_of(files)
    if unknown := [name for name in rule.weights if name not in marks.assessors]:
        raise SettingError.of([f"merge: {unknown_name('assessor', name, marks.assessors)}" for name in unknown])
    grades, left_out = _merged(marks, rule, decided)
    write(Qrels.of(grades), output)
    _write_provenance(files, output, marks.assessors, {"rule": str(rule), "open pairs": decided, "left out": left_out})
    return MergedFiles(Path(output), str(rule), sum(map(len, grades.values())), left_out)


def _merged(marks: Any, rule: Any, open_pairs: str | None) -> tuple[dict[str, dict[str, float]], int]:
    from rankscope.statistics.agreement.merging import decide_open

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
    from rankscope.files import atomic
    from rankscope.names import name_of
    from rankscope.version import __version__

    digests = [hashlib.sha256(Path(each).read_bytes()).hexdigest() for each in (*files, output)]
    sources = [
        {"assessor": name, "file": name_of(path), "sha256": digest}
        for name, path, digest in zip(names, files, digests, strict=False)
    ]
    whole = {"format": "rankscope provenance", "version": 1, "rankscope": __version__, **how, "sources": sources}
    whole["file"] = {"name": Path(output).name, "sha256": digests[-1]}
    with atomic(f"{output}.provenance.json") as text:
        text.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
