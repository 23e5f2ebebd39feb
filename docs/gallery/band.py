"""How far could other queries move these curves, and do the systems differ anywhere? Bands for the whole curve."""

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import band_graph

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, system=space)
    for space in ("pixels", "edges")
]
band_graph(systems).save("band.svg")
band_graph(systems, difference=True).save("band-difference.svg")  # two bands that overlap are no test; this is one
