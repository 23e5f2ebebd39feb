"""Signing in and out: for good, and not in the place of somebody else without a word. What errors do not tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.workbench.project import Project
from rankscope.workbench.service.application import refusal_of
from rankscope.workbench.store.events import Refused, StoreError, Unavailable
from tests.browser.workbenches import ServerProcess
from tests.needs import needed_module
from tests.workbench.pages.served import JSON, OURS, Served, served_project
from tests.workbench.projects import small_project

httpx = needed_module("httpx", "gather")
ELSEWHERE = {"sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site"}
HERE = {"sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_project(tmp_path) as found:
        yield found


def cookie_of(served: Served) -> str:
    return str(served.client.client.cookies.get("rankscope-8384", ""))


def name_of(served: Served) -> str:
    return str(served.json("/me")["name"])


def test_a_session_that_was_ended_stays_so_when_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        token = project.invite("ann").token
        folder = project.folder
    server = ServerProcess(folder)
    try:
        with httpx.Client(base_url=server.address, timeout=30) as ann:
            assert ann.get(f"/enter/{token}").status_code == 303
            ended = dict(ann.cookies)
            ann.cookies.clear()
            assert ann.get(f"/enter/{token}").status_code == 303
            lasting = dict(ann.cookies)
        assert (
            httpx.post(f"{server.address}/leave", headers={"origin": server.address}, cookies=ended).status_code == 303
        )
        server.kill()
        server.start()
        told = [httpx.get(f"{server.address}/me", cookies=each).status_code for each in (ended, lasting)]
        assert told == [401, 200]
    finally:
        server.end()


def test_a_link_on_another_site_asks_before_it_takes_the_place_of_somebody(tmp_path: Path) -> None:
    """Cross-site the browser keeps our cookie back; the page that then comes leads here again, with it."""
    with small_project(tmp_path) as project:
        ann, eve = project.invite("ann").token, project.invite("eve").token
        folder = project.folder
    server = ServerProcess(folder)
    try:
        with httpx.Client(base_url=server.address, timeout=30) as client:
            assert client.get(f"/enter/{ann}").status_code == 303
            first = httpx.get(f"{server.address}/enter/{eve}", headers=ELSEWHERE)
            assert (first.status_code, first.headers.get("set-cookie")) == (200, None)
            assert f'<meta http-equiv="refresh" content="0;url=/enter/{eve}">' in first.text
            second = client.get(f"/enter/{eve}", headers=HERE)
            assert (second.status_code, second.headers.get("set-cookie")) == (200, None)
            assert "You are signed in as ann" in second.text
            assert client.get("/me", headers=JSON).json()["name"] == "ann"
            for headers in (
                {"origin": "http://localhost:1"},
                {"origin": "null"},
                {"origin": server.address, **ELSEWHERE},
            ):
                for asked in (client, httpx):  # with our cookie, and kept back as across sites
                    address = f"/enter/{eve}" if asked is client else f"{server.address}/enter/{eve}"
                    refused = asked.post(address, headers=headers)
                    assert (refused.status_code, refused.headers.get("set-cookie")) == (403, None)
            before = dict(client.cookies)
            assert client.post(f"/enter/{eve}", headers={"origin": server.address}).status_code == 303
            assert client.get("/me", headers=JSON).json()["name"] == "eve"
            assert httpx.get(f"{server.address}/me", cookies=before).status_code == 401
    finally:
        server.end()


def test_the_link_of_the_start_is_not_used_up_by_who_only_looks(served: Served) -> None:
    link = f"/enter/{served.bench.start_token}"
    assert served.client.request("HEAD", link).status_code == 204
    assert served.client.get(link, headers={"sec-purpose": "prefetch"}).status_code == 204
    assert served.client.get(link, headers=ELSEWHERE).status_code == 200
    picture = {"sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site"}
    assert served.client.get(link, headers=picture).status_code == 403
    assert cookie_of(served) == ""
    served.sign_in("ann")
    assert served.client.get(link, headers=HERE).status_code == 200
    assert served.client.get(link, headers=JSON).status_code == 409
    assert name_of(served) == "ann"
    assert served.client.post(link, headers=OURS).status_code == 303
    assert name_of(served) == "owner"
    served.client.client.cookies.clear()
    assert served.client.get(link).status_code == 401


def test_a_link_of_the_same_person_and_one_where_nobody_is_signed_in_let_in_at_once(served: Served) -> None:
    token = served.project.invite("ann").token
    for _ in range(2):
        assert served.client.get(f"/enter/{token}", headers=HERE).status_code == 303
        assert name_of(served) == "ann"


def test_a_page_of_another_site_signs_nobody_out(served: Served) -> None:
    """Across sites the cookie stays back, but the answer would take it away."""
    refused = served.client.post("/leave", headers={"origin": "http://evil.example", "sec-fetch-site": "cross-site"})
    assert (refused.status_code, refused.headers.get("set-cookie")) == (403, None)


def test_ends_of_sessions_are_kept_and_are_no_judgements(served: Served, tmp_path: Path) -> None:
    served.sign_in("ann")
    session = cookie_of(served).split(".")[2]
    assert served.client.post("/leave", headers=OURS).status_code == 303
    (event,) = served.project.state.events
    ann = served.project.assessor_named("ann")
    assert (event.kind, event.assessor, event.key) == ("leave", ann.id, session)
    assert served.project.progress().assessors[0].grades == 0
    assert list(served.project.state.history(ann.id)) == []
    with pytest.raises(Refused, match="is a sign-out"):
        served.project.undo(ann.id, event.id)
    served.project.export(tmp_path / "qrels.txt")
    assert json.loads((tmp_path / "qrels.txt.provenance.json").read_text())["assessors"] == []
    served.project.export_journal(tmp_path / "journal.jsonl")
    assert served.client.post("/leave", headers=OURS).status_code == 303  # nobody is there: nothing is written
    assert served.project.state.last == 1
    with Project.open(served.project.folder, readonly=True) as again:
        assert again.state.ended == {session}


def test_a_sign_out_that_cannot_be_kept_is_told(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    served.sign_in("ann")

    def away(events: Any) -> None:
        raise Unavailable("no")

    monkeypatch.setattr(served.project.writer.journal, "append", away)
    cookie = cookie_of(served)
    assert served.client.post("/leave", headers=OURS).status_code == 503
    assert served.client.get("/", headers={"cookie": f"rankscope-8384={cookie}"}).status_code == 401


def test_a_full_disk_is_told_without_where_it_is(served: Served, capfd: Any) -> None:
    served.sign_in("ann")
    base = served.project.writer.journal.database._base  # type: ignore[attr-defined]
    ((pages,),) = base.execute("PRAGMA page_count").fetchall()
    base.execute(f"PRAGMA max_page_count = {pages}")
    task = served.json("/judge", params={"tab": "t"})["tasks"][0]["task"]
    mark = {"kind": "comment", "text": "long " * 390, "task": task}
    answers = [served.change("/judge/marks", **mark, key=f"k{number}") for number in range(30)]
    (full,) = {(each.status_code, each.json()["error"]) for each in answers if each.status_code != 204}
    assert full == (507, "nothing can be saved now: the disk of the service is full, or a limit of it is reached")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"! cannot write {served.project.folder / 'judgements.db'}: database or disk is full")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (StoreError("{folder}/judgements.db: no such table"), 503, "the judgements cannot be reached now"),
        (
            Unavailable("cannot reach postgresql://ann@db.example.org/x (schema rankscope_0)"),
            503,
            "cannot be reached now",
        ),
        (InputError.of("{folder}/pictures", ["has no picture 'cat/1.png' any more"]), 409, "pictures: 1 problem"),
        (SettingError("cannot write {folder}/x.parquet: no"), 400, "cannot write x.parquet: no"),
        (SettingError("a pool is drawn from runs, and {folder} names none"), 400, "and project names none"),
    ],
)
def test_no_error_of_a_page_names_a_place(
    served: Served, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, told: str
) -> None:
    folder = str(served.project.folder)
    placed = (
        error if not isinstance(error, SettingError | StoreError) else type(error)(str(error).format(folder=folder))
    )
    if isinstance(error, InputError):
        placed = InputError.of(f"{folder}/pictures", ["has no picture 'cat/1.png' any more"])

    def fails(**_: Any) -> None:
        raise placed

    served.sign_in()
    monkeypatch.setattr(served.project, "invite", lambda *_: fails())
    answer = served.change("/people", name="bob", role="judge")
    assert answer.status_code == status
    assert told in answer.json()["error"]
    assert folder not in answer.text
    assert "example.org" not in answer.text


def test_no_error_of_the_search_service_names_a_place(tmp_path: Path) -> None:
    """What is wrong with a file of an index, and what is wrong with a question, which may hold slashes."""
    damaged = refusal_of(InputError.of(str(tmp_path / "docs.index" / "terms.bin"), ["was damaged"]))
    assert (damaged.status, damaged.message) == (500, "terms.bin: 1 problem\n  was damaged")
    asked = refusal_of(SettingError("the query '/fox/ AND' ends too early"))
    assert (asked.status, asked.message) == (400, "the query '/fox/ AND' ends too early")
