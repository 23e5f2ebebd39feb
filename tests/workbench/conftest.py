"""One private PostgreSQL for all tests that ask for it, and a service of small indexes that the real clients ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rankscope.engines.text import Index
from tests.needs import needed_module
from tests.postgres import Cluster, private_cluster
from tests.workbench.projects import small_index

MORE = [{"id": f"m{number}", "body": f"fox {'river ' * number} tail"} for number in range(5)]


@pytest.fixture(scope="session")
def running_cluster() -> Iterator[Cluster]:
    with private_cluster() as found:
        yield found


@pytest.fixture
def cluster(running_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The server, with its password in the environment."""
    monkeypatch.setenv("PGPASSWORD", running_cluster.password)
    return running_cluster


@pytest.fixture(scope="session")
def indexes() -> dict[str, Index]:
    """Two indexes that can be searched as one, and one that is analysed in another language."""
    return {
        "docs": small_index(),
        "more": Index.build(MORE),
        "german": Index.build([{"id": "g1", "body": "Die Füchse schlafen"}], analyser="german"),
    }


@pytest.fixture(scope="session")
def address(indexes: dict[str, Index]) -> Iterator[str]:
    """Where a service answers."""
    needed_module("uvicorn", "web")
    from rankscope.workbench.service import running, search_application

    with running(search_application(indexes)) as found:
        yield found
