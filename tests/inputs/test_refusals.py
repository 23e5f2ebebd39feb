"""Values that look like something else: text where a list is meant, masks, spans of time, endless numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankscope import evaluate
from rankscope.core.errors import InputError
from rankscope.inputs.features import Features
from rankscope.inputs.run import Run

QRELS = {"q1": {"a": 1, "x": 1}}
RUN = {"q1": {"x": 3.0, "y": 2.0, "a": 1.0}}


@pytest.mark.parametrize("junk", [{"q1": "xy"}, {"q1": b"xy"}, {"q1": 7}, {"q1": None}, 7])
def test_junk_must_be_a_list_of_items(junk: Any) -> None:
    with pytest.raises(InputError, match="junk"):
        evaluate(QRELS, RUN, "AP", junk=junk)


@pytest.mark.parametrize("items", [["x", "y"], ("x", "y"), {"x", "y"}, np.array(["x", "y"]), iter("xy")])
def test_junk_may_be_any_list(items: Any) -> None:
    assert evaluate(QRELS, RUN, "AP", junk={"q1": items})["AP"] == 1


def test_all_that_is_wrong_with_junk_is_said_at_once() -> None:
    with pytest.raises(InputError, match=r"junk: 2 problems\n.*query q1.*'xy'\n.*query q2.*'z'"):
        evaluate(QRELS, RUN, "AP", junk={"q1": "xy", "q2": "z"})


@pytest.mark.parametrize("name", ["labels", "ids", "split", "queries", "junk_labels"])
def test_a_text_is_no_list_of_names(name: str) -> None:
    given: dict[str, Any] = {"labels": ["a", "a"], name: "aa"}
    with pytest.raises(InputError, match="a list is needed, got the text 'aa'"):
        Features.of([[1], [2]], **given)


MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])


@pytest.mark.parametrize(
    "make",
    [
        lambda: evaluate(QRELS, (["q1"] * 3, ["x", "y", "a"], MASKED), "AP"),
        lambda: evaluate(QRELS, {"query": ["q1"] * 3, "item": ["x", "y", "a"], "score": MASKED}, "AP"),
        lambda: evaluate((["q1"] * 3, ["x", "y", "a"], MASKED), RUN, "AP"),
        lambda: evaluate(QRELS, Run.from_matrix(np.ma.array([[1, 2]], mask=[[True, False]])), "AP"),
        lambda: Features.of(np.ma.array([[1.0], [2.0]], mask=[[True], [False]]), ["a", "a"]),
        lambda: evaluate(QRELS, {"q1": np.ma.array(["x", "y"], mask=[True, False])}, "AP"),
    ],
)
def test_masked_values_are_refused(make: Any) -> None:
    with pytest.raises(InputError, match=r"masked|item must be text"):
        make()


def test_a_mask_that_hides_nothing_is_none() -> None:
    scores = np.ma.array([3.0, 2.0, 1.0], mask=False)
    assert evaluate(QRELS, (["q1"] * 3, ["x", "y", "a"], scores), "AP")["AP"] == pytest.approx(5 / 6)


@pytest.mark.parametrize("ids", [[timedelta(1)], [[1]], [{"a": 1}], [True], [None], [1.5]], ids=str)
def test_what_can_be_no_id_is_named(ids: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"query": ids, "item": ["a"], "score": [1.0]}).write_parquet(path)
    with pytest.raises(InputError, match=r"row 1: query (must be text or a whole number|is empty)"):
        evaluate(QRELS, path, "AP")


def test_whole_numbers_beyond_64_bits_are_ids_but_not_without_end(tmp_path: Path) -> None:
    large = 10**30
    assert evaluate({large: {1: 1}}, {large: {1: 1.0}}, "AP")["AP"] == 1
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"query": large, "item": 1, "score": 10**400}) + "\n")
    with pytest.raises(InputError, match="line 1: score must be a number"):
        evaluate({large: {1: 1}}, path, "AP")
    with pytest.raises(InputError, match="a number of 16,610 bits"):
        evaluate({10**5000: {1: 1}}, RUN, "AP")


def test_arrays_of_odd_numbers_are_refused_or_read() -> None:
    for kind in (np.complex128, "datetime64[s]", "timedelta64[s]", "V4"):
        with pytest.raises(InputError, match="score must be a number"):
            evaluate(QRELS, (["q1"], ["a"], np.zeros(1, dtype=kind)), "AP")
    assert evaluate(QRELS, (["q1"] * 2, ["x", "a"], np.array([2, 1], dtype=np.longdouble)), "AP")["AP"] == 1


@pytest.mark.thorough
def test_a_very_wide_header_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{number}" for number in range(100_000)) + ",query\n")
    before = time.process_time()  # whatever else the machine does
    with pytest.raises(InputError, match=r"no column for the item .* and 99,971 more"):
        evaluate(QRELS, path, "AP")
    assert time.process_time() - before < 20  # 2 here, minutes on old code


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_name_that_is_no_utf8_is_shown_and_stored(tmp_path: Path) -> None:
    run = os.fsencode(tmp_path) + b"/caf\xe9.run"
    with open(run, "wb") as file:
        file.write(b"q1 Q0 a 1 1.0 t\n")
    scores = evaluate(QRELS, os.fsdecode(run), "AP")
    assert scores.systems[0].name == "caf\\xe9"
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 1\n")
    command = [os.fsencode(sys.executable), b"-m", b"rankscope", b"evaluate", os.fsencode(qrels)]
    for more in (
        [run],
        [run, b"-o", os.fsencode(tmp_path) + b"/a.ranks.parquet"],
        [run, b"-o", b"-", b"--format", b"csv"],
    ):
        done = subprocess.run([*command, *more, b"-m", b"AP"], capture_output=True, timeout=60)
        assert (done.returncode, b"Traceback" in done.stderr) in ((0, False), (2, False)), done.stderr
    missing = subprocess.run([*command, run + b"x"], capture_output=True, timeout=60)
    assert missing.returncode == 2
    assert b"caf\\xe9.runx: 1 problem\n  cannot be read: No such file" in missing.stderr
