"""Mangled requests to a search service: queries, parameters, bodies and bytes that nobody sends on purpose.

`web_request(seed)` is always the same for a seed; `raw_bytes` is what goes over a socket, perhaps mangled once more.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

SIGNS = ["AND", "OR", "NOT", "+", "-", "(", ")", '"', "~2", "^3", "[a", "}", "\\", "\\u12", "*", "?", "[a TO z]"]
WORDS = ["fox", "den", "snow", "title:snow", "body:wi*", "id:d0*", "/(a|b)*/", "/[/", "*:*", "nofield:x", *SIGNS]
WORDS += ["{!func}", "\x00", "\ud7ff", "😀", "é" * 50, "a" * 300]
NUMBERS = ["0", "1", "10", "-1", "1001", "99999999999999999999", "1e9", "NaN", "", "0x10", "١", "5.5", "true"]
NAMES = ["more", "docs,more", "*", "nope", "_all", "..", "%2e%2e", "docs%00", "ド", "a" * 500, ""]
SOLR = ["select", "select/", "query", "mlt", "terms", "get", "admin/luke", "admin/ping", "update", "nothing"]
OPENSEARCH = ["_search", "_count", "_doc/d03", "_doc/%ff", "_mget", "_msearch", "_explain/d01", "_mapping", "_analyze"]
ASKED = ("fox", "den snow", "title:snow -fox", "wi*", "id:d03", "*:*", "snow~", '"fox den"~3')
USUAL: dict[str, tuple[str, ...]] = {  # what parameters have where nobody errs
    **dict.fromkeys(["q", "fq"], ASKED),
    **dict.fromkeys(["df", "fl", "hl.fl", "mlt.fl", "terms.fl"], ("body", "title", "title,body")),
    **dict.fromkeys(["start", "rows", "from", "size", "hl.snippets", "hl.fragsize", "mlt.mintf"], ("0", "1", "7")),
    **dict.fromkeys(["hl", "debugQuery", "explain", "pretty"], ("true", "false")),
    "sort": ("score desc", "id asc", "title desc, id asc", "title:asc"),
    "q.op": ("AND", "or"),
    "wt": ("json",),
    "terms.prefix": ("f",),
    "cursorMark": ("*",),
    "ids": ("d03,d99",),
}
QUERIES = [  # the same of queries of JSON
    {"match": {"body": "fox den"}},
    {"term": {"title": "snow"}},
    {"query_string": {"query": "fox -den", "fields": ["title", "body"]}},
    {"multi_match": {"query": "snow", "fields": ["*"], "tie_breaker": 0.5}},
    {"ids": {"values": ["d03"]}},
    {"range": {"title": {"gte": "a"}}},
    {"more_like_this": {"like": [{"_id": "d03"}], "min_term_freq": 1}},
    {"match_phrase": {"body": {"query": "fox night", "slop": 2}}},
    {"exists": {"field": "title"}},
    {"query_string": {"query": "d03", "fields": ["_id"]}},
    {"more_like_this": {"like": "fox", "fields": ["id", "*"]}},
    {"regexp": {"body": "f.*"}},
]
KINDS = ["match", "term", "terms", "bool", "query_string", "multi_match", "ids", "range", "regexp", "fuzzy", "dis_max"]
KINDS += ["knn", "match_all", "prefix", "wildcard", "constant_score", "exists"]
KEYS = ["query", "must", "should", "must_not", "filter", "body", "title", "value", "values", "fields", "like", "boost"]
KEYS += [
    "slop",
    "from",
    "size",
    "sort",
    "highlight",
    "_source",
    "explain",
    "queries",
    "minimum_should_match",
    "gte",
    "x",
]
METHODS = [*["GET", "POST"] * 8, "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FROG"]
TYPES = ["application/x-www-form-urlencoded", "application/json", "text/xml", "multipart/form-data; boundary=x", ""]


@dataclass(frozen=True)
class WebRequest:
    """A request that a client can send."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def web_request(seed: int) -> WebRequest:
    """A request that is wrong in some way, or perhaps only strange."""
    dice = random.Random(seed)
    target, body, kind = _target(dice), b"", dice.choice(TYPES)
    if dice.random() < 0.6:
        kind, body = _body(dice, kind)
    headers = {"content-type": kind} if kind else {}
    if dice.random() < 0.05:
        headers["host"] = dice.choice(["evil.example", "", "127.0.0.1:99999999", "a b"])
    return WebRequest(dice.choice(METHODS), target, headers, body)


