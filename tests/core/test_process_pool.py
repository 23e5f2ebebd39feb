"""Processes that help another one end when it ends, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from rankscope.core.processes import process_pool
from tests.clusters import wait_until

CODE = """
import time
from rankscope.core.processes import process_pool

if __name__ == "__main__":
    with process_pool(2) as pool:
        started = [pool.submit(time.sleep, 0.5) for _ in range(2)]
        assert all(each.result() is None for each in started)
        print("started", flush=True)
        pool.submit(time.sleep, 600).result()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_one_it_helps(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "helped.py"
    script.write_text(CODE)
    running = subprocess.Popen([sys.executable, str(script)], start_new_session=True, stdout=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"started\n"
    members = group(running.pid)
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == -number
    wait_until(partial(no_group, running.pid))
    assert len(members) > 2


def no_group(leader: int) -> bool:
    """Whether no process of a session is left."""
    return not group(leader)


def group(leader: int) -> list[int]:
    """Processes of a session."""
    found = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(leader)], capture_output=True, text=True, check=False)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if not line.split()[1].startswith("Z")]


def test_a_signal_waits_until_a_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was started by half would be known to nobody, and complain that what it reads was cut off."""
    said: list[str] = []

    def submit(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)
        said.append("started")

    before = signal.signal(signal.SIGTERM, lambda number, _: said.append(signal.Signals(number).name))
    try:
        with process_pool(1) as pool:
            monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
            pool.submit(time.sleep, 0)
            assert said == ["started", "SIGTERM"]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_command_that_is_ended_while_it_starts_processes_says_nothing(tmp_path: Path) -> None:
    script = tmp_path / "helped.py"
    script.write_text(
        f"from rankscope.commands.line.exits import respect_signals as heed_signals\nheed_signals()\n{CODE}"
    )
    for trial in range(12):
        running = subprocess.Popen([sys.executable, str(script)], start_new_session=True, stderr=subprocess.PIPE)
        time.sleep(0.2 + 0.1 * trial)
        running.send_signal(signal.SIGTERM)
        complaints = running.communicate(timeout=60)[1].decode()
        assert "pickl" not in complaints
        assert "spawn" not in complaints
        wait_until(partial(no_group, running.pid))
