"""Pools: which items people are to judge, drawn from runs. One file each; `ALL` in the order people read them.

>>> str(parse_pool("bandit(100)+ sample(101-1000: 2%)")), parse_pool("depth(20)").is_adaptive
('bandit(100) + sample(101-1000:2%)', False)
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.notation import NamedCatalogue
from rankscope.sampling.pools.pool import Pool

ALL: dict[str, Later] = later(  # a new pool adds its line here
    "rankscope.sampling.pools",
    {
        "depth": "depth:Depth",
        "mtf": "mtf:MoveToFront",
        "bandit": "bandit:Bandit",
        "sample": "sample:Sample",
        "decide": "decide:Decide",
    },
)
GROUP = "rankscope.pools"  # entry points of other packages
POOLS: NamedCatalogue[Pool] = NamedCatalogue("pool", ALL, "depth(20)", GROUP)


def parse_pool(text: str) -> Any:
    """A pool, or a sum of pools, as people write them."""
    from rankscope.sampling.pools.plan import PoolPlan

    return PoolPlan.parse(text)


def __getattr__(name: str) -> Any:
    """The class of a pool by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "GROUP", "POOLS", "Pool", "parse_pool"]
