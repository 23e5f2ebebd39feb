"""Relevance feedback: methods that learn what a user wants from examples, and what can be asked of them.

What only some studies need loads when it is named: how far feedback adapts to the one who gives it (`adaptation`), what
is left when users err (`resilience`), baselines in a file, results against another baseline (`recalibrated`), and the
documents of a text index as items (`TextItems`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.catalogue import later, load_attribute
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import CannotScore, Method, TwoSided

if TYPE_CHECKING:
    from rankscope.feedback.examples.text_items import TextItems
    from rankscope.feedback.normalization.recalibration import recalibrated, recalibrated_all
    from rankscope.feedback.normalization.stored_baselines import load_baselines, save_baselines
    from rankscope.feedback.study.assessors import adaptation
    from rankscope.feedback.study.resilience import resilience

_LATER = later(
    "rankscope.feedback",
    {
        "TextItems": "examples.text_items:TextItems",
        "adaptation": "study.assessors:adaptation",
        "load_baselines": "normalization.stored_baselines:load_baselines",
        "recalibrated": "normalization.recalibration:recalibrated",
        "recalibrated_all": "normalization.recalibration:recalibrated_all",
        "resilience": "study.resilience:resilience",
        "save_baselines": "normalization.stored_baselines:save_baselines",
    },
)

__all__ = [
    "CannotScore",
    "Examples",
    "Items",
    "Method",
    "Scored",
    "Session",
    "TextItems",
    "TwoSided",
    "adaptation",
    "best",
    "load_baselines",
    "recalibrated",
    "recalibrated_all",
    "resilience",
    "save_baselines",
]


def __getattr__(name: str) -> Any:
    return load_attribute(_LATER, name)
