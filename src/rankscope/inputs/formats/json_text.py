"""JSON, parsed without losing anything and without any exception but our own."""

from __future__ import annotations

import json
import re
from typing import Any

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.nested import ObjectPairs
from rankscope.inputs.sources import Source

FLAT = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{\[]')
LINE = re.compile(rb"\s*([^\r\n]*)[\r\n]+\s*([^\r\n]?)")
NAME = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:'
DECODER = json.JSONDecoder(object_pairs_hook=ObjectPairs)


def begins_lines(head: bytes) -> bool:
    """Whether a text begins as JSON lines do: a whole object in the first line and more behind it.

    Of a single line, and of one that is no JSON, the first value decides: an object of lines begins with a plain one.
    >>> begins_lines(b'{"q": 1}'), begins_lines(b'{"q": {"a": 1}}'), begins_lines(b'{"q": {"a": 1}}\\n{"r": {}}')
    (True, False, True)
    >>> begins_lines(b'{\\n "took": 3}'), begins_lines(b'[{"q": 1}]\\n[]')
    (False, False)
    """
    first = LINE.match(head)
    if first is None or not first[2]:
        return FLAT.match(head) is not None
    try:
        return isinstance(DECODER.decode(first[1].decode()), ObjectPairs)
    except (ValueError, RecursionError):
        return FLAT.match(head) is not None and first[1].rstrip().endswith(b"}")


def whole(source: Source, encoding: str, problems: Problems) -> Any:
    """The one value a file holds, objects as `ObjectPairs`; raises if it is no JSON."""
    text = texts.whole(source, encoding, problems).decode()
    problems.raise_if_any()
    try:
        if text.strip():
            return DECODER.decode(text)
        problems.add("", "is empty")
    except json.JSONDecodeError as error:
        if _are_lines(text, error.pos):
            return _each_line(text, problems)
        cut_off = ". The file ends here: was it cut off?" if error.pos >= len(text.rstrip()) else ""
        what = f"is not JSON: {error.msg} (column {error.colno}){cut_off}"
        problems.add(f"line {error.lineno}", what, order=error.lineno)
    except (ValueError, RecursionError) as error:
        problems.add("", f"is not JSON that can be read: {error}")
    raise InputError([problems.report()])


def _are_lines(text: str, end: int) -> bool:
    """Whether a value ends with its line and another object begins behind it: the first line was a long one."""
    return text[end : end + 1] == "{" and "\n" in text[text.rfind("}", 0, end) : end] and text.lstrip()[0] == "{"


def _each_line(text: str, problems: Problems) -> list[Any]:
    """The values of JSON lines; a line that is no JSON is a problem."""
    found: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            found += [DECODER.decode(line)] if line.strip() else []
        except (ValueError, RecursionError) as error:
            problems.add(f"line {number}", f"is not JSON: {error}", order=number)
    problems.raise_if_any()
    return found
