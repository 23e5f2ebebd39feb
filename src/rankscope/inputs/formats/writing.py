"""What the writers of several formats share: refusing what a format cannot hold, and whole numbers without a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems, shorten_value

if TYPE_CHECKING:
    import polars as pl


def refuse_ids(table: pl.DataFrame, place: str, rules: Mapping[str, str], format: str) -> None:
    """Raise if an id matches a pattern, said in words, that the format could not be read back with."""
    problems = Problems(place, advice=[f"{format} cannot hold such ids; choose another format, such as Parquet."])
    for name in [each for each in table.columns if each in ("query", "item")]:
        ids = table.get_column(name).unique(maintain_order=True)
        for words, pattern in rules.items():
            for each in ids.filter(ids.str.contains(pattern)).to_list():
                problems.add("", f"{name} id {shorten_value(each)} {words}")
    problems.raise_if_any()


def refuse_duplicates(table: pl.DataFrame, place: str, format: str) -> None:
    """Raise if an item stands twice under a query: a JSON object has each name once."""
    problems = Problems(place, advice=[f"{format} holds an item once per query; choose another format, such as CSV."])
    pairs = table.select("query", "item")
    for query, item in pairs.filter(pairs.is_duplicated()).unique(maintain_order=True).iter_rows():
        problems.add(f"query {query}", f"item {shorten_value(item)} is there twice")
    problems.raise_if_any()


def refuse_infinite(table: pl.DataFrame, place: str, value: str, format: str) -> None:
    """Raise if a number is infinite, for which JSON has no word."""
    import polars as pl

    infinite = table.filter(pl.col(value).is_infinite())
    if infinite.height:
        what = f"{value} of item '{infinite.item(0, 'item')}' of query {infinite.item(0, 'query')} is infinite"
        raise InputError.of(place, [what], f"{format} has no word for it; choose another format, such as CSV.")


def whole_numbers(table: pl.DataFrame, value: str) -> pl.DataFrame:
    """The table with a column of whole numbers as integers; unchanged if one of them is not whole."""
    import polars as pl

    column = table.get_column(value)
    whole = column.cast(pl.Int64, strict=False)
    return table.with_columns(whole) if bool((whole.cast(pl.Float64) == column).fill_null(False).all()) else table
