"""How a setting is written to whoever asks: as a keyword in Python, as an option in a command, by its name on a page.

Commands say how their options are spelled; everything that speaks of a setting asks here, so that no message names an
option to a programmer, a keyword to somebody at a terminal, or either to the readers of a page, who called nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

LONG = 120  # signs, or bits of a number

READERS: Mapping[str, str] = {}  # of a page, who find settings by name where it lists them

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
    return speaking_options(READERS)


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
    return bool(_spelling) and _spelling[-1] is READERS


def _option(name: str) -> str | None:
    """How the command that runs spells a setting."""
    return _spelling[-1].get(name) if _spelling else None


def value_text(value: object) -> str:
    """A value as it is written in Python, cut where it is long.

    >>> value_text("given"), value_text(10**400)
    ("'given'", 'a number of 1329 bits')
    """
    plain = plain_scalar(value)
    if isinstance(plain, int) and plain.bit_length() > LONG:
        return f"a number of {plain.bit_length()} bits"
    text = repr(plain)
    return text if len(text) <= LONG else f"{text[:LONG]}..."


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
