"""What other items would do to values: the variance of the collection, from random halves or exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankscope.errors import SettingError
from rankscope.statistics.components.components import Components, VarianceComponent, components, divisor
from rankscope.statistics.components.factor_table import QUERY
from rankscope.statistics.components.varied_values import VariedValues
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.facade.varied import VariedInputs

SHARED, OWN = "collection", "query x collection"


def with_random_collection(
    found: Sequence[Components], tables: Sequence[ScoreTable], baseline: str | None, level: float
) -> list[Components]:
    """Components with those of the collection, from values on random halves of it."""
    cells = [("", str(number), table) for number, table in enumerate(tables, 1)]
    values = VariedValues.of_cells(cells)
    factors = {name: each for name, each in values.factors.items() if name in (QUERY, "seed")}
    renamed = {("collection" if name == "seed" else name): each for name, each in factors.items()}
    drawn = replace(values, factors=renamed).contrasts(baseline)
    return [_joined(own, components(table, level)) for own, table in zip(found, drawn, strict=True)]


def _joined(own: Components, drawn: Components) -> Components:
    parts = [drawn[SHARED], drawn[OWN]]
    return with_parts(own, parts, f"of the collection: from {drawn.sizes[SHARED]} random halves of it")


def with_exact_collection(found: Sequence[Components], inputs: VariedInputs) -> list[Components]:
    """Components with the exact variance of a query's value over all halves of the distractors; no draws.

    What all queries share of it is not known this way. Differences of systems stay as they are.
    """
    scores = inputs.scores(next(iter(inputs.judgements.values())), inputs.by_seed[0])
    exact = {each.name: _exact_variance(each.ranks, scores.measures[0]) for each in scores.systems}
    return [_with_exact(each, place, list(exact.items())) for place, each in enumerate(found)]


def _with_exact(own: Components, place: int, exact: list[tuple[str, float]]) -> Components:
    known = {f"{own.what.partition(' of ')[0]} of {name}": value for name, value in exact}
    if own.what not in known:
        return own
    value = known[own.what]
    levels = own.sizes[QUERY]
    part = VarianceComponent(OWN, levels=levels, variance=value, low=value, high=value, share=0.0, of_mean=0.0)
    return with_parts(own, [part], "of the collection: exact, over all halves of the distractors")


def _exact_variance(ranks: object, measure: str) -> float:
    import numpy as np

    from rankscope.curves.hits import hits_of
    from rankscope.curves.thinning import expected_value
    from rankscope.measures.notation import parse_measure
    from rankscope.ranks.relevant_ranks import RelevantRanks

    assert isinstance(ranks, RelevantRanks)
    if (ranks.collection < 1).any():
        raise SettingError(
            f"the exact variance needs the size of the collection: {setting_usage('collection_size', 'D')}"
        )
    some = ranks.take(np.flatnonzero(ranks.relevant > 0))
    variance = expected_value(some, hits_of(some).distractors // 2, parse_measure(measure, ranks.rel)).variance
    if np.isnan(variance).all():
        way = setting_usage("collection", "random")
        raise SettingError(f"the exact variance is known of P, R and Rprec; for {measure} give {way}")
    return float(np.nanmean(variance))


def with_parts(own: Components, more: Sequence[VarianceComponent], note: str) -> Components:
    """Further sources, of which what is the query's own was counted as the query's until now."""
    taken = math.fsum(each.variance for each in more if each.source == OWN)
    parts = [_without(each, taken) if each.source == QUERY else each for each in own.parts]
    return shared_out(replace(own, parts=(*parts, *more), notes=(*own.notes, note)))


def _without(part: VarianceComponent, taken: float) -> VarianceComponent:
    variance, low, high = (max(0.0, each - taken) for each in (part.variance, part.low, part.high))
    return replace(part, variance=variance, low=low, high=high)


def shared_out(found: Components) -> Components:
    """The same with shares of all sources."""
    total, mean = found.total, found.mean_variance(found.sizes)
    parts = [
        replace(
            each,
            share=each.variance / total if total else math.nan,
            of_mean=each.variance / divisor(each.source, found.sizes) / mean if mean else math.nan,
        )
        for each in found.parts
    ]
    return replace(found, parts=tuple(parts))
