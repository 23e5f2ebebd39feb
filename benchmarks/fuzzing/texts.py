"""Search strings, and indexes of texts with wounds: hits of the index, best first, or a clear error."""

from __future__ import annotations

import itertools
import math
import random
import shutil
import tempfile
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import wounded
from rankscope.engines.text import Index
from rankscope.engines.text.searching import Hits

WORDS = ("fox", "den", "information", "retrieval", "größe", "über", "x", "", "the", "A1", "日本", "\U0001f98a")
MARKS = (*' "()[]{}^~*?:\\/+-!|&<>=@#$%\n\t\0', "AND", "OR", "NOT", "TO", "&&", "||", "body:", "title:", "id:", "no:")
NUMBERS = ("0", "1", "2", "-1", "0.5", "1e9", "1e999", "nan", "99999999999999999999", "٣")
ODD = ("\ud800", "\udcff", "\ufeff", "\u202e", "a" * 5000, "(" * 300, "\\u12", "\\ud83d")
SIMILARITIES = ("bm25", "bm25(k1=0)", "dfr", "classic", "lm_dirichlet", "dfi", "no such", "bm25(b=7)", "")
QUERIES = ("fox", '"information retrieval"', "den OR gr*", "title:fox^2 body:den~1")


def _documents() -> list[dict[str, str]]:
    chance = random.Random(0)
    words = [word for word in WORDS if word]
    return [
        {"id": f"d{number}", "title": chance.choice(words), "body": " ".join(chance.choices(words, k=12))}
        for number in range(40)
    ]


@cache
def _in_memory() -> Index:
    return Index.build(_documents())


def search_trial(chance: random.Random, folder: Path) -> Trial:
    """A text as nobody would type it, in any field, by any similarity."""
    pieces = [
        chance.choice(chance.choice((WORDS, WORDS, MARKS, MARKS, NUMBERS, ODD))) for _ in range(chance.randrange(12))
    ]
    text = chance.choice(("", " ")).join(pieces)
    options: dict[str, Any] = {
        "similarity": chance.choice(SIMILARITIES) if chance.random() < 0.3 else None,
        "limit": chance.choice((0, -1, 1)) if chance.random() < 0.1 else chance.choice((None, 10)),
        "field": chance.choice(("no", "\ud800")) if chance.random() < 0.1 else chance.choice((None, "title", "id")),
        "operator": chance.choice(("OR", "AND")),
        "syntax": chance.choice(("lucene", "lucene", "words")),
        "leading": chance.random() < 0.5,
        "expand": chance.choice((None, None, None, "rm3", "rocchio")),
    }
    return Trial(partial(_in_memory().search, text, **options), partial(_best_first, _in_memory()))


def _best_first(index: Index, hits: Hits) -> None:
    """Documents of the index, each once, by finite scores that never rise."""
    ids, scores = list(hits.ids), [float(score) for score in hits.scores]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(index.reader.ids)
    assert all(math.isfinite(score) for score in scores)
    assert all(before >= after for before, after in itertools.pairwise(scores))


@cache
def _stored() -> tuple[Path, list[Any]]:
    """An index with a deleted document and two segments, and all that it answers."""
    folder = Path(tempfile.mkdtemp(prefix="rankscope-fuzz-")) / "index"
    documents = _documents()
    names = count()
    with patch("secrets.token_hex", lambda _: f"{next(names):08x}"):  # the same files in every process
        Index.build(documents[:25], folder).add(documents[25:], delete=["d3"])
    return folder, _answers(Index.open(folder))


def _answers(index: Index) -> list[Any]:
    return [*(list(index.search(query, limit=None)) for query in QUERIES), len(index), index.document("d7")]


def damaged_index_trial(chance: random.Random, folder: Path) -> Trial:
    """A file of an index with wounds; sometimes it is merged or added to before it is asked."""
    stored, before = _stored()
    place = folder / "index"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(stored, place)
    path = chance.choice(sorted(each for each in place.rglob("*") if each.is_file() and each.stat().st_size))
    path.write_bytes(wounded(path.read_bytes(), chance))
    merged = chance.random() < 0.2

    def attempt() -> list[Any]:
        index = Index.open(place)
        if merged:
            index.merge()
            index = Index.open(place)
            return [sorted(each for each in index.reader.ids), len(index), index.document("d7")]
        return _answers(index)

    def same(found: list[Any]) -> None:
        expected = [sorted(set(_in_memory().reader.ids) - {"d3"}), 39, before[-1]] if merged else before
        assert found == expected, f"{path.name}: {found[:1]}"

    return Trial(attempt, same)
