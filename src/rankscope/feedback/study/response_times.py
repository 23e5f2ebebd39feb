"""How long a user waits from feedback to ranking, one session at a time; and how that grows with the collection."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import best_items
from rankscope.feedback.methods.method import Method, tolerant_scores

WARM_UP = 2  # sessions that are not counted
TIMED = 20
PATIENCE = 5.0  # seconds after which a slow method has been timed enough
SCOPE = 20


@dataclass(frozen=True)
class Response:
    """Median and 95 % quantile of the waiting time in seconds, with what it depends on.

    What a method makes once for a collection (a graph, distances of neighbours) is in the warm-up, and not counted.
    """

    method: str
    median: float
    p95: float
    items: int
    features: int
    positives: float
    negatives: float
    sessions: int
    hardware: str

    def row(self) -> dict[str, object]:
        plain = {name: value for name, value in asdict(self).items() if name not in ("median", "p95", "hardware")}
        return {"method": plain.pop("method"), "median ms": 1e3 * self.median, "p95 ms": 1e3 * self.p95, **plain}


def response(method: Method, items: Items, examples: Examples, most: int = TIMED) -> Response:
    """Time one session after the other, from examples to a display; the first ones warm up and are not counted."""
    if not len(examples):
        raise SettingError("no session to time")
    taken: list[float] = []
    for row in range(min(most + WARM_UP, len(examples))):
        began = perf_counter()
        values = tolerant_scores(method, items, examples.take(np.array([row]))).values
        best_items(np.nan_to_num(values), np.zeros(values.shape, np.bool_), SCOPE)
        taken.append(perf_counter() - began)
        if sum(taken) > PATIENCE and len(taken) > WARM_UP:
            break
    seconds, count = np.array(taken), len(taken)
    counted = seconds[WARM_UP:] if count > WARM_UP else seconds
    sizes = (examples.positives.lengths[:count].mean(), examples.negatives.lengths[:count].mean())
    return Response(
        method=str(method),
        median=float(np.median(counted)),
        p95=float(np.quantile(counted, 0.95)),
        items=len(items),
        features=items.features,
        positives=float(sizes[0]),
        negatives=float(sizes[1]),
        sessions=counted.size,
        hardware=hardware(),
    )


def hardware() -> str:
    """The machine in a few words, no name of a host."""
    return f"{platform.machine()} {platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}"


@dataclass(frozen=True)
class ResponseGrowth:
    """The waiting times of one method at several sizes of the collection, the largest first."""

    responses: tuple[Response, ...]

    @property
    def slope(self) -> float:
        """Of log time on log size: 1 is time in proportion to the collection, 0 none that depends on it."""
        return growth_slope([each.items for each in self.responses], [each.median for each in self.responses])

    def row(self) -> dict[str, object]:
        shown = {f"median ms at {each.items:,}": 1e3 * each.median for each in reversed(self.responses)}
        return {"method": self.responses[0].method, **shown, "slope": self.slope}


def response_growth(
    method: Method, items: Items, target: BoolArray, *, halvings: int = 3, examples: int = 10, seed: int = 0
) -> ResponseGrowth:
    """Waiting times with all items, with half of them, a quarter, ...: random items, relevant and others alike.

    Each part has enough relevant items for the examples, or this is a `SettingError`.
    """
    order = np.random.default_rng(seed).permutation(len(items))
    ranked = order[np.argsort(~target[order], kind="stable")]
    relevant = int(target.sum())
    responses = []
    for halving in range(halvings + 1):
        few = (relevant >> halving, (len(items) - relevant) >> halving)
        if min(few) <= examples:
            raise SettingError(
                f"a collection halved {halving} times has {few[0]} relevant items and {few[1]} others: too few for "
                f"{examples} examples of each. Take a larger topic, fewer halvings, or fewer examples."
            )
        kept = np.sort(np.concatenate([ranked[: few[0]], ranked[relevant : relevant + few[1]]]))
        part, chance = target[kept], np.random.default_rng(seed)
        sides = [
            [chance.choice(np.flatnonzero(side), examples, replace=False) for _ in range(TIMED + WARM_UP)]
            for side in (part, ~part)
        ]
        truth = [np.flatnonzero(part)] * (TIMED + WARM_UP)
        sessions = Examples.of(sides[0], sides[1], seeds=seed, truth=truth)
        responses.append(response(method, items.take(kept), sessions))
    return ResponseGrowth(tuple(responses))


def growth_slope(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log time on log size, by least squares: 1 is time in proportion to the collection.

    >>> round(growth_slope([1000, 2000, 4000], [0.1, 0.2, 0.4]), 6)
    1.0
    """
    x: FloatArray = np.log(np.asarray(sizes, dtype=np.float64))
    y: FloatArray = np.log(np.asarray(seconds, dtype=np.float64))
    if x.size < 2 or np.ptp(x) == 0:
        raise SettingError("a slope needs times at two different sizes")
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
