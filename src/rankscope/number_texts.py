"""Numbers as sentences have them: few digits, no zero before the point, a true minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence


def decimal_text(value: float) -> str:
    """Three decimals without the zero before the point, with a true minus sign.

    >>> decimal_text(0.0353), decimal_text(-0.25), decimal_text(1.5), decimal_text(-0.0001)
    ('.035', '\u2212.250', '1.500', '.000')
    """
    text = f"{abs(value):.3f}"
    sign = "\u2212" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)


def signed_text(value: float) -> str:
    """The same with a plus before what is above 0; what rounds to 0 has no sign.

    >>> signed_text(0.1684), signed_text(-0.0073), signed_text(0.0001)
    ('+.168', '\u2212.007', '.000')
    """
    text = decimal_text(value)
    return text if value < 0 or not float(text) else f"+{text}"


def plain_number(value: float) -> str:
    """A number as short as it is exact to three digits, without the zero before the point.

    >>> plain_number(0.25), plain_number(1.0), plain_number(0.0), plain_number(4096.0), plain_number(-0.5)
    ('.25', '1', '0', '4,096', '\u2212.5')
    """
    text = f"{abs(value):,.0f}" if abs(value) >= 1000 else f"{abs(value):.3g}"
    return ("\u2212" if value < 0 and text != "0" else "") + (text[1:] if text.startswith("0.") else text)


def span_text(low: float, high: float) -> str:
    """Limits behind a number; nothing where there are none.

    >>> span_text(0.25, 1.0), span_text(math.nan, math.nan)
    (' [.250, 1.000]', '')
    """
    return "" if math.isnan(low) or math.isnan(high) else f" [{decimal_text(low)}, {decimal_text(high)}]"


def percent_text(share: float) -> str:
    """A level in percent, exact to two digits of what it lacks to 100.

    >>> percent_text(0.95), percent_text(0.975), percent_text(1 - 0.05 / 4950), percent_text(0.0)
    ('95%', '97.5%', '99.999%', '0%')
    """
    missing = 100 * (1 - share)
    places = max(0, 1 - math.floor(math.log10(missing))) if missing > 0 else 0
    text = f"{100 * share:.{places}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def join_words(words: Sequence[str]) -> str:
    """Words as a sentence has them.

    >>> join_words(["a"]), join_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


def how_many(count: int, what: str = "queries", plural: str = "") -> str:
    """A number of things, named in the plural; one whose plural is not regular by both words.

    >>> how_many(1), how_many(3979), how_many(1, "classes"), how_many(1, "topics"), how_many(2, "ox", "oxen")
    ('1 query', '3,979 queries', '1 class', '1 topic', '2 oxen')
    """
    one, many = (what, plural) if plural else (_singular(what), what)
    return f"{count:,} {one if count == 1 else many}"


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    return plural[:-2] if plural.endswith(("sses", "xes", "ches", "shes")) else plural.removesuffix("s")
