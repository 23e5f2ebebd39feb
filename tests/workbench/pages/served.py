"""A small project that is served to a client in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.needs import needed_module
from tests.workbench.asgi_client import HOME, AsgiClient, client_of
from tests.workbench.projects import small_project

needed_module("uvicorn", "web")
from rankscope.workbench.pages import Reach, Workbench, workbench_application  # noqa: E402
from rankscope.workbench.project import Project  # noqa: E402
from rankscope.workbench.service.application import Proxies  # noqa: E402

__all__ = [
    "JSON",
    "OURS",
    "Project",
    "Proxies",
    "Reach",
    "Served",
    "Workbench",
    "served_project",
    "workbench_application",
]
JSON = {"accept": "application/json"}
OURS = {"origin": HOME}


@dataclass
class Served:
    """A project, what its pages share, and a client that nobody is signed in at."""

    project: Project
    bench: Workbench
    client: AsgiClient

    def sign_in(self, name: str = "owner", role: str = "judge") -> None:
        """As the owner by the link of the start, or as somebody who is invited."""
        token = self.bench.start_token if name == "owner" else self.project.invite(name, role).token
        self.client.client.cookies.clear()
        assert self.client.get(f"/enter/{token}").status_code == 303

    def json(self, address: str, **how: Any) -> Any:
        answer = self.client.get(address, headers=JSON, **how)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, address: str, **fields: Any) -> Any:
        """A change as a page of ours sends it."""
        return self.client.post(address, json=fields, headers={**JSON, **OURS})


@contextmanager
def served_project(folder: Path, pool: str | None = "depth(3)", **settings: Any) -> Iterator[Served]:
    """Fourteen texts, two queries, and a pool of three runs."""
    reach = settings.pop("reach", Reach())
    with small_project(folder, **settings) as project:
        if pool:
            project.make_pool(pool)
        bench = Workbench(project, reach)
        with client_of(workbench_application(project, bench=bench)) as client:
            yield Served(project, bench, client)
