"""When two runs are decided, judges are told so without which, and the page of the pool tells all."""

from __future__ import annotations

from pathlib import Path

from tests.workbench.asgi_client import client_of
from tests.workbench.pages.served import Served, Workbench, workbench_application
from tests.workbench.test_deciding import judge, make_project


def test_judges_see_that_it_is_decided_and_nothing_of_the_runs(tmp_path: Path) -> None:
    with make_project(tmp_path) as project:
        bench = Workbench(project)
        with client_of(workbench_application(project, bench=bench)) as client:
            served = Served(project, bench, client)
            served.sign_in("cat")
            before = served.json("/judge", params={"tab": "t"})
            assert (before["decided"], before["left"]) == (False, 120)
            project.release(project.assessor_named("cat").id)
            judge(project, 2)
            after = served.json("/judge", params={"tab": "t"})
            assert (after["decided"], after["tasks"], after["left"]) == (True, [], 0)
            page = client.get("/judge").text
            assert '<span id="decided">The comparison is decided.</span>' in page
            assert "new is better" not in page
            served.sign_in()
            assert served.json("/pool")["designs"][0]["decision"].startswith("decided: new is better; P@3 of new")
            assert "decided: new is better; P@3 of new minus old" in client.get("/pool").text
