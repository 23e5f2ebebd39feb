"""What HS01's figures 4 to 7 and S04's figure 2 share: scope lines and the places on them that results can have."""

from dataclasses import dataclass

import numpy as np
from base import About, Base, plane

from rankscope.analysis.curves.averaging import radial_lattice
from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.curves.precision_recall import highest_precision, ideal_curve
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import chosen_scopes, generality_words, with_random_level

AXIS = 0.002  # a region from 0 on would hide the axis


def line_of(scope: int, relevant: int, name: str) -> Curve:
    """All results of one scope."""
    return Curve(np.array([0.0, min(1.0, scope / relevant)]), np.array([0.0, min(1.0, relevant / scope)]), name)


def places(scopes: list[int], relevant: int) -> Curve:
    """Whole numbers of hits at each scope: nothing else can be seen of one query."""
    pairs = [(v / relevant, v / s) for s in scopes for v in range(1, min(s, relevant) + 1)]
    x, y = np.array(sorted(pairs)).T
    return Curve(x, y)


def lines_of_class(logos: Base, relevant: int, scopes: list[int], title: str, scope: str = "s") -> Graph:
    """Lines of whole scopes for one class size, where results can lie on them, and the mean of all such queries."""
    queries = logos.of_size(relevant)
    graph = plane(
        title,
        f"{logos.caption}; {generality_words([queries])}; open: all results that one query can have at these "
        f"scopes; line: radial mean of {len(queries):,} queries",
    )
    edge = np.linspace(AXIS, 1.0 / relevant, 101)
    graph = graph.area(Region(edge, highest_precision(edge, relevant), np.ones(edge.size)), "out of reach")
    graph = graph.guides([line_of(each, relevant, f"{scope} = {each}") for each in scopes])
    graph = with_random_level(graph, queries)
    every = np.union1d(chosen_scopes(logos.size), scopes)
    mean = radial_lattice(queries, every)
    rows = np.searchsorted(every, scopes).tolist()
    return graph.curve(mean, "pixels", markers=rows).points(places(scopes, relevant), "possible", open=True)


@dataclass(frozen=True)
class ClassLines:
    """A figure of scope lines for one class size, in the words of its paper: HS01 says window, S04 scope."""

    relevant: int
    scopes: tuple[int, ...]
    word: str

    @property
    def border(self) -> str:
        """The line above which nothing can lie."""
        return "p = r" if self.relevant == 1 else f"p = {self.relevant}r"

    def draw(self, logos: Base) -> Graph:
        """The lines, and what can lie on them."""
        number = {1: "One relevant item", 4: "Four relevant items"}[self.relevant]
        title = f"{number}: nothing above {self.border}"
        return lines_of_class(logos, self.relevant, list(self.scopes), title, self.word[0])

    def about(self, logos: Base, title: str, paper: str) -> About:
        """How many queries, where their mean passes s = c, and how many results lie beyond the border."""
        recall, _ = mean_at(logos, self.relevant, self.relevant)
        results, beyond = beyond_border(logos, self.relevant, list(self.scopes))
        return About(
            title=title,
            alt=f"Lines of constant {self.word} through the origin; open circles where results can lie; grey where "
            "none can.",
            paper=paper,
            ours=f"{self.word}s {', '.join(map(str, self.scopes))}, {len(logos.of_size(self.relevant)):,} queries with "
            f"c = {self.relevant}; their mean at {self.word[0]} = c is r = p = {recall:.3f}.",
            agrees=f"of {results:,} results with a hit {beyond or 'none'} lies above {self.border}.",
            cannot="the border is p = c r; the text prints p = r/c.",
        )


ONE = (1, 2, 4, 8, 16)
FOUR = (1, 2, 3, 4, 6, 8, 16)


def ideal_graph(logos: Base, relevant: int, title: str, scope: str = "s") -> Graph:
    """p = 1 to the TRIS point (1, 1), then down r = 1 to the random level at s = d."""
    curve = ideal_curve(relevant, logos.size)
    graph = plane(title, f"c = {relevant}, d = {logos.size:,}; markers at {scope} = 1, ..., c, then at doublings of c")
    names = {relevant // 2: f"{scope} = c/2", relevant: f"{scope} = c: TRIS", 2 * relevant: f"{scope} = 2c"}
    graph = graph.guides([line_of(s, relevant, name) for s, name in names.items()])
    graph = graph.rule(y=relevant / logos.size, label=f"random c/d = {relevant / logos.size:.4f}")
    return graph.curve(curve, "ideal system", markers=range(len(curve)))


def mean_at(logos: Base, relevant: int, scope: int) -> tuple[float, float]:
    """Recall and precision of the mean at a scope."""
    point = radial_lattice(logos.of_size(relevant), [scope])
    return float(point.x[0]), float(point.y[0])


def beyond_border(logos: Base, relevant: int, scopes: list[int]) -> tuple[int, int]:
    """How many results with a hit all queries of a class size have at these scopes, and how many lie above p = c r."""
    hits = np.stack([logos.of_size(relevant).hits(scope) for scope in scopes], axis=1)
    above = hits / np.array(scopes) > relevant * (hits / relevant) + 1e-12
    return int((hits > 0).sum()), int(above.sum())
