"""The runners there are, by name: here, in processes, on the workers of a Dask cluster, and by Spark.

A part on a worker that others have started is worked on by the same version of rankscope, on one core, and its errors
come back whole.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import pickle
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from rankscope.core.caching import import_extra
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import RankscopeError, RunnerError, SettingError
from rankscope.core.names import visible
from rankscope.core.parts import Home, Runner
from rankscope.core.processes import Processes
from rankscope.core.threads import one_core_each, with_threads
from rankscope.core.wording import setting_usage, setting_value

P = TypeVar("P")
R = TypeVar("R")

RETRIES = 3  # of a part that failed by anything but an error of rankscope, which is the same every time
COMPARED_PACKAGES = ("rankscope", "polars", "numpy")


@dataclass(frozen=True)
class Failure:
    """What a part gives in place of a result: the error that it raised."""

    error: Exception


def outcome_of(version: str, work: Callable[[Any, P], R], shared: Any, part: P) -> R | Failure:
    """The result of a part; an error of rankscope as a `Failure`, which nobody tries again. Others are raised.

    >>> from operator import mul
    >>> outcome_of(versions_here()["rankscope"], mul, 10, 2)
    20
    >>> print(outcome_of("0.0", mul, 10, 2).error)  # doctest: +ELLIPSIS
    a worker has rankscope ..., but it is 0.0 here: install the same version everywhere
    """
    try:
        refuse_other_version("a worker", versions_here()["rankscope"], version)
        with one_core_each(), with_threads(1):
            return work(shared, part)
    except RankscopeError as error:
        return Failure(error)


def versions_here() -> dict[str, str]:
    """What decides that workers compute the same numbers."""
    return {name: str(import_module(name).__version__) for name in COMPARED_PACKAGES}


def refuse_other_version(where: str, there: str | None, here: str) -> None:
    """Raise where another rankscope, or none, would do the work."""
    if there is None:
        raise RunnerError(f"{where} has no rankscope: install rankscope {here} there")
    if there != here:
        raise RunnerError(f"{where} has rankscope {there}, but it is {here} here: install the same version everywhere")


def version_differences(there: Mapping[str, str | None], here: Mapping[str, str]) -> list[str]:
    """Packages whose version is another one there.

    >>> version_differences({"numpy": "2.1.0"}, {"numpy": "2.4.0", "polars": "1.30"})
    ['numpy 2.1.0 (here 2.4.0)', 'polars missing (here 1.30)']
    """
    return [
        f"{name} {there.get(name) or 'missing'} (here {own})" for name, own in here.items() if there.get(name) != own
    ]


# Parts worked on by a Dask cluster that is already running; workers may die, and the result is the same.


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
        if not DASK_ADDRESS.fullmatch(self.address):  # which is not repeated: it may hold a password
            raise SettingError(f"{setting_usage('on')}: Dask is named as dask://HOST:PORT or tls://HOST:PORT")

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """As each part is done, by whichever worker."""
        if not parts:
            return
        with connect_dask(self.address) as client:
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
            raise RunnerError(f"{lost} {error.last_worker.address}. {advice} {KEPT_ADVICE}") from None
        if isinstance(outcome, Failure):
            raise outcome.error
        return outcome


def _submit(
    client: Any, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]
) -> tuple[dict[str, list[P]], Iterator[Any]]:
    """The parts that wait for each key, and the futures as they are done; a result is kept nowhere else."""
    waiting: dict[str, list[P]] = {}
    futures = {}
    cloudpickle = dask_package("cloudpickle")

    def digest(content: bytes) -> str:
        return hashlib.sha256(content).hexdigest()[:32]

    with dask_package("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        packed = cloudpickle.dumps(shared)
        common = client.submit(cloudpickle.loads, packed, key=f"rankscope-shared-{digest(packed)}", retries=RETRIES)
        version, name = versions_here()["rankscope"], f"{work.__module__}.{work.__qualname__}"
        for part in parts:
            packed = cloudpickle.dumps(part)  # Dask would look for futures in it
            what = f"{version} {name} {common.key} {getattr(part, 'digest', None) or digest(packed)}"
            key = f"{work.__name__}-{digest(what.encode())}"
            future = client.submit(_outcome_of_packed, version, work, common, packed, key=key, retries=RETRIES)
            futures[future.key] = future
            waiting.setdefault(future.key, []).append(part)
    return waiting, dask_package("distributed").as_completed(futures.values(), loop=client.loop)


def _outcome_of_packed(version: str, work: Callable[[Any, Any], R], shared: Any, packed: bytes) -> R | Failure:
    from cloudpickle import loads

    return outcome_of(version, work, shared, loads(packed))


# A Dask cluster that somebody else has started: reached, and asked whether it computes what we would.

DASK_ADDRESS = re.compile(r"(?:dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+):(?P<port>\d{1,5})", re.ASCII)
DASK_PATIENCE = 30  # seconds until the scheduler must answer, and until the first worker must be there
KEPT_ADVICE = "Parts that are finished are kept where there is an output file: the same command continues"
# Asked as a text, which any Python can answer: one without rankscope, or with another version of it, could not load
# a function of ours.
VERSIONS_QUESTION = (
    "{name: __import__(name).__version__ if __import__('importlib.util').util.find_spec(name) else None"
    f" for name in {COMPARED_PACKAGES}}}"
)


def dask_package(module: str) -> Any:
    """A module of Dask, or of what comes with it."""
    return import_extra(module, "dask", "distributed")


@contextmanager
def connect_dask(address: str) -> Iterator[Any]:
    """A client of the scheduler, whose workers are of our version."""
    point_out_open_scheduler(address)
    try:
        client = dask_package("distributed").Client(_dask_url(address), timeout=DASK_PATIENCE, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        advice = "Is the scheduler running (dask scheduler), and is this its address?"
        if address.startswith("tls:"):
            advice = "Does it use TLS, and do Dask's settings (distributed.comm.tls) name the certificates?"
        raise RunnerError(f"{address} cannot be reached: {first_line(error)}. {advice}") from None
    try:
        _compare_versions(client, address)
        yield client
    except (CancelledError, dask_package("distributed.comm").CommClosedError):
        raise RunnerError(f"{address} was lost before the work was done. {KEPT_ADVICE}") from None
    finally:
        client.close(timeout=DASK_PATIENCE)


def _dask_url(address: str) -> str:
    return re.sub("^dask:", "tcp:", address)


def point_out_open_scheduler(address: str) -> None:
    """Say it where a scheduler without certificates can be reached from elsewhere."""
    found = DASK_ADDRESS.fullmatch(address)
    if found and address.startswith("dask:") and not is_loopback(found["host"].strip("[]")):
        point_out(
            f"{address} is open: whoever reaches it can run programs on its workers. "
            "Use tls://HOST:PORT where others share the network"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("10.0.0.7")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _compare_versions(client: Any, address: str) -> None:
    """Refuse another rankscope anywhere, and name other packages that may change the last digits."""
    here = versions_here()
    try:
        client.wait_for_workers(1, timeout=DASK_PATIENCE)
    except TimeoutError:
        raise RunnerError(f"{address} has no workers. Start one: dask worker {_dask_url(address)}") from None
    found = {f"the scheduler at {address}": client.run_on_scheduler(eval, VERSIONS_QUESTION)}
    found |= {f"the worker at {at}": each for at, each in client.run(eval, VERSIONS_QUESTION).items()}
    for where, there in found.items():
        refuse_other_version(where, there["rankscope"], here["rankscope"])
        other = version_differences(there, here)
        if other:
            point_out(f"{where} has {', '.join(other)}: the last digits of a result may differ")


# What whoever runs work elsewhere should know, said once on standard error.


@cache
def point_out(line: str) -> None:
    """Print the line, marked as a warning, unless this process has done so before."""
    print(visible(f"! {line}"), file=sys.stderr)


# Parts worked on by Spark: in the session that spark-submit gave, or in one on this machine.

Rows = Callable[[Iterator[Any]], Iterator[Any]]

SPARK_JOBS = 32  # at once
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
            packed, version = _pack(shared), versions_here()["rankscope"]
            digest, common = hashlib.sha256(packed).hexdigest(), session.sparkContext.broadcast(packed)
            task, left = partial(_work_on_rows, version, _pack(work), digest, common), parts
            for tries in range(RETRIES + 1):
                failed: list[P] = []
                for part, outcome in _spark_outcomes(session, task, left):
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
    return max(1, -(-2 * min(parts, slots) // SPARK_JOBS))


def _spark_outcomes(session: Any, task: Rows, parts: Sequence[P]) -> Iterator[tuple[P, Any]]:
    """Each part with its result or failure, from several jobs at once."""
    grows = session.conf.get("spark.dynamicAllocation.enabled", "false") == "true"  # by machines for what waits
    size = job_size(len(parts), len(parts) if grows else session.sparkContext.defaultParallelism)
    with ThreadPoolExecutor(SPARK_JOBS) as pool, _job_group(session, pool) as group:
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
    """What a job gave; where Spark gave it up, the line that says why: the last one of a trace of Python, if any."""
    kinds = (spark_package("pyspark.errors").PySparkException, spark_package("py4j.protocol").Py4JError)
    try:
        return [pickle.loads(each) for each in job.result()]
    except kinds as error:
        lines = [line for line in str(error).splitlines() if "Error: " in line and not line.startswith((" ", "\t"))]
        raise RunnerError(f"Spark gave up: {lines[-1] if lines else first_line(error)}") from None


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
        try:
            packed = _pack(Failure(error))
            pickle.loads(packed)
        except Exception:  # the error cannot travel: what it says
            return _pack(Failure(RuntimeError(f"{type(error).__name__}: {error}")))
        return packed


RUNNERS: tuple[type[Runner], ...] = (Home, Processes, Dask, Spark)
RUNNER_FORMS = "home, processes:N, dask://HOST:PORT, tls://HOST:PORT or spark"


def runner_of(on: str | Runner) -> Runner:
    """The runner that a text names; what cannot be there is refused before any work.

    >>> runner_of("home"), runner_of("processes:2")
    (Home(), Processes(count=2, patience=0.0))
    >>> runner_of("cluster")
    Traceback (most recent call last):
    rankscope.core.errors.SettingError: on='cluster': must be home, processes:N, dask://HOST:PORT, tls://HOST:PORT \
