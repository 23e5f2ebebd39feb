"""Parts worked on by Spark: in the session that spark-submit gave, or in one on this machine."""

from __future__ import annotations

import hashlib
import pickle
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

from rankscope.errors import RankscopeError, RunnerError
from rankscope.running.elsewhere import RETRIES, Failure, outcome_of, versions_here
from rankscope.running.runner import Runner
from rankscope.running.spark_session import first_line, spark_package, spark_session

P = TypeVar("P")
R = TypeVar("R")
Rows = Callable[[Iterator[Any]], Iterator[Any]]

JOBS = 32  # at once
_shared: dict[str, Any] = {}  # in a worker: what the parts of one piece of work have in common, by its digest


@dataclass(frozen=True)
class Spark(Runner):
    """The executors of a Spark session, which decides how many there are and where.

    Spark hands over the results of a job when all of it is done, so parts go in many small jobs.
    """

    name: ClassVar[str] = "spark"
    summary: ClassVar[str] = "the Spark session that spark-submit gave, or one on this machine"

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """As jobs are done. A part that failed is tried again, but not after an error of rankscope."""
        if not parts:
            return
        with spark_session() as session:
            task, left = _task(session, work, shared), parts
            for tries in range(RETRIES + 1):
                failed: list[P] = []
                for part, outcome in _outcomes(session, task, left):
                    if not isinstance(outcome, Failure):
                        yield part, outcome
                    elif tries == RETRIES or isinstance(outcome.error, RankscopeError):
                        raise outcome.error
                    else:
                        failed.append(part)
                left = failed
                if not left:
                    return


def job_size(parts: int, slots: int) -> int:
    """How many parts make a job, so that twice as many as there is room for are under way, or all of them.

    >>> job_size(1000, slots=2), job_size(1000, slots=16), job_size(1000, slots=100), job_size(10, slots=1600)
    (1, 1, 7, 1)
    """
    return max(1, -(-2 * min(parts, slots) // JOBS))


def _slots(session: Any, parts: int) -> int:
    """How many parts Spark can work on at once; all, where it gets more machines for what waits."""
    grows = session.conf.get("spark.dynamicAllocation.enabled", "false") == "true"
    return parts if grows else session.sparkContext.defaultParallelism


def _outcomes(session: Any, task: Rows, parts: Sequence[P]) -> Iterator[tuple[P, Any]]:
    """Each part with its result or failure, from several jobs at once."""
    size = job_size(len(parts), _slots(session, len(parts)))
    with ThreadPoolExecutor(JOBS) as pool, _job_group(session, pool) as group:
        jobs = {}
        for first in range(0, len(parts), size):
            some = parts[first : first + size]
            jobs[pool.submit(_run_job, session, group, task, some)] = some
        for done in as_completed(list(jobs)):
            yield from zip(jobs.pop(done), _results_of(done), strict=True)


@contextmanager
def _job_group(session: Any, pool: ThreadPoolExecutor) -> Iterator[str]:
    """A name for all jobs; they are cancelled where the block does not end well."""
    group = f"rankscope-{uuid.uuid4().hex}"
    try:
        yield group
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        session.sparkContext.cancelJobGroup(group)
        raise


def _run_job(session: Any, group: str, task: Rows, parts: Sequence[Any]) -> list[bytes]:
    """What the parts gave, in their order: each is one row and has a task of its own."""
    context = session.sparkContext
    context.setJobGroup(group, "rankscope", interruptOnCancel=True)
    rows = context.parallelize([(_pack(part),) for part in parts], len(parts))
    done = session.createDataFrame(rows, "part binary").mapInArrow(task, "outcome binary").collect()
    return [bytes(row.outcome) for row in done]


def _results_of(job: Future[list[bytes]]) -> list[Any]:
    kinds = (spark_package("pyspark.errors").PySparkException, spark_package("py4j.protocol").Py4JError)
    try:
        return [pickle.loads(each) for each in job.result()]
    except kinds as error:
        raise RunnerError(f"Spark gave up: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """The line that says why, which is the last one of a trace of Python where there is one."""
    lines = [line for line in str(error).splitlines() if "Error: " in line and not line.startswith((" ", "\t"))]
    return lines[-1] if lines else first_line(error)


def _task(session: Any, work: Callable[[Any, P], R], shared: Any) -> Rows:
    """What an executor does with rows of parts; `shared` goes to each executor once."""
    packed = _pack(shared)
    digest = hashlib.sha256(packed).hexdigest()
    return partial(
        _work_on_rows, versions_here()["rankscope"], _pack(work), digest, session.sparkContext.broadcast(packed)
    )


def _pack(value: object) -> bytes:
    packed: bytes = spark_package("pyspark.cloudpickle").dumps(value)
    return packed


def _work_on_rows(version: str, work: bytes, digest: str, shared: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """On an executor: batches of rows with a part each, to batches of rows with what it gave."""
    import pyarrow as pa

    for batch in batches:
        outcomes = [_packed_outcome(version, work, digest, shared, part) for part in batch["part"].to_pylist()]
        yield pa.RecordBatch.from_pydict({"outcome": pa.array(outcomes, pa.binary())})


def _packed_outcome(version: str, work: bytes, digest: str, shared: Any, part: bytes) -> bytes:
    try:
        if digest not in _shared:
            _shared.clear()
            _shared[digest] = pickle.loads(shared.value)
        return _pack(outcome_of(version, pickle.loads(work), _shared[digest], pickle.loads(part)))
    except Exception as error:
        error.add_note(f"On a worker of Spark:\n{traceback.format_exc()}")
        return _packed_failure(error)


def _packed_failure(error: Exception) -> bytes:
    """The error itself; where it cannot travel, what it says."""
    try:
        packed = _pack(Failure(error))
        pickle.loads(packed)
    except Exception:
        return _pack(Failure(RuntimeError(f"{type(error).__name__}: {error}")))
    return packed
