from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.inputs.formats import registry
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from tests.inputs.examples import Make, qrels_error, run_error, run_rows

ROWS = [("q1", "a", 2.0), ("q1", "b", 0.5)]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"q1": {"a": 2, "b": 0.5}}', "json"),
        ('\ufeff \n{"q1":\r\n {"a": 2, "b": "0.5"}}', "json"),
        ('{"q1": {"a": 2}, "q1": {"b": 0.5}}', "json"),
        ('{"q1": {"a": 2, "b": 0.5}, "q2": {}, "q3": []}', "json"),
        ('{"query": "q1", "item": "a", "score": 2}\n{"query": "q1", "item": "b", "score": 0.5}\n', "jsonl"),
        ('{"score": 2, "qid": "q1", "docno": "a"}\r\n\r\n{"docno": "b", "qid": "q1", "score": 0.5}', "jsonl"),
        ('{"default": {"test": {"q1": {"a": 2, "b": 0.5}}}}', "mteb"),
        ('{"mteb_model_meta": {"model_name": "x"}, "default": {"test": {"q1": {"a": 2, "b": 0.5}}}}', "mteb"),
        ('{"default": {"test": {"q1": {"a": 2, "b": 0.5}}}, "mteb_model_meta": {"revision": null}}', "mteb"),
    ],
)
def test_json_is_recognised_and_read(text: str, format: str, make: Make) -> None:
    path = make("a", text)
    assert registry.format_of_file(Source(str(path))).name == format
    assert run_rows(path) == ROWS


def test_a_list_is_an_order_best_first(make: Make) -> None:
    path = make("a.json", '{"q1": ["a", 7], "q2": []}')
    assert run_rows(path) == [("q1", "a", 0.0), ("q1", "7", -1.0)]
    assert Qrels.of(path).table.rows() == [("q1", "a", 1.0), ("q1", "7", 1.0)]


def test_judgements_are_read_from_both_forms(make: Make) -> None:
    assert Qrels.of(make("a.json", '{"q1": {"a": 1, "b": true}}')).table.rows() == [("q1", "a", 1.0), ("q1", "b", 1.0)]
    path = make("a.jsonl", '{"query": 1, "item": 2, "grade": 3}\n{"query": "1", "item": "x", "grade": 0}\n')
    assert Qrels.of(path).table.rows() == [("1", "2", 3.0), ("1", "x", 0.0)]


def test_infinity_is_read_as_python_writes_it(make: Make) -> None:
    path = make("a.json", '{"q1": {"a": Infinity, "b": -Infinity}}')
    assert [row[2] for row in run_rows(path)] == [float("inf"), float("-inf")]
    assert "query q1, item a: grade must be a finite number, got inf" in qrels_error(path)


def test_every_wrong_value_of_a_nested_object_is_named(make: Make) -> None:
    text = '{"q1": {"a": null, "b": NaN, "c": [1], "d": {"x": 1}, "e": "n/a", "f": true, "": 1}, "q2": 3, "": {}}'
    error = run_error(make("a.json", text))
    assert "a.json: 9 problems" in error
    assert "query q1, item a: score must be a number, got None" in error
    assert "query q1, item b: score must be a number, got nan" in error
    assert "query q1, item c: score must be a number, got [1]" in error
    assert "query q1, item d: score must be a number, got {'x': 1}" in error
    assert "query q1, item e: score must be a number, got 'n/a'" in error
    assert "query q1, item f: score must be a number, got True" in error
    assert "query q1: item must be text or a whole number, got ''" in error
    assert "query q2: must have {item: score} or [item, ...], got int 3" in error
    assert "query must be text or a whole number, got ''" in error
    assert "The form is {query: {item: score}} or {query: [item, ...]}." in error


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "holds no rankings"),
        (
            "[[1]]",
            "must hold {query: {item: score}} or {query: [item, ...]}, or a list of objects, got a list of a list",
        ),
        ('[{"query": 1}]', "no column for the item"),
        ("null", "got null"),
        ("3", "got a number"),
        ("", "is empty"),
        (" \n", "is empty"),
        ("{}", "holds no rankings"),
        ('{"q": {}}', "holds no rankings"),
        ('{"q": {"a": 1}', "line 1: is not JSON: Expecting ',' delimiter (column 15). The file ends here"),
        ('{"q": {"a": 1}\n "r"}', "line 2: is not JSON"),
        ('{"q": {"a": 1}} x', "line 1: is not JSON: Extra data"),
        ('{"q": {"a": ' + "1" * 5000 + "}}", "is not JSON that can be read"),
        ('{"q": ' + "[" * 100_000, "is not JSON that can be read"),
        ('{"q": {"a": 1' + "0" * 400 + "}}", "score must be a number"),
        ('{"q": {"\\ud800": 1}}', "item must be text or a whole number, got '\\ud800'"),
    ],
)
def test_other_shapes_are_refused(text: str, what: str, make: Make) -> None:
    assert what in run_error(make("a.json", text), Reading(format="json"))


