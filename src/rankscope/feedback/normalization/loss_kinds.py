"""Losses as people write them: `zero-one`, `weighted(1, 9)`, `balanced`; the last depends on the topic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankscope.feedback.normalization.losses import Loss
from rankscope.notation import Named, NamedCatalogue


class LossKind(Named, ABC):
    """A loss, before it is known how rare relevant items are."""

    @abstractmethod
    def at(self, generality: float) -> Loss:
        """The loss for a topic of this generality."""


@dataclass(frozen=True)
class ZeroOne(LossKind):
    """Both mistakes cost 1."""

    name: ClassVar[str] = "zero-one"

    def at(self, generality: float) -> Loss:
        """The same for every topic."""
        return Loss()


@dataclass(frozen=True)
class Weighted(LossKind):
    """An item wrongly called relevant costs `false_positive`, one wrongly called irrelevant `false_negative`."""

    false_positive: float
    false_negative: float
    name: ClassVar[str] = "weighted"
    unnamed: ClassVar[tuple[str, ...]] = ("false_positive", "false_negative")
    least: ClassVar[Mapping[str, float]] = {"false_positive": 0, "false_negative": 0}

    def at(self, generality: float) -> Loss:
        """The same for every topic."""
        return Loss(self.false_positive, self.false_negative)


@dataclass(frozen=True)
class Balanced(LossKind):
    """Both classes matter alike: a missed item costs (1 - g)/g times as much as a false alarm."""

    name: ClassVar[str] = "balanced"

    def at(self, generality: float) -> Loss:
        """Weights of this generality."""
        return Loss.balanced(generality)


ALL: tuple[type[LossKind], ...] = (ZeroOne, Weighted, Balanced)  # a new loss adds its name here
LOSSES: NamedCatalogue[LossKind] = NamedCatalogue("loss", ALL, example="weighted(1,9)")
