"""Steps from a token to a term: lower case, stop words, and the stems of Porter and Savoy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import ascii_lowercase, digits
from typing import Final

Filter = Callable[[str], str | None]  # gives another word, or None to drop it
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
    return None if word in ENGLISH_STOP_WORDS else word


def drop_german_stop_words(word: str) -> str | None:
    """The word, or nothing where it is one of 231 frequent German words."""
    return None if word in GERMAN_STOP_WORDS else word


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


# Words that carry no meaning of their own in a search, by language.

_ENGLISH = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
_GERMAN = (  # Snowball's list
    "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern "
    "anderr anders auch auf aus bei bin bis bist da damit dann der den des dem die das daß derselbe derselben "
    "denselben desselben demselben dieselbe dieselben dasselbe dazu dein deine deinem deinen deiner deines denn derer "
    "dessen dich dir du dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer eines einig "
    "einige einigem einigen einiger einiges einmal er ihn ihm es etwas euer eure eurem euren eurer eures für gegen "
    "gewesen hab habe haben hat hatte hatten hier hin hinter ich mich mir ihr ihre ihrem ihren ihrer ihres euch im in "
    "indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen "
    "keiner keines können könnte machen man manche manchem manchen mancher manches mein meine meinem meinen meiner "
    "meines mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines "
    "selbst sich sie ihnen sind so solche solchem solchen solcher solches soll sollte sondern sonst über um und uns "
    "unse unsem unsen unser unses unter viel vom von vor während war waren warst was weg weil weiter welche welchem "
    "welchen welcher welches wenn werde werden wie wieder will wir wird wirst wo wollen wollte würde würden zu zum zur "
    "zwar zwischen"
)
ENGLISH_STOP_WORDS: Final = frozenset(_ENGLISH.split())
GERMAN_STOP_WORDS: Final = frozenset(_GERMAN.split())


# Porter's stemmer with his own two departures from his paper (bli to ble, logi to log), as Lucene has it.

SHORTEST_STEMMED: Final = 3  # words of one or two letters stay as they are


class _LetterKinds(dict[int, str]):
    """The kind of each letter; what is no vowel and no y counts as a consonant, digits and other scripts too."""

    def __missing__(self, letter: int) -> str:
        return "c"


LETTER_KINDS = _LetterKinds(
    str.maketrans({**dict.fromkeys(ascii_lowercase + digits, "c"), **dict.fromkeys("aeiou", "v"), "y": "y"})
)
Endings = Mapping[str, tuple[tuple[str, str], ...]]  # by one letter of the word: ending, and what replaces it
DOUBLE_ENDINGS: Endings = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
    "g": (("logi", "log"),),
}
DERIVED_ENDINGS: Endings = {
    "e": (("icate", "ic"), ("ative", ""), ("alize", "al")),
    "i": (("iciti", "ic"),),
    "l": (("ical", "ic"), ("ful", "")),
    "s": (("ness", ""),),
}
LAST_ENDINGS: Mapping[str, tuple[str, ...]] = {
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
    if len(word) < SHORTEST_STEMMED:
        return word
    word = _without_participle(_without_plural(word))
    if word[-1] == "y" and "v" in letter_kinds_of(word[:-1]):
        word = word[:-1] + "i"
    if len(word) > 1:
        word = _replaced_ending(word, DOUBLE_ENDINGS.get(word[-2], ()))
    word = _replaced_ending(word, DERIVED_ENDINGS.get(word[-1], ()))
    if len(word) > 1:
        word = _without_last(word)
    return _tidied_end(word)


def letter_kinds_of(word: str) -> str:
    """Each letter of a word as c or v.

    >>> letter_kinds_of("syzygy"), letter_kinds_of("toy")
    ('cvcvcv', 'cvc')
    """
    kinds = word.translate(LETTER_KINDS)
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
        return word[:-1] if "vc" in letter_kinds_of(word[:-3]) else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    kinds = letter_kinds_of(stem) if stem else ""
    if "v" not in kinds:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem, kinds):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if kinds.count("vc") == 1 and _short_end(stem, kinds) else stem


def _replaced_ending(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """The first ending that fits replaced, where the measure of what stands before it is above 0."""
    for ending, replacement in endings:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + replacement if "vc" in letter_kinds_of(stem) else word
    return word


def _without_last(word: str) -> str:
    """The first ending that fits taken off, where the measure of what stands before it is above 1."""
    for ending in LAST_ENDINGS.get(word[-2], ()):
        if word.endswith(ending):
            stem = word[: -len(ending)] + (ending[0] if ending.endswith("ion") else "")
            return stem if letter_kinds_of(stem).count("vc") > 1 else word
    return word


def _tidied_end(word: str) -> str:
    """A word without its final e, and with one l of two, where it is long enough."""
    if word[-1] != "e" and not word.endswith("ll"):
        return word
    kinds = letter_kinds_of(word)
    measure = kinds.count("vc")
    if word[-1] == "e" and (measure > 1 or (measure == 1 and not _short_end(word[:-1], kinds[:-1]))):
        word, kinds = word[:-1], kinds[:-1]
    return word[:-1] if word[-1] == "l" and measure > 1 and _doubled(word, kinds) else word


def _doubled(word: str, kinds: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and kinds[-1] == "c"


def _short_end(word: str, kinds: str) -> bool:
    """Whether a word ends as hop and fil do, so that an e belongs behind it."""
    return kinds.endswith("cvc") and word[-1] not in "wxy"


# The light German stemmer, as Lucene has it (Savoy 2006, Light stemming approaches).

UNACCENTED: Final = str.maketrans("äàáâöòóôïìíîüùúû", "aaaaooooiiiiuuuu")
BEFORE_S_OR_ST: Final = frozenset("bdfghklmnt")


def german_light_stem(word: str) -> str:
    """A word in lower case without its accents and without the endings of cases, plurals and comparison.

    >>> [german_light_stem(each) for each in ("häuser", "kindern", "schonsten", "tags")]
    ['haus', 'kind', 'schon', 'tag']
    """
    return _without_comparison(_without_case(word.translate(UNACCENTED)))


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
