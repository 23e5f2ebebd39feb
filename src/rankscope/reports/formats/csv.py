"""CSV: one row per value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.names import cell

if TYPE_CHECKING:
    import polars as pl

    from rankscope.evaluation.scores import Column, Scores


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """The long table with all digits, or one row per system and measure."""
    return csv_of(scores.to_polars() if per_query else summary_table(scores))


def csv_of(table: pl.DataFrame) -> str:
    """A table as CSV that no spreadsheet takes for formulas."""
    import polars as pl

    return table.with_columns(_guarded(column) for column in table.select(pl.col(pl.String)).iter_columns()).write_csv()


def _guarded(column: pl.Series) -> pl.Series:
    """Text that no spreadsheet takes for a formula; few values differ, so each is looked at once."""
    values = column.unique()
    changed = {value: cell(value) for value in values.to_list() if cell(value) != value}
    return column.replace(changed) if changed else column


def summary_table(scores: Scores) -> pl.DataFrame:
    """System, measure, value, and how many queries it was made from; over all orders of equal scores its error too."""
    import polars as pl

    columns = [(system, column) for system in scores.systems for column in system.columns]
    numbers = [(system, column) for system, column in columns if column.measure.summary != "none"]
    over_orders = any(column.extremes is not None for _, column in numbers)
    rows = [
        (system.name, column.asked, column.summary, column.averaged, *(_over_orders(column) if over_orders else ()))
        for system, column in numbers
    ]
    schema = {"system": pl.String, "measure": pl.String, "value": pl.Float64, "queries": pl.Int64}
    schema |= dict.fromkeys(("standard_error", "worst", "best"), pl.Float64) if over_orders else {}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


def _over_orders(column: Column) -> tuple[float | None, ...]:
    return (None, None, None) if column.extremes is None else (column.summary_error, *column.extremes)
