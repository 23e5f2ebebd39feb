"""Which column is which, where names do not tell: {"query": "search term", "item": "_source.sku"}."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rankscope.core.catalogue import did_you_mean
from rankscope.core.columns import GRADE, ITEM, LIKELY, QUERY, RANK, ROLES, SCORE, loose_name, plain_name
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import Rule
from rankscope.core.wording import mapping_value
from rankscope.inputs.problems import Problems

if TYPE_CHECKING:
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.tables import Table


ColumnMap: TypeAlias = tuple[tuple[str, str], ...]
RESULTS = "results"  # the list of hits in a record of JSON
MAPPED = (*ROLES, RESULTS)
WORDS = {"query": QUERY, "item": ITEM, "grade": GRADE, "score": SCORE, "rank": RANK}
ELSEWHERE = "has none of the mapped columns: read by its own names"  # a mark, which nobody is shown
WORDS_OF_MAPS = {"columns": "file", "map_qrels": "file of judgements", "map_runs": "run"}
FORM = "query=NAME,item=NAME,score=NAME"


class Columns(Rule):
    """A column for each role, as text or as a dictionary; dots lead into objects of JSON, numbers count columns.

    Roles that the files do not have are refused.
    >>> Columns().plain("query=q,item=_source.sku")
    (('query', 'q'), ('item', '_source.sku'))
    """

    def __init__(self, without: Iterable[str] = ()) -> None:
        self.known = tuple(role for role in MAPPED if role not in {*without})

    def plain(self, value: Any) -> ColumnMap:
        pairs = _pairs_of_text(value) if isinstance(value, str) else _pairs_of(value)
        for role, name in pairs:
            if role not in self.known:
                hint = did_you_mean(role, self.known)
                raise ValueError(f"knows {', '.join(self.known)}, not '{role}'{hint}".rstrip("."))
            if not name:
                raise ValueError(f"needs a name behind {role}=, as {FORM}")
        if len(dict(pairs)) < len(pairs):
            raise ValueError("names a role twice")
        return pairs


def _pairs_of_text(text: str) -> ColumnMap:
    """Commas separate; one that is no beginning of a role belongs to the name before it."""
    pairs: list[tuple[str, str]] = []
    for part in text.split(","):
        role, mark, name = part.partition("=")
        if mark:
            pairs.append((role.strip().lower(), name.strip()))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part}")
        else:
            raise ValueError(f"must be written as {FORM}")
    return tuple(pairs)


def _pairs_of(value: Any) -> ColumnMap:
    given: Iterable[Any] = value.items() if isinstance(value, Mapping) else value or ()
    try:
        return tuple((str(role), str(name)) for role, name in given)
    except (TypeError, ValueError):
        raise ValueError('must be a dictionary such as {"query": NAME, "item": NAME}') from None


def are_numbers(columns: ColumnMap) -> bool:
    """Whether columns are counted: a file without a header.

    >>> are_numbers((("query", "1"), ("item", "3"))), are_numbers(())
    (True, False)
    """
    return bool(columns) and all(name.isdecimal() for _, name in columns)


def rename_columns(frame: pl.DataFrame, columns: ColumnMap, problems: Problems) -> pl.DataFrame:
    """The frame with the mapped columns under their roles; other columns that could mean such a role are gone.

    A name that is not there is a problem, all of them at once. Where none is there, and other names tell all, the map
    is meant for other files.
    """
    found = {role: _column(frame, name) for role, name in columns if role in ROLES}
    names = set(map(plain_name, frame.columns))
    tells = bool(names & set(QUERY) and names & set(ITEM))
    if not found or (tells and all(each is None for each in found.values())):
        return frame
    for role, name in columns:
        if found.get(role, pl.lit(None)) is None:
            complain_of_missing_column(role, name, frame.columns, problems)
    if any(each is None for each in found.values()):
        raise InputError([problems.report()])
    taken = {word for role in found for word in (*WORDS[role], *LIKELY[role])}
    rest = [name for name in frame.columns if loose_name(name) not in taken and name not in taken]
    return frame.select(*(each.alias(role) for role, each in found.items() if each is not None), *rest)


def rename_in_tables(tables: Iterable[Table], columns: ColumnMap, problems: Problems) -> Iterator[Table]:
    """Tables with the mapped columns under their roles."""
    for table in tables:
        frame = rename_columns(table.frame, columns, problems)
        yield replace(table, frame=frame).noted((ELSEWHERE,) if columns and frame is table.frame else ())


def refuse_unused_maps(reading: Reading, judgements: Iterable[str] | None, runs: Iterable[Iterable[str]]) -> None:
    """Raise where no file has any of the mapped columns: a name that was mistyped must not pass in silence.

    Given are the notes of the judgements, if there are any, and of each run.
    """
    unused = {
        "map_qrels": [] if judgements is None else [ELSEWHERE in judgements],
        "map_runs": [ELSEWHERE in each for each in runs],
    }
    overruled = [name for name in unused if {*dict(reading.columns)} <= {*dict(reading.maps.get(name, ()))}]
    unused["columns"] = [each for name, some in unused.items() if name not in overruled for each in some]
    wrong = [
        f"{mapping_value(','.join(map('='.join, pairs)), name)}: no {WORDS_OF_MAPS[name]} has such a column. "
        "Without it, files are read by their own names"
        for name, pairs in reading.maps.items()
        if unused[name] and all(unused[name])
    ]
    if wrong:
        raise SettingError.of(wrong)


def shown_notes(notes: Iterable[str]) -> list[str]:
    """What must be said of a file: that a map is meant for others is its business alone."""
    return [note for note in notes if note != ELSEWHERE]


def complain_of_missing_column(role: str, name: str, names: Iterable[str], problems: Problems) -> None:
    """A problem: no such column, with those there are and the one that may be meant."""
    have = list(names)
    hint = did_you_mean(name, have).removesuffix(".")
    problems.add("", f"no column '{name}' for the {role}{hint}; columns: {', '.join(have[:30]) or 'none'}")


def _column(frame: pl.DataFrame, name: str) -> pl.Expr | None:
    """A column by its name, or a field of a column of objects by a path."""
    if name in frame.columns:
        return pl.col(name)
    first, _, inner = name.partition(".")
    if not inner or first not in frame.columns:
        return None
    column = frame.get_column(first)
    if column.dtype == pl.Object:
        from rankscope.inputs.tables import series_of_values

        values = [value_at_path(each, inner) for each in column.to_list()]
        return None if all(each is None for each in values) else pl.lit(series_of_values(name, values))
    kind, expression = column.dtype, pl.col(first)
    for part in inner.split("."):
        fields = {each.name: each.dtype for each in getattr(kind, "fields", ())}
        if part not in fields:
            return None
        kind, expression = fields[part], expression.struct.field(part)
    return expression


def stands_in(value: Any, path: str, most: int = 500) -> bool:
    """Whether something stands at a path, from a value or from any object within it; a beginning is looked at.

    >>> stands_in({"hits": {"hits": [{"_source": {"sku": "B7"}}]}}, "_source.sku")
    True
    """
    waiting = [value]
    for looked_at, each in enumerate(waiting):
        if looked_at >= most:
            return False
        if value_at_path(each, path) is not None:
            return True
        if hasattr(each, "items"):
            waiting += [inner for _, inner in each.items()]
        elif isinstance(each, list):
            waiting += each[:most]
    return False


def value_at_path(value: Any, path: str) -> Any:
    """What stands at a path of names with dots, in an object of JSON; None where nothing does. Numbers count from 0.

    >>> value_at_path({"_source": {"sku": "B7", "tags": ["new"]}}, "_source.sku")
    'B7'
    >>> value_at_path({"a.b": 1}, "a.b"), value_at_path({"a": [5, 6]}, "a.1"), value_at_path({"a": 1}, "b.c")
    (1, 6, None)
    """
    if isinstance(value, list) and not hasattr(value, "items"):
        first, _, rest = path.partition(".")
        inner = value[int(first)] if first.isdecimal() and int(first) < len(value) else None
        return value_at_path(inner, rest) if rest else inner
    if not hasattr(value, "items"):
        return None
    fields = dict(value.items())
    if path in fields:
        return fields[path]
    first, _, rest = path.partition(".")
    return value_at_path(fields[first], rest) if rest and first in fields else None
