"""The runners there are, by name."""

from __future__ import annotations

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError
from rankscope.running.dask import Dask
from rankscope.running.dask_cluster import dask_package
from rankscope.running.home import Home
from rankscope.running.processes import Processes
from rankscope.running.runner import Runner
from rankscope.running.spark import Spark
from rankscope.running.spark_session import spark_package
from rankscope.wording import setting_usage, setting_value

ALL: tuple[type[Runner], ...] = (Home, Processes, Dask, Spark)
WAYS = "home, processes:N, dask://HOST:PORT, tls://HOST:PORT or spark"


def runner_of(on: str | Runner) -> Runner:
    """The runner that a text names; what cannot be there is refused before any work.

    >>> runner_of("home"), runner_of("processes:2")
    (Home(), Processes(count=2, patience=0.0))
    >>> runner_of("cluster")
    Traceback (most recent call last):
    rankscope.errors.SettingError: on='cluster': must be home, processes:N, dask://HOST:PORT, tls://HOST:PORT or spark
    """
    if isinstance(on, Runner):
        return on
    name, _, rest = str(on).partition(":")
    if name == Processes.name:
        return _processes(rest, str(on))
    if name in (Dask.name, "tls"):
        dask_package("distributed")
        return Dask(str(on))
    if on == Spark.name:
        spark_package("pyspark")
        return Spark()
    if on == Home.name:
        return Home()
    raise SettingError(_no_runner(str(on), name))


def _processes(count: str, on: str) -> Processes:
    if count and not count.isdecimal():
        raise SettingError(f"{setting_value('on', on)}: must name a whole number of processes, as processes:4")
    return Processes(int(count) if count else None)


def _no_runner(on: str, name: str) -> str:
    """What to write instead; an address, which may hold a password, is not repeated."""
    asked = setting_usage("on") if "//" in on else setting_value("on", on)
    return f"{asked}: must be {WAYS}{did_you_mean(name, [each.name for each in ALL])}".removesuffix(".")
