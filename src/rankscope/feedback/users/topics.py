"""What simulated users look for: one target a topic, or one for each of its assessors; and topics as people write them
over the labels that items have, `flower and red and not (sky or sea)`.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import checked_target
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged

Truth = Literal["labels", "judgements", "given"]
FEWEST = 2  # a topic needs an item to ask with and one to find


@dataclass(frozen=True, eq=False)
class Topics:
    """One row for each topic and assessor: which items are relevant, and where known how much each is worth.

    A session uses one row for what is marked and for what is scored. The assessor is empty where there is only one.
    >>> topics = Topics.of({"red": [True, True, False], "round": [False, True, True]})
    >>> topics.names, topics.relevant, topics.generality.round(3)
    (('red', 'round'), array([2, 2]), array([0.667, 0.667]))
    """

    names: tuple[str, ...]
    targets: BoolArray  # rows x items
    assessors: tuple[str, ...] = ()
    given_gains: FloatArray | None = None  # rows x items, from 0 to 1; 1 is relevant
    judged: BoolArray | None = None  # rows x items: what somebody has looked at; None: everything
    truth: Truth = "given"  # where targets come from: category labels are no judgements
    shared: tuple[str, ...] = ()  # the sampling unit of each row, where topics share labels; empty: each its own

    @classmethod
    def of(cls, targets: Mapping[str, ArrayLike]) -> Topics:
        """From one target a topic: yes or no for each item."""
        return cls._checked(tuple(targets), ("",) * len(targets), [checked_target(each) for each in targets.values()])

    @classmethod
    def judged_by(cls, targets: Mapping[str, Mapping[str, ArrayLike]]) -> Topics:
        """From several assessors a topic, each with a target of his own.

        >>> Topics.judged_by({"fun": {"ann": [True, False], "ben": [False, True]}}).assessors
        ('ann', 'ben')
        """
        rows = [(name, who, checked_target(each)) for name, own in targets.items() for who, each in own.items()]
        return cls._checked(tuple(row[0] for row in rows), tuple(row[1] for row in rows), [row[2] for row in rows])

    @classmethod
    def graded(cls, gains: Mapping[str, ArrayLike]) -> Topics:
        """From one gain for each item, 0 to 1; full relevance, the target of all measures, is 1."""
        table = np.array([np.asarray(each, dtype=np.float64) for each in gains.values()])
        if table.ndim != 2 or not ((table >= 0) & (table <= 1)).all():
            raise SettingError("gains are numbers from 0 to 1, one for each item of every topic")
        topics = cls._checked(tuple(gains), ("",) * len(table), list(table >= 1))
        return replace(topics, given_gains=table)

    @classmethod
    def from_labels(cls, labels: Features, wanted: Sequence[str] | None = None, least: int = FEWEST) -> Topics:
        """One topic per label with at least so many items, or those wanted: labels, or expressions over labels.

        A text that is a label is one, whatever words are in it. An expression has gains: an item of which two of three
        parts are true is worth 2/3.
        """
        have = properties(labels)
        if wanted is None:
            large = {name: target for name, target in sorted(have.items()) if target.sum() >= least}
            if not large:
                raise SettingError(f"no label has {least} items or more: there is nothing to look for")
            return replace(cls.of(large), truth="labels")
        meant = {text: HasLabel(text) if text in have else parse_expression(text) for text in wanted}
        found = cls._checked(tuple(meant), ("",) * len(meant), [each.of(have) for each in meant.values()])
        topics = replace(found, truth="labels")
        if all(isinstance(each, HasLabel) for each in meant.values()):
            return topics
        units = sampling_units({text: each.wanted for text, each in meant.items()})
        gains = np.array([each.worth(have) for each in meant.values()])
        return replace(topics, given_gains=gains, shared=tuple(units[text] for text in meant))

    @classmethod
    def from_qrels(cls, qrels: Any, items: Sequence[str], rel: float = 1, least: int = 1) -> Topics:
        """One topic for each query that has at least so many relevant items, of grade `rel` or better, among these.

        `items` are their ids. Other queries are left out; items that are not judged are known to be irrelevant: where
        that is not so, `from_assessors` keeps them apart.
        >>> Topics.from_qrels({"1": {"a": 2, "x": 1}, "2": {"b": 0}, "3": {"b": 1, "c": 1}}, ["a", "b", "c"]).rows()[0]
        {'topic': '1', 'assessor': '', 'relevant': 1, 'generality': 0.3333333333333333}
        """
        return replace(cls.from_assessors({"": qrels}, items, rel, least), judged=None)

    @classmethod
    def from_assessors(cls, qrels: Mapping[str, Any], items: Sequence[str], rel: float = 1, least: int = 1) -> Topics:
        """The same from the judgements of each assessor, by name; a grade below `rel` is worth grade / `rel`.

        Items an assessor has not judged, or only pooled (a grade below 0), are not relevant and known as not judged;
        but judgements that name no irrelevant item (grade 0) at all are lists of what is relevant, and complete.
        >>> two = {"ann": {"fun": {"a": 2, "b": 1}}, "ben": {"fun": {"b": 2, "c": 0}}}
        >>> topics = Topics.from_assessors(two, ["a", "b", "c", "d"], rel=2)
        >>> topics.labels, topics.given_gains.tolist(), topics.judged.sum(axis=1)
        (('fun by ann', 'fun by ben'), [[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], array([2, 2]))
        """
        rows = [(name, who, row) for who, given in qrels.items() for name, row in grade_rows(given, items).items()]
        large = [each for each in rows if least <= (each[2] >= rel).sum() < len(items)]
        if not large:
            raise SettingError(f"no query has {least} relevant items or more among these {len(items):,}: do ids agree?")
        large.sort(key=lambda each: [name for name, _, _ in rows].index(each[0]))
        names, assessors, grades = zip(*large, strict=True)
        topics = cls._checked(names, assessors, [row >= rel for row in grades])
        table, judged = np.array(grades), np.array(grades) >= 0
        complete = bool(judged.all()) or not (table == 0).any()
        graded = ((table > 0) & (table < rel)).any()
        gains = np.clip(table / rel, 0.0, 1.0) if graded else None
        return replace(topics, given_gains=gains, judged=None if complete else judged, truth="judgements")

    @classmethod
    def _checked(cls, names: tuple[str, ...], assessors: tuple[str, ...], targets: Sequence[BoolArray]) -> Topics:
        if not names:
            raise SettingError("there must be at least one topic")
        if len({each.size for each in targets}) > 1:
            raise SettingError("every topic needs a word on every item, so all targets have the same length")
        if len(set(zip(names, assessors, strict=True))) < len(names):
            raise SettingError(f"each topic may be there once for each assessor: {', '.join(names)}")
        empty = [name for name, each in zip(names, targets, strict=True) if not each.any() or each.all()]
        if empty:
            raise SettingError(f"no item, or every item, is relevant to {', '.join(empty)}: there is nothing to learn")
        return cls(names, np.array(targets), assessors)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def items(self) -> int:
        """How many items there are: d."""
        return self.targets.shape[1]

    @cached_property
    def relevant(self) -> IntArray:
        """How many items are relevant: c."""
        return self.targets.sum(axis=1)

    @property
    def generality(self) -> FloatArray:
        return self.relevant / self.items

    @cached_property
    def members(self) -> Ragged:
        """The relevant items of each row, ascending, as column `item`."""
        row, item = np.nonzero(self.targets)
        return Ragged.from_rows(row, len(self), item=item)

    def gains(self, row: IntArray, item: IntArray) -> FloatArray:
        """What items are worth; 1 or 0 where nothing finer is known."""
        return (self.targets if self.given_gains is None else self.given_gains)[row, item].astype(np.float64)

    @property
    def units(self) -> tuple[str, ...]:
        """The sampling unit of each row: its topic, with those that share a label with it."""
        return self.shared or self.names

    @property
    def labels(self) -> tuple[str, ...]:
        """Each row in words: the topic, and the assessor where there are several."""
        return tuple(f"{name} by {who}" if who else name for name, who in zip(self.names, self.assessors, strict=True))

    def take(self, rows: Sequence[int]) -> Topics:
        chosen = list(rows)
        return replace(
            self,
            names=tuple(self.names[row] for row in chosen),
            targets=self.targets[chosen],
            assessors=tuple(self.assessors[row] for row in chosen),
            given_gains=None if self.given_gains is None else self.given_gains[chosen],
            judged=None if self.judged is None else self.judged[chosen],
            shared=tuple(self.shared[row] for row in chosen) if self.shared else (),
        )

    def named(self, wanted: Sequence[str]) -> Topics:
        """The topics of these names, all their assessors; an unknown one is a `SettingError`."""
        unknown = [name for name in wanted if name not in self.names]
        if unknown:
            hint = did_you_mean(unknown[0], self.names)
            raise SettingError(f"there is no topic '{unknown[0]}'{hint} Topics: {', '.join(dict.fromkeys(self.names))}")
        return self.take([row for name in wanted for row, own in enumerate(self.names) if own == name])

    def is_judged(self, row: IntArray, item: IntArray) -> BoolArray:
        """Whether somebody has looked at items."""
        if self.judged is None:
            return np.ones(np.broadcast(row, item).shape, np.bool_)
        result: BoolArray = self.judged[row, item]
        return result

    def rows(self) -> list[dict[str, object]]:
        shown = zip(self.names, self.assessors, self.relevant.tolist(), self.generality.tolist(), strict=True)
        return [{"topic": name, "assessor": who, "relevant": c, "generality": g} for name, who, c, g in shown]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, targets, gains and what was judged."""
        result = hashlib.sha256(f"{self.names} {self.assessors} {self.targets.shape}\n".encode())
        result.update(np.packbits(self.targets).data)
        result.update(b"" if self.given_gains is None else self.given_gains.tobytes())
        result.update(b"" if self.judged is None else np.packbits(self.judged).data)
        return result.hexdigest()


def sampling_units(labels: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """The sampling unit of each topic, called by its first one: topics that share a label stand or fall together.

    >>> sampling_units({"crop": frozenset({"crop"}), "cog": frozenset({"cog"}), "crop and red": frozenset({"crop"})})
    {'crop': 'crop', 'cog': 'cog', 'crop and red': 'crop'}
    """
    first: dict[str, str] = {}  # the unit of each label
    units: dict[str, str] = {}  # in the order of the topics
    for topic, own in labels.items():
        met = {first[label] for label in own if label in first}
        unit = next((each for each in units.values() if each in met), topic)  # of those that it joins the first
        units |= {other: unit for other, each in units.items() if each in met} | {topic: unit}
        first |= {label: unit for label, each in first.items() if each in met} | dict.fromkeys(own, unit)
    return units


def properties(labels: Features) -> Properties:
    """Which items have each label."""
    names = {
        label: number for number, label in enumerate(dict.fromkeys(each for own in labels.several for each in own))
    }
    table = np.zeros((len(names), len(labels)), np.bool_)
    lengths = [len(own) for own in labels.several]
    number = np.array([names[each] for own in labels.several for each in own], dtype=np.int64)
    table[number, np.repeat(np.arange(len(labels)), lengths)] = True
    return {name: table[number] for name, number in names.items()}


def grade_rows(qrels: Any, items: Sequence[str]) -> dict[str, FloatArray]:
    """For each query of judgements the grade of each item by its id; -1 where it is not judged.

    >>> grade_rows({"1": {"a": 2, "x": 1}}, ["a", "b"])
    {'1': array([ 2., -1.])}
    """
    import polars as pl

    from rankscope.inputs.qrels import Qrels

    places = pl.DataFrame({"item": pl.Series(items, dtype=pl.String)}).with_row_index("place")
    table = Qrels.of(qrels).table.join(places, on="item", how="inner", maintain_order="left")
    names = table["query"].unique(maintain_order=True)
    grades = np.full((len(names), len(items)), -1.0)
    if len(names):
        row = table["query"].cast(pl.Enum(names)).to_physical().to_numpy()
        grades[row, table["place"].to_numpy()] = np.maximum(table["grade"].to_numpy(), -1.0)
    return dict(zip(names, grades, strict=True))


TOKEN = re.compile(r"""\s*(?:(?P<sign>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+))""")
WORDS = ("and", "or", "not")
Properties = Mapping[str, BoolArray]  # which items have a label, for each label


class Expression(ABC):
    """What a topic asks for; `str` writes it so that it can be read again."""

    @abstractmethod
    def of(self, properties: Properties) -> BoolArray:
        """The items it is true of."""

    def gains(self, properties: Properties) -> FloatArray:
        """How much of it is true of each item: 1 where all is, the share of the parts that are joined by `and`.

        There is no half of a label, and none of `not`.
        """
        return self.of(properties).astype(np.float64)

    def worth(self, properties: Properties) -> FloatArray:
        """What each item is worth: 1 where it is true, whatever rounding says, else how much of it is."""
        return np.where(self.of(properties), 1.0, np.minimum(self.gains(properties), 1 - 1e-9))

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels in it, each once, in order."""

    @property
    def wanted(self) -> frozenset[str]:
        """The labels that speak for an item: those under `not` speak against it."""
        return frozenset(self.labels)


@dataclass(frozen=True)
class HasLabel(Expression):
    """Items that have a label."""

    name: str

    def __str__(self) -> str:
        plain = re.fullmatch(r"""[^\s()"']+""", self.name) and self.name.lower() not in WORDS
        return self.name if plain else f'"{self.name}"' if '"' not in self.name else f"'{self.name}'"

    def of(self, properties: Properties) -> BoolArray:
        """The items with the label; one nobody has is a `SettingError`."""
        if self.name not in properties:
            some = ", ".join(sorted(properties)[:12]) + (", ..." if len(properties) > 12 else "")
            raise SettingError(
                f"no item has the label '{self.name}'{did_you_mean(self.name, properties)} Labels: {some}"
            )
        return properties[self.name]

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True)
class Not(Expression):
    """Items of which another expression is not true."""

    part: Expression

    def __str__(self) -> str:
        return f"not {_bracketed(self.part, And, Or)}"

    def of(self, properties: Properties) -> BoolArray:
        return ~self.part.of(properties)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.part.labels

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True)
class _Several(Expression):
    parts: tuple[Expression, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(label for part in self.parts for label in part.labels))

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset().union(*(part.wanted for part in self.parts))


