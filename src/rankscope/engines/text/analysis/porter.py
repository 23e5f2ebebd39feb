"""Porter's stemmer with his own two departures from his paper (bli to ble, logi to log), as Lucene has it.

Porter 1980, An algorithm for suffix stripping. Every letter is a consonant (c) or a vowel (v); y is a vowel behind a
consonant. The measure of a stem is how often a vowel is followed by a consonant in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase, digits
from typing import Final

SHORTEST: Final = 3  # words of one or two letters stay as they are


class _Kinds(dict[int, str]):
    """The kind of each letter; what is no vowel and no y counts as a consonant, digits and other scripts too."""

    def __missing__(self, letter: int) -> str:
        return "c"


KINDS = _Kinds(str.maketrans({**dict.fromkeys(ascii_lowercase + digits, "c"), **dict.fromkeys("aeiou", "v"), "y": "y"}))
Endings = Mapping[str, tuple[tuple[str, str], ...]]  # by one letter of the word: ending, and what replaces it
DOUBLE: Endings = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
    "g": (("logi", "log"),),
}
DERIVED: Endings = {
    "e": (("icate", "ic"), ("ative", ""), ("alize", "al")),
    "i": (("iciti", "ic"),),
    "l": (("ical", "ic"), ("ful", "")),
    "s": (("ness", ""),),
}
LAST: Mapping[str, tuple[str, ...]] = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("sion", "tion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


def porter_stem(word: str) -> str:
    """The stem of a word in lower case.

    >>> [porter_stem(each) for each in ("relational", "hopping", "foxes", "sky", "possibly", "is")]
    ['relat', 'hop', 'fox', 'sky', 'possibl', 'is']
    """
    if len(word) < SHORTEST:
        return word
    word = _without_participle(_without_plural(word))
    if word[-1] == "y" and "v" in kinds_of(word[:-1]):
        word = word[:-1] + "i"
    if len(word) > 1:
        word = _replaced(word, DOUBLE.get(word[-2], ()))
    word = _replaced(word, DERIVED.get(word[-1], ()))
    if len(word) > 1:
        word = _without_last(word)
    return _tidied(word)


def kinds_of(word: str) -> str:
    """Each letter of a word as c or v.

    >>> kinds_of("syzygy"), kinds_of("toy")
    ('cvcvcv', 'cvc')
    """
    kinds = word.translate(KINDS)
    while "y" in kinds:
        place = kinds.index("y")
        kinds = kinds[:place] + ("v" if place and kinds[place - 1] == "c" else "c") + kinds[place + 1 :]
    return kinds


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] != "s" else word


def _without_participle(word: str) -> str:
    """A word without -eed, -ed and -ing; what is left is put right, as in hoping to hope and hopping to hop."""
    if word.endswith("eed"):
        return word[:-1] if "vc" in kinds_of(word[:-3]) else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    kinds = kinds_of(stem) if stem else ""
    if "v" not in kinds:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem, kinds):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if kinds.count("vc") == 1 and _short_end(stem, kinds) else stem


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """The first ending that fits replaced, where the measure of what stands before it is above 0."""
    for ending, replacement in endings:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + replacement if "vc" in kinds_of(stem) else word
    return word


def _without_last(word: str) -> str:
    """The first ending that fits taken off, where the measure of what stands before it is above 1."""
    for ending in LAST.get(word[-2], ()):
        if word.endswith(ending):
            stem = word[: -len(ending)] + (ending[0] if ending.endswith("ion") else "")
            return stem if kinds_of(stem).count("vc") > 1 else word
    return word


def _tidied(word: str) -> str:
    """A word without its final e, and with one l of two, where it is long enough."""
    if word[-1] != "e" and not word.endswith("ll"):
        return word
    kinds = kinds_of(word)
    measure = kinds.count("vc")
    if word[-1] == "e" and (measure > 1 or (measure == 1 and not _short_end(word[:-1], kinds[:-1]))):
        word, kinds = word[:-1], kinds[:-1]
    return word[:-1] if word[-1] == "l" and measure > 1 and _doubled(word, kinds) else word


def _doubled(word: str, kinds: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and kinds[-1] == "c"


def _short_end(word: str, kinds: str) -> bool:
    """Whether a word ends as hop and fil do, so that an e belongs behind it."""
    return kinds.endswith("cvc") and word[-1] not in "wxy"
