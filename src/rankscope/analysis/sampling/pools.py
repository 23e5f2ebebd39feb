"""Pools: which items people are to judge, drawn from runs.

>>> str(PoolPlan.parse("bandit(100)+ sample(101-1000: 2%)")), PoolPlan.parse("depth(20)").is_adaptive
('bandit(100) + sample(101-1000:2%)', False)
"""

from __future__ import annotations

import hashlib
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heapreplace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from rankscope.core.errors import SettingError
from rankscope.core.notation import CLOSING, OPENING, Named, NamedCatalogue, Written, short, split_list

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Pool(Named, ABC):
    """The base of all pools."""

    is_adaptive: ClassVar[bool] = False

    @property
    @abstractmethod
    def reach(self) -> int:
        """How far down the runs it looks."""


@dataclass(frozen=True)
class FirstItems(Pool):
    """A pool of the first k items of each run."""

    unnamed: ClassVar[tuple[str, ...]] = ("k",)
    least: ClassVar[dict[str, float]] = {"k": 1}
    k: int

    @property
    def reach(self) -> int:
        return self.k


class FixedPool(Pool):
    """A pool that is known as soon as the runs are: which candidates are drawn depends on no mark."""

    @abstractmethod
    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Of the candidates (query, item, rank, run, origin) its own, with stratum, pi, and whether each is drawn."""


@dataclass(frozen=True)
class AdaptivePool(FirstItems):
    """A pool that chooses its next item of the first k of each run in view of the marks so far: no probabilities."""

    is_adaptive: ClassVar[bool] = True

    @abstractmethod
    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """The item of one query to judge next; None: all are judged or passed over.

        `lists` are the runs within its reach, `judged` says of items whether they are relevant, and items that are
        `passed` over are with somebody else now.
        """

    def order(self, lists: Lists, relevant: Collection[str], budget: int | None = None) -> list[str]:
        """The items in the order in which they are judged where these are the relevant ones, one mark at a time."""
        judged: dict[str, bool] = {}
        while len(judged) != budget and (item := self.choose(lists, judged)) is not None:
            judged[item] = item in relevant
        return list(judged)


@dataclass(frozen=True)
class Depth(FirstItems, FixedPool):
    """The union of the first k items of each run, by best rank, then by run (Sparck Jones & van Rijsbergen 1975).

    Every one of them is judged: pi = 1.
    """

    name: ClassVar[str] = "depth"

    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        import polars as pl

        inside = candidates.filter(pl.col("rank") <= self.k)
        return inside.with_columns(stratum=pl.lit(f"1-{self.k}"), pi=pl.lit(1.0), drawn=pl.lit(True))


@dataclass(frozen=True)
class MoveToFront(AdaptivePool):
    """Items of the run of highest priority, the first on ties, until one is not relevant (Cormack et al. 1998).

    All runs start with the same priority; an item that is not relevant costs the run that brought it one.
    >>> lists = (tuple("abcde"), tuple("axfbg"), tuple("hijka"))
    >>> "".join(MoveToFront(5).order(lists, "abcf"))
    'abcdxhefgijk'
    """

    name: ClassVar[str] = "mtf"

    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """Goes through the marks again as if they had come in this order, up to the first that is missing."""
        waiting = [(0, run, 0) for run in range(len(lists))]  # how much it has lost, its number, its next place
        taken: set[str] = set()
        while waiting:
            lost, run, place = waiting[0]
            if place == len(lists[run]):
                heappop(waiting)
                continue
            item = lists[run][place]
            if item not in taken and item not in judged and item not in passed:
                return item
            lost += item not in taken and not judged.get(item, True)
            taken.add(item)
            heapreplace(waiting, (lost, run, place + 1))
        return None


@dataclass(frozen=True)
class Bandit(AdaptivePool):
    """The next item of the run with the highest (1 + rel)/(2 + ret), the first on ties (max-mean, Losada et al. 2016).

    rel and ret count all judged items that the run holds within k, whichever run brought them.
    >>> lists = (tuple("abcde"), tuple("axfbg"), tuple("hijka"))
    >>> "".join(Bandit(5).order(lists, "abcf"))
    'abcdxehfgijk'
    """

    name: ClassVar[str] = "bandit"

    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """From the marks alone, regardless of their order."""
        best, chosen = -1.0, None
        for items in lists:
            known = [judged[item] for item in items if item in judged]
            mean = (1 + sum(known)) / (2 + len(known))
            if mean > best:
                item = next((each for each in items if each not in judged and each not in passed), None)
                best, chosen = (mean, item) if item is not None else (best, chosen)
        return chosen


# A random sample of each band of ranks, with known probabilities.

BAND = re.compile(
    r"\s*(?P<first>\d+)\s*-\s*(?P<last>\d+)\s*:\s*(?:(?P<all>all)|(?P<share>[\d.]+)\s*%)\s*", re.IGNORECASE
)
SAMPLE_USAGE = "write bands of ranks, as sample(1-10:all, 11-100:20%, 101-1000:5%)"
LEAST_DRAWN = 2  # of a stratum that is not judged in full, so that its variance can be estimated


class SampledRanks(NamedTuple):
    """Ranks from `first` to `last`, of which a share is drawn."""

    first: int
    last: int
    share: float

    @property
    def stratum(self) -> str:
        return f"{self.first}-{self.last}"

    def size(self, candidates: int) -> int:
        """How many of so many candidates are drawn: the share, rounded, and at least two where it is not all.

        >>> [SampledRanks(11, 100, 0.2).size(candidates) for candidates in (90, 3, 1)], SampledRanks(1, 10, 1.0).size(7)
        ([18, 2, 1], 7)
        """
        wanted = math.floor(self.share * candidates + 0.5)
        return min(candidates, max(wanted, LEAST_DRAWN)) if candidates else 0

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
            raise SettingError(f"'{written.text}': {what}; {SAMPLE_USAGE}")
        bands = [match.group("first", "last", "all", "share") for match in found if match is not None]
        return cls(
            tuple(
                SampledRanks(int(first), int(last), 1.0 if whole else _share_of_text(share))
                for first, last, whole, share in bands
            )
        )

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


def _share_of_text(text: str) -> float:
    try:
        return float(text) / 100
    except ValueError:
        raise SettingError(f"'{text}%' is no share; {SAMPLE_USAGE}") from None


# What decides between two runs: of each query the items by which their precision differs.

DIFFERS, SHARED = "differs", "shared"


@dataclass(frozen=True)
class Decide(FirstItems, FixedPool):
    """The items that only one of the first two runs has among its first k: nothing else moves the difference in P@k.

    Judged query by query in an order that the seed fixes beforehand, and only until the difference is decided
    (Waudby-Smith & Ramdas 2024). Items that both have cancel out: they are candidates that are not drawn.
    """

    name: ClassVar[str] = "decide"

    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Those of the first two runs within k; drawn where one of them alone has it."""
        import polars as pl

        sides = [self.side(origin) for origin in candidates.get_column("origin")]
        differs = pl.Series([side != 0 for side in sides if side is not None], dtype=pl.Boolean)
        inside = candidates.filter(pl.Series([side is not None for side in sides], dtype=pl.Boolean))
        return inside.with_columns(
            stratum=pl.Series([DIFFERS if each else SHARED for each in differs], dtype=pl.String),
            pi=pl.Series([1.0 if each else None for each in differs], dtype=pl.Float64),
            drawn=differs,
        )

    def side(self, origin: str) -> int | None:
        """1: only the second run has it within k, -1: only the first, 0: both, None: neither.

        >>> [Decide(10).side(each) for each in ("1:4", "0:4 1:11", "0:4 1:9", "2:1")]
        [1, -1, 0, None]
        """
        ranks = ranks_of_origin(origin)
        first, second = (ranks.get(run, self.k + 1) <= self.k for run in (0, 1))
        return int(second) - int(first) if first or second else None


