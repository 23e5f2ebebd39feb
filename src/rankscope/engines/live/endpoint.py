"""An engine over HTTP: its address, who asks, how much at once and how deep; and how each kind, Solr, OpenSearch and
Elasticsearch, is asked for a page, and its answers and errors are read.
"""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode, urlsplit

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError
from rankscope.core.names import one_line
from rankscope.core.validation import COUNT, Number, WholeNumber, check_fields
from rankscope.core.wording import setting_usage

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class EngineAddress:
    """The kind of an engine and where its index answers.

    >>> print(EngineAddress.parse("solr:http://localhost:8983/solr/papers/"))
    solr:http://localhost:8983/solr/papers
    """

    kind: str
    url: str

    @classmethod
    def parse(cls, text: str) -> EngineAddress:
        """From `KIND:URL`; what could hold a password is never repeated."""
        kind, _, url = text.strip().partition(":")
        if kind.lower() not in DIALECTS:
            usage = setting_usage("engine")
            if kind.lower() in ("http", "https"):
                kinds = ", ".join(f"{each}:{kind}://..." for each in DIALECTS)
                raise SettingError(f"{usage} begins with the kind of the engine: {kinds}")
            shown = kind if kind.isalpha() else ""
            known = ", ".join(f"{each}:URL" for each in DIALECTS)
            raise SettingError(f"{usage}: no engine '{shown}'{did_you_mean(shown, DIALECTS)} There are: {known}")
        problem = _address_problem(url)
        if problem:
            raise SettingError(f"{setting_usage('engine')}: {problem}")
        found = cls(kind.lower(), url.rstrip("/"))
        DIALECTS[found.kind].search_address(found.url)
        return found

    @property
    def is_open(self) -> bool:
        """Whether what is sent there travels unencrypted over a network."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in THIS_MACHINE

    def __str__(self) -> str:
        return f"{self.kind}:{self.url}"


def _address_problem(url: str) -> str:
    """What is wrong with an address, without repeating any of it that could be a password."""
    try:
        parts = urlsplit(url)
        port_is_known = parts.port is None or parts.port > 0
    except ValueError:
        return "this is no address of a host, as http://localhost:8983/solr/NAME"
    if parts.username is not None or "@" in parts.netloc:
        return f"a user name or a password does not belong into an address: set {USER} and {PASSWORD} instead"
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_known:
        return "this is no address of a host, as http://localhost:8983/solr/NAME"
    if parts.query or parts.fragment:
        return f"an address ends with the index; parameters belong into {setting_usage('request', 'FILE.json')}"
    return ""


USER, PASSWORD = "RANKSCOPE_ENGINE_USER", "RANKSCOPE_ENGINE_PASSWORD"
API_KEY, TOKEN = "RANKSCOPE_ENGINE_API_KEY", "RANKSCOPE_ENGINE_TOKEN"
MASK = "***"


@dataclass(frozen=True)
class Credentials:
    """What a request says of who asks; empty: nothing.

    >>> Credentials.from_environment({"RANKSCOPE_ENGINE_TOKEN": "s3cret"}).masked("no right for s3cret")
    'no right for ***'
    """

    header: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Credentials:
        """A name with a password, a key, or a token; more than one of them is an error."""
        given = os.environ if environment is None else environment
        found = {name: given[name] for name in (USER, PASSWORD, API_KEY, TOKEN) if given.get(name)}
        kinds = [name for name in (USER, API_KEY, TOKEN) if name in found]
        problems = []
        if (USER in found) != (PASSWORD in found):
            problems.append(f"{USER} and {PASSWORD} belong together: set both, or none")
        if len(kinds) > 1:
            problems.append(f"{', '.join(kinds)} are set: an engine is told only one of them")
        for name in (API_KEY, TOKEN):
            if name in found and not (found[name].isascii() and found[name].isprintable()):
                problems.append(f"{name} holds a sign that cannot be sent")
        if problems:
            raise SettingError.of(problems)
        if USER in found:
            packed = b64encode(f"{found[USER]}:{found[PASSWORD]}".encode()).decode()
            return cls(f"Basic {packed}", (found[PASSWORD], packed))
        if API_KEY in found:
            return cls(f"ApiKey {found[API_KEY]}", (found[API_KEY],))
        return cls(f"Bearer {found[TOKEN]}", (found[TOKEN],)) if found else cls()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": self.header} if self.header else {}

    def masked(self, text: str) -> str:
        """A text in which no secret stands, for messages that repeat what an engine wrote."""
        for each in self.secrets:
            text = text.replace(each, MASK)
        return text


@dataclass(frozen=True)
class EngineLimits:
    """`workers` ask at the same time, a request may take `seconds`, and is sent again `retries` times.

    The pause before that doubles from `first_wait` seconds on, up to `longest_wait`.
    """

    workers: int = 4
    retries: int = 5
    seconds: float = 30
    first_wait: float = 0.5
    longest_wait: float = 30

    def __post_init__(self) -> None:
        check_fields(
            self,
            workers=WholeNumber(least=1, most=256),
            retries=WholeNumber(least=0, most=100),
            seconds=Number(above=0, most=3600),
            first_wait=Number(least=0),
            longest_wait=Number(least=0),
        )


@dataclass(frozen=True)
class Extent:
    """How many documents of a topic are asked for, and how many at a time."""

    depth: int = 1000
    page_size: int = 1000

    def __post_init__(self) -> None:
        check_fields(self, depth=COUNT, page_size=WholeNumber(least=1, most=10_000))


# The kinds of engines that can be asked, Solr, OpenSearch and Elasticsearch: how a page is asked for, how an answer
# and an error read.

Syntax = Literal["words", "lucene"]
WINDOW = 10_000  # how deep pages go by their numbers; behind that each begins where the last one ended


class Dialect(ABC):
    """How one kind of engine is spoken to; `paged` are members of a request that say which page, which is ours to say.

    `id_field` is where the id of a document stands unless another field is named.
    """

    id_field: str
    paged: tuple[str, ...]
    dropped = ""  # signs that cannot be escaped in a query

    @abstractmethod
    def search_address(self, url: str) -> str:
        """Where searches are sent to, from the address of an index."""

    @abstractmethod
    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """The request that is sent where none was given: plain words, or a query in Lucene's language."""

    @abstractmethod
    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """The request for a page; only ids and scores are to come back."""

    @abstractmethod
    def read_page(self, data: Any, id_field: str) -> Page:
        """What an answer holds; an `EngineFailure` where it is incomplete, or none."""

    @abstractmethod
    def error_text(self, data: Any) -> str:
        """What the engine says is wrong."""


