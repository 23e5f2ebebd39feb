"""Tiles of a matrix as rows of data: rectangles with their colours, and the words that fit into them."""

from __future__ import annotations

from typing import Any

from rankscope.graphs.canvases.shades import ink_on, shade_colour
from rankscope.graphs.look import Look
from rankscope.graphs.marks import Tiles
from rankscope.graphs.text_width import shorten_text, text_width

SMALLER = 0.84
AIR = 4.0
Rows = list[dict[str, Any]]


def tile_rows(mark: Tiles, look: Look, wide: float, high: float) -> tuple[Rows, list[tuple[float, Rows]]]:
    """Rectangles, and for each size of letters the words; a tile is `wide` and `high` in pixels.

    The smaller words are left out of all tiles where they do not fit into one of them.
    """
    small = look.small * SMALLER
    under = any(mark.below) and high >= 1.9 * look.small
    under = under and all(text_width(each, small) <= wide - AIR for each in mark.below)
    down = 0.55 * look.small if under else 0.0
    tiles: Rows = []
    words: Rows = []
    below: Rows = []
    columns = (mark.x.tolist(), mark.y.tolist(), mark.shade.tolist(), mark.words, mark.below)
    for x, y, shade, word, lower in zip(*columns, strict=True):
        colour = shade_colour(shade, look.theme)
        ink = ink_on(colour)
        tiles.append({"x": x - 0.5, "x2": x + 0.5, "y": y - 0.5, "y2": y + 0.5, "colour": colour})
        text = shorten_text(word, look.small, wide - AIR)
        lifted = -down if lower and under else 0.0
        words.append({"x": x, "y": y, "text": text, "ink": ink, "down": round(lifted, 2)})
        if lower and under:
            below.append({"x": x, "y": y, "text": lower, "ink": ink, "down": round(down, 2)})
    return tiles, [(look.small, words), *([(small, below)] if below else [])]
