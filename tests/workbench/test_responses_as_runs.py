"""What the service answers to real clients, saved as it came, is a run."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from rankscope.inputs.run import Run
from tests.needs import needed_module

opensearchpy: Any = needed_module("opensearchpy", "dev")
pysolr: Any = needed_module("pysolr", "dev")
QUERIES = {"foxes": "fox", "dens": "den"}


@pytest.fixture
def client(address: str) -> Any:
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)
    found = opensearchpy.OpenSearch(address, timeout=20)
    yield found
    found.close()


def answers_of(client: Any) -> dict[str, Any]:
    bodies = {name: {"query": {"match": {"body": word}}, "size": 5} for name, word in QUERIES.items()}
    return {name: client.search(index="docs", body=body) for name, body in bodies.items()}


def hits_of(query: str, answer: Any) -> list[tuple[str, str, float]]:
    return [(query, hit["_id"], hit["_score"]) for hit in answer["hits"]["hits"]]


def test_a_folder_of_opensearch_responses_is_a_run_by_the_names_of_its_files(client: Any, tmp_path: Path) -> None:
    answers = answers_of(client)
    for name, answer in answers.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(answer, indent=1))
    expected = [row for name, answer in answers.items() for row in hits_of(name, answer)]
    run = Run.of(str(tmp_path))
    assert sorted(run.table().rows()) == sorted(expected)
    assert list(run.notes) == ["a query that has no id in its file is called after the file"]


def test_lines_of_opensearch_responses_are_a_run_by_their_numbers(client: Any, tmp_path: Path) -> None:
    answers = list(answers_of(client).values())
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    expected = [row for number, answer in enumerate(answers, 1) for row in hits_of(str(number), answer)]
    run = Run.of(path)
    assert run.table().rows() == expected
    assert list(run.notes) == ["queries have no ids in the file: numbered 1 to 2 in their order"]
    path.write_text(json.dumps({"took": 3, "responses": answers}))
    assert Run.of(path).table().rows() == expected


def test_a_solr_response_is_a_run_by_its_query(address: str, tmp_path: Path) -> None:
    logging.getLogger("pysolr").setLevel(logging.CRITICAL)
    answer = pysolr.Solr(f"{address}/solr/docs", timeout=20).search("fox", fl="id,score", rows=5)
    path = tmp_path / "solr.json"
    path.write_text(json.dumps(answer.raw_response, indent=1))
    query = answer.raw_response["responseHeader"].get("params", {}).get("q", "solr")
    assert Run.of(path).table().rows() == [(query, each["id"], each["score"]) for each in answer.docs]