# Solr: parameters as a form, pages by start and rows, deep ones by cursorMark.

FIRST_MARK = "*"  # the mark before the first document
SOLR_ORDER = "score desc"
SOLR_HANDLER = "select"


class Solr(Dialect):
    """A collection or core of Solr, as http://localhost:8983/solr/NAME."""

    id_field = "id"
    paged = ("rows", "start", "cursorMark")

    def search_address(self, url: str) -> str:
        """The handler `select`, unless the address names one.

        >>> Solr().search_address("http://localhost:8983/solr/papers")
        'http://localhost:8983/solr/papers/select'
        """
        path = [each for each in urlsplit(url).path.split("/") if each]
        behind = path[path.index("solr") + 1 :] if "solr" in path else path
        if not behind:
            raise SettingError(f"{setting_usage('engine')} must name a collection: solr:http://HOST:8983/solr/NAME")
        return url if len(behind) > 1 else f"{url}/{SOLR_HANDLER}"

    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """The parameter q, and df where a field is named."""
        query = "{query}" if syntax == "lucene" else "{query.escaped}"
        return {"q": query, **({"df": field} if field else {})}

    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """A form; lists give a parameter several times, objects are sent as JSON."""
        ours: dict[str, Any] = {"fl": f"{id_field},score", "wt": "json", "rows": place.size}
        if place.deep:
            # A cursor needs an order in which no two documents are equal.
            order = str(body.get("sort") or SOLR_ORDER)
            named = {each.split()[0] for each in order.split(",") if each.split()}
            unique = order if id_field in named else f"{order}, {id_field} asc"
            ours |= {"cursorMark": place.after or FIRST_MARK, "sort": unique}
        else:
            ours["start"] = place.start

        def as_text(value: Any) -> str:
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

        form = {
            name: [as_text(each) for each in value] if isinstance(value, list) else as_text(value)
            for name, value in {**body, **ours}.items()
        }
        content = urlencode(form, doseq=True).encode()
        return HttpRequest(self.search_address(url), content, "application/x-www-form-urlencoded")

    def read_page(self, data: Any, id_field: str) -> Page:
        """The documents of `response`; partial results are a failure that may pass."""
        head = data.get("responseHeader") if isinstance(data, dict) else None
        if isinstance(head, dict) and head.get("partialResults"):
            raise EngineFailure("the engine found only a part in its time (partialResults)", again=True)
        response = member(data, "response", dict)
        docs = [each if isinstance(each, dict) else {} for each in member(response, "docs", list)]
        total = number_in(response.get("numFound"))
        return Page(
            ids=tuple(id_text(each.get(id_field), id_field, place) for place, each in enumerate(docs, 1)),
            scores=tuple(score_value(each.get("score"), place) for place, each in enumerate(docs, 1)),
            total=None if total is None else int(total),
            took=number_in(head.get("QTime")) if isinstance(head, dict) else None,
            after=data.get("nextCursorMark"),
        )

    def error_text(self, data: Any) -> str:
        error = data.get("error") if isinstance(data, dict) else None
        return first_text([error.get("msg"), error.get("trace")]) if isinstance(error, dict) else first_text([error])


