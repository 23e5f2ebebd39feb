"""Sets of ir_datasets by name: `irds:vaswani`. Nothing is downloaded unless that is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError
from rankscope.core.wording import setting_usage
from rankscope.inputs.documents.registry import SHORT_PARTS, DocumentRecord
from rankscope.inputs.problems import Problems

if TYPE_CHECKING:
    from rankscope.inputs.qrels import Qrels


PREFIX: Final = "irds:"
_patching = threading.RLock()


def is_irds(path: object) -> bool:
    """Whether a path is the name of a set.

    >>> is_irds("irds:vaswani"), is_irds("docs.jsonl")
    (True, False)
    """
    return isinstance(path, str | Path) and str(path).startswith(PREFIX)


def irds_documents(name: str, download: bool = False) -> Iterator[DocumentRecord]:
    """The documents of a set, their texts by the names that it gives them."""
    with _opened(name, "docs", download) as found:
        for number, each in enumerate(found.docs_iter(), 1):
            yield DocumentRecord(number, str(each.doc_id), _texts(each, "doc_id"))


def irds_queries(name: str, download: bool = False) -> Iterator[tuple[str, dict[str, str]]]:
    """The ids and parts of the queries of a set."""
    with _opened(name, "queries", download) as found:
        for each in found.queries_iter():
            parts = _texts(each, "query_id")
            yield str(each.query_id), {SHORT_PARTS.get(part, part): text for part, text in parts.items()}


def irds_judgements(name: str, download: bool = False) -> Qrels:
    """The judgements of a set."""
    import polars as pl

    from rankscope.inputs.qrels import Qrels

    with _opened(name, "qrels", download) as found:
        rows = [(str(each.query_id), str(each.doc_id), float(each.relevance)) for each in found.qrels_iter()]
    frame = pl.DataFrame(rows, schema={"query": pl.String, "item": pl.String, "grade": pl.Float64}, orient="row")
    return Qrels.from_frame(frame, Problems(name))


def _texts(each: Any, key: str) -> dict[str, str]:
    values = {name: getattr(each, name) for name in each._fields if name != key}
    return {name: value.strip() for name, value in values.items() if isinstance(value, str)}


@contextmanager
def _opened(name: str, part: str, download: bool) -> Iterator[Any]:
    """The set, of which something is there; whatever goes wrong with it is an `InputError`."""
    package = import_extra("ir_datasets", "ir_datasets", "datasets")
    try:
        found = package.load(name.removeprefix(PREFIX))
    except Exception as error:  # it has errors of its own for names, and none of its own for damaged files
        raise InputError.of(name, [f"cannot be loaded: {_reason(error)}"], "ir_datasets.com lists all sets.") from None
    if not getattr(found, f"has_{part}")():
        raise InputError.of(name, [f"has no {part}"])
    with _patching, _offline(name, not download):
        try:
            yield found
        except (InputError, GeneratorExit):
            raise
        except Exception as error:
            raise InputError.of(name, [f"cannot be read: {_reason(error)}"]) from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


@contextmanager
def _offline(name: str, wanted: bool) -> Iterator[None]:
    """In this block ir_datasets reads the files that are there and fetches none, where that is wanted."""
    if not wanted:
        yield
        return
    import_extra("ir_datasets", "ir_datasets", "datasets")
    from ir_datasets.util.download import Download

    path, stream = Download.path, Download.stream

    def local_path(self: Any, force: bool = True) -> Any:
        place = path(self, force=False) if self._cache_path is not None else None
        if force and (place is None or not Path(place).exists()):
            raise _not_here(name, place)
        return path(self, force) if place is not None else None

    def local_stream(self: Any) -> Any:
        if self._stream:
            raise _not_here(name, None)
        return stream(self)

    Download.path, Download.stream = local_path, local_stream
    try:
        yield
    finally:
        Download.path, Download.stream = path, stream


def _not_here(name: str, place: object) -> InputError:
    where = f": {place} is missing" if place is not None else ""
    advice = f"Put its files there, or let ir_datasets fetch them with {setting_usage('download')}."
    return InputError.of(name, [f"is not on this machine{where}"], advice)
