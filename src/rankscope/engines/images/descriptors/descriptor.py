"""What a descriptor is: one vector for one picture, and the distance that goes with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from numpy.typing import NDArray

from rankscope.engines.images.image import Image
from rankscope.errors import SettingError

Vector = NDArray[Any]  # int64 for counts and levels, else float64


@dataclass(frozen=True)
class Descriptor(ABC):
    """One vector for one picture. Subclasses are values: their fields are the options, written `cedd(form=full)`.

    `counts` says that the values are numbers of pixels: they are kept so where all pictures have as many pixels, else
    divided by them. `z` says that the columns are brought to mean 0 and deviation 1 over the collection.
    """

    name: ClassVar[str]
    source: ClassVar[str]  # who described it first
    choices: ClassVar[Mapping[str, tuple[object, ...]]] = {}
    least: ClassVar[Mapping[str, float]] = {}
    most: ClassVar[Mapping[str, float]] = {}

    @abstractmethod
    def of(self, image: Image) -> Vector:
        """The vector of one picture: finite, and of length `size`, for every picture there is."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Length of the vector."""

    @property
    @abstractmethod
    def distance(self) -> str:
        """The metric that goes with it, as `rankscope rank --metric` writes it."""

    @property
    def counts(self) -> bool:
        """Whether the values are numbers of pixels."""
        return False

    @property
    def z(self) -> bool:
        """Whether columns are scaled by their mean and deviation over the collection."""
        return False

    @property
    def z_columns(self) -> slice:
        """Which columns `z` scales: all, unless a descriptor says otherwise."""
        return slice(None)

    def __post_init__(self) -> None:
        for each in fields(self):
            self._check(each.name, getattr(self, each.name))

    def _check(self, name: str, value: Any) -> None:
        choices = self.choices.get(name)
        if choices is not None and value not in choices:
            raise SettingError(f"{self.name}: {name} must be one of {', '.join(map(str, choices))}, got {value!r}")
        low, high = self.least.get(name), self.most.get(name)
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            bounds = [f"at least {low:g}"] if low is not None else []
            bounds += [f"at most {high:g}"] if high is not None else []
            raise SettingError(f"{self.name}: {name} must be {' and '.join(bounds)}, got {value!r}")

    def __str__(self) -> str:
        options = ((each.name, getattr(self, each.name), each.default) for each in fields(self))
        given = [f"{name}={value}" for name, value, default in options if value != default]
        return self.name + (f"({','.join(given)})" if given else "")
