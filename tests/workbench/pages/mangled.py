"""Requests that no client of ours sends: methods, paths, headers and bodies that were bitten, doubled and turned."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

JUDGING = (
    "/",
    "/judge",
    "/judge/marks",
    "/judge/undo",
    "/people",
    "/pool",
    "/picture/1",
    "/history",
    "/static/judge.js",
)
BROWSING = ("/browse?order=near&near=3", "/like/1", "/like/picture", "/search?q=red", "/session", "/session/1/marks")
OTHERS = (
    "/session/1/round",
    "/session/1/graph/grip",
    "/look?view=terms",
    "/questionnaire",
    "/export/qrels",
    "/enter/abc",
)
PATHS = (*JUDGING, *BROWSING, *OTHERS)
BODIES = (
    b'{"key":"k","kind":"grade","task":"1-2","grade":1}',
    b'{"tab":"t"}',
    b"name=eve&role=admin",
    b'{"item":1,"opinion":"relevant"}',
    b'{"method":"rocchio","parameters":"gamma=1"}',
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n\x89PNG\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\neve\r\n--x--\r\n',
    b"[[[[[[[[[[",
    b"\xff\xfe\x00",
    b"",
)
KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x/y", "\t", "")
METHODS = (*["GET"] * 6, *["POST"] * 6, "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "FOO")


class MangledRequest(NamedTuple):
    """One of them."""

    method: str
    path: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes


def mangled_requests(count: int, seed: int, cookie: str) -> Iterator[MangledRequest]:
    """So many, the same for the same seed; half of them come with a cookie that lets in."""
    chance = random.Random(seed)
    for _ in range(count):
        path = bitten(chance.choice(PATHS).encode() + chance.choice((b"", b"?tab=t&count=3", b"?a=%ff&=&&")), chance)
        headers = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1")]
        headers += [(b"content-type", chance.choice(KINDS).encode()), (b"accept", bitten(b"application/json", chance))]
        headers += [(b"authorization", bitten(b"Bearer abcdefghijklmnopqrstuv", chance))] * (chance.random() < 0.1)
        headers += [(b"cookie", cookie.encode())] * (chance.random() < 0.5)
        headers += [(b"cookie", bitten(cookie.encode(), chance))] * (chance.random() < 0.2)
        if chance.random() < 0.1:
            chance.shuffle(headers)
        if chance.random() < 0.05:
            headers[0] = (b"host", bitten(b"127.0.0.1", chance))
        body = bitten(chance.choice(BODIES), chance)
        yield MangledRequest(chance.choice(METHODS), b"/" + path.lstrip(b"/"), headers, body)


def bitten(text: bytes, chance: random.Random) -> bytes:
    """A text with something missing, doubled or changed; often as it was."""
    if chance.random() < 0.4 or not text:
        return text
    start = chance.randrange(len(text))
    end = min(len(text), start + chance.randint(1, 8))
    others = (b"", bytes([chance.randrange(1, 256)]), text[start:end] * 3, b"%00", b"../", b"\xc3\x28", b"'")
    more = chance.choice(others)
    return text[:start] + more + text[end:]
