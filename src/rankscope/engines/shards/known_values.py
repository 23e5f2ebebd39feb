"""Before all stages: what a metric must know of the features of the whole collection, shard by shard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from rankscope.engines.nearest.spaces import values_of
from rankscope.engines.nearest.values import Values
from rankscope.engines.shards.arrays_form import Arrays
from rankscope.engines.shards.plan import Shard, ShardPlan


@dataclass(frozen=True)
class KnownValues:
    """What is known of a shard; nothing of one without items."""

    values: tuple[Values, ...]

    def to_arrays(self) -> Arrays:
        """Arrays by name."""
        return {"values": np.array([astuple(each) for each in self.values]).reshape(-1, 3)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> KnownValues:
        """The same again."""
        rows = arrays["values"].tolist()
        return cls(tuple(Values(least=least, most=most, whole=bool(whole)) for least, most, whole in rows))


def look_at_values(plan: ShardPlan, shard: Shard) -> KnownValues:
    """Of one shard."""
    return KnownValues(values_of(plan.metric, shard.rows(plan.collection)) if len(shard) else ())


def join_values(several: Sequence[KnownValues]) -> tuple[Values, ...]:
    """Of all shards.

    >>> join_values([KnownValues(()), KnownValues((Values(0, 2, True),)), KnownValues((Values(-1, 1, True),))])
    (Values(least=-1, most=2, whole=True),)
    """
    there = [each.values for each in several if each.values]
    return tuple(Values.join(each) for each in zip(*there, strict=True))
