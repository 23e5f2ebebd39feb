"""One case: something to attempt, something to confirm its answer with, and the same as a command."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Trial:
    """`attempt` gives an answer or raises a RankscopeError; `confirm` raises AssertionError where it is wrong."""

    attempt: Callable[[], Any]
    confirm: Callable[[Any], None]
    command: tuple[str, ...] = ()  # arguments of rankscope that do the same
    agrees: bool = field(default=True)  # whether the command must end as the attempt does


Maker = Callable[[random.Random, Path], Trial]
