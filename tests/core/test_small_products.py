"""Which commands multiply matrices on one core, and that nothing is changed once numpy is there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rankscope.commands.line.main import COMMANDS, SMALL_PRODUCTS
from rankscope.core.machine import THREADS_OF_PRODUCTS, products_on_one_core

TOLD = (
    "import os; from rankscope.commands.line.main import cli; cli.get_command(None, {!r}); print(os.environ.get({!r}))"
)


def told(command: str, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in THREADS_OF_PRODUCTS}
    code = TOLD.format(command, THREADS_OF_PRODUCTS[0])
    done = subprocess.run([sys.executable, "-c", code], env=clean | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_commands_of_small_products_use_one_core_unless_told_otherwise() -> None:
    assert set(COMMANDS) > SMALL_PRODUCTS
    assert told("report") == "1"
    assert told("report", OPENBLAS_NUM_THREADS="3") == "3"
    assert told("rank") == "None"


def test_a_process_that_has_numpy_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREADS_OF_PRODUCTS:
        monkeypatch.delenv(name, raising=False)
    assert "numpy" in sys.modules or __import__("numpy")
    products_on_one_core()
    assert not set(THREADS_OF_PRODUCTS) & set(os.environ)
