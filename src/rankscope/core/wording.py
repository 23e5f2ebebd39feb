"""How settings and numbers are written in messages and sentences.

A setting is a keyword in Python, an option in a command, and goes by its name on a page. Commands say how their options
are spelled; everything that speaks of a setting asks here, so that no message names an option to a programmer, a
keyword to somebody at a terminal, or either to the readers of a page, who called nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

LONGEST_VALUE = 120  # signs, or bits of a number

PAGE_READERS: Mapping[str, str] = {}  # of a page, who find settings by name where it lists them

_spelling: list[Mapping[str, str]] = []  # of the commands that run, the last one on top: every thread of theirs sees it


@contextmanager
def speaking_options(options: Mapping[str, str]) -> Iterator[None]:
    """In this block settings are written as options: their names in Python, and how the command spells them."""
    _spelling.append(options)
    try:
        yield
    finally:
        _spelling.pop()


def speaking_to_readers() -> AbstractContextManager[None]:
    """In this block settings are written for the readers of a page.

    >>> with speaking_options({"depth": "--depth"}), speaking_to_readers():
    ...     setting_value("depth", 10), setting_usage("depth", "K"), setting_usage("ties")
    ('the setting depth=10', 'the setting depth', 'the setting ties')
    """
    return speaking_options(PAGE_READERS)


def setting_value(name: str, value: object) -> str:
    """A setting with its value.

    >>> setting_value("ties", "given")
    "ties='given'"
    >>> with speaking_options({"ties": "--ties", "judged_only": "--judged-only", "effects": "--effect"}):
    ...     setting_value("ties", "given"), setting_value("judged_only", True), setting_value("effects", [0.1, 0.2])
    ('--ties given', '--judged-only', '--effect 0.1 --effect 0.2')
    """
    option = _option(name)
    if _to_readers():
        return f"the setting {name}={value}"
    if option is None:
        return f"{name}={value_text(value)}"
    if isinstance(value, bool):
        return option if value else option.replace("--", "--no-", 1)
    several = value if isinstance(value, tuple | list) else [value]
    return " ".join(f"{option} {short_number(each) if isinstance(each, float) else each}" for each in several)


def mapping_value(text: str, name: str = "columns") -> str:
    """How columns are named, as it is to be typed: in quotes where a name has blanks.

    >>> mapping_value("query=search term")
    "columns='query=search term'"
    >>> with speaking_options({"columns": "--map", "map_runs": "--map-runs"}):
    ...     mapping_value("query=q,item=sku", "map_runs"), mapping_value("query=search term")
    ('--map-runs query=q,item=sku', "--map 'query=search term'")
    """
    option = _option(name)
    if option is None:
        return setting_value(name, text)
    import shlex

    return f"{option} {shlex.quote(text)}"


def mapping_advice(sentence: str, text: str, name: str = "columns") -> str:
    """A sentence that names columns where its {} stands; nothing while a command without such an option runs.

    >>> mapping_advice("Say it with {}.", "item=id")
    "Say it with columns='item=id'."
    >>> with speaking_options({"depth": "--depth"}):
    ...     mapping_advice("Say it with {}.", "item=id")
    ''
    """
    if _spelling and not _to_readers():
        name = name if name in _spelling[-1] else "columns"  # a command of runs alone has one map
        if name not in _spelling[-1]:
            return ""
    return sentence.format(mapping_value(text, name))


def several_files(name: str) -> str:
    """How the files of a folder or of a pattern are given as several systems.

    >>> several_files("runs")
    'Give several systems as a list of their paths'
    >>> with speaking_options({}):
    ...     several_files("runs")
    'Give several systems as several files: runs/* in place of runs'
    """
    if not _spelling:
        return "Give several systems as a list of their paths"
    how = f"{name} without quotes" if any(sign in name for sign in "*?[") else f"{name}/* in place of {name}"
    return f"Give several systems as several files: {how}"


def setting_usage(name: str, stands_for: str = "") -> str:
    """A setting as it is to be given, with a word that stands for the value, or its name alone.

    >>> setting_usage("collection_size", "D"), setting_usage("duplicates")
    ('collection_size=D', 'duplicates')
    >>> with speaking_options({"collection_size": "--collection-size"}):
    ...     setting_usage("collection_size", "D")
    '--collection-size D'
    """
    option = _option(name)
    if _to_readers():
        return f"the setting {name}"
    if option is None:
        return f"{name}={stands_for}" if stands_for else name
    return f"{option} {stands_for}".strip()


def _to_readers() -> bool:
    return bool(_spelling) and _spelling[-1] is PAGE_READERS


def _option(name: str) -> str | None:
    """How the command that runs spells a setting."""
    return _spelling[-1].get(name) if _spelling else None


def value_text(value: object) -> str:
    """A value as it is written in Python, cut where it is long.

    >>> value_text("given"), value_text(10**400)
    ("'given'", 'a number of 1329 bits')
    """
    plain = plain_scalar(value)
    if isinstance(plain, int) and plain.bit_length() > LONGEST_VALUE:
        return f"a number of {plain.bit_length()} bits"
    text = repr(plain)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def short_number(value: float) -> str:
    """A number in its short form if that says all of it.

    >>> short_number(95.0), short_number(0.123456789)
    ('95', '0.123456789')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def plain_scalar(value: object) -> Any:
    """A number or text of an array, as np.int64(10), as one of Python."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


# Numbers as sentences have them: few digits, no zero before the point, a true minus sign.


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
