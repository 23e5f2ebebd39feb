"""The radial mean of one group as a graph draws it: where its points stand, and how chance moves it along its rays.

All points of one relevant scope a lie on the ray p = r/a, and so does their mean in any sample of queries: chance moves
a point along its ray, never upright. A band for recall at each a is therefore drawn as the region that these pieces of
the rays sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.averaging import doubling_grid, radial_lattice, radial_mean
from rankscope.curves.curve import Curve, Region
from rankscope.curves.sizes import SLACK
from rankscope.graphs.kinds.shared.chance import band_around, interval_facts, intervals_of
from rankscope.graphs.kinds.shared.describing import chosen_scopes
from rankscope.graphs.kinds.shared.groups import QueryGroup
from rankscope.graphs.marks import Facts
from rankscope.statistics.intervals.band import Band
from rankscope.statistics.table.query_curves import QueryCurves, over_relevant_scope, over_scope

STEP = 0.25  # of log2 a, between points of a bin


@dataclass(frozen=True, eq=False)
class Ends:
    """A lower and an upper end at each point."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Radial:
    """The mean curve of a group, and how much of what its scope allows each of its queries has at the same points."""

    members: QueryGroup
    curve: Curve
    each: QueryCurves  # recall over min(a, 1), from 0 to 1: precision up to a = 1, then recall
    markers: frozenset[int]  # points on the scope lines
    exact: bool  # whether all points stand at whole scopes

    @classmethod
    def of(cls, members: QueryGroup, scopes: Sequence[float]) -> Radial:
        """At whole scopes where all queries have one class size, else at equal steps of log2 a."""
        queries = members.queries
        if members.exact:
            whole = _whole(members, scopes)
            curve, recall = radial_lattice(queries, whole), over_scope(queries, whole, "recall")
        else:
            grid = _grid(members)
            curve, recall = radial_mean(queries, grid), over_relevant_scope(queries, grid, "recall")
        return cls._of(members, curve, recall, scopes, members.exact)

    @classmethod
    def at_level(cls, members: QueryGroup, level: int, scopes: Sequence[float]) -> Radial:
        """The exact mean over all ways to leave distractors out until G is this level, which all queries must reach."""
        from rankscope.curves.thinned_recall import recall_at_level

        queries = members.queries
        relevant = np.unique(queries.relevant)
        exact = relevant.size == 1
        a = _thinned_grid(relevant, level, scopes)

        recall = recall_at_level(queries, level, a)
        mean = recall.low.mean(axis=0)
        curve = Curve(
            x=mean,
            y=mean / a,
            name=members.name,
            x_name="recall",
            y_name="precision",
            queries=np.full(a.size, len(queries)),
            lower_bound=np.asarray((recall.high - recall.low > SLACK).any(axis=0)),
            more={"a": a, "scope": np.rint(a * relevant[0]).astype(np.int64)} if exact else {"a": a},
        )
        each = QueryCurves(
            x=a, values=recall.low, queries=queries.queries, classes=queries.classes, system=queries.system
        )
        return cls._of(members, curve, each, scopes, exact)

    @classmethod
    def _of(
        cls, members: QueryGroup, curve: Curve, recall: QueryCurves, scopes: Sequence[float], exact: bool
    ) -> Radial:
        on = np.isclose(curve.more["a"][:, None], np.asarray(scopes)[None, :], rtol=1e-6, atol=SLACK).any(axis=1)
        each = replace(recall, values=recall.values / np.minimum(curve.more["a"], 1.0), highest=1.0)
        return cls(members=members, curve=curve, each=each, markers=frozenset(np.flatnonzero(on).tolist()), exact=exact)

    @property
    def a(self) -> FloatArray:
        """The relevant scope of each point."""
        return np.asarray(self.curve.more["a"], dtype=np.float64)

    @property
    def ended(self) -> bool:
        """Whether some point lies beyond the end of a ranking that lacks relevant items."""
        return bool(self.curve.lower_bound is not None and self.curve.lower_bound.any())

    def parts(self) -> list[tuple[IntArray, bool]]:
        """The points that are certain, then those that are lower bounds, drawn lightly."""
        rows = np.arange(len(self.curve))
        known = rows.size if self.curve.lower_bound is None else int((~self.curve.lower_bound).sum())
        if known == rows.size:
            return [(rows, False)]
        solid = [(rows[:known], False)] if known else []
        return [*solid, (rows[max(known - 1, 0) :], True)]

    def band(self, drawn: bool = True) -> Band:
        """The band of what the scope allows at each a, for the whole curve."""
        return band_around(self.each, self.members.queries, drawn)

    def interval_facts(self) -> Facts:
        """The pointwise interval of precision: at a = 1 that of R-precision."""
        limits = intervals_of(self.each, self.members.queries)
        return interval_facts(self._precision(limits.low, limits.high), limits.ways, of=" of p")

    def limits(self, band: Band) -> Ends:
        """The band as one of precision, at each a."""
        drawn = band.drawn()
        return self._precision(drawn.low, drawn.high)

    def region(self, band: Band) -> Region:
        """What the pieces of the rays within the band sweep, as a region over recall."""
        ends = self.limits(band)
        there = np.isfinite(ends.low)
        a = self.a[there]
        return swept(a, ends.low[there] * a, ends.high[there] * a)

    def _precision(self, low: FloatArray, high: FloatArray) -> Ends:
        most = np.minimum(1.0, 1.0 / self.a)
        return Ends(low * most, high * most)


