"""What belongs to an index and what to an engine over HTTP is not mixed."""

from __future__ import annotations

from typing import Any

import pytest

import rankscope
from rankscope.core.errors import SettingError

TEXTS = [{"id": "a", "body": "a quick fox"}, {"id": "b", "body": "a dog and a fox"}]


@pytest.mark.parametrize(
    ("given", "named"), [({"workers": 8}, "workers"), ({"restart": True, "seconds": 2}, "seconds")]
)
def test_what_an_engine_is_told_needs_one(given: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        rankscope.search(rankscope.index(TEXTS), "fox", **given)


def test_all_that_an_engine_does_not_take_is_named() -> None:
    given: dict[str, Any] = {"limit": 3, "similarity": "tfidf", "ties": "expected"}
    with pytest.raises(SettingError, match=r"limit.*similarity.*ties"):
        rankscope.search(engine="solr:http://localhost:1/solr/x", topics={"1": "x"}, **given)
