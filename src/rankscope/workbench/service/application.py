"""An application of parts behind one guard; what a request says, why one is refused, and what a service lets in."""

from __future__ import annotations

import asyncio
import fnmatch
import ipaddress
import json
import re
import socket
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl

import numpy as np
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankscope.core.errors import InputError, MissingExtra, RankscopeError, RunnerError, SettingError


@dataclass(frozen=True)
class ServicePart:
    """Some pages of an application.

    `owns` says which paths are the part's own, so that errors there are told in its form; the last part owns the rest.
    `lifespan` opens what the part needs while the application runs, and closes it.
    """

    routes: Sequence[BaseRoute]
    tell: Callable[[Refusal], Response]
    owns: Callable[[str], bool] = lambda path: True
    body_bytes: int | None = None  # of a request; None: as the limits say
    lifespan: Callable[[], AbstractAsyncContextManager[object]] | None = None


def create_application(parts: Sequence[ServicePart], hosts: Hosts, limits: ServiceLimits | None = None) -> Starlette:
    """The application of some parts; the first that knows an address answers it."""
    allowed = limits or ServiceLimits()

    def part_of(path: str) -> ServicePart:
        return next((part for part in parts if part.owns(path)), parts[-1])

    def body_bytes(path: str) -> int:
        own = part_of(path).body_bytes
        return allowed.body_bytes if own is None else own

    guard = Middleware(
        RequestGuard,
        hosts=hosts,
        limits=allowed,
        tell=lambda path, refusal: part_of(path).tell(refusal),
        body_bytes=body_bytes,
    )

    @asynccontextmanager
    async def lifespan(_application: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            for part in parts:
                if part.lifespan is not None:
                    await opened.enter_async_context(part.lifespan())
            yield

    application = Starlette(
        routes=[route for part in parts for route in part.routes],
        middleware=[guard],
        exception_handlers={HTTPException: _raise_again},
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    return application


def _raise_again(_request: Request, error: Exception) -> Response:
    """The guard tells all errors; none is told before."""
    raise error


# What stands before every page: names, sizes, headers, and errors that leave in the form of the page asked for.

SAFE: Final = {  # of every answer that does not say otherwise
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
NOT_OURS: Final = "this service does not answer to that name"


class RequestGuard:
    def __init__(
        self, app: ASGIApp, *, hosts: Hosts, limits: ServiceLimits, tell: Tell, body_bytes: Callable[[str], int]
    ) -> None:
        self.app, self.hosts, self.limits, self.tell, self.body_bytes = app, hosts, limits, tell, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def safe_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
            await self.app(scope, self._measured(scope["path"], receive), safe_send)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            if started:
                raise
            refusal = refusal_of(error, scope["path"], scope["method"])
            await self.tell(scope["path"], refusal)(scope, receive, safe_send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        named = headers.getlist("host")
        if len(named) != 1 or not self.hosts.allow(named[0]):
            raise Refusal(421, f"{NOT_OURS}: use the address that it printed when it was started")
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > self.limits.address_bytes:
            raise Refusal(414, f"an address may have {self.limits.address_bytes:,} bytes: send what is longer as POST")
        most, length = self.body_bytes(scope["path"]), headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise _too_large(most)

    def _measured(self, path: str, receive: Receive) -> Receive:
        """The body as it comes, as long as it is neither too large nor too slow."""
        most, taken, until = self.body_bytes(path), 0, time.monotonic() + self.limits.body_seconds
        complete = False

        async def measured() -> Message:
            nonlocal taken, complete
            if complete:
                return await receive()
            try:
                async with asyncio.timeout(max(until - time.monotonic(), 0.0)):
                    message = await receive()
            except TimeoutError:
                raise Refusal(408, f"the request did not come within {self.limits.body_seconds:g} seconds") from None
            taken += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if taken > most:
                raise _too_large(most)
            return message

        return measured


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"the body of a request may have {most:,} bytes", headers={"connection": "close"})


# What a request says: parameters of an address or a form, and bodies of JSON.

MOST_PARAMETERS = 1000
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
YES, NO = frozenset({"true", "on", "yes", "1", ""}), frozenset({"false", "off", "no", "0"})


class Parameters:
    """Parameters by name, each perhaps several times; what cannot be read is refused with its name.

    >>> asked = Parameters([("fq", "a"), ("fq", "b"), ("rows", "5"), ("hl", "on")])
    >>> asked.all("fq"), asked.whole("rows", 10), asked.flag("hl"), asked.text("q", "*:*")
    (['a', 'b'], 5, True, '*:*')
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = list(pairs)
        self.first: dict[str, str] = {}
        for name, value in self.pairs:
            self.first.setdefault(name, value)

    @classmethod
    def of_text(cls, text: str) -> Parameters:
        """As they stand behind a question mark, or in the body of a form."""
        try:
            return cls(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
        except ValueError as error:
            raise Refusal(400, f"the parameters cannot be read: {error}") from None

    def __contains__(self, name: str) -> bool:
        return name in self.first

    def __add__(self, other: Parameters) -> Parameters:
        return Parameters([*self.pairs, *other.pairs])

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.pairs if each == name]

    def text(self, name: str, otherwise: str = "") -> str:
        return self.first.get(name, otherwise)

    def words(self, name: str) -> list[str]:
        """All values, cut at commas and spaces."""
        return [word for value in self.all(name) for word in value.replace(",", " ").split()]

    def whole(self, name: str, otherwise: int, least: int = 0, most: int = 2**31 - 1) -> int:
        value = self.first.get(name)
        if value is None or value == "":
            return otherwise
        if not value.isascii() or not value.lstrip("+-").isdigit() or len(value) > 20:
            raise Refusal(400, f"{name}={value[:40]}: must be a whole number")
        number = int(value)
        if not least <= number <= most:
            advice = f"at most {most:,} are given at once" if number > most else f"must be {least} or more"
            raise Refusal(400, f"{name}={number}: {advice}")
        return number

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """Yes or no; a name alone is yes."""
        value = self.first.get(name)
        if value is None:
            return otherwise
        if value.lower() not in YES | NO:
            raise Refusal(400, f"{name}={value[:40]}: must be true or false")
        return value.lower() in YES


def parameters_of(request: Request) -> Parameters:
    return Parameters.of_text(request.scope["query_string"].decode("latin-1"))


def body_kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def read_json(body: bytes) -> Any:
    """A body of JSON; what is none, or has something that no text may have, is refused."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refusal(400, f"the body is not JSON: {why[:200]}", "parse_exception") from None
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


# Why a request gets no answer: one kind of error, with a status, a sentence, and headers.

READ_ONLY = "this service is read-only: index documents with rankscope index, then start it again"
FOLDERS = re.compile(r"(?<![\w:/\\.])(?:[A-Za-z]:[\\/]|/)(?:[^/\\\n:'\",;]+[/\\])*(?=[^/\\\s])")
FAULT = "this is a fault of rankscope, not of the request; the terminal of the service says more"
BROKEN = (InputError, MissingExtra, RunnerError)  # what whoever asks can do nothing about


async def refuse_change(_request: Request) -> Response:
    """Refused: this service is read-only."""
    raise Refusal(403, READ_ONLY)


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818  (it says what happens)
    """A request that is refused: the status, a sentence for the person who asked, and what kind of problem it is.

    `kind` is a word for programs, such as `index_not_found_exception`; each way in has its own usual ones.
    """

    status: int
    message: str
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)  # more that an answer says next to the sentence

    def __str__(self) -> str:
        return self.message


Tell = Callable[[str, Refusal], Response]  # how a refusal is told to whoever asked for a path


def refusal_of(error: Exception, path: str = "", method: str = "") -> Refusal:
    """What an error means for whoever asked; a fault of ours is printed, and nothing of it is sent."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        if error.status_code == 404:
            return Refusal(404, f"there is nothing at {path[:200]}", headers=headers)
        if error.status_code == 405:
            return Refusal(405, f"{method} is not possible here: {READ_ONLY}", headers=headers)
        return Refusal(error.status_code, str(error.detail), headers=headers)
    if isinstance(error, RankscopeError):
        broken = isinstance(error, BROKEN)  # other errors speak of the request, which may hold slashes
        return Refusal(500, without_folders(str(error))) if broken else Refusal(400, str(error))
    traceback.print_exception(error, file=sys.stderr)
    return Refusal(500, FAULT)


def without_folders(text: str) -> str:
    """A text with the names of files and without where they lie, which is nothing for whoever asks over a network.

    >>> without_folders("/home/ann/my data/docs.index/a.bin: 1 problem, see C:/data/b.run")
    'a.bin: 1 problem, see b.run'
    """
    return FOLDERS.sub("", text)


# Answers as JSON.

Json = dict[str, Any]
MEDIA = "application/json; charset=utf-8"


def json_bytes(value: object, pretty: bool = False) -> bytes:
    """A value as JSON, perhaps on lines of its own; half a sign becomes a question mark."""
    form: Json = {"indent": 2} if pretty else {"separators": (",", ":")}
    return json.dumps(value, ensure_ascii=False, **form).encode("utf-8", "replace")


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else json_bytes(value)
    return Response(content, status, dict(headers or {}), MEDIA)


def shown_number(value: float) -> float | None:
    """A score as JSON can hold it, in the shortest digits of its 32 bits.

    >>> import numpy as np
    >>> shown_number(float(np.float32(0.1)))
    0.1
    """
    return float(np.format_float_scientific(np.float32(value), unique=True)) if np.isfinite(value) else None


# Names that a pattern means: of indexes, or of fields.

PATTERN_CHARACTERS: Final = frozenset("*?[")
LONGEST_PATTERN: Final = 100  # signs of a pattern


def is_pattern(text: str) -> bool:
    return not PATTERN_CHARACTERS.isdisjoint(text)


def matching_names(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text means: the same name, or all those of a pattern.

    >>> matching_names("ti*", ["title", "body"]), matching_names("body", ["title", "body"])
    (['title'], ['body'])
    >>> matching_names("x", ["title"])
    []
    """
    if not is_pattern(text):
        return [text] if text in names else []
    if len(text) > LONGEST_PATTERN:
        raise Refusal(400, f"{text[:40]}...: a pattern of names has at most {LONGEST_PATTERN} signs")
    return [name for name in names if fnmatch.fnmatchcase(name, text)]


# How much one request may ask for, and how much is done at once.


@dataclass(frozen=True)
class ServiceLimits:
    """What a service does at most; a request that asks for more is refused, and told so.

    >>> ServiceLimits().running, ServiceLimits().seconds
    (4, 5.0)
    """

    query_bytes: int = 8 << 10  # of the text of one query
    clauses: int = 1024  # of a query with its filters, all groups together
    levels: int = 50  # of groups in groups
    rows: int = 1000  # documents of one answer
    window: int = 10_000  # of OpenSearch's from + size
    address_bytes: int = 32 << 10  # of what stands behind the question mark
    body_bytes: int = 64 << 10
    body_seconds: float = 10.0  # until the whole body has come
    seconds: float = 5.0  # of a search, looked at between clauses
    running: int = 4  # searches at once
    waiting: int = 64  # searches that wait for their turn
    wait_seconds: float = 5.0  # how long they wait
    retry_seconds: int = 1  # when one that was refused may ask again


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections a server has, and how long one may keep it waiting.

    One address has half of them at most, unless it is a proxy's.
    >>> ConnectionLimits().most, ConnectionLimits().head_seconds
    (1000, 10.0)
    """

    most: int = 1000  # less where the process may open fewer files
    head_seconds: float = 10.0  # from the connection, or from the last answer, until the head of a request has come
    idle_seconds: int = 5  # after an answer, without a word
    unread_seconds: float = 30.0  # of an answer that is not read on
    look_seconds: float = 0.5  # between two looks at all of them
    said_seconds: float = 60.0  # between two lines that say which were ended


# Which names a service answers to: a page of another site that leads its own name here is refused.

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
HOST: Final = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


@dataclass(frozen=True)
class Hosts:
    """Names that requests may be sent to, and whether any address in digits is one too.

    >>> hosts = Hosts(frozenset({"localhost"}))
    >>> hosts.allow("LOCALHOST:8384"), hosts.allow("evil.example"), hosts.allow(None)
    (True, False, False)
    """

    names: frozenset[str]
    any_address: bool = False

    def allow(self, header: str | None) -> bool:
        """Whether a Host header names this service."""
        found = HOST.fullmatch(header or "")
        if found is None:
            return False
        name = (found["six"] or found["name"]).lower().removesuffix(".")
        return name in self.names or (self.any_address and _address(name) is not None)


@dataclass(frozen=True)
class Proxies:
    """The machines that may say for whom they ask, by address or network.

    >>> proxies = Proxies.of(["10.0.0.7", "192.168.1.0/24"])
    >>> proxies.trust("192.168.1.9"), proxies.trust("127.0.0.1"), Proxies().trust("127.0.0.1")
    (True, False, True)
    >>> proxies.asking("10.0.0.7", "1.2.3.4, 5.6.7.8, 192.168.1.9"), proxies.asking("5.6.7.8", "1.2.3.4")
    ('5.6.7.8', '5.6.7.8')
    """

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = (
        ipaddress.ip_network("127.0.0.0/8"),
        ipaddress.ip_network("::1"),
    )

    @classmethod
    def of(cls, given: Iterable[str]) -> Proxies:
        """From addresses as a user writes them; this machine alone where there are none."""
        try:
            named = tuple(ipaddress.ip_network(each.strip(), strict=False) for each in given)
        except ValueError as error:
            raise SettingError(f"--trusted-proxy {error}: give 10.0.0.7 or 10.0.0.0/24") from None
        return cls(named) if named else cls()

    def trust(self, address: str) -> bool:
        return (found := _address(address)) is not None and any(found in each for each in self.networks)

    def asking(self, peer: str, forwarded: str) -> str:
        """Who asks: the last in X-Forwarded-For that is none of ours, where one of ours says it; else who is there."""
        here = peer
        for told in reversed(forwarded.split(",")):
            if not self.trust(here) or _address(told.strip()) is None:
                break
            here = told.strip()
        return here


def hosts_of(host: str, others: Iterable[str] = ()) -> Hosts:
    """The names of a service that listens at a host: those of this machine alone, unless others reach it.

    Where others do, an address in digits is allowed too: no name that somebody else may change is in it.
    >>> sorted(hosts_of("127.0.0.1").names)
    ['127.0.0.1', '::1', 'localhost']
    """
    known = LOOPBACK | {each.lower() for each in others}
    if is_loopback(host):
        return Hosts(known)
    return Hosts(known | {host.lower(), socket.gethostname().lower()}, any_address=True)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host.lower() == "localhost" or (_address(host) is not None and ipaddress.ip_address(host).is_loopback)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in digits; one of IPv4 that is written as IPv6 is the former."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
