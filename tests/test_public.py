"""What `import rankscope` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

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
