"""Numbers and times as pages write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


def count_of(number: int, thing: str, things: str = "") -> str:
    """So many of something.

    >>> count_of(1, "item"), count_of(1200, "item"), count_of(2, "query", "queries")
    ('1 item', '1,200 items', '2 queries')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def duration(seconds: float | None) -> str:
    """How long, roughly.

    >>> duration(40), duration(100), duration(4000), duration(90000), duration(None)
    ('under a minute', '2 minutes', '1 h 7 min', '25 hours', 'not known yet')
    """
    if seconds is None:
        return "not known yet"
    if seconds < 60:
        return "under a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return count_of(minutes, "minute")
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 600 else count_of(round(minutes / 60), "hour")


def percent(share: float) -> str:
    """A share; neither 0 % where there is something nor 100 % where something is missing.

    >>> percent(0.0), percent(0.001), percent(0.5), percent(0.999), percent(1.0)
    ('0 %', '1 %', '50 %', '99 %', '100 %')
    """
    return f"{0 if share <= 0 else 100 if share >= 1 else min(99, max(1, round(100 * share)))} %"


def moment(at_us: int) -> str:
    """A time of the journal, in UTC.

    >>> moment(0)
    '1970-01-01 00:00 UTC'
    """
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M UTC")


def score(value: float) -> str:
    """A score with as many digits as tell neighbours apart.

    >>> score(0.98765432), score(-1234.5678), score(-0.0)
    ('0.9877', '-1235', '0')
    """
    return f"{value + 0.0:.4g}"


def filled(values: dict[str, Any]) -> dict[str, Any]:
    """What an address has to say: names with values that are not empty.

    >>> filled({"order": "near", "seed": 0, "class_": "", "near": None})
    {'order': 'near', 'seed': 0}
    """
    return {name: value for name, value in values.items() if value not in ("", None)}


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "count_of": count_of,
    "duration": duration,
    "percent": percent,
    "moment": moment,
    "score": score,
    "filled": filled,
}