@dataclass(frozen=True)
class And(_Several):
    """Items of which every part is true."""

    def __str__(self) -> str:
        return " and ".join(_bracketed(part, Or) for part in self.parts)

    def of(self, properties: Properties) -> BoolArray:
        return np.logical_and.reduce([part.of(properties) for part in self.parts])

    def gains(self, properties: Properties) -> FloatArray:
        """The mean over the parts."""
        return np.mean([part.gains(properties) for part in self.parts], axis=0)


@dataclass(frozen=True)
class Or(_Several):
    """Items of which at least one part is true."""

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))

    def of(self, properties: Properties) -> BoolArray:
        return np.logical_or.reduce([part.of(properties) for part in self.parts])

    def gains(self, properties: Properties) -> FloatArray:
        """The most over the parts."""
        return np.max([part.gains(properties) for part in self.parts], axis=0)


def _bracketed(part: Expression, *weaker: type[Expression]) -> str:
    return f"({part})" if isinstance(part, weaker) else str(part)


def parse_expression(text: str) -> Expression:
    """The expression a text means: `not` binds most, then `and`, then `or`; brackets and quotes as usual.

    >>> str(parse_expression("flower and (red or pink) and not sky")), parse_expression('"tea cup"').labels
    ('flower and (red or pink) and not sky', ('tea cup',))
    """
    return _ExpressionReader(text).whole()


