"""Generated texts as the benchmark of the text engine asks for: Zipf's law, 55 words on average, seed 0."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

VOCABULARY, EXPONENT, MEAN_LENGTH = 200_000, 1.07, 55
BLOCK = 50_000
QUERIES = 200
LETTERS = "etaoinshrdlu"


def shares() -> NDArray[np.float64]:
    """How often each word occurs, the most frequent first."""
    weights = np.arange(1, VOCABULARY + 1) ** -EXPONENT
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def vocabulary() -> list[str]:
    """A word for each rank: its digits as letters, short ones for frequent words, none of them a stop word."""
    return [_spelled(rank + len(LETTERS)) + "kg"[rank % 2] for rank in range(VOCABULARY)]


def _spelled(number: int) -> str:
    letters = ""
    while number:
        number, digit = divmod(number, len(LETTERS))
        letters += LETTERS[digit]
    return letters


def blocks(count: int, seed: int = 0) -> Iterator[pl.DataFrame]:
    """Documents with an id and a body, in tables of 50,000."""
    rng, words, edges = np.random.default_rng(seed), pl.Series(vocabulary()), np.cumsum(shares())
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        lengths = np.maximum(rng.poisson(MEAN_LENGTH, size), 1)
        ranks = np.minimum(np.searchsorted(edges, rng.random(int(lengths.sum()))), VOCABULARY - 1)
        table = pl.DataFrame({"doc": np.repeat(np.arange(size), lengths), "word": words.gather(ranks)})
        bodies = table.group_by("doc", maintain_order=True).agg(pl.col("word").str.join(" "))["word"]
        yield pl.DataFrame({"id": [f"d{number:07d}" for number in range(start, start + size)], "body": bodies})


def queries(seed: int = 0) -> list[str]:
    """200 queries of 2 to 6 different words, drawn by how many documents have them."""
    rng, words = np.random.default_rng(seed), vocabulary()
    chances = 1 - (1 - shares()) ** MEAN_LENGTH
    chances /= chances.sum()
    drawn = [rng.choice(VOCABULARY, size=rng.integers(2, 7), replace=False, p=chances) for _ in range(QUERIES)]
    return [" ".join(words[rank] for rank in ranks) for ranks in drawn]


def stored(folder: Path, count: int) -> list[Path]:
    """The documents in files, made where they are not there."""
    place = folder / f"text-{count}"
    if not place.exists():
        making = folder / f"text-{count}.making"
        making.mkdir(parents=True, exist_ok=True)
        for number, block in enumerate(blocks(count)):
            block.write_parquet(making / f"{number:03d}.parquet")
        making.rename(place)
    return sorted(place.glob("*.parquet"))
