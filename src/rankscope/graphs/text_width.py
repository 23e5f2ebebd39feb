"""How wide a text is in Arial, Helvetica or Liberation Sans, which share their widths: layout without a browser."""

from __future__ import annotations

from collections.abc import Iterator

FIRST = 32
WIDTHS = """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278
278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722
667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556
556 333 500 278 556 500 722 500 500 500 334 260 334 584
"""
THOUSANDTHS = tuple(map(int, WIDTHS.split()))  # of the size, from the blank to the tilde
BOLD = 1.09
OTHER, WIDE = 611, 1000
EQUALS = "\N{NULL}"  # stands for an equals sign with its blanks while a text is taken apart


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in the unit of its size.

    >>> round(text_width("recall r", 10), 2)
    30.0
    """
    thousandths = sum(_width(ord(sign)) for sign in text)
    return thousandths * size / 1000 * (BOLD if bold else 1.0)


def _width(sign: int) -> int:
    if FIRST <= sign < FIRST + len(THOUSANDTHS):
        return THOUSANDTHS[sign - FIRST]
    return WIDE if sign >= 0x1100 else OTHER


def wrap_text(text: str, size: float, room: float, bold: bool = False) -> list[str]:
    """The text in lines that fit into the room; a word that is too long stays whole, and so does c = 8 where it fits.

    >>> wrap_text("precision and recall", 10, 70)
    ['precision and', 'recall']
    >>> wrap_text("queries with c = 8", 10, 70)
    ['queries with', 'c = 8']
    """
    lines: list[str] = []
    for word in _words_and_equations(text, size, room, bold):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _words_and_equations(text: str, size: float, room: float, bold: bool) -> Iterator[str]:
    """What stays in one line: words, and words that an equals sign joins unless they are too long for a line."""
    for joined in text.replace(" = ", EQUALS).split():
        whole = joined.replace(EQUALS, " = ")
        yield from [whole] if text_width(whole, size, bold) <= room else whole.split()


def shorten_text(text: str, size: float, room: float) -> str:
    """The text, cut in the middle with three dots where it does not fit."""
    if text_width(text, size) <= room or len(text) < 8:
        return text
    keep = len(text) - 3
    while keep > 4 and text_width(text[: (keep + 1) // 2] + "..." + text[-(keep // 2) :], size) > room:
        keep -= 1
    return text[: (keep + 1) // 2] + "..." + text[-(keep // 2) :]


def fold_text(text: str, size: float, room: float, lines: int) -> list[str]:
    """The text in so many lines at most, each cut in the middle where it does not fit.

    >>> fold_text("bag of visual words with a thousand clusters", 10, 70, lines=2)
    ['bag of visual', 'words ...usters']
    """
    most = max(lines, 1)
    parts = wrap_text(text, size, room)
    if len(parts) > most:
        parts = [*parts[: most - 1], " ".join(parts[most - 1 :])]
    return [shorten_text(part, size, room) for part in parts]
