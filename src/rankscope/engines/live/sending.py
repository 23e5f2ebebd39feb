"""One request: what the engine answers and how long that took, or why there is no answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import perf_counter
from typing import Any

import httpx

from rankscope.engines.live.credentials import API_KEY, TOKEN, USER, Credentials
from rankscope.engines.live.failure import EngineFailure, short_text
from rankscope.engines.live.limits import EngineLimits
from rankscope.engines.live.page import HttpRequest
from rankscope.version import __version__
from rankscope.wording import setting_usage

PIECE = 1 << 16
LARGEST = 32_000_000  # bytes of an answer, unpacked: a page of 10,000 ids and scores takes 1 to 2 million
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # what may be better a moment later
NOT_LET_IN = frozenset({401, 403, 407})
ErrorText = Callable[[Any], str]


class Sender:
    """Asks an engine, certificates verified and nothing from the environment but those: no proxy, no redirect."""

    def __init__(self, limits: EngineLimits, credentials: Credentials, error_text: ErrorText) -> None:
        self._seconds, self._credentials, self._error_text = limits.seconds, credentials, error_text
        self._client = httpx.Client(
            headers={"User-Agent": f"rankscope/{__version__}", "Accept": "application/json", **credentials.headers},
            verify=httpx.create_ssl_context(),
            trust_env=False,
            timeout=limits.seconds,
            limits=httpx.Limits(max_connections=limits.workers, max_keepalive_connections=limits.workers),
        )

    def close(self) -> None:
        """No connection stays open."""
        self._client.close()

    def send(self, request: HttpRequest) -> tuple[Any, float]:
        """The answer read as JSON, and the seconds from the first byte sent to the last one received."""
        begun = perf_counter()
        try:
            status, headers, body = self._exchange(request, begun + self._seconds)
        except httpx.TimeoutException:
            raise self._too_slow() from None
        except httpx.ConnectError as error:
            raise self._unreachable(error) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            words = short_text(str(error)) or type(error).__name__
            raise EngineFailure(f"the connection broke: {words}", again=True) from None
        seconds = perf_counter() - begun
        if status != HTTPStatus.OK:
            raise self._refusal(status, headers, body)
        return _decoded(body, headers.get("Content-Type", "")), seconds

    def _exchange(self, request: HttpRequest, deadline: float) -> tuple[int, httpx.Headers, bytearray]:
        body = bytearray()
        headers = {"Content-Type": request.media_type}
        with self._client.stream("POST", request.url, content=request.content, headers=headers) as response:
            for piece in response.iter_bytes(PIECE):
                body += piece
                if perf_counter() > deadline:
                    raise self._too_slow()
                if len(body) > LARGEST:
                    advice = f"{setting_usage('page_size')} asks for fewer documents at a time"
                    raise EngineFailure(f"the answer is larger than {LARGEST / 1e6:g} MB: {advice}", for_all=True)
            return response.status_code, response.headers, body

    def _too_slow(self) -> EngineFailure:
        usage = setting_usage("seconds")
        return EngineFailure(f"no answer within {self._seconds:g} seconds ({usage} allows more)", again=True)

    def _unreachable(self, error: httpx.ConnectError) -> EngineFailure:
        words = short_text(str(error)) or "no connection"
        if "CERTIFICATE_VERIFY_FAILED" in words:
            advice = "set SSL_CERT_FILE to the certificate of your own authority, if it has one"
            return EngineFailure(f"its certificate is not trusted: {advice}", for_all=True)
        return EngineFailure(f"cannot be reached: {words}", again=True, for_all=True)

    def _refusal(self, status: int, headers: httpx.Headers, body: bytearray) -> EngineFailure:
        """What a status other than 200 means."""
        said = self._credentials.masked(short_text(_error_words(body, self._error_text)))
        reason = f"HTTP {status} {_phrase(status)}".rstrip() + (f": {said}" if said else "")
        if status in PASSING:
            return EngineFailure(reason, again=True, wait=seconds_to_wait(headers.get("Retry-After")))
        if status in NOT_LET_IN:
            names = f"{USER} with its password, {API_KEY} or {TOKEN}"
            return EngineFailure(f"{reason} (credentials come from the environment: {names})", for_all=True)
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            target = self._credentials.masked(short_text(headers.get("Location", "")))
            return EngineFailure(f"{reason}; it leads to {target or 'nowhere'}: give that address", for_all=True)
        return EngineFailure(reason, for_all=status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED))


def seconds_to_wait(text: str | None) -> float | None:
    """What a Retry-After asks for, which is a number of seconds or a time.

    >>> seconds_to_wait("2"), seconds_to_wait("Thu, 01 Jan 1970 00:00:00 GMT"), seconds_to_wait("soon")
    (2.0, 0.0, None)
    """
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _decoded(body: bytearray, media_type: str) -> Any:
    """The answer; one that was cut off may come whole another time, a page for people will not."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        shown = short_text(body[:80].decode("utf-8", "replace"))
    if media_type.startswith("text/html") or shown.startswith("<"):
        raise EngineFailure(
            f"it answers with a page for people, '{shown}': is this the address of an index?", for_all=True
        )
    raise EngineFailure(f"the answer is no whole JSON: '{shown}'", again=True)


def _error_words(body: bytearray, error_text: ErrorText) -> str:
    """What the engine says in its own form, else the beginning of what it sent."""
    try:
        found = error_text(json.loads(body))
    except (ValueError, RecursionError):
        found = ""
    text = body[:2000].decode("utf-8", "replace")
    return found or ("" if text.lstrip().startswith("<") else text)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
