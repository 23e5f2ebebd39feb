"""How much memory there is to work in."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from rankscope.errors import SettingError
from rankscope.wording import setting_usage

SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LEAST = 32 << 20
USUAL = 4 << 30  # where the system does not tell
GROUPS = Path("/sys/fs/cgroup")


def memory_size(text: str | int) -> int:
    """Bytes from `2GB`, `500 MB`, `1.5g` or a plain number.

    >>> memory_size("2GB"), memory_size("500 mb")
    (2147483648, 524288000)
    """
    memory = setting_usage("memory")
    plain = str(text).strip().upper().removesuffix("B").removesuffix("I").strip()
    number, unit = (plain[:-1], plain[-1]) if plain and plain[-1] in SIZES else (plain, "")
    try:
        size = int(float(number) * SIZES[unit])
    except (ValueError, OverflowError):
        raise SettingError(f"{memory} must be a size as 2GB or 500MB, got '{text}'") from None
    if size < LEAST:
        raise SettingError(f"{memory} must be at least 32MB, got '{text}'")
    return size


def memory_of(text: str | int | None) -> int:
    """The size asked for, or half of what is free; rounded down to a power of two, so that stopped work continues.

    >>> memory_of("1GB"), memory_of(None) >= LEAST
    (1073741824, True)
    """
    if text is not None:
        return memory_size(text)
    return max(LEAST, 1 << ((free_memory() // 2).bit_length() - 1))


def free_memory() -> int:
    """Bytes that this process can still have: of the machine, of its control group, and within its own limit."""
    return min(filter(None, (_of_machine(), _of_group(), _within_limit())), default=USUAL)


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
        most = (GROUPS / "memory.max").read_text(encoding="ascii").strip()
        used = int((GROUPS / "memory.current").read_text(encoding="ascii"))
        return max(LEAST, int(most) - used)
    return 0


def _within_limit() -> int:
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        return 0 if limit == resource.RLIM_INFINITY else limit
    return 0


def in_words(size: float) -> str:
    """A number of bytes as people read it.

    >>> in_words(1 << 30), in_words(2.5e8)
    ('1 GB', '238 MB')
    """
    unit = next((unit for unit in ("T", "G", "M", "K") if size >= SIZES[unit]), "")
    number = size / SIZES[unit]
    return f"{number:.3g} {unit}B".replace(" B", " bytes")
