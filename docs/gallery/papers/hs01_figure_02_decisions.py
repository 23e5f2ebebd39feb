"""HS01, figure 2: the decision table of a query, what is relevant against what is retrieved."""

from base import About, Base, base, save
from decision_table import RELEVANT, example, tiles

from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-02-decisions"


def draw(logos: Base) -> Graph:
    """Two by two, with the counts of one query."""
    counts = example(logos).contingency
    return tiles(
        "The decision table of a query",
        f"{logos.caption}; below: counts of the query in the middle of those with c = {RELEVANT}, at w = c",
        ["retrieved", "not retrieved"],
        ["relevant", "irrelevant"],
        [["TP", "FN"], ["FP", "TN"]],
        [
            [f"{counts.true_positives:,}", f"{counts.false_negatives:,}"],
            [f"{counts.false_positives:,}", f"{counts.true_negatives:,}"],
        ],
    )


def about(logos: Base) -> About:
    """The counts."""
    counts = example(logos).contingency
    whole = counts.true_positives + counts.false_negatives + counts.false_positives + counts.true_negatives
    return About(
        title="HS01, figure 2: the decision table",
        alt="Four tiles: true positives and false negatives above, false positives and true negatives below.",
        paper="Relevant and irrelevant items against retrieved and not retrieved ones: TP, FN, FP, TN.",
        ours=f"the same names, and below them the counts of one query: {counts.true_positives}, "
        f"{counts.false_negatives}, {counts.false_positives} and {counts.true_negatives:,} of {whole:,} items. "
        "`rankscope.measures.quadruple.Quadruple` has them for any query and scope.",
        agrees="rows, columns and names.",
        cannot="nothing.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
