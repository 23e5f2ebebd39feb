"""Parts worked on by a Dask cluster that is already running; workers may die, and the result is the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from rankscope.errors import RunnerError, SettingError
from rankscope.running.dask_cluster import ADDRESS, KEPT, connect, dask_package
from rankscope.running.elsewhere import RETRIES, Failure, outcome_of, versions_here
from rankscope.running.runner import Runner
from rankscope.wording import setting_usage

P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Dask(Runner):
    """The workers of a scheduler at `dask://HOST:PORT`, or `tls://HOST:PORT` with the certificates of Dask's settings.

    A part is known to the scheduler by its digest. `shared` is made there by a task, so that it is made again where the
    worker that held it dies; data that a client scatters would be lost (dask/distributed#3149).
    """

    name: ClassVar[str] = "dask"
    summary: ClassVar[str] = "the workers of a Dask cluster, as dask://HOST:PORT or tls://HOST:PORT"

    address: str

    def __post_init__(self) -> None:
        if not ADDRESS.fullmatch(self.address):  # which is not repeated: it may hold a password
            raise SettingError(f"{setting_usage('on')}: Dask is named as dask://HOST:PORT or tls://HOST:PORT")

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """As each part is done, by whichever worker."""
        if not parts:
            return
        with connect(self.address) as client:
            waiting, done = _submit(client, work, shared, parts)
            for future in done:
                result = self._result(future)
                for part in waiting[future.key]:
                    yield part, result

    def _result(self, future: Any) -> Any:
        """What the part gave; its own error where it failed."""
        killed = dask_package("distributed").KilledWorker
        try:
            outcome = future.result()
        except killed as error:
            lost = f"a part ended {error.allowed_failures + 1} workers of {self.address}, the last one at"
            advice = "Do they have memory enough?"
            raise RunnerError(f"{lost} {error.last_worker.address}. {advice} {KEPT}") from None
        if isinstance(outcome, Failure):
            raise outcome.error
        return outcome


def _submit(
    client: Any, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]
) -> tuple[dict[str, list[P]], Iterator[Any]]:
    """The parts that wait for each key, and the futures as they are done; a result is kept nowhere else."""
    waiting: dict[str, list[P]] = {}
    futures = {}
    with dask_package("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        common = _submit_shared(client, shared)
        for part in parts:
            future = _submit_part(client, work, common, part)
            futures[future.key] = future
            waiting.setdefault(future.key, []).append(part)
    return waiting, dask_package("distributed").as_completed(futures.values(), loop=client.loop)


def _submit_shared(client: Any, shared: Any) -> Any:
    cloudpickle = dask_package("cloudpickle")
    packed = cloudpickle.dumps(shared)
    key = f"rankscope-shared-{_digest(packed)}"
    return client.submit(cloudpickle.loads, packed, key=key, retries=RETRIES)


def _submit_part(client: Any, work: Callable[[Any, P], R], common: Any, part: P) -> Any:
    packed = dask_package("cloudpickle").dumps(part)  # Dask would look for futures in it
    version, name = versions_here()["rankscope"], f"{work.__module__}.{work.__qualname__}"
    digest = _digest(f"{version} {name} {common.key} {getattr(part, 'digest', None) or _digest(packed)}".encode())
    return client.submit(
        _outcome_of_packed, version, work, common, packed, key=f"{work.__name__}-{digest}", retries=RETRIES
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _outcome_of_packed(version: str, work: Callable[[Any, Any], R], shared: Any, packed: bytes) -> R | Failure:
    """On a worker."""
    from cloudpickle import loads

    return outcome_of(version, work, shared, loads(packed))
