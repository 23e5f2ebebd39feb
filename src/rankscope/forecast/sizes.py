"""From how many items to how many."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankscope.errors import MeasureError, SettingError
from rankscope.ranks.provenance import chosen_distractors
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.validation import Number, check
from rankscope.wording import setting_usage, setting_value

FARTHEST = 32.0


@dataclass(frozen=True)
class CollectionGrowth:
    """The size of the collection now and then."""

    now: int
    then: int
    factor: float

    @classmethod
    def of(cls, ranks: RelevantRanks, to: int | float | str) -> CollectionGrowth:
        """A whole number is a size, any other a factor, and so is a text that ends in x."""
        if len(ranks) == 0 or (ranks.collection == UNKNOWN).any():
            raise MeasureError(
                "a forecast needs the size of the collection, which a run file does not tell: give "
                f"{setting_usage('collection_size', 'D')}"
            )
        if chosen_distractors(ranks.provenance).startswith("nearest"):
            raise SettingError(
                "these ranks are among the distractors nearest to each class, and new items are not drawn from those: "
                "forecast from ranks in the whole collection, or among random distractors"
            )
        now = int(np.median(ranks.collection))
        size = _number(to)
        then = round(now * size) if isinstance(size, float) else size
        return cls(now, then, then / now)

    def check(self, force: bool) -> None:
        """Refuse what is no growth, and what is too far unless forced."""
        if not self.factor > 1:
            raise SettingError(
                f"a forecast is for a larger collection: {self.then:,} is not more than {self.now:,}. What a smaller "
                "one gives is known exactly: rankscope.curves.expected_value"
            )
        if self.factor > FARTHEST and not force:
            raise SettingError(
                f"{self.factor:.3g} times is too far: beyond {FARTHEST:g} times no model has been tested. "
                f"Use {setting_value('force', True)} to see a number nonetheless"
            )

    def warnings(self, ranks: RelevantRanks) -> Iterable[str]:
        """What must be said about the size."""
        if self.factor > FARTHEST:
            yield f"{self.factor:.3g} times is beyond {FARTHEST:g} times, where no model has been tested: forced"
        cut = int((ranks.depth < ranks.collection).sum())
        if cut:
            yield f"{cut} of {len(ranks)} lists are cut: the forecast is for lists cut at the same depth"


def _number(to: int | float | str) -> int | float:
    if not isinstance(to, str):
        size: int | float = check({"to": to}, to=Number(above=0))["to"]
        return size
    text = to.strip().lower().replace(",", "").replace("_", "")
    try:
        number = float(text[:-1]) if text.endswith("x") else int(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SettingError(f"'{to}' is no size: write how many times (10x) or how many items (200000)")
    return number
