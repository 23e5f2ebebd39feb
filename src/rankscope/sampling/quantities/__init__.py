"""What a judged sample says of runs: one file each, by the names of the measures.

>>> [each.text for each in parse_quantities("num_rel,R@100,P@10,AP")]
['num_rel', 'R@100', 'P@10', 'AP']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rankscope.errors import MeasureError
from rankscope.notation import split_list
from rankscope.sampling.quantities.average_precision import SampledAP
from rankscope.sampling.quantities.class_size import ClassSize, SampledGenerality
from rankscope.sampling.quantities.gain import SampledGain, SampledNormalisedGain
from rankscope.sampling.quantities.grip import SampledGrip
from rankscope.sampling.quantities.precision import SampledPrecision
from rankscope.sampling.quantities.quantity import EstimateRules, OverQueries, Quantity, QueryValues
from rankscope.sampling.quantities.recall import SampledRecall

WITH_SCOPE: dict[str, Callable[[int], Quantity]] = {
    "R": SampledRecall,
    "P": SampledPrecision,
    "DCG": SampledGain,
    "nDCG": SampledNormalisedGain,
}
ALONE: dict[str, Callable[[], Quantity]] = {
    "num_rel": ClassSize,
    "generality": SampledGenerality,
    "AP": SampledAP,
    "GRiP": SampledGrip,
}
USUAL = ("num_rel", "R@100", "P@10", "DCG@10", "nDCG@10", "AP")
WITH_COLLECTION = ("generality", "GRiP")  # usual too where the size of the collection is known
KNOWN = "num_rel, generality, R@K, P@K, DCG@K, nDCG@K, AP, GRiP"


def parse_quantities(asked: str | Iterable[str]) -> tuple[Quantity, ...]:
    """Quantities by their names, each once; those that are none are told all at once."""
    texts = split_list(asked if isinstance(asked, str) else ",".join(asked))
    found = {text: _parse(text) for text in texts}
    wrong = [text for text, quantity in found.items() if quantity is None]
    if wrong or not texts:
        words = f"{', '.join(wrong)} cannot be estimated from a sample" if wrong else "nothing to estimate"
        raise MeasureError(f"{words}; what can be: {KNOWN}")
    return tuple({each.text: each for each in found.values() if each is not None}.values())


def _parse(text: str) -> Quantity | None:
    if text in ALONE:
        return ALONE[text]()
    match = re.fullmatch(r"([A-Za-z]+)@([1-9]\d{0,8})", text)
    return WITH_SCOPE[match[1]](int(match[2])) if match and match[1] in WITH_SCOPE else None


__all__ = [
    "ALONE",
    "KNOWN",
    "USUAL",
    "WITH_SCOPE",
    "EstimateRules",
    "OverQueries",
    "Quantity",
    "QueryValues",
    "parse_quantities",
]
