"""What a measure is, and how people write one: `P@10`, `P(rel=2)@10`, `nDCG(gain=exp)@20`, `Rprec(a=2)`."""

from __future__ import annotations

import re
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.measures.worth import not_known
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.settings import Settings
from rankscope.validation import LARGEST


@dataclass(frozen=True)
class Measure(ABC):
    """A number for each query. Subclasses are values: two measures with equal parameters are equal.

    `of` gives one float per query; NaN means undefined for that query. `scope` is written behind an @.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    trec: ClassVar[str | None] = None  # what trec_eval calls it
    trec_cut: ClassVar[str | None] = None  # and with a cut-off
    habits: ClassVar[frozenset[str]] = frozenset()  # parameters a release of trec_eval sets; the name stays
    summary: ClassVar[Literal["mean", "sum", "geometric", "none"]] = "mean"
    needs: ClassVar[frozenset[str]] = frozenset()
    ordered: ClassVar[bool] = True  # whether the order of the returned items matters
    lower_is_better: ClassVar[bool] = False
    worst: ClassVar[float] = 0.0  # the value of a query without relevant items where such queries count
    counts: ClassVar[bool] = False  # whole numbers, printed as such
    choices: ClassVar[Mapping[str, tuple[object, ...]]] = {}
    least: ClassVar[Mapping[str, float]] = {"scope": 1}
    most: ClassVar[Mapping[str, float]] = {}

    @abstractmethod
    def of(self, queries: RelevantRanks) -> FloatArray:
        """The measure's value for each query."""

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The mean over all orders of equal scores, where there is a closed form."""
        return None if self.ordered else self.of(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """What items of these grades are worth by standing higher among equal scores (`measures.worth`).

        NaN where no order is proven to give an extreme. `settings` tell whether lists are cut and what is left out.
        """
        return not_known(grade) if self.ordered or settings.depth is not None else np.zeros(grade.shape)

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """For which queries the orders by worth may miss an extreme, for reasons that no single item shows."""
        return np.zeros(len(queries), dtype=np.bool_)

    def extremes(self, queries: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray] | None:
        """Lowest and highest value of each query over all orders, where they come from no order by worth; else NaN."""
        return None

    def reach(self, queries: RelevantRanks) -> IntArray | None:
        """How far down the list of each query it looks; None: to the end, wherever that is."""
        scope = getattr(self, "scope", None)
        return np.full(len(queries), scope, dtype=np.int64) if isinstance(scope, int) else None

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray] | None:
        """Numerator and denominator, for measures whose micro mean is the ratio of two sums."""
        return None

    def defined(self, queries: RelevantRanks) -> Any:
        """Which queries have what the measure needs to be worth averaging: a relevant item."""
        return queries.at(rel=self.level).relevant > 0

    @property
    def level(self) -> float:
        """The lowest grade that counts as relevant."""
        return float(getattr(self, "rel", 1.0))

    def words(self, queries: RelevantRanks) -> list[str] | None:
        """A word per query, for the few values that are no numbers."""
        return None

    def word(self, queries: RelevantRanks) -> str | None:
        """A word for the whole run, likewise."""
        return None

    def bind(self, queries: RelevantRanks) -> Self:
        """The same measure with what it takes from the data written into its parameters."""
        return self

    def trec_name(self) -> str | None:
        """What trec_eval calls it; None for a variant that trec_eval does not have."""
        template = self.trec if getattr(self, "scope", None) is None else self.trec_cut
        if template is None:
            return None
        free = {"rel", "scope", *self.habits, *re.findall(r"{(\w+)", template)}
        if any(getattr(self, each.name) != each.default for each in fields(self) if each.name not in free):
            return None
        return template.format_map({each.name: getattr(self, each.name) for each in fields(self)})

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(self, each.name, getattr(self, each.name))

    def __str__(self) -> str:
        given = [
            f"{each.name}={_written(getattr(self, each.name))}"
            for each in fields(self)
            if each.name != "scope" and getattr(self, each.name) != each.default
        ]
        scope = getattr(self, "scope", None)
        return self.name + (f"({','.join(given)})" if given else "") + (f"@{_written(scope)}" if scope else "")


def _written(value: object) -> str:
    """A number in its short form if that says all of it: 2, 0.8, 0.123456789."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _check(measure: Measure, name: str, value: object) -> None:
    kind = type(measure)
    choices = kind.choices.get(name)
    if choices is not None and value not in choices:
        raise MeasureError(f"{kind.name}: {name} must be one of {', '.join(map(str, choices))}, got {value!r}")
    if not isinstance(value, int | float):
        return
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise MeasureError(f"{kind.name}: {name} must be below 2^63, got one of {value.bit_length()} bits")
    if value != value or value < kind.least.get(name, float("-inf")) or value > kind.most.get(name, float("inf")):
        bounds = [f"at least {kind.least[name]:g}"] if name in kind.least else []
        bounds += [f"at most {kind.most[name]:g}"] if name in kind.most else []
        raise MeasureError(f"{kind.name}: {name} must be {' and '.join(bounds) or 'a number'}, got {value!r}")


