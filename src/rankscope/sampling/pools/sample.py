"""A random sample of each band of ranks, with known probabilities."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from rankscope.errors import SettingError
from rankscope.notation import Written, short, split_list
from rankscope.sampling.pools.pool import FixedPool

if TYPE_CHECKING:
    import polars as pl

BAND = re.compile(
    r"\s*(?P<first>\d+)\s*-\s*(?P<last>\d+)\s*:\s*(?:(?P<all>all)|(?P<share>[\d.]+)\s*%)\s*", re.IGNORECASE
)
USAGE = "write bands of ranks, as sample(1-10:all, 11-100:20%, 101-1000:5%)"
LEAST = 2  # of a stratum that is not judged in full, so that its variance can be estimated


class SampledRanks(NamedTuple):
    """Ranks from `first` to `last`, of which a share is drawn."""

    first: int
    last: int
    share: float

    @property
    def stratum(self) -> str:
        """What it is called."""
        return f"{self.first}-{self.last}"

    def size(self, candidates: int) -> int:
        """How many of so many candidates are drawn: the share, rounded, and at least two where it is not all.

        >>> [SampledRanks(11, 100, 0.2).size(candidates) for candidates in (90, 3, 1)], SampledRanks(1, 10, 1.0).size(7)
        ([18, 2, 1], 7)
        """
        wanted = math.floor(self.share * candidates + 0.5)
        return min(candidates, max(wanted, LEAST)) if candidates else 0

    def __str__(self) -> str:
        return f"{self.stratum}:{'all' if self.share == 1 else short(round(100 * self.share, 10)) + '%'}"


@dataclass(frozen=True)
class Sample(FixedPool):
    """A simple random sample of n of the N items of each query whose best rank lies in a band: pi = n/N."""

    name: ClassVar[str] = "sample"
    bands: tuple[SampledRanks, ...]

    @classmethod
    def from_written(cls, written: Written) -> Self:
        """Bands of ranks have a grammar of their own."""
        parts = split_list(written.inner or "")
        found = [BAND.fullmatch(part) for part in parts]
        wrong = [part for part, match in zip(parts, found, strict=True) if match is None]
        if wrong or not parts:
            what = f"'{wrong[0]}' is no band" if wrong else "no bands"
            raise SettingError(f"'{written.text}': {what}; {USAGE}")
        return cls(tuple(_band(match) for match in found if match is not None))

    def __post_init__(self) -> None:
        problems = [f"sample: {each}: ranks rise from 1 on" for each in self.bands if not 1 <= each.first <= each.last]
        problems += [
            f"sample: {each}: a share is above 0 and at most 100%" for each in self.bands if not 0 < each.share <= 1
        ]
        ordered = sorted(self.bands)
        overlaps = [(one, other) for one, other in pairwise(ordered) if other.first <= one.last]
        problems += [f"sample: {one} and {other} overlap" for one, other in overlaps]
        if problems:
            raise SettingError.of(problems)
        object.__setattr__(self, "bands", tuple(ordered))

    def _write(self) -> str:
        return f"{self.name}({','.join(map(str, self.bands))})"

    @property
    def reach(self) -> int:
        """The last rank of the last band."""
        return self.bands[-1].last

    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """The same seed draws the same sample from the same candidates."""
        import polars as pl

        inside = self.banded(candidates)
        lots = [lot(seed, query, item) for query, item in inside.select("query", "item").iter_rows()]
        groups = ["query", "stratum"]
        sized = inside.with_columns(lot=pl.Series(lots, dtype=pl.UInt64)).with_columns(
            candidates=pl.len().over(groups), nth=pl.col("lot").rank("ordinal").over(groups)
        )
        sizes = sized.select("stratum", "candidates").unique()
        by_name = {each.stratum: each for each in self.bands}
        wanted = [by_name[stratum].size(count) for stratum, count in sizes.iter_rows()]
        whole = sized.join(
            sizes.with_columns(wanted=pl.Series(wanted, dtype=pl.Int64)),
            on=["stratum", "candidates"],
            maintain_order="left",
        )
        return whole.with_columns(
            pi=pl.col("wanted") / pl.col("candidates"), drawn=pl.col("nth") <= pl.col("wanted")
        ).drop("lot", "candidates", "nth", "wanted")

    def banded(self, candidates: pl.DataFrame) -> pl.DataFrame:
        """The candidates that lie in a band, with the stratum of each."""
        import polars as pl

        stratum = pl.coalesce(
            pl.when(pl.col("rank").is_between(each.first, each.last)).then(pl.lit(each.stratum)) for each in self.bands
        )
        return candidates.with_columns(stratum=stratum).filter(pl.col("stratum").is_not_null())


def lot(seed: int, query: str, item: str) -> int:
    """A number that decides whether an item is drawn: the same on every machine, and nobody's choice."""
    text = f"sample\0{seed}\0{query}\0{item}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def _band(match: re.Match[str]) -> SampledRanks:
    return SampledRanks(int(match["first"]), int(match["last"]), 1.0 if match["all"] else _share(match["share"]))


def _share(text: str) -> float:
    try:
        return float(text) / 100
    except ValueError:
        raise SettingError(f"'{text}%' is no share; {USAGE}") from None