@dataclass(frozen=True)
class PoolPlan:
    """The parts of a pool, in the order in which they are judged; a sample comes last, drawn from what is left."""

    parts: tuple[Pool, ...]

    @classmethod
    def parse(cls, text: str) -> PoolPlan:
        """From its notation; an error names the part that cannot be."""
        return cls(tuple(POOLS.parse(part) for part in _split_sum(text)))

    def __post_init__(self) -> None:
        samples = [place for place, each in enumerate(self.parts) if isinstance(each, Sample)]
        if samples[1:] or (samples and samples[0] < len(self.parts) - 1):
            raise SettingError(f"'{self}': one sample at most, as the last part, since it is drawn from what is left")
        if self.compares and len(self.parts) > 1:
            raise SettingError(f"'{self}': decide stands alone, since judging stops when it is decided")

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))

    @property
    def is_adaptive(self) -> bool:
        return any(each.is_adaptive for each in self.parts)

    @property
    def compares(self) -> bool:
        """Whether it is judged only until two runs are decided."""
        return any(isinstance(each, Decide) for each in self.parts)

    @property
    def reach(self) -> int:
        return max(each.reach for each in self.parts)

    @property
    def adaptive(self) -> tuple[AdaptivePool, ...]:
        return tuple(each for each in self.parts if isinstance(each, AdaptivePool))

    @property
    def sample(self) -> Sample | None:
        return next((each for each in self.parts if isinstance(each, Sample)), None)

    @property
    def gives_probabilities(self) -> bool:
        """Whether estimates can be made: everything is judged or drawn by lot, nothing is left to a chooser alone."""
        return not self.is_adaptive or self.sample is not None

    def candidates(self, rankings: Rankings, seed: int) -> pl.DataFrame:
        """All candidates (query, item, stratum, pi, origin, drawn), by query, best rank and run.

        A fixed pool is drawn at once. With an adaptive part, pi and drawn are open (null) but for what an earlier part
        takes for certain.
        """
        import polars as pl

        origins = rankings.origins(self.reach)
        left = rankings.best(self.reach).join(origins, on=["query", "item"], maintain_order="left")
        order = left.select("query", "item", "origin").with_row_index("place")
        done: list[pl.DataFrame] = []
        waits = False
        for part in self.parts:
            found = self._take(part, left, seed, waits)
            waits = waits or part.is_adaptive
            done.append(found)
            left = left.join(found, on=["query", "item"], how="anti", maintain_order="left")
        whole = pl.concat(done).join(order, on=["query", "item"]).sort("place")
        return whole.select("query", "item", "stratum", "pi", "origin", "drawn")

    def _take(self, part: Pool, left: pl.DataFrame, seed: int, waits: bool) -> pl.DataFrame:
        """The rows that a part is about, of those that are left."""
        import polars as pl

        if isinstance(part, FixedPool) and not waits:
            found = part.draw(left, seed)
        else:
            named = left.filter(pl.col("rank") <= part.reach).with_columns(stratum=pl.lit(part.name))
            inside = part.banded(left) if isinstance(part, Sample) else named
            found = inside.with_columns(pi=pl.lit(None, dtype=pl.Float64), drawn=pl.lit(None, dtype=pl.Boolean))
        return found.select("query", "item", "stratum", "pi", "drawn")


