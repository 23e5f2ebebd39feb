"""Pools of real runs with all their judgements, to draw judged samples from; what nobody judged is irrelevant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.forecast_cases import DATA
from rankscope.analysis.sampling.frame import Strata
from rankscope.analysis.sampling.judged_run import ranking_table
from rankscope.analysis.sampling.pools import POOLS, Rankings, Sample
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run

DESIGNS = {
    "1-10 all, 11-100 20 %, 101-1000 5 %": "sample(1-10:all,11-100:20%,101-1000:5%)",
    "1-20 all, 21-200 10 %, rest 2 %": "sample(1-20:all,21-200:10%,201-1000:2%)",
    "uniform 10 %": "sample(1-1000:10%)",
}
SCOPE = 100


@dataclass(frozen=True, eq=False)
class Source:
    """The pool of a collection's runs: rows (query, item, rank: the best, grade, a, b: ranks in two runs)."""

    name: str
    rows: pl.DataFrame
    runs: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Truth:
    """A pool in strata, and its relevant items: stratum, ranks in two runs, grade."""

    strata: Strata
    stratum: IntArray
    ranks: tuple[FloatArray, FloatArray]
    grade: FloatArray
    inside: IntArray  # items of each stratum among the first hundred of the first run

    @property
    def relevant(self) -> IntArray:
        """Of each stratum."""
        return np.bincount(self.stratum, minlength=len(self.strata))

    def take(self, queries: IntArray) -> Truth:
        """Some queries, each as often as it is named."""
        strata, of_query = _members(self.strata.query, queries)
        items, of_stratum = _members(self.stratum, strata)
        return Truth(
            strata=Strata(
                queries=queries.size,
                query=of_query,
                name=tuple(self.strata.name[each] for each in strata.tolist()),
                size=self.strata.size[strata],
                judged=self.strata.judged[strata],
            ),
            stratum=of_stratum,
            ranks=(self.ranks[0][items], self.ranks[1][items]),
            grade=self.grade[items],
            inside=self.inside[strata],
        )

    def draw(self, chance: np.random.Generator) -> IntArray:
        """The places of the relevant items that a sample holds."""
        relevant = self.relevant
        found = chance.hypergeometric(relevant, self.strata.size - relevant, self.strata.judged)
        order = np.lexsort((chance.random(self.stratum.size), self.stratum))
        start = np.cumsum(relevant) - relevant
        place = np.arange(order.size) - start[self.stratum[order]]
        return np.sort(order[place < found[self.stratum[order]]])

    def all_judged(self) -> Truth:
        """The same with nothing left to chance."""
        return replace(self, strata=replace(self.strata, judged=self.strata.size))


def _members(group: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """The places of the members of the groups wanted, one group after the other, and which of the wanted each is of."""
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], wanted)
    count = np.searchsorted(group[order], wanted, side="right") - first
    which = np.repeat(np.arange(wanted.size), count)
    within = np.arange(which.size) - np.repeat(np.cumsum(count) - count, count)
    return order[first[which] + within], which


def sources() -> list[Source]:
    """Those whose data are there."""
    known = [
        ("Robust 2003", DATA / "trec-robust03" / "qrels.txt.gz", ("pircRBa1", "UIUC03Rd1")),
        ("TREC-COVID round 1", DATA / "trec-covid-r1" / "qrels-rnd1.txt", ("UIowaS_Run3", "OHSU_RUN1")),
    ]
    return [_source(*each) for each in known if each[1].exists()]


def _source(name: str, qrels: Path, wanted: tuple[str, str]) -> Source:
    paths = sorted((qrels.parent / "runs").glob("*.gz"))
    tables = {path.name.partition(".")[0]: ranking_table(Run.of(path)) for path in paths}
    judged = Qrels.of(qrels).table
    queries = judged.get_column("query").unique(maintain_order=True).to_list()
    rows = Rankings.of_tables([*tables.values()], queries).best(1000)
    rows = rows.join(judged, on=["query", "item"], how="left", maintain_order="left")
    for column, run in zip(("a", "b"), wanted, strict=True):
        rows = rows.join(tables[run].rename({"rank": column}), on=["query", "item"], how="left", maintain_order="left")
    return Source(name, rows, wanted)


def truth_of(source: Source, design: str) -> Truth:
    """The pool in the strata of a design, with so many of each to be judged."""
    pool = POOLS.parse(design)
    assert isinstance(pool, Sample)
    rows = pool.banded(source.rows)
    keys = rows.select("query", "stratum").unique(maintain_order=True)
    numbers = pl.DataFrame({"query": keys.get_column("query").unique(maintain_order=True)}).with_row_index("number")
    keys = keys.join(numbers, on="query", maintain_order="left").with_row_index("place")
    placed = rows.join(keys, on=["query", "stratum"], maintain_order="left")
    stratum = placed.get_column("place").to_numpy().astype(np.int64)
    size = np.bincount(stratum)
    shares = {each.stratum: each for each in pool.bands}
    names = keys.get_column("stratum").to_list()
    ranks = [placed.get_column(each).cast(pl.Float64).fill_null(np.inf).to_numpy() for each in ("a", "b")]
    grade = placed.get_column("grade").fill_null(0.0).to_numpy()
    relevant = np.flatnonzero(grade >= 1)
    return Truth(
        strata=Strata(
            queries=numbers.height,
            query=keys.get_column("number").to_numpy().astype(np.int64),
            name=tuple(names),
            size=size,
            judged=np.array([shares[name].size(count) for name, count in zip(names, size.tolist(), strict=True)]),
        ),
        stratum=stratum[relevant],
        ranks=(ranks[0][relevant], ranks[1][relevant]),
        grade=grade[relevant],
        inside=np.bincount(stratum[ranks[0] <= SCOPE], minlength=size.size),
    )