def raw_bytes(seed: int) -> bytes:
    """A request as bytes, cut, stretched or struck somewhere."""
    dice, asked = random.Random(-seed - 1), web_request(seed)
    headers = {"host": "127.0.0.1", "connection": "close", "content-length": str(len(asked.body)), **asked.headers}
    if dice.random() < 0.2:
        headers |= dice.choice([{"transfer-encoding": "chunked"}, {"content-length": "-5"}, {"x": "a" * 70_000}])
    lines = [f"{asked.method} {asked.target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    data = "\r\n".join([*lines, "", ""]).encode("utf-8", "replace") + asked.body
    return _struck(dice, data)


def _struck(dice: random.Random, data: bytes) -> bytes:
    place = dice.randrange(len(data))
    match dice.randrange(5):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + dice.randbytes(dice.randrange(1, 30)) + data[place:]
        case 2:
            return data[:place] + bytes([data[place] ^ (1 << dice.randrange(8))]) + data[place + 1 :]
        case 3:
            return dice.randbytes(dice.randrange(1, 2000))
    return data


def _target(dice: random.Random) -> str:
    name = "docs" if dice.random() < 0.7 else dice.choice(NAMES)
    path = f"/solr/{name}/{dice.choice(SOLR)}" if dice.random() < 0.5 else f"/{name}/{dice.choice(OPENSEARCH)}"
    if dice.random() < 0.05:
        path = "/" + quote(dice.randbytes(dice.randrange(40)))
    return f"{path}?{_form(dice)}" if dice.random() < 0.8 else path


def _form(dice: random.Random) -> str:
    names = ["q", *dice.choices([*USUAL], k=dice.randrange(5))]
    pairs = [f"{name}={quote_plus(_given(dice, name))}" for name in names]
    return "&".join([*pairs, *(["%", "%zz=1", "=", "&&", "q=%ff%fe"] if dice.random() < 0.1 else [])])


def _given(dice: random.Random, name: str) -> str:
    return dice.choice(USUAL[name]) if dice.random() < 0.8 else _text(dice)


def _text(dice: random.Random) -> str:
    if dice.random() < 0.3:
        return dice.choice(NUMBERS)
    return dice.choice(["", " "]).join(dice.choice(WORDS) for _ in range(dice.randrange(1, dice.choice([3, 12, 200]))))


def _body(dice: random.Random, kind: str) -> tuple[str, bytes]:
    if kind == "application/x-www-form-urlencoded":
        return kind, _form(dice).encode()
    match dice.randrange(5):
        case 0:
            return kind, b"[" * dice.randrange(1, 60_000)
        case 1:
            return kind, dice.randbytes(dice.randrange(3000))
        case 2:
            lines = [json.dumps(_value(dice, 3)) for _ in range(dice.randrange(1, 6))]
            return kind, "\n".join(lines).encode()
    extras = {dice.choice(KEYS): _value(dice, 3) for _ in range(max(dice.randrange(-2, 3), 0))}
    return "application/json", json.dumps({"query": _query(dice, 0), **extras}).encode()


def _query(dice: random.Random, level: int) -> Any:
    if level > 4 or dice.random() < 0.1:
        return _value(dice, 2)
    if dice.random() < 0.6:
        return dice.choice(QUERIES)
    kind = dice.choice(KINDS)
    if kind == "bool":
        return {kind: {each: [_query(dice, level + 1) for _ in range(2)] for each in dice.sample(KEYS[1:5], 2)}}
    return {kind: {dice.choice(KEYS): _value(dice, 2) for _ in range(dice.choice([1, 1, 2]))}}


def _value(dice: random.Random, depth: int) -> Any:
    match dice.randrange(8 if depth else 5):
        case 0:
            return _text(dice)
        case 1:
            return dice.choice([0, -1, 2**70, 1e308, 1.5, True, None])
        case 2 | 3:
            return dice.choice(WORDS)
        case 4:
            return "\ud800"
        case 5:
            return [_value(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {dice.choice(KEYS): _value(dice, depth - 1) for _ in range(dice.randrange(3))}