def _split_sum(text: str) -> list[str]:
    """The parts between the plus signs that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in OPENING) - (sign in CLOSING)
        if sign == "+" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


# What several runs rank, side by side: the ground that pools are drawn from.

Lists = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rows (query, item, run, rank) of several runs; runs are numbered in their order, ranks count from 1.

    >>> Rankings.of([{"q": ["a", "b"]}, {"q": ["b", "c"]}]).best(2).rows()
    [('q', 'a', 1, 0), ('q', 'b', 1, 1), ('q', 'c', 2, 1)]
    """

    rows: pl.DataFrame

    @classmethod
    def of(cls, runs: Sequence[Mapping[str, Iterable[str]]]) -> Rankings:
        """From the ranked items of each query, run by run."""
        import polars as pl

        listed = [
            (query, item, number, rank)
            for number, run in enumerate(runs)
            for query, items in run.items()
            for rank, item in enumerate(items, 1)
        ]
        kinds = {"query": pl.String, "item": pl.String, "run": pl.Int64, "rank": pl.Int64}
        return cls(pl.DataFrame(listed, schema=kinds, orient="row"))

    @classmethod
    def of_tables(cls, tables: Sequence[pl.DataFrame], queries: Sequence[str]) -> Rankings:
        """From tables (query, item, rank), one a run; only these queries, in their order."""
        import polars as pl

        order = pl.DataFrame({"query": list(queries)}, schema={"query": pl.String}).with_row_index("place")
        numbered = [each.select("query", "item", pl.lit(run).alias("run"), "rank") for run, each in enumerate(tables)]
        whole = pl.concat([each.cast({"run": pl.Int64, "rank": pl.Int64}) for each in numbered])
        return cls(whole.join(order, on="query").sort("place", maintain_order=True).drop("place"))

    def best(self, depth: int) -> pl.DataFrame:
        """Every item within a depth with its best rank and the first run that has it (query, item, rank, run).

        Queries come in their order, items by best rank, then by run.
        """
        import polars as pl

        inside = self.rows.filter(pl.col("rank") <= depth).sort(["rank", "run"], maintain_order=True)
        first = inside.unique(["query", "item"], keep="first", maintain_order=True).select(
            "query", "item", "rank", "run"
        )
        return first.join(self._order, on="query").sort(["place", "rank", "run"]).drop("place")

    def origins(self, depth: int) -> pl.DataFrame:
        """Where items within a depth stand in each run (query, item, origin), as `0:3 4:17`: run and rank."""
        import polars as pl

        inside = self.rows.filter(pl.col("rank") <= depth).sort("run", maintain_order=True)
        written = pl.format("{}:{}", "run", "rank")
        return inside.group_by("query", "item", maintain_order=True).agg(written.str.join(" ").alias("origin"))

    @cached_property
    def _order(self) -> pl.DataFrame:
        return self.rows.select("query").unique(maintain_order=True).with_row_index("place")


