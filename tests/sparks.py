"""A Spark session on this machine with two cores, whose workers find the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from rankscope.core.runners import spark_session
from tests.clusters import ROOT
from tests.needs import needed_module, needed_program

HERE = "--conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1"


@contextmanager
def local_spark() -> Iterator[Any]:
    """The session, which ends with the block."""
    needed_module("pyspark", "spark")
    needed_program("java", advice="apt-get install default-jre-headless")
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    submitted = f"--master local[2] --driver-memory 512m {HERE} pyspark-shell"
    with patch.dict(os.environ, PYTHONPATH=paths, PYSPARK_SUBMIT_ARGS=submitted), spark_session() as session:
        assert session.sparkContext.master == "local[2]"
        yield session
