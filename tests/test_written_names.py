"""Every name that people could write before names were read in one place still means what it meant.

`written_names.json` holds texts, and what each gave: names, aliases, other case, options by name and in order, the
names of trec_eval and of other peers, and regardless of the tests and the documentation write.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankscope.analysis.forecast.models import candidates
from rankscope.analysis.statistics.corrections import CORRECTIONS
from rankscope.analysis.statistics.named_tests import PAIR_TESTS
from rankscope.engines.images.contenders import contenders
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.nearest.metrics import metric_name, metric_named
from rankscope.feedback.methods import METHODS
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.users import USERS
from rankscope.inputs.collections.collection import COLLECTIONS
from rankscope.inputs.collections.sample import FEATURE_SPACES
from rankscope.inputs.formats.registry import FORMATS
from rankscope.measures.notation import parse_measure, parse_measures
from rankscope.reports import graphs
from rankscope.reports.output_formats import OUTPUT_FORMATS

GATHERED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "written_names.json").read_text("utf-8"))
READERS: dict[str, Callable[[str], Any]] = {
    "measures": parse_measure,
    "measures at rel 2": lambda text: parse_measure(text, 2),
    "measure lists": parse_measures,
    "descriptors": DESCRIPTORS.parse,
    "descriptor lists": DESCRIPTORS.parse_list,
    "contenders": contenders,
    "methods": METHODS.parse,
    "users": USERS.parse,
    "starts": STARTS.parse,
    "metrics": lambda text: metric_name(metric_named(text)),
    "formats": lambda text: FORMATS.find(text).name,
    "output formats": lambda text: OUTPUT_FORMATS.find(text).name,
    "collections": lambda text: COLLECTIONS.find(text).name,
    "graphs": lambda text: graphs.by_name(text).name,
    "tests": lambda text: PAIR_TESTS.find(text).__name__,
    "corrections": lambda text: CORRECTIONS.find(text).__name__,
    "models": lambda text: candidates(text, scores=True),
    "picture features": lambda text: getattr(FEATURE_SPACES.find(text), "__name__", ""),
}


def shown(found: object) -> object:
    """As the file has it."""
    if isinstance(found, list | tuple):
        return [repr(each) for each in found]
    return found if isinstance(found, str) else repr(found)


def test_every_sort_is_looked_at() -> None:
    assert set(READERS) == set(GATHERED)


@pytest.mark.parametrize("sort", READERS)
def test_a_name_means_what_it_meant(sort: str) -> None:
    changed = {
        text: (meant, now) for text, meant in GATHERED[sort].items() if (now := shown(READERS[sort](text))) != meant
    }
    assert changed == {}