# OpenSearch and Elasticsearch: JSON, pages by from and size, deep ones by search_after.

OPENSEARCH_HANDLER = "_search"
OPENSEARCH_ORDER = {"_score": "desc"}


class OpenSearch(Dialect):
    """An index, an alias or several with commas, as http://localhost:9200/NAME."""

    id_field = "_id"
    paged = ("from", "size", "search_after")
    dropped = "<>"

    def search_address(self, url: str) -> str:
        """The index's `_search`.

        >>> OpenSearch().search_address("http://localhost:9200/papers")
        'http://localhost:9200/papers/_search'
        """
        path = urlsplit(url).path.strip("/")
        if path in ("", OPENSEARCH_HANDLER):
            raise SettingError(f"{setting_usage('engine')} must name an index: opensearch:http://HOST:9200/NAME")
        return url if path.endswith(f"/{OPENSEARCH_HANDLER}") else f"{url}/{OPENSEARCH_HANDLER}"

    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """Words are matched in a field, or wherever the index looks by itself."""
        if field and syntax == "words":
            return {"query": {"match": {field: "{query}"}}}
        asked = {"query": "{query}" if syntax == "lucene" else "{query.escaped}"}
        return {"query": {"query_string": asked | ({"default_field": field} if field else {})}}

    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """The body with its page; ids that are no `_id` come from the document."""
        whole: dict[str, Any] = {**body, "size": place.size, "_source": False if id_field == "_id" else [id_field]}
        if place.deep:
            # Pages that follow each other need an order in which no two documents are equal.
            given = body.get("sort")
            order = given if isinstance(given, list) else [given or OPENSEARCH_ORDER]
            named = {name for each in order for name in (each if isinstance(each, dict) else [each])}
            whole["sort"] = [*order] if id_field in named else [*order, {id_field: "asc"}]
            if place.after is not None:
                whole["search_after"] = place.after
        else:
            whole["from"] = place.start
        if "sort" in whole:
            whole["track_scores"] = True
        content = json.dumps(whole, ensure_ascii=False).encode()
        return HttpRequest(self.search_address(url), content, "application/json")

    def read_page(self, data: Any, id_field: str) -> Page:
        """The documents of `hits.hits`; an answer of only some shards is a failure that may pass."""
        shards = data.get("_shards") if isinstance(data, dict) else None
        failed = number_in(shards.get("failed")) if isinstance(shards, dict) else None
        if failed:
            raise EngineFailure(f"{failed:g} shards did not answer, so the ranking is incomplete", again=True)
        if isinstance(data, dict) and data.get("timed_out") is True:
            raise EngineFailure("the engine found only a part in its time (timed_out)", again=True)
        hits = member(data, "hits", dict)
        found = [each if isinstance(each, dict) else {} for each in member(hits, "hits", list)]
        total = hits.get("total")
        number = number_in(total.get("value") if isinstance(total, dict) else total)
        return Page(
            ids=tuple(id_text(_stored_field(each, id_field), id_field, place) for place, each in enumerate(found, 1)),
            scores=tuple(score_value(each.get("_score"), place) for place, each in enumerate(found, 1)),
            total=None if number is None else int(number),
            took=number_in(data.get("took")),
            after=found[-1].get("sort") if found else None,
        )

    def error_text(self, data: Any) -> str:
        """The reason of the cause, where there is one, else of the error."""
        error = data.get("error") if isinstance(data, dict) else None
        if not isinstance(error, dict):
            return first_text([error])
        causes = error.get("root_cause")
        cause = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else {}
        return first_text([cause.get("reason"), error.get("reason"), error.get("type")])