@dataclass(frozen=True)
class _Token:
    text: str
    kind: str  # sign, word (and, or, not), label, end

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text}'"


class _ExpressionReader:
    """Reads a text from left to right, one function for each strength of binding."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())

    def _tokens(self) -> Iterator[_Token]:
        place = 0
        while self.text[place:].strip():
            found = TOKEN.match(self.text, place)
            if found is None:
                raise self._error("a quote is not closed")
            place = found.end()
            if found["sign"]:
                yield _Token(found["sign"], "sign")
            elif found["word"] and found["word"].lower() in WORDS:
                yield _Token(found["word"].lower(), "word")
            else:
                yield _Token(
                    next(each for each in found.group("double", "single", "word") if each is not None), "label"
                )
        yield _Token("", "end")

    def _error(self, what: str) -> SettingError:
        return SettingError(
            f"topic '{self.text}': {what}. A topic reads: flower and (red or pink) and not sky; a label with blanks "
            "stands in quotes."
        )

    def _next_is(self, text: str) -> bool:
        there = self.tokens[0].kind in ("sign", "word") and self.tokens[0].text == text
        if there:
            self.tokens.pop(0)
        return there

    def whole(self) -> Expression:
        expression = self._joined("or")
        if self.tokens[0].kind != "end":
            raise self._error(f"'and' or 'or' is missing before {self.tokens[0]}")
        return expression

    def _joined(self, word: str) -> Expression:
        parts = [self._part(word)]
        while self._next_is(word):
            parts.append(self._part(word))
        return parts[0] if len(parts) == 1 else (Or if word == "or" else And)(tuple(parts))

    def _part(self, word: str) -> Expression:
        return self._joined("and") if word == "or" else self._single()

    def _single(self) -> Expression:
        if self._next_is("not"):
            return Not(self._single())
        if self._next_is("("):
            inner = self._joined("or")
            if not self._next_is(")"):
                raise self._error(f"a bracket is not closed before {self.tokens[0]}")
            return inner
        if self.tokens[0].kind != "label":
            raise self._error(f"a label is missing before {self.tokens[0]}")
        return HasLabel(self.tokens.pop(0).text)
