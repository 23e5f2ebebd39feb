"""docs/reference/names.md: what can be named, how it is written, and how to add one."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from rankscope.analysis.forecast.models import MODELS
from rankscope.analysis.statistics.corrections import CORRECTIONS
from rankscope.analysis.statistics.named_tests import PAIR_TESTS, TABLE_TESTS
from rankscope.analysis.statistics.proportions import PROPORTION_INTERVALS
from rankscope.core.catalogue import Catalogue, summary_of
from rankscope.core.notation import Named, short
from rankscope.engines.images.contenders import NAMED
from rankscope.engines.nearest.metrics import METRICS
from rankscope.engines.text.analysers import ANALYSERS
from rankscope.engines.text.expansions import EXPANSIONS
from rankscope.engines.text.similarities import SIMILARITIES
from rankscope.feedback.examples.items import SCALINGS
from rankscope.feedback.methods import METHODS
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.users import USERS
from rankscope.inputs.collections.collection import COLLECTIONS
from rankscope.inputs.formats.registry import FORMATS
from rankscope.reports.output_formats import OUTPUT_FORMATS
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

RULE = """
Measures, descriptors, feedback methods and all others below are written in one way: a name, options in brackets where
they differ from the usual ones, and for measures a cut-off behind an `@`: `P(rel=2)@10`, `lbp(grid=4)`,
`rocchio(gamma=0.25)`, `noisy(0.1)`.

- Options come by name, or in order: a value without a name fills the first option that is free.
- An option that is given twice is an error.
- Case does not matter, nor whether `-` or `_` joins words: `RGB_Histogram` is `rgb-histogram`. Where two names differ
  in nothing else, the exact spelling decides.
- Several are separated by commas, or the option is repeated. Commas in brackets or quotes separate nothing.
- What rankscope prints can be written again, and means the same.
- Metrics may be mixed, each on its own features: `0.7*l1[0:64] + 0.3*cosine[64:]`.

Measures, with trec_eval's names for them, have [a page of their own](measures.md), and so have [graphs](graphs.md).
Other packages add theirs through the entry points named below.
""".strip()
SORTS: tuple[tuple[str, Catalogue[Any]], ...] = (
    ("Descriptors and rankers", NAMED),
    ("Metrics", METRICS),
    ("Analysers of texts", ANALYSERS),
    ("Similarities of texts", SIMILARITIES),
    ("Expansions of queries", EXPANSIONS),
    ("Feedback methods", METHODS),
    ("Users", USERS),
    ("Starts", STARTS),
    ("Scalings of features", SCALINGS),
    ("Growth models", MODELS),
    ("Tests of a table of scores", TABLE_TESTS),
    ("Tests of two systems", PAIR_TESTS),
    ("Corrections for many tests", CORRECTIONS),
    ("Intervals of a share", PROPORTION_INTERVALS),
    ("Collections", COLLECTIONS),
    ("Formats of files", FORMATS),
    ("Formats of output", OUTPUT_FORMATS),
)


def page() -> str:
    """The page."""
    return whole_page("Names", RULE, *(part for title, sort in SORTS for part in section(title, sort)))


def section(title: str, sort: Catalogue[Any]) -> list[str]:
    """All entries of one sort."""
    entries = list(zip(sort.own_names(), sort.own(), strict=True))
    group = f"Entry point: `{sort.group}`." if sort.group else ""
    if all(isinstance(entry, str) for _, entry in entries):
        return [f"## {title}", ", ".join(code(name) for name, _ in entries), group]
    rows = [[code(name), options(entry), "" if name == "none" else summary_of(entry)] for name, entry in entries]
    if not any(row[1] for row in rows):
        return [f"## {title}", table(["name", "meaning"], [[row[0], row[2]] for row in rows]), group]
    return [f"## {title}", table(["name", "options", "meaning"], rows), group]


def options(entry: object) -> str:
    """The options of an entry with their usual values."""
    if not (isinstance(entry, type) and issubclass(entry, Named)):
        return ""
    return ", ".join(code(option(each)) for each in fields(entry))


def option(each: Field[Any]) -> str:
    """One option with its usual value, if it has one."""
    return each.name if each.default is MISSING else f"{each.name}={short(each.default)}"
