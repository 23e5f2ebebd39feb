"""The settings that made the numbers: what was chosen now, and what a saved reduction was made with before."""

from __future__ import annotations

from collections.abc import Iterable

from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.settings import SETTINGS, Settings


def settings_in_effect(systems: Iterable[RelevantRanks], settings: Settings) -> dict[str, object]:
    """One value for each setting; where systems were made with different ones, a dictionary by system.

    A reduction made before fixes how ties, duplicates and the query item were treated. What it does not record was
    decided by the settings given now. The size of the collection is that of the ranks.
    >>> from rankscope.ranks.relevant_ranks import RelevantRanks
    >>> made = settings_in_effect([RelevantRanks.from_ranks([[1, 3]], collection=100)], Settings())
    >>> made["collection_size"], made["ties"]
    (100, 'trec_eval')
    """
    given = list(systems)
    result: dict[str, object] = {}
    for setting in SETTINGS:
        values = {each.system: _value(setting.name, each, settings) for each in given}
        same = len(set(map(str, values.values()))) <= 1
        chosen = getattr(settings, setting.name)
        result[setting.name] = next(iter(values.values()), chosen) if same else values
    return result | {"compat": settings.compat}


def _value(name: str, ranks: RelevantRanks, settings: Settings) -> object:
    chosen = getattr(settings, name)
    if name == "collection_size":
        return _size(ranks)
    if name == "seed" or (name == "ties" and chosen == "expected"):
        return chosen
    return ranks.provenance.get("settings", {}).get(name, chosen)


def _size(ranks: RelevantRanks) -> int | str | None:
    known = ranks.collection[ranks.collection != UNKNOWN]
    if not known.size:
        return None
    low, high = int(known.min()), int(known.max())
    return low if low == high else f"{low} to {high}"
