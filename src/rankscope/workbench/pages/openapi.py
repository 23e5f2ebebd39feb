"""One description of everything over HTTP, made from the addresses themselves: OpenAPI 3.1 with JSON Schema."""

from __future__ import annotations

import inspect
import math
import re
import types
from collections.abc import Iterable, Sequence
from dataclasses import MISSING
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rankscope.core.validation import Flag, Number, OneOf, Optional, Rule, Several, WholeNumber
from rankscope.version import __version__
from rankscope.workbench.pages.addresses import ANYBODY, Address, Changed, Field, Picture, Words, fields_of
from rankscope.workbench.pages.answers import VIEW_VERSION

PLACE: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
STATUS_WORDS: Final = {
    400: "the request says something that cannot be",
    401: "nobody is signed in, or the token lets nobody in",
    403: "the role does not open this, or a page of another site asked",
    404: "there is nothing here",
    409: "the change cannot be: sending it again changes nothing",
    413: "the body is too large",
    429: "too often: Retry-After says when again",
    503: "the database cannot be reached",
    507: "the disk is full: nothing was saved",
}
REFUSAL: Final[Schema] = {
    "type": "object",
    "properties": {
        "format": {"const": "rankscope.refusal"},
        "version": {"const": VIEW_VERSION},
        "status": {"type": "integer"},
        "error": {"type": "string"},
    },
    "required": ["format", "version", "status", "error"],
}


def description(addresses: Iterable[Address], others: Sequence[BaseRoute] = ()) -> dict[str, Any]:
    """The description of pages, and of the addresses of other parts."""
    paths: dict[str, dict[str, Any]] = {}
    for each in addresses:
        paths.setdefault(plain_path(each.path), {})[each.method.lower()] = _operation(each)
    for route in others:
        if isinstance(route, Route) and not route.path[1:].endswith("/"):  # a final slash adds nothing
            paths.setdefault(plain_path(route.path), {}).update(_operations_of_route(route))
    return {
        "openapi": "3.1.0",
        "info": {"title": "rankscope", "version": __version__, "summary": "Search, judge and evaluate rankings."},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Refusal": REFUSAL},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def plain_path(path: str) -> str:
    """A path as OpenAPI writes it.

    >>> plain_path("/like/{item:int}")
    '/like/{item}'
    """
    return PLACE.sub(r"{\1}", path)


def _operation(address: Address) -> dict[str, Any]:
    in_path = {found[1] for found in PLACE.finditer(address.path)}
    named = [] if address.asked is None else fields_of(address.asked)
    reading = address.method == "GET"
    parameters = [
        {
            "name": each.name,
            "in": "path" if each.name in in_path else "query",
            "required": each.name in in_path or each.is_needed,
            "schema": schema_of_field(each),
        }
        for each in named
        if reading or each.name in in_path
    ]
    found: dict[str, Any] = {
        "operationId": address.name,
        "summary": address.summary,
        "parameters": parameters,
        "responses": _responses(address),
    }
    body = [each for each in named if not reading and each.name not in in_path]
    if body:
        schema = {
            "type": "object",
            "properties": {each.name: schema_of_field(each) for each in body},
            "required": [each.name for each in body if each.is_needed],
            "additionalProperties": False,
        }
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return found if address.role == ANYBODY else found | {"security": [{"token": []}]}


def _responses(address: Address) -> dict[str, Any]:
    statuses = {400, 404, 413, 414, 421, *address.statuses} if address.asked is not None else {*address.statuses}
    if address.role != ANYBODY:
        statuses |= {401, 403, 429}
    if address.method != "GET":
        statuses |= {403, 409, 429, 503, 507}
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    found = _answers(address)
    for each in statuses:
        found[str(each)] = {"description": STATUS_WORDS.get(each, "refused"), "content": refusal}
    return dict(sorted(found.items()))


def _answers(address: Address) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in address.views:
        if is_typeddict(kind):
            schema = schema_of_type(kind)
            head = {"format": {"const": f"rankscope.{address.name}"}, "version": {"const": VIEW_VERSION}}
            schema["properties"] = head | schema["properties"]
            schema["required"] = [*head, *schema["required"]]
            found["200"] = {"description": address.summary, "content": {"application/json": {"schema": schema}}}
        elif isinstance(kind, type) and issubclass(kind, Response):
            found["200"] = {
                "description": address.summary,
                "content": {media: {} for media in address.media.split(", ")},
            }
        elif kind is type(None) or kind is Changed:
            found["204"] = {"description": "done"}
    return found


def _operations_of_route(route: Route) -> dict[str, Any]:
    """What is known of an address of the search service, which answers as Solr and OpenSearch do."""
    parameters = [
        {"name": found[1], "in": "path", "required": True, "schema": {"type": "string"}}
        for found in PLACE.finditer(route.path)
    ]
    summary = (inspect.getdoc(route.endpoint) or "Refused: this service is read-only.").partition("\n")[0]
    answer = {"description": "as Solr or OpenSearch answers", "content": {"application/json": {}}}
    operation = {"summary": summary, "parameters": parameters, "responses": {"default": answer}}
    return {method.lower(): operation for method in sorted(route.methods or ()) if method != "HEAD"}


# Types of Python as JSON Schema: what answers hold, and what may be asked.

Schema = dict[str, Any]
PLAIN_SCHEMAS: dict[Any, Schema] = {
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
    if kind in PLAIN_SCHEMAS:
        return dict(PLAIN_SCHEMAS[kind])
    if is_typeddict(kind):
        return {
            "type": "object",
            "properties": {name: schema_of_type(hint) for name, hint in get_type_hints(kind).items()},
            "required": sorted(kind.__required_keys__),
            "additionalProperties": False,
        }
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
        inclusive, exclusive = ("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum")
        limits = zip((*inclusive, *exclusive), (rule.least, rule.most, rule.above, rule.below), strict=True)
        return {"type": "number", **{name: value for name, value in limits if math.isfinite(value)}}
    if isinstance(rule, Words):
        return {"type": "string", "minLength": rule.least, "maxLength": rule.most}
    if isinstance(rule, Picture):
        return {"type": "string", "contentMediaType": "application/octet-stream"}
    return {"type": "boolean"} if isinstance(rule, Flag) else {"type": "string"}
