"""The Spark session that work runs in: the one that is there, or one on this machine that ends with the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankscope.errors import RunnerError
from rankscope.extras import import_extra

SUBMITTED = "PYSPARK_GATEWAY_PORT"  # what spark-submit sets for the program it starts
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def spark_package(module: str) -> Any:
    """A module of pyspark, or of what comes with it."""
    return import_extra(module, "pyspark", "spark")


@contextmanager
def spark_session() -> Iterator[Any]:
    """The session that is there, which stays; else a new one, which is stopped at the end."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    there = spark_package("pyspark").SparkContext._active_spark_context is not None
    session = _session({} if there or SUBMITTED in os.environ else QUIET)
    try:
        _refuse_connect(session)
        yield session
    finally:
        if not there:
            session.stop()


def _session(settings: Mapping[str, str]) -> Any:
    """As spark-submit was told; without it, as Spark's settings say, by default with all cores of this machine."""
    builder = spark_package("pyspark.sql").SparkSession.builder.appName("rankscope")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # of Java, of the network or of a setting: Spark has no one kind for it
        raise RunnerError(f"Spark does not start: {first_line(error)}. Is Java 17 or later installed?") from None


def _refuse_connect(session: Any) -> None:
    try:
        session.sparkContext  # noqa: B018  (Spark Connect has none)
    except Exception:
        raise RunnerError(
            "a Spark Connect session cannot be used: start the work with spark-submit, or without a session"
        ) from None


def first_line(error: Exception) -> str:
    """The beginning of what Spark says, which may be pages long.

    >>> first_line(OSError())
    'OSError'
    """
    return (str(error) or type(error).__name__).strip().partition("\n")[0].rstrip(".")
