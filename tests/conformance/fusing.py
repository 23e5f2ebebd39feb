"""ranx's methods that look at places, after its normalization `borda`: as they are, and on lists that were sorted."""

from __future__ import annotations

import warnings
from typing import Any

import rankscope
from tests.measures.fusion.lists import Nested, random_runs

BY_PLACES = ("rrf", "isr", "log_isr", "logn_isr(sigma=0.3)", "rbc(phi=0.8)", "bordafuse")
BY_SCORES = ("sum", "mnz", "med")


def whole_runs() -> list[Nested]:
    """Three runs that found the same items, so that no normalized scores are equal."""
    full = random_runs(systems=3, queries=2, items=9, seed=4)
    chosen = [f"d{item:02d}" for item in range(9)]
    return [
        {
            query: {item: items.get(item, -float(place + 1 + 10 * number)) for place, item in enumerate(chosen)}
            for query, items in run.items()
        }
        for number, run in enumerate(full)
    ]


def ask_ranx(runs: list[Nested], method: str, is_sorted: bool) -> Nested:
    """What ranx fuses after `borda`, its lists put in the order of their new scores or left as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx
        from ranx.fusion import fusion_switch
        from ranx.normalization import borda_norm

        given = borda_norm([ranx.Run(run, name=str(place)) for place, run in enumerate(runs)])
        for each in given if is_sorted else ():
            each.sort()
        name, _, options = method.rstrip(")").partition("(")
        params: dict[str, Any] = {key: float(value) for key, _, value in (options.partition("="),) if key}
        fused = fusion_switch(name)(given, **params).to_dict()
    return {query: {item: float(score) for item, score in items.items()} for query, items in fused.items()}


def is_equal(theirs: Nested, runs: list[Nested], method: str) -> bool:
    """Whether ours is the same to 1e-12."""
    ours = rankscope.fuse(runs, method, norm="borda").to_dict()
    return all(
        abs(score - ours[query][item]) <= 1e-12 * max(1.0, abs(score))
        for query, items in theirs.items()
        for item, score in items.items()
    )
