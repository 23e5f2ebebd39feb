"""Files of object stores and web servers: `s3://`, `gs://`, `az://`, `https://`; fetched when they are read.

Keys and regions come from the usual variables of the environment (AWS_ACCESS_KEY_ID, GOOGLE_..., AZURE_...), never
from a path, and are never shown: names and messages hold the address without user, password and query.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, MissingExtra
from rankscope.core.names import one_line
from rankscope.inputs import redirects
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, MAX_RATIO, Source, without_suffix

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "https", "http")
NOT_LISTED = ("https", "http")
MISSING, FORBIDDEN = (404, 410), (401, 403)  # what web servers answer
BEGINNING = 1 << 18  # bytes that are enough to tell a format
PATIENCE = 60  # seconds that a web server may be silent
SIGN = re.compile(r"[*?\[]")


def is_remote(path: str | Path) -> bool:
    """Whether a path is the address of something elsewhere.

    >>> is_remote("s3://bucket/runs/bm25.parquet"), is_remote("runs/bm25.run")
    (True, False)
    """
    scheme, mark, _ = str(path).partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def shown_address(url: str) -> str:
    """The address as it may be shown: without user, password, query and fragment.

    >>> shown_address("https://me:secret@host/runs/bm25.run?signature=abc")
    'https://host/runs/bm25.run'
    """
    parts = urlsplit(url)
    return one_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")


def _obstore() -> Any:
    return import_extra("obstore", "obstore", "remote")


class RemoteSource(Source):
    """A file elsewhere. It is copied to this machine when it is first read, and the copy goes with this object."""

    def __init__(self, url: str, max_ratio: float = MAX_RATIO) -> None:
        self.url, self.part, self.max_ratio = url, "", max_ratio
        self._digest, self._read, self._spooled = "", 0, None
        self._copy, self._led_to = "", ""
        self._stamp: tuple[int, str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteSource, (self.url, self.max_ratio)

    @property
    def path(self) -> str:  # type: ignore[override]
        """The copy on this machine, made now if it is not there."""
        if not self._copy:
            self._copy = self._fetched()
        return self._copy

    @property
    def address(self) -> str:
        """The address as it may be shown."""
        return shown_address(self.url)

    def head(self, size: int = 65536) -> bytes:
        """The first plain bytes, without the rest of the file where the store gives a part."""
        if not self._copy and not _is_web(self.url) and self.size > BEGINNING:
            with _explained(self.url), suppress(InputError):
                store, key = _store_and_key(self.url)
                begin = bytes(_obstore().get_range(store, key, start=0, length=BEGINNING))
                plain = b""
                for chunk in self._plain(iter([begin])):
                    plain += chunk
                    if len(plain) >= size:
                        return plain[:size]
        return super().head(size)

    @property
    def name(self) -> str:
        """The last part of the address."""
        return one_line(unquote(urlsplit(self.url).path.rstrip("/").rpartition("/")[2])) or shown_address(self.url)

    def stem(self, suffixes: Iterable[str] = ()) -> str:
        """The name without the suffix of its compression and one of these."""
        return without_suffix(without_suffix(self.name, COMPRESSED_SUFFIXES), suffixes)

    @property
    def is_folder(self) -> bool:
        """Never: there are no folders, only beginnings of names."""
        return False

    @property
    def stamp(self) -> tuple[int, str]:
        """Size and tag of the object, as its store tells them."""
        with _explained(self.url):
            if _is_web(self.url):
                with _web_answer(self.url, "HEAD") as answer:
                    tag = answer.headers["ETag"] or answer.headers["Last-Modified"] or ""
                    return int(answer.headers["Content-Length"] or 0), str(tag)
            found = _obstore().head(*_store_and_key(self.url))
        return int(found["size"]), str(found.get("e_tag") or found.get("last_modified") or "")

    @property
    def size(self) -> int:
        """How many bytes it has."""
        self._stamp = self._stamp or self.stamp
        return self._stamp[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Where it was found, if its address led elsewhere."""
        if _is_web(self.url) and self.path and self._led_to != self.address:
            return (f"its address redirects to {self._led_to}, from where it was read",)
        return ()

    def release(self) -> None:
        if self._copy:
            _remove(self._copy)
        self._copy = ""

    def _fetched(self) -> str:
        handle, place = tempfile.mkstemp(prefix="rankscope-", suffix=Path(self.name).suffix)
        weakref.finalize(self, _remove, place)
        with os.fdopen(handle, "wb") as file, _explained(self.url):
            if _is_web(self.url):
                with _web_answer(self.url, "GET") as answer:
                    shutil.copyfileobj(answer, file)
                    whole = int(answer.headers["Content-Length"] or file.tell())
                    self._led_to = shown_address(answer.geturl())
            else:
                answer = _obstore().get(*_store_and_key(self.url))
                for chunk in answer.stream():
                    file.write(chunk)
                whole = int(answer.meta["size"])
            came = file.tell()
        if came != whole:
            raise InputError.of(self.name, [f"was cut off: {came:,} of {whole:,} bytes came"], _looked(self.url))
        return place


