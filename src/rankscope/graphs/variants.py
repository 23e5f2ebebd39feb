"""Graphs of one kind that differ in one option, among which the reader of a page may choose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """One value of an option, in words for a reader; `chosen` is the one that a page shows first."""

    value: str | None
    text: str
    chosen: bool = False
    heading: str = ""  # variants of one heading stand together


@dataclass(frozen=True)
class Variants:
    """What a page lets its reader choose among."""

    option: str
    label: str
    values: tuple[Variant, ...]