def test_an_item_that_stands_twice_stays_twice(make: Make) -> None:
    assert run_rows(make("a.json", '{"q": {"a": 1, "a": 2}}')) == [("q", "a", 1.0), ("q", "a", 2.0)]


def test_bytes_that_are_no_text_are_named_with_their_line(make: Make) -> None:
    assert "line 2: byte 7 is not UTF-8 text" in run_error(make("a.json", b'{"q":\n {"caf\xe9": 1}}'))
    path = make("a.json", '{"q": {"café": 1}}'.encode("latin-1"))
    assert run_rows(path, Reading(encoding="latin-1")) == [("q", "café", 1.0)]


def test_every_problem_of_json_lines_is_named_with_its_line(make: Make) -> None:
    lines = [
        '{"query": "q", "item": "a", "score": 1}',
        "",
        '{"query": "q", "item": "b", "score": null}',
        '{"query": "q", "item": "c"',
        "[1, 2]",
        '{"query": "q", "query": "r", "item": "d", "score": 1}',
        '{"item": "e", "score": "x"}',
        '{"query": 1.5, "item": ["f"], "score": {}}',
        '{"query": true, "item": "\\ud800", "score": 2}',
    ]
    error = run_error(make("a.jsonl", "\n".join(lines)))
    assert "a.jsonl: 11 problems" in error
    assert "line 3: score is empty" in error
    assert "line 4: is not JSON: Expecting ',' delimiter" in error
    assert "line 5: must be an object, got a list" in error
    assert "line 6: has a name twice" in error
    assert "line 7: query is empty" in error
    assert "line 7: score must be a number, got 'x'" in error
    assert "line 8: query must be text or a whole number, got 1.5" in error
    assert "line 8: item must be text or a whole number, got ['f']" in error
    assert "line 9: query must be text or a whole number, got True" in error


def test_json_lines_without_the_columns_say_which_there_are(make: Make) -> None:
    error = run_error(make("a.jsonl", '{"id": 1, "text": "x"}\n'))
    assert "no column for the query" in error
    assert "columns: id, text" in error
    assert "is empty" in run_error(make("b.jsonl", "\n"), Reading(format="jsonl"))


PREDICTIONS = '{"eng": {"test": {"q": {"a": 1}}, "dev": {"q": {"b": 1}}}, "deu": {"test": {"q": {"c": 1}}}}'


def test_of_several_subsets_and_splits_one_is_chosen_behind_a_hash(make: Make) -> None:
    path = make("Task_predictions.json", PREDICTIONS)
    assert run_rows(f"{path}#eng/test") == [("q", "a", 1.0)]
    assert run_rows(f"{path}#dev") == [("q", "b", 1.0)]
    assert run_rows(f"{path}#deu") == [("q", "c", 1.0)]
    assert Run.of(f"{path}#eng/test").name == "Task#eng/test"


def test_a_choice_that_is_missing_names_what_there_is(make: Make) -> None:
    path = make("Task_predictions.json", PREDICTIONS)
    error = run_error(path)
    assert "holds 3 rankings; subsets and splits: eng/test, eng/dev, deu/test" in error
    assert "Choose one behind a #: Task_predictions.json#eng/test" in error
    assert "holds 2 rankings; subsets and splits: eng/test, eng/dev" in run_error(f"{path}#eng")
    assert "has no part 'fra'; subsets and splits: eng/test, eng/dev, deu/test" in run_error(f"{path}#fra")


def test_predictions_of_another_shape_are_refused(make: Make) -> None:
    error = run_error(make("a_predictions.json", '{"a": {"test": {"q": {}}, "b": [1]}, "c": 1}'))
    assert "a/b: must hold an object, got a list" in error
    assert "c: must hold an object, got a number" in error
    assert "hold runs and means, but no judgements" in qrels_error(make("b.json", PREDICTIONS))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**30), st.floats(), st.text(max_size=2)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["query", "item", "score", "a", ""]), inner, max_size=4),
    ),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(value=JSON)
def test_any_json_is_read_or_refused(value: object, make: Make) -> None:
    path = make("a", json.dumps(value))
    for format in ("json", "jsonl", "mteb", None):
        with contextlib.suppress(InputError):
            assert Run.of(path, Reading(format=format)).table()["score"].is_finite().all()
        with contextlib.suppress(InputError):
            Qrels.of(path, Reading(format=format))
