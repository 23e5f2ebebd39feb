"""One private PostgreSQL for all tests of the workbench that ask for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import Cluster, private_cluster


@pytest.fixture(scope="session")
def running_cluster() -> Iterator[Cluster]:
    with private_cluster() as found:
        yield found


@pytest.fixture
def cluster(running_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The server, with its password in the environment."""
    monkeypatch.setenv("PGPASSWORD", running_cluster.password)
    return running_cluster
