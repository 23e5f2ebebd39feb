"""Runs and judgements in an object store: patterns, folders, faults, and nothing secret in names and messages."""

from __future__ import annotations

import io
from collections.abc import Iterator

import polars as pl
import pytest

from rankscope.core.errors import InputError
from rankscope.core.parts import Home
from rankscope.inputs.qrels import Qrels
from rankscope.ranks.parts.resources import Where, reduce_where
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.inputs.s3_server import Faults, s3_server
from tests.needs import needed_module

needed_module("obstore", "remote")
SECRET = "a-very-secret-key"
RUN = pl.DataFrame(
    {
        "query": [f"q{n // 6}" for n in range(48)],
        "item": [f"d{n % 12}" for n in range(48)],
        "score": [n % 5 for n in range(48)],
    }
)
QRELS = {f"q{n}": {"d1": 1, "d7": 1, "d3": 0} for n in range(8)}


def parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[dict[str, bytes], Faults]]:
    objects = {f"runs/bm25/part-{n}.parquet": parquet(RUN[n * 6 : n * 6 + 6]) for n in range(8)}
    objects["runs/bm25/_SUCCESS"] = b""
    objects["runs/other.run"] = b"q1 Q0 d1 1 1.0 t\n"
    objects["qrels.txt"] = b"".join(f"{q} 0 {d} {g}\n".encode() for q, each in QRELS.items() for d, g in each.items())
    with s3_server(objects) as (address, faults):
        for name, value in {
            "AWS_ACCESS_KEY_ID": "me",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": address,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        yield objects, faults


def same(one: RelevantRanks, other: RelevantRanks) -> bool:
    return one.queries == other.queries and one.judged.lists("rank") == other.judged.lists("rank")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "address", ["s3://b/runs/bm25/*.parquet", "s3://b/runs/bm25/", "s3://b/runs/bm25/part-[0-9].par*"]
)
def test_a_pattern_or_folder_of_a_store_is_one_system(store: tuple[dict[str, bytes], Faults], address: str) -> None:
    here = reduce(QRELS, RUN)
    there = reduce("s3://b/qrels.txt", address)
    assert same(here, there)
    assert there.provenance["run"]["rows"] == 48
    assert SECRET not in str(there.provenance)
    assert store[1].signed[0].startswith("AWS4-HMAC-SHA256")


def test_parts_of_a_store_are_reduced_like_those_of_a_disk(store: tuple[dict[str, bytes], Faults]) -> None:
    parts = reduce_where(QRELS, "s3://b/runs/bm25/*.parquet", where=Where(on=Home(), memory="256MB"))
    assert same(parts, reduce(QRELS, RUN))


def test_a_text_file_of_a_store_is_read_too(store: tuple[dict[str, bytes], Faults]) -> None:
    assert reduce(QRELS, "s3://b/runs/other.run").system == "other"
    assert len(Qrels.of("s3://b/qrels.txt")) == 24


def message(address: str) -> str:
    with pytest.raises(InputError) as caught:
        reduce(QRELS, address)
    return str(caught.value)


def test_what_is_missing_forbidden_or_cut_off_is_told_in_words(store: tuple[dict[str, bytes], Faults]) -> None:
    _, faults = store
    assert "there is no such file" in message("s3://b/runs/none.run")
    assert "no file fits this address" in message("s3://b/runs/none-*.run")
    faults.forbidden.add("runs/bm25/part-3.parquet")
    faults.cut.add("runs/bm25/part-5.parquet")
    told = message("s3://b/runs/bm25/*.parquet")
    assert "part-3.parquet: no permission to read it" in told
    assert "part-5.parquet: cannot be read" in told
    assert SECRET not in told


def test_a_pattern_of_a_web_server_is_an_error_and_secrets_are_cut(store: tuple[dict[str, bytes], Faults]) -> None:
    told = message("https://me:hidden@host/runs/*.run?token=hidden")
    assert "a web server lists no files" in told
    assert "hidden" not in told
    told = message("http://me:hidden@127.0.0.1:9/runs/a.run?token=hidden")
    assert "a.run" in told
    assert "hidden" not in told


def test_a_file_of_a_web_server_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with s3_server({"bm25.run": b"q1 Q0 d1 1 1.0 t\n"}) as (address, _):
        ranks = reduce(QRELS, f"{address}/x/bm25.run?token=hidden")
    assert ranks.system == "bm25"
    assert "hidden" not in str(ranks.provenance)