def swept(a: FloatArray, low: FloatArray, high: FloatArray) -> Region:
    """The region of all points (r, r/a) with low <= r <= high at some a; recall never falls as a grows.

    Every x stands twice, as seen from the left and from the right: where recall stays, precision falls upright.
    >>> region = swept(np.array([1.0, 2.0]), np.array([0.4, 0.5]), np.array([0.6, 0.8]))
    >>> region.x[::2].tolist(), region.low[::2].round(3).tolist(), region.high[::2].round(3).tolist()
    ([0.4, 0.5, 0.6, 0.8], [0.4, 0.25, 0.3, 0.4], [0.4, 0.5, 0.6, 0.4])
    """
    low, high = np.maximum.accumulate(low), np.maximum.accumulate(high)
    x = np.repeat(np.unique(np.concatenate([low, high])), 2)
    below = np.where(x <= low[-1], _along(x, low, low / a), x / a[-1])
    above = np.where(x >= high[0], _along(x, high, high / a), x / a[0])
    return Region(x, np.minimum(below, above), above)


def _along(x: FloatArray, recall: FloatArray, precision: FloatArray) -> FloatArray:
    """A falling curve at places that stand twice: its upper end where it falls upright, then its lower end."""
    rises = np.diff(recall) > 0
    first, last = np.insert(rises, 0, True), np.append(rises, True)
    left, right = (np.interp(x, recall[some], precision[some]) for some in (first, last))
    here = np.isin(x, recall)
    between = np.interp(x, recall, precision)
    return np.where(here, np.where(np.arange(x.size) % 2 == 0, left, right), between)


def _whole(members: QueryGroup, scopes: Sequence[float]) -> IntArray:
    """Whole scopes, dense enough for the eye, and those that scope lines pass; to the end of the longest ranking."""
    queries = members.queries
    last = max(1, min(int(queries.depth.max(initial=1)), int(queries.collection.min())))
    return _with_lines(last, int(queries.relevant[0]), scopes)


def _with_lines(last: int, relevant: int, scopes: Sequence[float]) -> IntArray:
    """Whole scopes up to the last, among them those of the scope lines of one class size."""
    lines = np.asarray(scopes, dtype=np.float64) * relevant
    on = np.rint(lines[np.abs(lines - np.rint(lines)) <= SLACK]).astype(np.int64)
    return np.union1d(chosen_scopes(last), on[(on >= 1) & (on <= last)])


def _thinned_grid(relevant: IntArray, level: int, scopes: Sequence[float]) -> FloatArray:
    """Relevant scopes up to the whole thinned collection: whole scopes where there is one class size, else steps."""
    if relevant.size > 1:
        first = np.ceil(-np.log2(relevant[0]) / STEP - SLACK) * STEP
        return np.asarray(2.0 ** np.arange(first, level + SLACK, STEP))
    size = int(relevant[0])
    return np.asarray(_with_lines(size * 2**level, size, scopes) / size)


def _grid(members: QueryGroup) -> FloatArray:
    """Relevant scopes at equal steps of log2 a that exist for every query, to the end of the longest ranking."""
    queries = members.queries
    coarse = doubling_grid(queries)
    if coarse.size < 2:
        return coarse if coarse.size else np.ones(1)
    last = min(np.log2(coarse[-1]), float(np.log2(np.maximum(queries.depth, 1) / queries.relevant).max()))
    return np.asarray(2.0 ** np.arange(np.log2(coarse[0]), max(last, np.log2(coarse[0])) + SLACK, STEP))
