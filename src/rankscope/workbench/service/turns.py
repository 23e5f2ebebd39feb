"""Searches take turns: a few run at once, some wait, and who would wait too long is asked to come again."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rankscope.engines.text.matching.time_limit import time_limit
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.refusals import Refusal

Found = TypeVar("Found")


class Turns:
    """Runs work in threads, at most so much at once as the limits say; each has a limit of time of its own."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits, self.waiting = limits, 0
        self._free = asyncio.Semaphore(limits.running)
        self._threads = ThreadPoolExecutor(limits.running, thread_name_prefix="search")

    async def run(self, work: Callable[[], Found]) -> Found:
        """What a piece of work gives, when it is its turn."""
        await self._take_turn()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._timed, work)
        finally:
            self._free.release()

    def close(self) -> None:
        """Wait for what runs, and take nothing more."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _timed(self, work: Callable[[], Found]) -> Found:
        with time_limit(self.limits.seconds):
            return work()

    async def _take_turn(self) -> None:
        if self._free.locked() and self.waiting >= self.limits.waiting:
            raise self._busy()
        self.waiting += 1
        try:
            async with asyncio.timeout(self.limits.wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self.waiting -= 1

    def _busy(self) -> Refusal:
        after = math.ceil(self.limits.retry_seconds)
        words = f"too many searches at once: ask again in {after} second{'' if after == 1 else 's'}"
        return Refusal(503, words, headers={"retry-after": str(after)})
