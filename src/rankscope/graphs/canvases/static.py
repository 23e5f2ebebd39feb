"""Pictures by vl-convert: no browser, and print size as the look says (96 CSS pixels to the inch)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankscope.graphs.canvases.fitted_text import fit_text
from rankscope.graphs.canvases.vega_lite import VERSION, specification
from rankscope.graphs.look import Look

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

TO_POINTS = 72 / 96
TRIES = 16
FONT = re.compile(rb"\n(\d+) 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0")
RESOURCES = re.compile(rb"(?: +/[a-z]+\d+ \d+ 0 R\n){2,}")
DENSITY = 300  # dots per inch of PNG


def svg(graph: Graph, look: Look) -> bytes:
    """Scalable, with text as text."""
    return fit_text(_plain_svg(graph, look)).encode()


def _plain_svg(graph: Graph, look: Look) -> str:
    return str(converter().vegalite_to_svg(specification(graph, look), vl_version=VERSION))


def pdf(graph: Graph, look: Look) -> bytes:
    """For print, fonts inside; a PDF counts in points, 72 to the inch."""
    sized = re.sub(r'(width|height)="([\d.]+)"', _in_points, _plain_svg(graph, look), count=2)
    for _ in range(TRIES):
        document = bytes(converter().svg_to_pdf(sized))
        if _in_order(document):
            break
    return RESOURCES.sub(lambda found: b"".join(sorted(found[0].splitlines(True))), document)


def _in_order(document: bytes) -> bool:
    """Whether fonts stand in the order of their numbers.

    vl-convert writes them in another order each time, by chance; of equal graphs one order is kept, so that they give
    equal bytes. Two fonts, upright and bold, take two tries on average, of some hundredths of a second.
    """
    numbers = [int(number) for number in FONT.findall(document)]
    return numbers == sorted(numbers)


def _in_points(size: re.Match[str]) -> str:
    return f'{size[1]}="{float(size[2]) * TO_POINTS:g}"'


def png(graph: Graph, look: Look) -> bytes:
    """Dots, 300 to the inch."""
    result = converter().vegalite_to_png(specification(graph, look), vl_version=VERSION, scale=TO_POINTS, ppi=DENSITY)
    return bytes(result)


def converter() -> Any:
    """vl-convert, loaded when the first picture is made."""
    import vl_convert

    return vl_convert
