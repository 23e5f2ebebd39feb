"""Inputs that were mixed up: judgements and rankings swapped, and ids of a run and of judgements that do not meet."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import InputError, SwappedInputs
from rankscope.core.wording import mapping_value
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run

# Judgements given where rankings belong and the other way round: seen, and said in one line.

WIDEST_GRADES = 10  # from the lowest to the highest, if scores are to look like grades


def refuse_swapped(qrels: Any, runs: Any, reading: Reading) -> None:
    """Raise `SwappedInputs` if a run cannot be read but as judgements, and the judgements can be read as a run."""
    given = runs if isinstance(runs, list) else [runs]
    if not _is_file(qrels) or not _reads_as_run(qrels, reading):
        return
    for each in given:
        if _is_file(each) and not _reads_as_run(each, reading) and _reads_as_judgements(each, reading):
            raise SwappedInputs(Path(qrels).name, Path(each).name)


def _is_file(data: Any) -> bool:
    return isinstance(data, str | Path) and str(data) != "-"


def _reads_as_run(path: str | Path, reading: Reading) -> bool:
    """Whether its first rows are rankings."""
    try:
        run = Run.of(path, reading)
        problems = Problems(run.place)
        return next(iter(run.blocks(problems)), None) is not None and not problems.count
    except InputError:
        return False


def _reads_as_judgements(path: str | Path, reading: Reading) -> bool:
    try:
        return len(Qrels.of(path, reading)) > 0
    except InputError:
        return False


def looks_swapped(data: Any, qrels: Qrels, runs: Sequence[Run], reading: Reading) -> str:
    """A caution where both can be read as either: grades with fractions, and scores that are few whole numbers.

    `data` is what the judgements were read from.
    >>> scores, grades = {"q": {"a": 2.5, "b": 1.5}}, {"q": {"a": 1, "b": 0}}
    >>> looks_swapped(scores, Qrels.of(scores), [Run.of(grades, name="other")], Reading())
    'judgements has grades with fractions, and other whole scores from 0 to 1: swapped? Judgements come first'
    >>> looks_swapped(grades, Qrels.of(grades), [Run.of(grades)], Reading())
    ''
    """
    if qrels.has_whole_grades:
        return ""
    if isinstance(data, str | Path) and not (_is_file(data) and _reads_as_run(data, reading)):
        return ""
    for run in runs:
        score = _first_scores(run)
        if score.size and bool((score % 1 == 0).all()) and np.ptp(score) <= WIDEST_GRADES:
            whole = f"whole scores from {score.min():g} to {score.max():g}"
            return f"{qrels.name} has grades with fractions, and {run.place} {whole}: swapped? Judgements come first"
    return ""


def _first_scores(run: Run) -> FloatArray:
    """The scores of the first rows; none of standard input, which cannot be read twice."""
    if run.source is not None and run.source.address == "-":
        return np.empty(0)
    try:
        first = next(iter(run.blocks(Problems(run.place))), None)
    except InputError:
        first = None
    return np.empty(0) if first is None else first.rows.score[np.isfinite(first.rows.score)]


# Ids of a run and of judgements that do not meet: three of each, and what would make them meet.

IDS_LOOKED_AT = 10_000  # ids of a run
IDS_SHOWN = 3
FIRST_ITEMS = 10  # items of a ranking, of which one at least is judged as a rule
MOST_JUDGED = 50_000  # ids of judgements that every change is tried on
TRIED = 300  # ids from both ends of which something is cut
LONGEST_CUT = 40  # letters that all ids may begin or end with
FEW_IDS = 20  # ids, of which one that meets is no chance
SEPARATORS = "#/_-:.@|%~"
SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
BETWEEN_DIGITS = re.compile(r"\d\|\d")  # a cut that parts a number
PADDING = re.compile(r"(?<!\d)0+(?=\d)")

Fold = Callable[[str], str]


@dataclass(frozen=True)
class UnlikeIds:
    """A few ids of each side; `change` makes `met` of `looked_at` ids of the run meet, `pattern` is the roll-up for it.

    >>> UnlikeIds.of(["web/D7", "web/D8"], ["D1", "D8"]).advice("item")
    "Item ids of the run: 'web/D7', 'web/D8'; of the judgements: 'D1', 'D8'. With 'web/' cut from the front of those \
of the run, 1 of 2 meet: roll_up='^(?:web/)?(.+)'"
    """

    run: tuple[str, ...]
    judged: tuple[str, ...]
    change: str = ""
    pattern: str = ""
    met: int = 0
    looked_at: int = 0

    @classmethod
    def of(cls, run: Iterable[str], judged: Iterable[str]) -> UnlikeIds:
        """The first ids of each side, in their order."""
        ran, known = list(islice(dict.fromkeys(run), IDS_LOOKED_AT)), list(dict.fromkeys(judged))
        shown = cls(tuple(ran[:IDS_SHOWN]), tuple(known[:IDS_SHOWN]))
        way = _best_way(ran, known)
        if way is None:
            return shown
        return replace(shown, change=way.change, pattern=way.pattern, met=way.met, looked_at=len(ran))

    def advice(self, kind: str) -> str:
        """All of it in words; only items can be rolled up."""
        run, judged = (", ".join(map(shorten_value, each)) for each in (self.run, self.judged))
        shown = f"{kind.capitalize()} ids of the run: {run}; of the judgements: {judged}."
        if not self.change:
            return f"{shown} Are these the right files?"
        how = f": {mapping_value(self.pattern, 'roll_up')}" if self.pattern and kind == "item" else ""
        return f"{shown} {self.change}, {self.met:,} of {self.looked_at:,} meet{how}"


class _Way(NamedTuple):
    """A change of ids: in words, as the pattern of a roll-up where one does it, and how many meet by it."""

    change: str
    pattern: str
    fold: Fold
    is_cut: bool
    met: int = 0


def _best_way(run: Sequence[str], judged: Sequence[str]) -> _Way | None:
    """The change after which most different ids meet, the first of those that are as good: it must not make all one.

    What is cut from one side should meet the other side as it is: numbers cut out of both meet by chance.
    """
    some = judged if len(judged) <= MOST_JUDGED else random.Random(0).sample(judged, MOST_JUDGED)
    ways, as_they_are = [_Way(*way) for way in _ways(run, some)], {*run, *some}

    def rank(way: _Way) -> tuple[int, int]:
        meeting = _meeting(run, some, way.fold)
        return len(meeting & as_they_are if way.is_cut else meeting), len(meeting)

    best = max(ways, key=rank)
    meeting, enough = _meeting(run, judged, best.fold), 1 if len(run) < FEW_IDS else 2
    if len(meeting) < max(enough, 2 * len(_meeting(run, judged, str))):
        return None
    return best._replace(met=sum(best.fold(each) in meeting for each in run))


def _ways(run: Sequence[str], judged: Sequence[str]) -> Iterator[tuple[str, str, Fold, bool]]:
    """Each change in words, as the pattern of a roll-up where one does it, as it works on ids, and whether it cuts."""
    for side, ids, others in (("run", run, set(judged)), ("judgements", judged, set(run))):
        for change, pattern in _cuts(ids, others, f"those of the {side}"):
            yield change, pattern, _rolled(pattern), True
    yield "With capitals and small letters taken for the same", "", str.casefold, False
    heads = {re.split(r"\d", each, maxsplit=1)[0] for each in (*run[:1], *judged[:1])} - {""}
    named = f"(?:{'|'.join(sorted(map(_escaped, heads), key=len, reverse=True))})?" if heads else ""
    behind = f" behind {' or '.join(map(shorten_value, sorted(heads)))}" if heads else ""
    pattern = f"^{named}0*(\\d+)$"
    yield f"With the numbers{behind} alone, without zeros in front", pattern, _rolled(pattern), False
    yield "Without zeros in front of numbers", "", lambda each: PADDING.sub("", each), False


def _cuts(ids: Sequence[str], others: set[str], owned: str) -> Iterator[tuple[str, str]]:
    """Patterns by which ids lose what all of them begin or end with, or what stands before or behind a separator.

    Ids that have none of it match too: they stay as they are, and no run is refused that has no others.
    """
    fronts = [""] + [front for front in _beginnings(ids) if not BETWEEN_DIGITS.search(_parted(ids[0], len(front)))]
    backwards = [each[::-1] for each in ids[:IDS_LOOKED_AT]]
    ends = [""] + [end[::-1] for end in _beginnings(backwards) if not BETWEEN_DIGITS.search(_parted(ids[0], -len(end)))]
    alone = [*((front, "") for front in fronts[1:]), *(("", end) for end in ends[1:])]
    both = [(front, end) for front in fronts[1:] for end in ends[1:]]
    for pairs, some in ((alone, ids[:IDS_LOOKED_AT]), (both, ids[:TRIED])):
        met = {cut: sum(each[len(cut[0]) : len(each) - len(cut[1])] in others for each in some) for cut in pairs}
        front, end = max(met, key=lambda pair: met[pair], default=("", ""))
        if met.get((front, end)):
            cut = [f"{shorten_value(front)} cut from the front"] if front else []
            cut += [f"{shorten_value(end)} cut from the end"] if end else []
            behind = f"{'+?' if end else '+'}){_optional(end)}{'$' if end else ''}"
            pattern = f"^{_optional(front)}(.{behind}"
            yield f"With {' and '.join(cut)} of {owned}", pattern
            break
    for sign in SEPARATORS:
        if 2 * sum(sign in each for each in ids[:100]) > len(ids[:100]):
            found, other = _escaped(sign), f"[^{_escaped(sign)}]"
            yield f"Without what follows the last '{sign}' in {owned}", f"^(.+?)(?:{found}{other}*)?$"
            yield f"Without what follows the first '{sign}' in {owned}", f"^({other}+)"
            yield f"Without what precedes the last '{sign}' in {owned}", f"({other}+)$"


def _beginnings(ids: Sequence[str]) -> list[str]:
    """What all ids begin with, short of a whole id, the shortest first."""
    common = os.path.commonprefix([min(ids, default=""), max(ids, default="")])  # noqa: RUF071  (letters, no folders)
    return [common[:stop] for stop in range(1, min(len(common), LONGEST_CUT) + 1)]


def _parted(each: str, place: int) -> str:
    return f"{each[:place]}|{each[place:]}"


def _meeting(run: Sequence[str], judged: Sequence[str], fold: Fold) -> set[str]:
    """The ids that both sides have once they are changed."""
    return set(map(fold, run)).intersection(map(fold, judged))


def _rolled(pattern: str) -> Fold:
    """What a roll-up makes of an id."""
    search = re.compile(pattern).search

    def rolled(each: str) -> str:
        found = search(each)
        return (found[1] or each) if found else each

    return rolled


def _optional(text: str) -> str:
    return f"(?:{_escaped(text)})?" if text else ""


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
