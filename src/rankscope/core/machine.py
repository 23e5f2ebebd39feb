"""What this machine gives: how much memory there is to work in, and threads of the libraries behind numpy."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from rankscope.core.errors import SettingError
from rankscope.core.wording import setting_usage

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST_MEMORY = 32 << 20
DEFAULT_MEMORY = 4 << 30  # where the system does not tell
CONTROL_GROUPS = Path("/sys/fs/cgroup")


def memory_size(text: str | int) -> int:
    """Bytes from `2GB`, `500 MB`, `1.5g` or a plain number.

    >>> memory_size("2GB"), memory_size("500 mb")
    (2147483648, 524288000)
    """
    memory = setting_usage("memory")
    plain = str(text).strip().upper().removesuffix("B").removesuffix("I").strip()
    number, unit = (plain[:-1], plain[-1]) if plain and plain[-1] in UNITS else (plain, "")
    try:
        size = int(float(number) * UNITS[unit])
    except (ValueError, OverflowError):
        raise SettingError(f"{memory} must be a size as 2GB or 500MB, got '{text}'") from None
    if size < LEAST_MEMORY:
        raise SettingError(f"{memory} must be at least 32MB, got '{text}'")
    return size


def memory_of(text: str | int | None) -> int:
    """The size asked for, or half of what is free; rounded down to a power of two, so that stopped work continues.

    >>> memory_of("1GB"), memory_of(None) >= LEAST_MEMORY
    (1073741824, True)
    """
    if text is not None:
        return memory_size(text)
    return max(LEAST_MEMORY, 1 << ((free_memory() // 2).bit_length() - 1))


def free_memory() -> int:
    """Bytes that this process can still have: of the machine, of its control group, and within its own limit."""
    return min(filter(None, (_of_machine(), _of_group(), _within_limit())), default=DEFAULT_MEMORY)


def _of_machine() -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return 0


def _of_group() -> int:
    with suppress(OSError, ValueError):
        most = (CONTROL_GROUPS / "memory.max").read_text(encoding="ascii").strip()
        used = int((CONTROL_GROUPS / "memory.current").read_text(encoding="ascii"))
        return max(LEAST_MEMORY, int(most) - used)
    return 0


def _within_limit() -> int:
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        return 0 if limit == resource.RLIM_INFINITY else limit
    return 0


def memory_text(size: float) -> str:
    """A number of bytes as people read it.

    >>> memory_text(1 << 30), memory_text(2.5e8)
    ('1 GB', '238 MB')
    """
    unit = next((unit for unit in ("T", "G", "M", "K") if size >= UNITS[unit]), "")
    number = size / UNITS[unit]
    return f"{number:.3g} {unit}B".replace(" B", " bytes")


# Small matrix products on one core: others that wait for the next product are busy meanwhile, and gain nothing.

THREADS_OF_PRODUCTS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def products_on_one_core() -> None:
    """Matrix products use one core from here on, where numpy is not loaded yet; what the user has set stays.

    For commands whose products are small: with two cores a report takes 60 % more processor time, and no less of the
    user's.
    """
    limit_threads(1, *THREADS_OF_PRODUCTS)


# How many threads the libraries behind numpy make, which they decide when they are loaded.

THREADS_OF_MATRICES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
THREADS_OF_TABLES = ("POLARS_MAX_THREADS",)


def limit_threads(count: int, *names: str) -> None:
    """Let them make so many, unless the environment says another number, or numpy is loaded already.

    Starting threads that have nothing to do takes a third of the processor time of a small evaluation.
    """
    if "numpy" not in sys.modules:
        for name in names or THREADS_OF_MATRICES:
            os.environ.setdefault(name, str(count))
