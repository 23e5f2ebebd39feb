"""A small index to serve."""

from __future__ import annotations

from functools import cache

from rankscope.engines.text import Index

WORDS = ["fox", "dog", "cat", "den", "snow", "night", "river", "stone", "leaf", "wind"]


@cache
def small_index() -> Index:
    """Sixty documents of few words, with every tenth without a title."""
    return Index.build(
        [
            {
                "id": f"d{number:02d}",
                "title": None if number % 10 == 9 else f"{WORDS[number % 7]} {number % 4}",
                "body": " ".join(WORDS[(number * step) % 10] for step in range(1, 4 + number % 9)) + ". A <b> & night.",
            }
            for number in range(60)
        ]
    )