or spark
    """
    if isinstance(on, Runner):
        return on
    name, _, count = str(on).partition(":")
    if name == Processes.name:
        if count and not count.isdecimal():
            raise SettingError(f"{setting_value('on', on)}: must name a whole number of processes, as processes:4")
        return Processes(int(count) if count else None)
    if name in (Dask.name, "tls"):
        dask_package("distributed")
        return Dask(str(on))
    if on == Spark.name:
        spark_package("pyspark")
        return Spark()
    if on == Home.name:
        return Home()
    # an address may hold a password, and is not repeated
    asked = setting_usage("on") if "//" in str(on) else setting_value("on", str(on))
    meant = did_you_mean(name, [each.name for each in RUNNERS]).removesuffix(".")
    raise SettingError(f"{asked}: must be {RUNNER_FORMS}{meant}")


# The Spark session that work runs in: the one that is there, or one on this machine that ends with the work.

SPARK_SUBMITTED = "PYSPARK_GATEWAY_PORT"  # what spark-submit sets for the program it starts
QUIET_SPARK = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def spark_package(module: str) -> Any:
    """A module of pyspark, or of what comes with it."""
    return import_extra(module, "pyspark", "spark")


@contextmanager
def spark_session() -> Iterator[Any]:
    """The session that is there, which stays; else a new one, which is stopped at the end."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    there = spark_package("pyspark").SparkContext._active_spark_context is not None
    builder = spark_package("pyspark.sql").SparkSession.builder.appName("rankscope")
    # as spark-submit was told; without it as Spark's settings say, by default with all cores of this machine
    for name, value in ({} if there or SPARK_SUBMITTED in os.environ else QUIET_SPARK).items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # of Java, of the network or of a setting: Spark has no one kind for it
        raise RunnerError(f"Spark does not start: {first_line(error)}. Is Java 17 or later installed?") from None
    try:
        try:
            session.sparkContext  # noqa: B018  (Spark Connect has none)
        except Exception:
            raise RunnerError(
                "a Spark Connect session cannot be used: start the work with spark-submit, or without a session"
            ) from None
        yield session
    finally:
        if not there:
            session.stop()


def first_line(error: Exception) -> str:
    """The beginning of what a library says, which may be pages long.

    >>> first_line(OSError())
    'OSError'
    """
    return (str(error) or type(error).__name__).strip().partition("\n")[0].rstrip(".")
