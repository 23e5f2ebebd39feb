"""What is loaded, compiled, computed or made when it is first asked for; packages that may be absent or of no use."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rankscope.core.errors import ForkError, MissingExtra

# What is done when it is first asked for: packages that take long to load, and values that take long to compute.


class LazyValue:
    """Stands for a value until something of it is used; whoever makes one says of which type it is.

    >>> letters: re.Pattern[str] = LazyValue(lambda: re.compile("[a-z]+"))
    >>> letters.fullmatch("abc")[0]
    'abc'
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.__make = make

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self.__make(), attribute)
        setattr(self, attribute, found)  # found at once from now on
        return found


class LazyModule(LazyValue):
    """Stands for a package until it is needed; for a checker of types it is the package itself.

        if TYPE_CHECKING:
            import statistics
        else:
            statistics = LazyModule("statistics")

    >>> LazyModule("statistics").mean([1, 2])
    1.5
    """

    def __init__(self, name: str) -> None:
        super().__init__(lambda: import_module(name))


def lazy_pattern(pattern: str | bytes, flags: int = 0) -> Any:
    """A pattern that is compiled when it is first used: most are not, and compiling takes longer than using.

    >>> lazy_pattern("b+").sub("-", "abba")
    'a-a'
    """
    return LazyValue(lambda: re.compile(pattern, flags))


if TYPE_CHECKING:
    from functools import cached_property

    once = cached_property
else:

    class once:
        """A property that is computed once; as that of functools, without the lock that it takes before Python 3.12.

        >>> class Circle:
        ...     @once
        ...     def area(self):
        ...         print("computed")
        ...         return 3.14
        >>> circle = Circle()
        >>> circle.area, circle.area
        computed
        (3.14, 3.14)
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value


# Packages of the extras, imported when they are needed, with a clear word when they are absent.

EXTRA_PACKAGES = {  # modules that work may need together: what pip calls them, and their extra
    "starlette": ("starlette", "web"),
    "uvicorn": ("uvicorn", "web"),
    "python_multipart": ("python-multipart", "web"),
    "PIL": ("pillow", "images"),
    "cv2": ("opencv-python-headless", "images"),
    "onnxruntime": ("onnxruntime", "onnx"),
    "torch": ("torch", "gpu"),
    "sklearn": ("scikit-learn", "feedback"),
    "psycopg": ("psycopg", "team"),
}
WEB_MODULES = ("starlette", "uvicorn", "python_multipart")


def need_extras(*modules: str) -> None:
    """Nothing where all these modules are installed; else one `MissingExtra` that names everything to install."""
    absent = [EXTRA_PACKAGES[each] for each in dict.fromkeys(modules) if not _is_installed(each)]
    if absent:
        extras = dict.fromkeys(extra for _, extra in absent)
        raise MissingExtra(", ".join(package for package, _ in absent), ",".join(extras))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # it is loaded, by something that gave it no origin
        return True


def import_extra(module: str, package: str, extra: str) -> Any:
    """A module, or `MissingExtra` naming what to install.

    >>> import_extra("no_such_module", "a-package", "images")
    Traceback (most recent call last):
    rankscope.core.errors.MissingExtra: a-package is not installed. Install it with: pip install 'rankscope[images]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(package, extra) from None


# A forked process has none of polars' threads, but waits for them: that is said where it would hang for ever.
# `os.fork`, and with it `multiprocessing` where it forks (its habit on Linux before Python 3.14), copies one thread
# only.

TASKS = Path("/proc/self/task")


class _ForkState:
    """What is known of this process: whether its parent ran polars when it was forked."""

    used = False  # by us, where threads have no names to look at
    running = False  # just before a fork
    forked = False


def check_fork() -> None:
    """Raise `ForkError` in a process that was forked from one in which polars had run; to be asked before polars is."""
    if _ForkState.forked:
        advice = "Start processes by spawn or forkserver: multiprocessing.get_context('spawn')."
        raise ForkError(f"polars ran before this process was forked, and would wait for ever here. {advice}")
    _ForkState.used = True


def _look_before_fork() -> None:
    """Whether one of polars' threads is there; where the system does not name threads, whether we have used it."""
    try:
        _ForkState.running = "polars" in sys.modules and any(
            each.joinpath("comm").read_text().startswith("polars-") for each in TASKS.iterdir()
        )
    except OSError:
        _ForkState.running = _ForkState.used


def _mark_after_fork() -> None:
    _ForkState.forked = _ForkState.forked or _ForkState.running


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_look_before_fork, after_in_child=_mark_after_fork)


# Things that were made already, the last ones used, as many as the room allows.

T = TypeVar("T")


class Recent(Generic[T]):
    """Makes each thing once, for as long as there is room for it; what was not asked for longest goes first.

    `size` is the room that a thing takes, in bytes. Threads may share one. A copy in another process begins empty.
    >>> pictures = Recent[bytes](room=10, size=len)
    >>> [pictures.get(key, lambda: b"12345") for key in "abc"][0], list(pictures.kept)
    (b'12345', ['b', 'c'])
    """

    def __init__(self, room: int, size: Callable[[T], int]) -> None:
        self.room, self.size, self.taken = room, size, 0
        self.kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.room, self.size)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What belongs to a key."""
        with self._lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = make()
        with self._lock:
            if key not in self.kept:
                self.kept[key] = made
                self.taken += self.size(made)
            while self.taken > self.room and self.kept:
                self.taken -= self.size(self.kept.popitem(last=False)[1])
        return made
