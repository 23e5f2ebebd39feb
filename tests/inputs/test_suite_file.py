"""A suite in TOML: paths, settings, and all mistakes at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankscope.core.errors import InputError
from rankscope.inputs.suite_file import parse_suite, read_suite


def test_paths_are_relative_to_the_file_and_settings_add_up(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(
        'measures = "AP"\nbaseline = "a"\n[settings]\nrel = 2\n'
        '[[task]]\nname = "x"\nqrels = "x/q.txt"\nruns = { a = "x/a.run", b = "/abs/b.run", c = "s3://bucket/c.run" }\n'
        '[[task]]\nname = "y"\nranks = ["y/a.ranks.parquet"]\nsettings = { rel = 1, depth = 10 }\n'
    )
    suite = read_suite(tmp_path / "suite.toml")
    first, second = suite.tasks
    assert (suite.measures, suite.baseline) == (("AP",), "a")
    assert first.qrels == str(tmp_path / "x/q.txt")
    assert dict(first.systems) == {"a": str(tmp_path / "x/a.run"), "b": "/abs/b.run", "c": "s3://bucket/c.run"}
    assert dict(first.settings) == {"rel": 2}
    assert second.qrels is None
    assert dict(second.systems) == {"a": str(tmp_path / "y/a.ranks.parquet")}
    assert dict(second.settings) == {"rel": 1, "depth": 10}


def test_all_mistakes_are_told_at_once() -> None:
    whole = {
        "colour": "red",
        "measures": [1],
        "title": 3,
        "settings": {"rle": 2},
        "task": [
            {"qrels": "q", "runs": {"a": "a.run"}},
            {"name": "x", "qrels": "q"},
            {"name": "x", "ranks": {}, "runs": {"a": 1}, "note": ""},
            "text",
        ],
    }
    with pytest.raises(InputError) as raised:
        parse_suite(whole, Path())
    text = str(raised.value)
    for words in (
        "unknown name 'colour'",
        "measures: it must be a list of texts",
        "title: it must be a text",
        "settings: no setting 'rle' (did you mean 'rel'?). There are:",
        "task 1: it has no name",
        "task 2 (x): it needs qrels and runs, or ranks alone",
        "task 3 (x): unknown name 'note'",
        "task 3 (x): it has no system",
        "task 4: it is not a table",
        "two tasks are called 'x'",
        "A suite reads:",
    ):
        assert words in text


@pytest.mark.parametrize(("text", "words"), [("a =", "not TOML"), ("", "it has no [[task]]")])
def test_a_file_that_is_no_suite(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError) as raised:
        read_suite(tmp_path / "s.toml")
    assert words in str(raised.value)
    with pytest.raises(InputError, match="cannot be read"):
        read_suite(tmp_path / "none.toml")
