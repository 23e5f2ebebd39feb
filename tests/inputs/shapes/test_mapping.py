"""Columns of any names, in every format; what cannot be found or could be two things is said, with what to do."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from rankscope.core.errors import SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from tests.inputs.examples import Make, qrels_error, run_error, run_rows

COLUMNS = {"query": "such wort", "item": "artikel", "score": "güte"}
ROWS = [("hut", "p1", 2.0), ("hut", "p2", 1.0)]


def frame() -> pl.DataFrame:
    return pl.DataFrame({"such wort": ["hut", "hut"], "artikel": ["p1", "p2"], "güte": [2, 1], "query": ["x", "y"]})


def test_every_format_of_tables_is_mapped(tmp_path: Path) -> None:
    table = frame()
    table.write_csv(tmp_path / "a.csv")
    table.write_csv(tmp_path / "a.tsv", separator="\t")
    table.write_parquet(tmp_path / "a.parquet")
    table.write_ipc(tmp_path / "a.arrow")
    table.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.json").write_text(json.dumps(table.to_dicts()))
    (tmp_path / "c.json").write_text(json.dumps(table.to_dict(as_series=False)))
    for path in sorted(tmp_path.iterdir()):
        assert run_rows(path, Reading(columns=COLUMNS)) == ROWS, path.name
    assert Run.of(table, Reading(columns=COLUMNS)).table().rows() == ROWS
    assert Run.of(table.to_pandas(), Reading(columns=COLUMNS)).table().rows() == ROWS
    assert Run.of(table.to_dicts(), Reading(columns=COLUMNS)).table().rows() == ROWS


def test_dots_lead_into_structures_of_parquet(tmp_path: Path) -> None:
    nested = pl.DataFrame({"q": [{"id": "a"}], "d": [{"meta": {"sku": "p1"}}], "s": [1.5]})
    nested.write_parquet(tmp_path / "a.parquet")
    assert run_rows(tmp_path / "a.parquet", Reading(columns="query=q.id,item=d.meta.sku,score=s")) == [("a", "p1", 1.5)]
    error = run_error(tmp_path / "a.parquet", Reading(columns="query=q.name,item=d.meta.sku,score=s"))
    assert "no column 'q.name' for the query" in error


def test_unknown_columns_are_all_named_with_what_may_be_meant(make: Make) -> None:
    error = run_error(
        make("a.csv", "search,product,points\na,b,1\n"), Reading(columns="query=serch,item=prodct,score=points")
    )
    assert "no column 'serch' for the query (did you mean 'search'?); columns: search, product, points" in error
    assert "no column 'prodct' for the item (did you mean 'product'?)" in error


def test_what_could_be_two_columns_is_asked(make: Make) -> None:
    error = run_error(make("a.csv", "query,id,url,score\na,1,/b,1\n"))
    assert "which column is the item: id or url?" in error
    assert "Say it with columns='item=id'." in error


def test_unknown_headers_say_how_to_map(make: Make) -> None:
    error = run_error(make("a.csv", "such wort,der artikel,wie gut\na,b,1\n"))
    assert "If these are names of columns, say which is which: columns='query=such wort,item=...'." in error
    error = run_error(make("b.json", '[{"such": "a", "artikel": "b", "score": 1}]'))
    assert "no column for the query" in error
    assert "Say which column it is: columns='query=NAME,item=NAME'." in error


def test_a_text_without_a_header_is_read_by_numbers(make: Make) -> None:
    path = make("a.txt", "1.5 hut p1\n0.5 hut p2\n")
    assert run_rows(path, Reading(columns="score=1,query=2,item=3")) == [("hut", "p1", 1.5), ("hut", "p2", 0.5)]
    error = run_error(path, Reading(columns="score=1,query=2,item=7"))
    assert "no column '7' for the item; columns: 1, 2, 3" in error
    assert "is its last column a rank, of a run, or a grade?" in qrels_error(make("b.tsv", "q\ta\t1\nq\tb\t2\n"))


def test_hits_without_an_id_say_which_names_there_are(make: Make) -> None:
    path = make("a.json", '{"q": [{"sku": "p1", "titel": "Hut", "score": 2}, {"titel": "Schuh", "score": 1}]}')
    error = run_error(path)
    assert "query q, result 2: has no item" in error
    assert "Say which it is: columns='item=NAME'; names: titel, score." in error


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ("item", "must be written as query=NAME,item=NAME,score=NAME"),
        ("itme=a", "knows query, item, grade, score, rank, results, not 'itme' (did you mean 'item'?)"),
        ("item=", "needs a name behind item="),
        ("item=a,item=b", "names a role twice"),
        (3, "must be a dictionary"),
    ],
)
def test_wrong_maps_are_refused(columns: object, what: str) -> None:
    with pytest.raises(SettingError, match="columns=") as caught:
        Reading(columns=columns)
    assert what in str(caught.value)


def test_quepid_rows_without_ratings_are_left_out_and_counted(make: Make) -> None:
    text = '\nquery,docid,rating\n"red, shoes",p7,3\n"red, shoes",p9,\nblue hat\n'
    judged = Qrels.of(make("a.csv", text))
    assert judged.table.rows() == [("red, shoes", "p7", 3.0)]
    assert judged.notes == ("2 rows without a rating left out",)
    assert Qrels.of(make("b.csv", "query,docid,rating\nred,p7,3\nblue\n")).notes == ("1 row without a rating left out",)
    assert "line 3: has 1 field, but the header has 3" in qrels_error(
        make("c.csv", "query,item,grade\nred,p7,3\nblue\n")
    )


def test_a_response_is_no_judgement_and_ratings_are_no_run(make: Make) -> None:
    response = make("a.json", '{"took": 1, "hits": {"hits": [{"_id": "a", "_score": 1}]}}')
    assert "which holds a run and not judgements" in qrels_error(response)
    ratings = make("b.json", '{"queries": [{"query": "q", "ratings": {"a": 1}}]}')
    assert "which holds judgements and not a run" in run_error(ratings)


def test_an_error_in_place_of_hits_is_told(make: Make) -> None:
    text = '{"responses": [{"hits": {"hits": []}}, {"error": {"type": "index_not_found_exception"}, "status": 404}]}'
    assert "response 2: is an error: 'index_not_found_exception'" in run_error(make("a.json", text))


def test_some_scores_missing_are_told(make: Make) -> None:
    error = run_error(make("a.json", '{"q": [{"id": "a", "score": 1}, {"id": "b"}]}'))
    assert "query q, item b: has no score, others do: a run gives a score with every result, or with none" in error


def test_responses_numbered_in_two_files_are_not_mixed(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text('{"responses": [{"hits": {"hits": [{"_id": "x", "_score": 1}]}}]}')
    assert "those of another file have the same numbers" in run_error(str(tmp_path))


def test_one_of_several_versions_of_rre_is_chosen_behind_a_hash(make: Make) -> None:
    hits = {version: {"hits": [{"id": version, "score": 1}]} for version in ("v1", "v2")}
    group = {"query-evaluations": [{"query": '{"q": "hat"}', "results": hits}]}
    path = make("e.json", json.dumps({"corpora": [{"topics": [{"query-groups": [group]}]}]}))
    assert run_rows(f"{path}#v2") == [("hat", "v2", 1.0)]
    assert "holds 2 rankings; versions: v1, v2" in run_error(path)
    assert "has no version 'v3'" in run_error(f"{path}#v3")
    plain = make("p.json", '{"q": {"a": 1}}')
    assert "has no parts" in run_error(f"{plain}#x")
