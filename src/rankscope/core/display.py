"""Results that show themselves: ten lines at a prompt, a small table in a notebook, and tables for pages and papers.

What each of them shows stands with the reports, behind everything that gives results. It is looked up there, by the
name of the class, when something is shown for the first time: results need to know no report, and load none.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from rankscope.core.caching import import_extra

Value = TypeVar("Value")
DISPLAYS = "rankscope.reports.display"


class Displayed:
    """Whatever is not longer than ten lines at a prompt, and than a screen in a notebook, however large it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_displays().display_of(self).text())

    def _repr_html_(self) -> str:
        return str(_displays().display_of(self).html())


class Tabular(Displayed):
    """A result that is a table in the first place."""

    __slots__ = ()

    def to_polars(self) -> Any:
        """The table as a polars frame, with all digits."""
        return _displays().frame_of(self)

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return import_extra("pandas", "pandas", "pandas").DataFrame(self.to_polars().to_dict(as_series=False))

    def to_markdown(self) -> str:
        """The table for a page or a pull request, with what must be said of it."""
        return written(self, "markdown")

    def to_latex(self) -> str:
        r"""The table for a paper, to \input; what must be said of it stands above as comments."""
        return written(self, "latex")


class ShownRows(list[dict[str, object]], Tabular):
    """A list of rows, each a dictionary, that shows its first and last ones.

    >>> ShownRows({"query": f"q{n}", "rank": n} for n in range(1, 101))
    100 rows
    query  rank
    q1        1
    q2        2
    q3        3
    q4        4
    ... 93 rows are left out ...
    q98      98
    q99      99
    q100    100
    """

    __slots__ = ()
    __repr__ = Displayed.__repr__


class ShownByName(dict[str, Value], Displayed):
    """A dictionary from names to results that shows a line of each."""

    __slots__ = ()
    __repr__ = Displayed.__repr__


def written(result: object, format: str, **options: Any) -> str:
    """A result in a format for people, as its command prints it."""
    return str(_displays().written(result, format, options))


def _displays() -> Any:
    return import_module(DISPLAYS)
