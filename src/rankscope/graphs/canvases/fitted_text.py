"""Text of pictures as wide as it was laid out: without Arial or its kin the ends of lines would be cut off."""

from __future__ import annotations

import re
from html import unescape

from rankscope.graphs.text_width import text_width

SHORT = 1  # a single sign is where it is put
TEXT = re.compile(r"<text ([^>]*font-family=\"Arial[^>]*)>(.*?)</text>", re.DOTALL)
LINE = re.compile(r"<tspan((?:(?!textLength)[^>])*)>([^<]*)</tspan>")
SIZE = re.compile(r'font-size="([\d.]+)px"')


def fit_text(svg: str) -> str:
    """A picture whose lines of text are as wide in every font as they are in Arial; fitted text stays as it is.

    >>> fit_text('<text font-family="Arial" font-size="10px">of 112 queries</text>')[42:]
    ' textLength="63.37" lengthAdjust="spacingAndGlyphs">of 112 queries</text>'
    """
    return TEXT.sub(_fitted, svg)


def _fitted(found: re.Match[str]) -> str:
    given, content = found.groups()
    size, is_bold = SIZE.search(given), 'font-weight="bold"' in given
    if size is None or "textLength" in given:
        return found[0]
    unit = float(size[1])
    if "<tspan" in content:
        inside = LINE.sub(lambda line: f"<tspan{line[1]}{_length(line[2], unit, is_bold)}>{line[2]}</tspan>", content)
        return f"<text {given}>{inside}</text>"
    return f"<text {given}{_length(content, unit, is_bold)}>{content}</text>"


def _length(content: str, size: float, is_bold: bool) -> str:
    text = unescape(content)
    if len(text) <= SHORT:
        return ""
    return f' textLength="{text_width(text, size, is_bold):.2f}" lengthAdjust="spacingAndGlyphs"'