def _stored_field(hit: Mapping[str, Any], name: str) -> Any:
    """A field of a document: its `_id`, or what it was given, where dots lead into objects."""
    if name == "_id":
        return hit.get(name)
    value: Any = hit.get("_source")
    if isinstance(value, dict) and name in value:
        return value[name]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


# The kinds of engines that can be asked; a new one adds its line here.

DIALECTS: dict[str, Dialect] = {"solr": Solr(), "opensearch": OpenSearch(), "elasticsearch": OpenSearch()}


T = TypeVar("T")
JSON_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}


@dataclass(frozen=True)
class Place:
    """Which page of a ranking: its first document counted from 0, how many, and behind which one when that is known.

    `deep` says that pages follow each other by where the last one ended, because their numbers would be too large.
    """

    start: int
    size: int
    deep: bool = False
    after: Any = None


@dataclass(frozen=True)
class Page:
    """The documents of a page in their order; `total` and `took` (milliseconds) where the engine says them.

    `after` is where the next page begins, for deep ones.
    """

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    total: int | None = None
    took: float | None = None
    after: Any = None


@dataclass(frozen=True)
class HttpRequest:
    """What is sent: always a POST, so that a query may be long."""

    url: str
    content: bytes
    media_type: str


def member(data: Any, name: str, kind: type[T]) -> T:
    """A member of an object of the answer; one that is missing or of another kind is a failure."""
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind):
        there = "there is none" if value is None else f"got {short_text(repr(value))[:60]}"
        raise EngineFailure(f"the answer must have {JSON_KINDS[kind]} '{name}', {there}")
    return value


def number_in(value: Any) -> float | None:
    """A finite number of the answer; None where there is none, or something else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def id_text(value: Any, name: str, place: int) -> str:
    """An id as text: text, a whole number, or the only one of a list.

    >>> id_text(["d1"], "docno", 1), id_text(7, "id", 1)
    ('d1', '7')
    """
    only = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(only, bool) or not isinstance(only, str | int) or only == "" or not _is_text(str(only)):
        there = "has none" if only is None else f"has {short_text(repr(value))[:60]}"
        raise EngineFailure(f"the field '{name}' must hold the id of each document, but document {place} {there}")
    return str(only)


def _is_text(value: str) -> bool:
    """Whether it can be written: half of a surrogate pair cannot."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def score_value(value: Any, place: int) -> float:
    """A score; its absence is a failure, because a run without scores cannot be compared with others."""
    number = number_in(value)
    if number is None:
        there = "has none" if value is None else f"has {short_text(repr(value))[:60]}"
        raise EngineFailure(f"each document must have a number as its score, but document {place} {there}")
    return number


def first_text(values: Sequence[Any]) -> str:
    """The first of some values that is text with anything in it."""
    return next((each for each in values if isinstance(each, str) and each.strip()), "")


LONGEST_REASON = 300


class EngineFailure(Exception):  # noqa: N818  (it says what happened)
    """A request without an answer that can be used.

    `again`: it may go better next time; `wait`: how many seconds the engine asks to wait before that; `for_all`: where
    it does not, every other request would fail in the same way.
    """

    def __init__(self, reason: str, *, again: bool = False, wait: float | None = None, for_all: bool = False) -> None:
        self.reason, self.again, self.wait, self.for_all = reason, again, wait, for_all
        super().__init__(reason)


def short_text(text: str) -> str:
    """What an engine wrote, in one line and not too long.

    >>> short_text("undefined field\\n x")
    'undefined field x'
    """
    line = one_line(" ".join(text.split()))
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 4]} ..."
