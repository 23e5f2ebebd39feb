"""Types of Python as JSON Schema: what answers hold, and what may be asked."""

from __future__ import annotations

import math
import types
from dataclasses import MISSING
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from rankscope.validation import Flag, Number, OneOf, Optional, Rule, Several, WholeNumber
from rankscope.workbench.pages.asked import Field, Picture, Words

Schema = dict[str, Any]
PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def schema_of_type(kind: Any) -> Schema:
    """The schema of a type of answers.

    >>> schema_of_type(list[int | None])
    {'type': 'array', 'items': {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}}
    """
    if kind in PLAIN:
        return dict(PLAIN[kind])
    if is_typeddict(kind):
        return _object(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        return {"type": "array", "items": schema_of_type(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of_type(inner[1])}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of_type(each) for each in inner]}
    raise TypeError(f"{kind} has no schema")


def _object(kind: Any) -> Schema:
    hints = get_type_hints(kind)
    return {
        "type": "object",
        "properties": {name: schema_of_type(hint) for name, hint in hints.items()},
        "required": sorted(kind.__required_keys__),
        "additionalProperties": False,
    }


def schema_of_field(field: Field) -> Schema:
    """The schema of something that may be asked, with its meaning and what it is when nobody says."""
    found = schema_of_rule(field.rule) | {"description": field.meaning}
    plain = field.default is None or isinstance(field.default, str | int | float)
    return found | ({"default": field.default} if plain and field.default is not MISSING else {})


def schema_of_rule(rule: Rule) -> Schema:
    """The schema of what a rule allows.

    >>> schema_of_rule(WholeNumber(least=1, most=12))
    {'type': 'integer', 'minimum': 1, 'maximum': 12}
    """
    if isinstance(rule, Optional):
        return {"anyOf": [schema_of_rule(rule.rule), {"type": "null"}]}
    if isinstance(rule, Several):
        return {"type": "array", "items": schema_of_rule(rule.rule)}
    if isinstance(rule, OneOf):
        return {"enum": list(rule.choices)}
    if isinstance(rule, WholeNumber):
        return {"type": "integer", "minimum": rule.least, "maximum": rule.most}
    if isinstance(rule, Number):
        return {"type": "number", **_limits(rule)}
    if isinstance(rule, Words):
        return {"type": "string", "minLength": rule.least, "maxLength": rule.most}
    if isinstance(rule, Picture):
        return {"type": "string", "contentMediaType": "application/octet-stream"}
    return {"type": "boolean"} if isinstance(rule, Flag) else {"type": "string"}


def _limits(rule: Number) -> Schema:
    named = {
        "minimum": rule.least,
        "maximum": rule.most,
        "exclusiveMinimum": rule.above,
        "exclusiveMaximum": rule.below,
    }
    return {name: value for name, value in named.items() if math.isfinite(value)}
