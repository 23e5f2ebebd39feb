"""Steps from a token to a term: each takes a word and gives another, or None to drop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rankscope.engines.text.analysis.stop_words import ENGLISH, GERMAN

Filter = Callable[[str], str | None]
POSSESSIVE: Final = tuple(mark + letter for mark in "'’＇" for letter in "sS")
UMLAUTS: Final = {"ä": "a", "ö": "o", "ü": "u"}


def lower(word: str) -> str:
    """A word in lower case, each sign by itself: a final Σ becomes σ, and İ becomes i.

    >>> lower("ΣΑΣ"), lower("İstanbul")
    ('σασ', 'istanbul')
    """
    return word.lower() if word.isascii() else "".join("i" if sign == "İ" else sign.lower() for sign in word)


def cut_possessive(word: str) -> str:
    """A word without a final 's.

    >>> cut_possessive("Bob's"), cut_possessive("dogs")
    ('Bob', 'dogs')
    """
    return word[:-2] if word.endswith(POSSESSIVE) else word


def drop_english_stop_words(word: str) -> str | None:
    """The word, or nothing where it is one of 33 frequent English words."""
    return None if word in ENGLISH else word


def drop_german_stop_words(word: str) -> str | None:
    """The word, or nothing where it is one of 231 frequent German words."""
    return None if word in GERMAN else word


def fold_german(word: str) -> str:
    """Spellings of umlauts and ß made alike; the e of ue stays behind a vowel or q.

    >>> fold_german("weißbier"), fold_german("mueller"), fold_german("Bäume".lower()), fold_german("quelle")
    ('weissbier', 'muller', 'baume', 'quelle')
    """
    folded: list[str] = []
    may_drop_e = after_vowel = False
    for sign in word:
        if sign == "e" and may_drop_e:
            may_drop_e, after_vowel = False, True
            continue
        may_drop_e = sign in "ao" or (sign == "u" and not (after_vowel or may_drop_e))
        after_vowel = sign in "eiqyäöü" or (sign == "u" and not may_drop_e)
        folded.append("ss" if sign == "ß" else UMLAUTS.get(sign, sign))
    return "".join(folded)
