"""docs/explanation/radial-averaging.md: why means are taken along lines through the origin."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.precision_recall import scope_line
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import edges, said
from tools.docs.markdown import page as whole_page

TEXT = """
Several queries, one curve: which points belong together? Those where users have looked equally far.

Look at the first s items of a query with c relevant ones. If h of them are relevant, precision is h/s and
recall h/c, so precision = recall x c/s: wherever the point lies, it lies on a line through the origin whose
slope depends on how far one has looked, a = s/c, and not on what was found. Better queries lie further out on
the same line.

![Two queries of the shipped icons with the same number of relevant items; their points at the same scope lie on
one line through the origin, and the mean between them](radial-averaging.svg)

**With numbers.** Two icons, `{better}` and `{worse}`, each with c = {relevant} others of their class. After s =
{relevant} items (a = 1) the first has found {hits0} of them, the second {hits1}: {p0} and {p1}, precision and
recall alike. The radial mean is {mean}, again on the line where precision equals recall. After s = {double} (a
= 2) they have {hits2} and {hits3}: recall {r2} and {r3}, precision half of it; the mean recall {mean_r} and the
mean precision {mean_p} lie on the line of a = 2.

**Why not at equal recall, as TREC does?** At recall {level} the first query needs {scope0} items and the second
{scope1:,}: the mean of their precisions, {across}, is of one user who stops early and one who reads on. No
number of items looked at gives it. Along the lines every mean is what users see who look equally far, and it
can be read both ways: mean precision, mean recall, at the same scope.

**What it needs.** Queries of equal [generality](g.md), because then equal a means equal effort in proportion to
what is there. So a precision-recall graph shows one class size or one G at a time, and says which. Where
collection sizes are unknown the eleven levels of TREC are used, and the graph says so. [More on
groups](graphs.md).
""".strip()
SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0)
RELEVANT = 16
GOOD, POOR = 14, 6  # hits among the first 16


def pair() -> tuple[RelevantRanks, int, int]:
    """Two queries of one class size, by how many relevant items they find among as many as there are."""
    queries = edges()
    rows = np.flatnonzero(queries.relevant == RELEVANT)
    hits = queries.hits(RELEVANT)[rows]
    better, worse = (int(rows[np.abs(hits - wanted).argmin()]) for wanted in (GOOD, POOR))
    return queries, better, worse


def numbers() -> dict[str, float | str]:
    """What the text says."""
    queries, better, worse = pair()
    ranks = [np.asarray(queries.judged.lists("rank")[row]) for row in (better, worse)]
    hits = [int((own <= scope).sum()) for scope in (RELEVANT, 2 * RELEVANT) for own in ranks]
    recall = [each / RELEVANT for each in hits]
    level = RELEVANT // 2
    scopes = [int(np.sort(own)[level - 1]) for own in ranks]
    return {
        "better": queries.queries[better],
        "worse": queries.queries[worse],
        "relevant": RELEVANT,
        "double": 2 * RELEVANT,
        **{f"hits{place}": each for place, each in enumerate(hits)},
        "p0": said(recall[0]),
        "p1": said(recall[1]),
        "mean": said((recall[0] + recall[1]) / 2),
        "r2": said(recall[2]),
        "r3": said(recall[3]),
        "mean_r": said((recall[2] + recall[3]) / 2),
        "mean_p": said((recall[2] + recall[3]) / 4),
        "level": said(level / RELEVANT),
        "scope0": scopes[0],
        "scope1": scopes[1],
        "across": said(float(np.mean([level / scope for scope in scopes]))),
    }


def page() -> str:
    """The page."""
    return whole_page("Radial averaging: means of users who look equally far", flowed(TEXT, **numbers()))


def graph() -> Graph:
    """Two queries, the lines of equal scope, and the means on them."""
    queries, better, worse = pair()
    scopes = np.arange(1, 4 * RELEVANT + 1)
    drawn = Graph(
        "Two queries and their radial mean",
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"c = {RELEVANT} relevant items each; markers where a = s/c is 1/4, 1/2, 1, 2 and 4",
        ratio=0.85,
        summary="Points of two queries at equal scope lie on one line through the origin, their mean between them.",
    )
    drawn = drawn.guides([scope_line(a, points=2) for a in SCOPES])
    marked = [int(a * RELEVANT) - 1 for a in SCOPES]
    recalls = []
    for row, name in ((better, "a good query"), (worse, "a poor query")):
        found = np.sort(np.asarray(queries.judged.lists("rank")[row]))
        recalls.append(np.searchsorted(found, scopes, side="right") / RELEVANT)
        drawn = drawn.curve(_curve(recalls[-1], scopes), name, markers=marked)
    return drawn.curve(_curve((recalls[0] + recalls[1]) / 2, scopes), "radial mean", markers=marked)


def _curve(recall: FloatArray, scopes: IntArray) -> Curve:
    return Curve(recall, recall * RELEVANT / scopes)
