"""What is done when it is first asked for: packages that take long to load, and values that take long to compute."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any


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