def with_level(measure: Measure, rel: float, said: Iterable[str] = ()) -> Measure:
    """The measure at another lowest relevant grade, unless it has none or says its own."""
    if "rel" in said or rel == 1 or not any(each.name == "rel" for each in fields(measure)):
        return measure
    return replace(measure, rel=float(rel))  # type: ignore[call-arg]


def need_collection(measure: Measure, queries: RelevantRanks) -> None:
    """Refuse to guess the size of the collection, and a size that the judgements or the scope contradict."""
    if (queries.collection == UNKNOWN).any():
        raise MeasureError(
            f"{measure} needs the size of the collection, which a run file does not tell: give --collection-size D "
            "(collection_size=D in Python)"
        )
    scope = getattr(measure, "scope", None) or 0
    for what, least in (("relevant items", queries.at(rel=measure.level).relevant), ("scope", scope)):
        short = np.flatnonzero(queries.collection < least)
        if short.size:
            row = int(short[0])
            found = int(np.broadcast_to(least, len(queries))[row])
            raise MeasureError(
                f"{measure}: {what} <= collection size is needed, but query {queries.queries[row]} has {found} "
                f"and the collection {int(queries.collection[row])}"
            )


WRITTEN = re.compile(r"(?P<name>[^@()\s]+)\s*(?:\((?P<given>[^()]*)\))?\s*(?:@(?P<scope>[^@()]+))?")


def split_notation(text: str) -> tuple[str, list[tuple[str, str]], str]:
    """Name, parameters in order (an empty name means by position) and scope, as written."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        raise MeasureError(
            f"'{text}' is no measure: write NAME, NAME@10, NAME(parameter=value) or both, as P(rel=2)@10"
        )
    given = []
    for part in filter(None, (piece.strip() for piece in (match["given"] or "").split(","))):
        key, equals, value = part.partition("=")
        given.append((key.strip(), value.strip()) if equals else ("", part))
    return match["name"], given, (match["scope"] or "").strip()


def build(kind: type[Measure], text: str, given: list[tuple[str, str]], scope: str) -> Measure:
    """A measure from its class and what was written."""
    known = {each.name: each for each in fields(kind)}
    free = [name for name in known if name not in ("scope", *(key for key, _ in given))]
    values: dict[str, Any] = {}
    for key, value in given:
        key = key or (free.pop(0) if free else "")
        if key not in known or key == "scope":
            there = ", ".join(name for name in known if name != "scope") or "none"
            raise MeasureError(f"'{text}': {kind.name} has no parameter '{key or value}'. It has: {there}")
        if key in values:
            raise MeasureError(f"'{text}': {key} is given twice")
        values[key] = _read(kind, known[key], value, text)
    if scope:
        if "scope" not in known:
            raise MeasureError(f"'{text}': {kind.name} takes no cut-off")
        values["scope"] = _read(kind, known["scope"], scope, text)
    missing = [name for name, each in known.items() if each.default is MISSING and name not in values]
    if missing:
        raise MeasureError(f"'{text}': {kind.name} needs a cut-off, for instance {kind.name}@10")
    return kind(**values)


def _read(kind: type[Measure], which: Field[Any], text: str, whole: str) -> object:
    reader = _readers(kind)[which.name]
    try:
        return reader(text)
    except ValueError:
        expected = "a whole number" if reader is int else "a number"
        raise MeasureError(f"'{whole}': {which.name} must be {expected}, got '{text}'") from None


@cache
def _readers(kind: type[Measure]) -> dict[str, Callable[[str], object]]:
    """How to read each parameter, from its type."""
    hints = typing.get_type_hints(kind)
    return {each.name: _reader(hints[each.name]) for each in fields(kind)}


def _reader(hint: Any) -> Callable[[str], object]:
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for plain in (int, float):
        if plain in options:
            return plain
    return str
