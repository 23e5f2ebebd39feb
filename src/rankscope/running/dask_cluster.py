"""A Dask cluster that somebody else has started: reached, and asked whether it computes what we would."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from rankscope.errors import RunnerError
from rankscope.extras import import_extra
from rankscope.running.elsewhere import COMPARED, differences, refuse_other_version, versions_here
from rankscope.running.notices import point_out

ADDRESS = re.compile(r"(?:dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+):(?P<port>\d{1,5})", re.ASCII)
PATIENCE = 30  # seconds until the scheduler must answer, and until the first worker must be there
KEPT = "Parts that are finished are kept where there is an output file: the same command continues"
# Asked as a text, which any Python can answer: one without rankscope, or with another version of it, could not load
# a function of ours.
QUESTION = (
    "{name: __import__(name).__version__ if __import__('importlib.util').util.find_spec(name) else None"
    f" for name in {COMPARED}}}"
)


def dask_package(module: str) -> Any:
    """A module of Dask, or of what comes with it."""
    return import_extra(module, "dask", "distributed")


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the scheduler, whose workers are of our version."""
    point_out_open(address)
    try:
        client = dask_package("distributed").Client(_url(address), timeout=PATIENCE, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise RunnerError(f"{address} cannot be reached: {_first_line(error)}. {_advice(address)}") from None
    try:
        _compare_versions(client, address)
        yield client
    except (CancelledError, dask_package("distributed.comm").CommClosedError):
        raise RunnerError(f"{address} was lost before the work was done. {KEPT}") from None
    finally:
        client.close(timeout=PATIENCE)


def _url(address: str) -> str:
    return re.sub("^dask:", "tcp:", address)


def _advice(address: str) -> str:
    if address.startswith("tls:"):
        return "Does it use TLS, and do Dask's settings (distributed.comm.tls) name the certificates?"
    return "Is the scheduler running (dask scheduler), and is this its address?"


def point_out_open(address: str) -> None:
    """Say it where a scheduler without certificates can be reached from elsewhere."""
    found = ADDRESS.fullmatch(address)
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
    for where, there in _answers(client, address).items():
        refuse_other_version(where, there["rankscope"], here["rankscope"])
        other = differences(there, here)
        if other:
            point_out(f"{where} has {', '.join(other)}: the last digits of a result may differ")


def _answers(client: Any, address: str) -> dict[str, Mapping[str, str | None]]:
    """The versions of the scheduler and of each worker that is there now."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise RunnerError(f"{address} has no workers. Start one: dask worker {_url(address)}") from None
    scheduler = client.run_on_scheduler(eval, QUESTION)
    workers = client.run(eval, QUESTION)
    return {f"the scheduler at {address}": scheduler} | {f"the worker at {at}": each for at, each in workers.items()}


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0].rstrip(".")
