"""Whatever becomes of a file of a known shape, it is read or refused with a message; never anything else."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope import evaluate
from rankscope.core.errors import RankscopeError
from rankscope.inputs.formats import registry
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run

JSON = [
    each for shape in registry.all_shapes() if shape.format == "json" for each in shape.examples if ".json" in each.file
]
OTHERS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.sampled_from(["id", "hits", "score", "query", "docs"]), st.integers(0, 3), max_size=2),
)
QUICK = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where anything stands in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for name, one in inner for each in places(one, (*path, name)))]


def changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another thing at a place."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], other)
    return copy


@QUICK
@given(data=st.data())
def test_mangled_json_of_every_shape_is_read_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    example = data.draw(st.sampled_from(JSON))
    lines = [json.loads(line) for line in example.text.splitlines()] if example.file.endswith("l") else None
    value = lines if lines is not None else json.loads(example.text)
    for _ in range(data.draw(st.integers(1, 3))):
        value = changed(value, data.draw(st.sampled_from(places(value))), data.draw(OTHERS))
    listed = lines is not None and isinstance(value, list)
    text = "".join(json.dumps(each) + "\n" for each in value) if listed else json.dumps(value)
    path = tmp_path_factory.mktemp("mangled") / example.file
    path.write_text(text)
    read_any_way(path, data.draw(st.sampled_from(["", example.columns, "item=id", "results=a.b"])))


@QUICK
@given(data=st.data())
def test_cut_and_garbled_texts_are_read_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    examples = [each for shape in registry.all_shapes() for each in shape.examples if "/" not in each.file]
    example = data.draw(st.sampled_from(examples))
    raw = bytearray(example.text.encode())[: data.draw(st.integers(1, len(example.text)))]
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from(b'\x00\n\t,:;{}[]"#a1\xff'))
    path = tmp_path_factory.mktemp("garbled") / example.file
    path.write_bytes(bytes(raw))
    read_any_way(path, example.columns)


def read_any_way(path: Path, columns: str) -> None:
    """As a run and as judgements; only our own errors may come."""
    reading = Reading(columns=columns)
    with contextlib.suppress(RankscopeError):
        Run.of(path, reading).table()
    with contextlib.suppress(RankscopeError):
        Qrels.of(path, reading)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("run.json", [{"\ud800": "q1", "docno": "d1", "score": 1}]),
        ("run.json", {"query": ["q1"], "item": ["d1"], "\ud800": [1]}),
        ("run.jsonl", {"\ud800": "q1", "docno": "d1", "score": 1}),
    ],
)
def test_a_name_that_is_no_text_is_refused(name: str, data: object, tmp_path: Path) -> None:
    (tmp_path / name).write_text(json.dumps(data) + "\n")
    with pytest.raises(RankscopeError, match=r"the name .* holds half of a surrogate pair, which is no text"):
        evaluate({"q1": {"d1": 1}}, tmp_path / name, ["AP"])
