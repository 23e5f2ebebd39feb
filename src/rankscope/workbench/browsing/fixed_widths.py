"""Graphs whose words are as wide as their layout took them to be, whichever letters a reader's machine has."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from rankscope.graphs.text_width import text_width

TEXT: Final = re.compile(r'<text ([^>]*?)font-size="([\d.]+)px"([^>]*)>([^<]+)</text>')
SHORTEST: Final = 2  # signs; a single one is where it is put


def with_fixed_widths(svg: bytes) -> bytes:
    """An SVG in which each text says its width; where the letters named are missing, others are fitted to it.

    The layout counts with the widths of Arial. A machine without it, or its equals, has wider letters, and words would
    run into each other.
    >>> with_fixed_widths(b'<text x="1" font-size="10px">recall r</text>').decode()
    '<text x="1" font-size="10px" textLength="30" lengthAdjust="spacingAndGlyphs">recall r</text>'
    """
    return TEXT.sub(_fixed, svg.decode()).encode()


def _fixed(found: re.Match[str]) -> str:
    before, size, after, words = found.groups()
    text = unescape(words)
    if len(text) < SHORTEST:
        return found[0]
    width = text_width(text, float(size), bold='"bold"' in before + after)
    told = f'textLength="{width:.4g}" lengthAdjust="spacingAndGlyphs"'
    return f'<text {before}font-size="{size}px"{after} {told}>{words}</text>'
