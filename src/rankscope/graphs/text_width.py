"""How wide a text is in Arial, Helvetica or Liberation Sans, which share their widths: layout without a browser."""

from __future__ import annotations

from collections.abc import Iterator

FIRST = 32


def _thousandths(text: str) -> tuple[int, ...]:
    """Of the size, from the blank to the tilde."""
    return tuple(map(int, text.split()))


PLAIN = _thousandths("""
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278
278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722
667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556
556 333 500 278 556 500 722 500 500 500 334 260 334 584
""")
BOLD = _thousandths("""
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333
333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722
667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611
611 389 556 333 611 556 778 556 556 500 389 280 389 584
""")
BEYOND = {"\N{MINUS SIGN}": 584, "\N{PLUS-MINUS SIGN}": 549, "\N{MULTIPLICATION SIGN}": 584}
OTHER, WIDE = 611, 1000
EQUALS = "\N{NULL}"  # stands for an equals sign with its blanks while a text is taken apart


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in the unit of its size.

    >>> round(text_width("recall r", 10), 2)
    30.0
    """
    widths = BOLD if bold else PLAIN
    return sum(_width(sign, widths) for sign in text) * size / 1000


def _width(sign: str, widths: tuple[int, ...]) -> int:
    place = ord(sign) - FIRST
    if 0 <= place < len(widths):
        return widths[place]
    return BEYOND.get(sign, WIDE if ord(sign) >= 0x1100 else OTHER)


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
