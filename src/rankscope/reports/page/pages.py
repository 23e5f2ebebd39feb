"""What all pages share: templates, style, colours in light and dark, and graphs as packed text.

A page opens offline: no address in it is ever asked, and equal inputs give equal bytes.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.graphs.canvases.vega_lite import specification
from rankscope.graphs.graph import Graph
from rankscope.graphs.look import DARK, LIGHT, Look, Theme

TEMPLATES = Path(__file__).parent / "templates"
WIDTH = 115.0  # mm; the page scales it, so that words are readable two abreast and on a telephone
RATIO = 0.62
PACKED = 7  # of 9: two more take twice the time and save one byte in a hundred
COLOURS = ("paper", "ink", "faint", "words", "shade")


@cache
def environment() -> Any:
    """Where templates come from; what is not there is an error, and every value is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def text_of(name: str) -> str:
    """A style sheet or a script."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def pack_text(text: str) -> str:
    """Text as deflated bytes in base 64, which every browser since 2023 unpacks by itself.

    >>> zlib.decompress(base64.b64decode(pack_text("recall,precision"))).decode()
    'recall,precision'
    """
    return base64.b64encode(zlib.compress(text.encode(), PACKED)).decode()


def json_of(value: object) -> str:
    """JSON without a blank too many."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def spec_of(graph: Graph) -> str:
    """The graph without its heading, which the page says itself; seen on paper as in the light theme."""
    look = replace(Look.of("light", WIDTH, graph.ratio or RATIO), theme=LIGHT)
    spec = specification(graph.described(title="", subtitle=""), look, interactive=True)
    spec["description"] = graph.summary or graph.title
    return json_of(spec)


def themes() -> dict[str, list[tuple[str, str, str]]]:
    """For each colour of the light theme: the name of its variable, itself, and its partner in the dark theme."""
    pairs = list(zip(_colours(LIGHT), _colours(DARK), strict=True))
    return {"colours": [(f"--g{place}", light, dark) for place, (light, dark) in enumerate(pairs)]}


def _colours(theme: Theme) -> list[str]:
    return [*(getattr(theme, name) for name in COLOURS), *theme.series]