def ranks_of_origin(origin: str) -> dict[int, int]:
    """Runs and ranks of an origin.

    >>> ranks_of_origin("0:3 4:17")
    {0: 3, 4: 17}
    """
    parts = (each.partition(":") for each in origin.split())
    return {int(run): int(rank) for run, _, rank in parts}


def lists_of_origins(origins: Mapping[str, str], runs: int, depth: int) -> Lists:
    """The ranked items of each run within a depth, from the origins of the items of one query.

    >>> lists_of_origins({"a": "0:1 1:2", "b": "1:1", "c": "0:9"}, runs=2, depth=5)
    (('a',), ('b', 'a'))
    """
    placed: list[list[tuple[int, str]]] = [[] for _ in range(runs)]
    for item, origin in origins.items():
        for run, rank in ranks_of_origin(origin).items():
            if rank <= depth:
                placed[run].append((rank, item))
    return tuple(tuple(item for _, item in sorted(each)) for each in placed)


POOL_TYPES: dict[str, type[Pool]] = {  # a new pool adds its name here
    each.name: each for each in (Depth, MoveToFront, Bandit, Sample, Decide)
}
POOL_GROUP = "rankscope.pools"  # entry points of other packages
POOLS: NamedCatalogue[Pool] = NamedCatalogue("pool", POOL_TYPES, "depth(20)", POOL_GROUP)
parse_pool = PoolPlan.parse  # the name that users know
