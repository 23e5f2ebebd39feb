"""Which page of the documentation explains what a kind of graph shows."""

from __future__ import annotations

FOLDER = "docs/explanation"
PAGES = {
    "precision-recall": "radial-averaging.md",
    "precision-window": "g.md",
    "grip": "grip.md",
    "grnp": "grip.md",
    "grep": "grep.md",
    "forecast": "forecast.md",
    "efficiency": "normalization.md",
    "growth": "normalization.md",
    "consistency": "normalization.md",
}


def explanation_of(kind: str) -> str:
    """The page in the documentation; nothing for a kind that explains itself.

    >>> explanation_of("grip"), explanation_of("power-curve")
    ('docs/explanation/grip.md', '')
    """
    return f"{FOLDER}/{PAGES[kind]}" if kind in PAGES else ""
