"""The runners there are, by name."""

from __future__ import annotations

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError
from rankscope.running.home import Home
from rankscope.running.processes import PATIENCE, Processes
from rankscope.running.runner import Runner
from rankscope.wording import setting_value

ALL: tuple[type[Runner], ...] = (Home, Processes)


def runner_of(text: str) -> Runner:
    """The runner that a text names: `home`, or `processes` and behind a colon how many.

    >>> runner_of("home"), runner_of("processes:2")
    (Home(), Processes(count=2, patience=0.0))
    """
    name, _, count = text.partition(":")
    known = {each.name: each for each in ALL}
    if name not in known or (name == Home.name and count):
        asked = setting_value("on", text)
        raise SettingError(f"{asked}: must be home or processes:N{did_you_mean(name, known)}".removesuffix("."))
    if name == Home.name:
        return Home()
    if count and not count.isdecimal():
        raise SettingError(f"{setting_value('on', text)}: must name a whole number of processes, as processes:4")
    return Processes(int(count) if count else None)


def runner_with(processes: int | None) -> Runner:
    """So many processes; None: as many as there are cores, once there is enough to do.

    >>> runner_with(1), runner_with(3).count
    (Home(), 3)
    """
    if processes is None:
        return Processes(patience=PATIENCE)
    return Home() if processes == 1 else Processes(processes)
