"""JSON, parsed without losing anything and without any exception but our own."""

from __future__ import annotations

import json
from typing import Any

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.nested import ObjectPairs
from rankscope.inputs.sources import Source

NAME = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:'
DECODER = json.JSONDecoder(object_pairs_hook=ObjectPairs)


def whole(source: Source, encoding: str, problems: Problems) -> Any:
    """The one value a file holds, objects as `ObjectPairs`; raises if it is no JSON."""
    text = texts.whole(source, encoding, problems).decode()
    problems.raise_if_any()
    try:
        if text.strip():
            return DECODER.decode(text)
        problems.add("", "is empty")
    except json.JSONDecodeError as error:
        cut_off = ". The file ends here: was it cut off?" if error.pos >= len(text.rstrip()) else ""
        what = f"is not JSON: {error.msg} (column {error.colno}){cut_off}"
        problems.add(f"line {error.lineno}", what, order=error.lineno)
    except (ValueError, RecursionError) as error:
        problems.add("", f"is not JSON that can be read: {error}")
    raise InputError([problems.report()])


def kind(value: object) -> str:
    """What a JSON value is called in JSON.

    >>> kind(None), kind([1]), kind(ObjectPairs())
    ('null', 'a list', 'an object')
    """
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {ObjectPairs: "an object", list: "a list", str: "text", int: "a number", float: "a number"}
    return names[type(value)]
