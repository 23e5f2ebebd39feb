"""HS01, figure 14: class sizes estimated by judging items drawn at random; rare classes need nearly all of them."""

import numpy as np
from base import base, fours, save

from rankscope.curves.curve import Curve, Region
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes
from rankscope.sampling import estimate

SEED = 0
CLASSES = (307, 64, 8)
ENOUGH = 500  # HS01's advice
SOME = 4  # found before an interval is worth drawing
LOW, HIGH = 1.0, 2048.0

logos = base()
d = logos.size
place = np.random.default_rng(SEED).permutation(d)  # when each item is judged
members = np.split(place[: sum(CLASSES)], np.cumsum(CLASSES)[:-1])
judged = chosen_scopes(d)
judged = judged[judged >= 32]
graph = Graph(
    "Class size estimated by judging at random",
    Axis("items judged at random", "n", "log2", domain=(32, d), ticks=fours(32, d)),
    Axis("estimated class size", "d x/n", "log2", domain=(LOW, HIGH), ticks=fours(LOW, HIGH)),
    subtitle=f"{logos.collection}, d = {d:,}; one random order (seed {SEED}); "
    f"bands: exact 95% intervals, from {SOME} items found on; triangles: none found yet",
    ratio=0.85,
)
for relevant, places in zip(CLASSES, members, strict=True):
    found = np.searchsorted(np.sort(places), judged)
    said = [estimate(d, 0, 0, int(n), int(x)).relevant for n, x in zip(judged, found, strict=True)]
    value, low, high = (np.array([getattr(each, name) for each in said]) for name in ("value", "low", "high"))
    x, some, none = judged.astype(np.float64), found >= SOME, np.flatnonzero(found == 0)[::8]
    name = f"c = {relevant}"
    graph = graph.rule(y=relevant, label=name)
    graph = graph.band(Region(x[some], np.clip(low[some], LOW, HIGH), np.clip(high[some], LOW, HIGH)), name)
    graph = graph.curve(Curve(x, np.where(found > 0, value, np.nan)), name)
    if none.size:
        graph = graph.points(Curve(x[none], np.full(none.size, LOW)), name, open=True, edge=True)
save(graph.rule(x=ENOUGH, label=f"n = {ENOUGH}"), "hs01-figure-14-estimates")
