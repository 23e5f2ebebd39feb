"""What `import rankscope` offers, and what it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import rankscope


@pytest.mark.parametrize("name", rankscope.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(rankscope, name) is not None
    assert name in dir(rankscope)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        rankscope.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_stays_light() -> None:
    code = "import sys, rankscope; assert not {'numpy', 'polars', 'scipy', 'click'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_five_lines_do_it() -> None:
    scores = rankscope.evaluate({1: {10: 1}}, {1: {10: 0.9, 11: 0.1}}, ["AP", "nDCG@10"])
    assert scores["AP"] == 1.0
    assert scores.to_polars().height == 2


def public_names() -> Iterator[tuple[str, object]]:
    """What the packages offer by their stubs, and what the classes among it offer."""
    for stub in sorted(Path(rankscope.__file__).parent.rglob("*.pyi")):
        package = import_module(
            ".".join(["rankscope", *stub.parent.relative_to(Path(rankscope.__file__).parent).parts])
        )
        for name in package.__all__:
            offered = getattr(package, name)
            if inspect.isclass(offered) or inspect.isfunction(offered):
                yield f"{package.__name__}.{name}", offered
            if inspect.isclass(offered) and offered.__module__.startswith("rankscope."):
                for key, value in vars(offered).items():
                    function = getattr(value, "__func__", getattr(value, "fget", value))
                    if not key.startswith("_") and inspect.isfunction(function):
                        yield f"{package.__name__}.{name}.{key}", value if isinstance(value, property) else function


def test_every_public_name_is_documented() -> None:
    names = dict(public_names())
    assert len(names) > 500
    lacking = [
        name
        for name, offered in names.items()
        if not inspect.getdoc(offered)
        and not inspect.getdoc(getattr(names.get(name.rpartition(".")[0]), name.rpartition(".")[2], None))
    ]  # a method may be documented by the class that it comes from
    assert lacking == []
