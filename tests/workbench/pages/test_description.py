"""/openapi.json is what the service does: a client that knows nothing else walks through it and believes every word."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from rankscope.workbench.pages.application import ADDRESSES
from rankscope.workbench.service import search_application
from rankscope.workbench.serving import search_parts_beside
from tests.needs import needed_module
from tests.workbench.asgi_client import AsgiClient, client_of
from tests.workbench.pages.served import JSON, OURS, Served, Workbench, served_project, workbench_application
from tests.workbench.projects import small_index

jsonschema = needed_module("jsonschema", "dev")
LEADS_OUT = ("/leave", "/enter/{token}")  # ends the session of the client


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_project(tmp_path, double=0.0, repeat=0.0) as found:
        found.sign_in()
        found.bench.changes.burst = found.bench.changes.rate = 1e9
        yield found


def test_every_address_is_described_and_nothing_else(served: Served) -> None:
    paths = served.json("/openapi.json")["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    known = {(each.method, each.path.replace(":int}", "}").replace(":path}", "}")) for each in ADDRESSES}
    assert described == known | {("GET", "/openapi.json")}


def test_every_name_of_an_operation_is_its_own_and_says_something(served: Served) -> None:
    operations = [each for methods in served.json("/openapi.json")["paths"].values() for each in methods.values()]
    names = [each["operationId"] for each in operations]
    assert len(set(names)) == len(names)
    assert all(each["summary"].endswith(".") for each in operations)


LONGEST = 10_000  # signs of a value in an address: the client sends none of 65,536


@pytest.mark.parametrize("good", [True, False], ids=["good", "bad"])
def test_a_generic_client_gets_what_is_described(served: Served, good: bool) -> None:
    description = served.json("/openapi.json")
    chance = random.Random(7)
    seen: set[str] = set()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            for _ in range(0 if path in LEADS_OUT else 12):
                answer = ask(served.client, method, path, operation, chance, good)
                check_answer(description, operation, answer)
                seen.add(str(answer.status_code)[0])
    assert seen >= ({"2"} if good else {"4"})


def test_the_search_service_beside_a_project_is_described_and_asks_for_a_token(tmp_path: Path) -> None:
    with served_project(tmp_path) as served:
        bench = Workbench(served.project)
        others = search_parts_beside(bench, {"docs": small_index()})
        with client_of(workbench_application(served.project, bench=bench, others=others)) as client:
            paths = client.get("/openapi.json").json()["paths"]
            assert {"/solr/{name}/select", "/{name}/_search", "/_msearch", "/judge"} <= paths.keys()
            assert client.get("/solr/docs/select?q=fox").status_code == 401
            assert client.get("/docs/_search?q=fox").json()["status"] == 401
            judge = {"authorization": f"Bearer {served.project.invite('ann').token}"}
            admin = {"authorization": f"Bearer {served.project.invite('eve', 'admin').token}"}
            assert client.get("/docs/_search?q=fox", headers=judge).status_code == 403
            assert client.get("/docs/_search?q=fox", headers=admin).json()["hits"]["total"]["value"] > 0
            assert client.post("/solr/docs/select", data={"q": "fox"}, headers=admin).json()["response"]["numFound"] > 0
            assert client.get("/docs", headers=admin).status_code == 404


def test_the_search_service_alone_is_described_too() -> None:
    with client_of(search_application({"docs": small_index()})) as client:
        described = client.get("/openapi.json").json()
        assert described["openapi"] == "3.1.0"
        assert described["paths"]["/solr/{name}/select"]["get"]["summary"].endswith(".")
        assert all(path.startswith("/") for path in described["paths"])


def ask(client: AsgiClient, method: str, path: str, operation: Any, chance: random.Random, good: bool) -> Any:
    asked = {}
    for each in operation["parameters"]:
        value = made(each["schema"], chance, good)
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", quote(str(value), safe="") or "x")
        elif each["required"] or chance.random() < 0.7:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            asked[each["name"]] = text[:LONGEST]
    if "requestBody" not in operation:
        return client.request(method.upper(), path, params=asked, headers={**JSON, **OURS})
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return client.request(method.upper(), path, json=made(schema, chance, good), headers={**JSON, **OURS})


def check_answer(description: Any, operation: Any, answer: Any) -> None:
    status = str(answer.status_code)
    assert status in operation["responses"], (operation["operationId"], status, answer.text[:300])
    content = operation["responses"][status].get("content", {})
    kind = answer.headers.get("content-type", "").partition(";")[0]
    assert kind in content if content else answer.content == b""
    if "application/json" in content and "schema" in content["application/json"]:
        assert kind == "application/json"
        schema = {**content["application/json"]["schema"], "components": description["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer.json())


def made(schema: Any, chance: random.Random, good: bool) -> Any:
    """A value that a schema allows; where it need not be good, often one that it does not."""
    if not good and chance.random() < 0.5:
        return chance.choice([None, "", "\x00", "x" * 40_000, -1, 2**70, 1.5, True, [], {"a": []}, "../..", "'"])
    if "anyOf" in schema:
        return made(chance.choice(schema["anyOf"]), chance, good)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        names = [name for name in schema["properties"] if name in schema["required"] or chance.random() < 0.7]
        return {name: made(schema["properties"][name], chance, good) for name in names}
    if kind == "array":
        return [made(schema["items"], chance, good) for _ in range(chance.randrange(3))]
    if kind == "integer":
        return chance.randint(schema["minimum"], min(schema["maximum"], schema["minimum"] + 20))
    if kind == "number":
        return schema.get("minimum", 0) + chance.random()
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "null":
        return None
    length = chance.randint(schema.get("minLength", 0), min(schema.get("maxLength", 9), schema.get("minLength", 0) + 9))
    return "".join(chance.choice("abz09-_ (<é") for _ in range(length))
