"""How a setting is written to whoever asks: as a keyword in Python, as an option while a command runs.

Commands say how their options are spelled; everything that speaks of a setting asks here, so that no message names an
option to a programmer or a keyword to somebody at a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_spelling: list[Mapping[str, str]] = []  # of the commands that run, the last one on top: every thread of theirs sees it


@contextmanager
def speaking_options(options: Mapping[str, str]) -> Iterator[None]:
    """In this block settings are written as options: their names in Python, and how the command spells them."""
    _spelling.append(options)
    try:
        yield
    finally:
        _spelling.pop()


def setting_value(name: str, value: object) -> str:
    """A setting with its value.

    >>> setting_value("ties", "given")
    "ties='given'"
    >>> with speaking_options({"ties": "--ties", "judged_only": "--judged-only"}):
    ...     setting_value("ties", "given"), setting_value("judged_only", True), setting_value("level", 2)
    ('--ties given', '--judged-only', 'level=2')
    """
    option = _option(name)
    if option is None:
        return f"{name}={_plain(value)!r}"
    if isinstance(value, bool):
        return option if value else option.replace("--", "--no-", 1)
    return f"{option} {value}"


def setting_usage(name: str, stands_for: str = "") -> str:
    """A setting as it is to be given, with a word that stands for the value, or its name alone.

    >>> setting_usage("collection_size", "D"), setting_usage("duplicates")
    ('collection_size=D', 'duplicates')
    >>> with speaking_options({"collection_size": "--collection-size"}):
    ...     setting_usage("collection_size", "D")
    '--collection-size D'
    """
    option = _option(name)
    if option is None:
        return f"{name}={stands_for}" if stands_for else name
    return f"{option} {stands_for}".strip()


def _option(name: str) -> str | None:
    """How the command that runs spells a setting."""
    return _spelling[-1].get(name) if _spelling else None


def _plain(value: object) -> object:
    """A number of another library, as np.int64(10), as it is written by hand."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value