def _is_web(url: str) -> bool:
    return urlsplit(url).scheme in NOT_LISTED


def _web_answer(url: str, method: str) -> Any:
    """The answer of a web server, in the end; user and password of the address go to its origin alone."""
    from base64 import b64encode
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class ByHand(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            """An error, which says where it leads."""

    opener, parts = build_opener(ByHand), urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    address = parts._replace(netloc=host).geturl()
    for _ in range(redirects.MOST + 1):
        asked = Request(address, method=method)
        if user:
            asked.add_header("Authorization", f"Basic {b64encode(unquote(user).encode()).decode()}")
        try:
            return opener.open(asked, timeout=PATIENCE)
        except HTTPError as answer:
            if answer.code not in redirects.STATUSES:
                raise
            with answer:
                target = redirects.follow_redirect(address, answer.headers["Location"])
        user = user if redirects.origin_of(target) == redirects.origin_of(address) else ""
        address = target
    raise redirects.RedirectError(redirects.TOO_OFTEN)


def _remove(place: str) -> None:
    with suppress(OSError):
        os.unlink(place)


def _store_and_key(url: str) -> tuple[Any, str]:
    """Where an address leads, as obstore wants it."""
    parts = urlsplit(url)
    store = import_extra("obstore.store", "obstore", "remote").from_url(f"{parts.scheme}://{parts.netloc}")
    return store, unquote(parts.path.lstrip("/"))


def remote_files(url: str, max_ratio: float = MAX_RATIO) -> list[tuple[str, RemoteSource]] | None:
    """The files of a pattern, or below an address that ends with a slash: name and source; None for a single file."""
    key = urlsplit(url).path.lstrip("/")
    sign = SIGN.search(key)
    if sign is None and not url.endswith("/"):
        return None
    if urlsplit(url).scheme in NOT_LISTED:
        what = "a web server lists no files, so that a pattern or a folder cannot be read from it"
        raise InputError.of(shown_address(url), [what], "Give the address of each file, or an object store.")
    folder = key[: key.rfind("/", 0, sign.start() if sign else len(key)) + 1]
    wanted = re.compile(_as_expression(key) if sign else re.escape(key) + ".*")
    base = url[: len(url) - len(key)] if key else url
    store, _ = _store_and_key(base)
    with _explained(url):
        found = [each["path"] for chunk in _obstore().list(store, prefix=folder or None) for each in chunk]
    fitting = [each for each in found if wanted.fullmatch(each)]
    return [(each[len(folder) :], RemoteSource(base + each, max_ratio)) for each in fitting]


def _as_expression(pattern: str) -> str:
    """A pattern of the shell as a regular expression; ** crosses slashes.

    >>> _as_expression("runs/*/part-?.run")
    'runs/[^/]*/part\\\\-[^/]\\\\.run'
    """
    result, place = "", 0
    while place < len(pattern):
        rest = pattern[place:]
        if rest.startswith("**"):
            result, place = result + ".*", place + 2
            continue
        end = rest.find("]", 2) if rest[0] == "[" else -1
        if end > 0:
            inside = rest[1:end].replace("\\", "\\\\")
            result, place = result + f"[{'^' + inside[1:] if inside.startswith('!') else inside}]", place + end + 1
            continue
        result += {"*": "[^/]*", "?": "[^/]"}.get(rest[0], re.escape(rest[0]))
        place += 1
    return result


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """What a store answers in words; nothing of what it says is shown, for it may hold keys."""
    try:
        yield
    except (InputError, MissingExtra):
        raise
    except redirects.RedirectError as error:
        raise InputError.of(RemoteSource(url).name, [str(error)], _looked(url)) from None
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if not kinds & {"OSError", "HTTPException", "BaseError"}:
            raise
        if getattr(error, "code", 0) in MISSING or kinds & {"NotFoundError", "FileNotFoundError"}:
            what = "there is no such file"
        elif getattr(error, "code", 0) in FORBIDDEN or kinds & {"PermissionDeniedError", "UnauthenticatedError"}:
            what = "no permission to read it: are the keys in the environment right?"
        else:
            what = f"cannot be read ({type(error).__name__})"
        raise InputError.of(RemoteSource(url).name, [what], _looked(url)) from None


def _looked(url: str) -> str:
    variables = "" if _is_web(url) else ". Keys, region and endpoint come from the environment (AWS_REGION, ...)"
    return f"Looked for {shown_address(url)}{variables}"
