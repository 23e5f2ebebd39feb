"""Settings of a search as they are given, by name or as objects, to what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.engines.text.analysis import ANALYSERS
from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.similarities import SIMILARITIES
from rankscope.engines.text.similarities.bm25 import BM25
from rankscope.engines.text.similarities.similarity import Similarity
from rankscope.errors import SettingError
from rankscope.validation import COUNT
from rankscope.wording import setting_value

if TYPE_CHECKING:
    from rankscope.engines.text.expansion.expansion import Expansion


def count_setting(name: str, value: int) -> int:
    """A setting as a plain number; one that is not a whole number from 1 on is an error.

    >>> count_setting("depth", 10)
    10
    """
    try:
        return COUNT.plain(value)
    except ValueError as refusal:
        raise SettingError(f"{setting_value(name, value)}: {refusal}") from None


def analyser_named(given: str | Analyser) -> Analyser:
    """The analyser of a name such as `english`, or the one that is given.

    >>> [term for term, _ in analyser_named("english").analyse("The foxes")]
    ['fox']
    """
    return ANALYSERS.parse(given) if isinstance(given, str) else given


def similarity_named(given: str | Similarity | None) -> Similarity:
    """The similarity of a name such as `bm25(k1=1.2)`, or the one that is given; BM25 where none is.

    >>> similarity_named(None) == similarity_named("bm25")
    True
    """
    if given is None:
        return BM25()
    if isinstance(given, str):
        return SIMILARITIES.parse(given)
    if not isinstance(given, Similarity):
        raise SettingError(f"a similarity is a name such as 'bm25(k1=1.2)', got {given!r}; how many to list is limit=")
    return given


def expansion_named(given: str | Expansion) -> Expansion:
    """The expansion of a name such as `rm3(terms=20)`, or the one that is given.

    >>> expansion_named("rm3(terms=20)").terms
    20
    """
    from rankscope.engines.text.expansion import EXPANSIONS

    return EXPANSIONS.parse(given) if isinstance(given, str) else given
