"""Names of a package, listed in its stub, that load when they are used; nothing here takes time to import."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any


def attach_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose names, listed in its stub, load when they are used.

    The stub has one line a name, `from .module import name as name`; a package in place of a name is `from . import`,
    and not in `__all__`. It is read without a parser of Python, which takes longer to load than all else that `import
    rankscope` does.
    """
    with open(file.removesuffix("py") + "pyi", encoding="utf-8") as stub:
        lines = re.findall(r"^from \.([\w.]*) import (\w+) as \w+$", stub.read(), re.MULTILINE)
    places = {name: module for module, name in lines}

    def find_name(name: str) -> Any:
        if name not in places:
            from rankscope.core.catalogue import did_you_mean

            raise AttributeError(f"module '{package}' has no attribute '{name}'{did_you_mean(name, places)}")
        if places[name]:
            return getattr(import_module(f"{package}.{places[name]}"), name)
        return import_module(f"{package}.{name}")

    return find_name, lambda: sorted(places), sorted(name for name, module in places.items() if module)
