"""The light German stemmer, as Lucene has it (Savoy 2006, Light stemming approaches)."""

from __future__ import annotations

from typing import Final

PLAIN: Final = str.maketrans("äàáâöòóôïìíîüùúû", "aaaaooooiiiiuuuu")
BEFORE_S_OR_ST: Final = frozenset("bdfghklmnt")


def german_light_stem(word: str) -> str:
    """A word in lower case without its accents and without the endings of cases, plurals and comparison.

    >>> [german_light_stem(each) for each in ("häuser", "kindern", "schonsten", "tags")]
    ['haus', 'kind', 'schon', 'tag']
    """
    return _without_comparison(_without_case(word.translate(PLAIN)))


def _without_case(word: str) -> str:
    length = len(word)
    if length > 5 and word.endswith("ern"):
        return word[:-3]
    if length > 4 and word.endswith(("em", "en", "er", "es")):
        return word[:-2]
    if length > 3 and (word[-1] == "e" or (word[-1] == "s" and word[-2] in BEFORE_S_OR_ST)):
        return word[:-1]
    return word


def _without_comparison(word: str) -> str:
    length = len(word)
    if length > 5 and word.endswith("est"):
        return word[:-3]
    if length > 4 and word.endswith(("er", "en")):
        return word[:-2]
    if length > 4 and word.endswith("st") and word[-3] in BEFORE_S_OR_ST:
        return word[:-2]
    return word
