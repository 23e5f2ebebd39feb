"""The page of the papers' figures, made from what their scripts compute: `python page.py [NAME...]`.

Run in a folder for the pictures. It draws all figures (or those named), copies them into `images` and writes README.md;
its numbers are therefore those of the collection at hand, which must be icons20k.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

from base import About, Base, base, data_folder, save

WIDE = 128
HERE = Path(__file__).resolve().parent
FIGURES = sorted(path.stem for path in HERE.glob("*_figure_*.py"))
HEAD = """# The figures of two papers

- **HS01**: D. P. Huijsmans and N. Sebe, *Extended performance graphs for cluster retrieval*, CVPR 2001: figures 1 to
  14.
- **S04**: N. Sebe, D. P. Huijsmans, Q. Tian and T. Gevers, *Complete performance graphs in probabilistic information
  retrieval*, 2004: figures 1 to 3.

The figures of a third, Brughi et al. 2014, are in [its study](../../studies/brughi2014.md#the-papers-figures). A
fourth, Huiskes and Lew 2008, has one: precision and recall of a method next to the best that can be learnt, and their
quotient. The left half is the picture of [normalization](../../explanation/normalization.md), the right one
[efficiency](../efficiency.py). What agrees: both curves, and that the quotient is 1 where they meet. What cannot: the
optimal curve is that of the best classifier found, not of the optimum, and so a quotient may exceed 1.

The papers worked on about 20,000 logos in 1,858 clusters. Ours are icons20k, built to have that shape: 20,000 icons,
14,806 of them in 1,858 clusters of 2 to 308, 5,194 distractors. The system is plain on purpose: cosine of centred
pixels, every labelled item in turn the query, removed from its own collection (d = 19,999; a cluster of 9 has c = 8).
Constructions can be compared with the papers' text; heights cannot, because pictures and features are others. The
texts were read without their pictures.

icons20k is looked for in `$RANKSCOPE_DATA/icons20k`, then in `../shared/data/icons20k` next to the repository. Without
it the shipped icons take its place (5,346 items, 494 classes) and the subtitle of each figure says so. The first
figure ranks the collection (20 to 40 s on two cores) and keeps `icons20k-pixels.ranks.parquet` in the working folder
for the others. Delete it when the data change. Each command is run in `gallery-output/`; `python
../docs/gallery/papers/page.py` draws all of them and writes this page, whose numbers are computed and
[tested](../../../tests/test_paper_figures.py).
"""


def section(name: str, about: About) -> str:
    """What stands under the number of one figure."""
    lines = [
        f"The paper: {about.paper}",
        f"Ours: {about.ours}",
        f"What agrees: {about.agrees}",
        f"What cannot, or differs: {about.cannot}",
        f"`python ../docs/gallery/papers/{name}.py`",
    ]
    picture = f'<img src="images/{_module(name).NAME}.svg" width="453" alt="{about.alt}">'
    return "\n".join(["", f"## {about.title}", "", picture, "", *map(_point, lines), ""])


def _point(text: str) -> str:
    return textwrap.fill(
        text, WIDE, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def page(logos: Base) -> str:
    """All of it."""
    return HEAD + "".join(section(name, _module(name).about(logos)) for name in FIGURES)


def _module(name: str) -> Any:
    return import_module(name)


def main(wanted: list[str]) -> None:
    """Draw, copy and write."""
    if data_folder() is None:
        sys.exit("the page is made from icons20k, which is not here")
    logos = base()
    for name in FIGURES:
        figure = _module(name)
        if not wanted or figure.NAME in wanted:
            save(figure.draw(logos), figure.NAME)
            shutil.copy(f"{figure.NAME}.svg", HERE / "images")
    (HERE / "README.md").write_text(page(logos), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
