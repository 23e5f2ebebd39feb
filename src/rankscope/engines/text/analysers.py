"""Analysers: from texts to terms, for English, German, any language, and as they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase, digits
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.notation import Named, NamedCatalogue

# From texts to tokens: one pattern per tokenizer, run by polars over whole columns.

LONGEST: Final = 255  # signs of a token; what is longer is cut


@dataclass(frozen=True)
class Tokenizer:
    """A pattern in the language of polars, each match of which is a token.

    `plain` is a pattern of Python's that finds the same in texts of ASCII signs: for a single text it is much faster.
    """

    pattern: str
    plain: re.Pattern[str]

    def split(self, texts: pl.Series) -> tuple[pl.Series, Numbers]:
        """The tokens of all texts one after another, and how many each text has; a text that is null has none.

        >>> tokens, counts = WORDS.split(pl.Series(["It's 3.14, e-mail", None]))
        >>> tokens.to_list(), counts.tolist()
        (["It's", '3.14', 'e', 'mail'], [4, 0])
        """
        lists = texts.cast(pl.String).fill_null("").str.extract_all(self.pattern)
        counts = lists.list.len().to_numpy()
        tokens = lists.filter(counts > 0).explode()
        longest = tokens.str.len_bytes().max()
        if isinstance(longest, int) and longest > LONGEST:
            return self._cut(tokens, counts)
        return tokens, counts

    def split_text(self, text: str) -> list[str]:
        """The tokens of one text."""
        tokens = self.plain.findall(text) if text.isascii() else self._found(text)
        return [piece for token in tokens for piece in self._pieces(token)]

    def _cut(self, tokens: pl.Series, counts: Numbers) -> tuple[pl.Series, Numbers]:
        """The same with long tokens cut, of which there are few."""
        pieces = [self._pieces(token) for token in tokens]
        owners = np.repeat(np.arange(len(counts)), counts)
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        cut = pl.Series([piece for some in pieces for piece in some], dtype=pl.String)
        return cut, np.bincount(owners, weights=lengths, minlength=len(counts)).astype(np.int64)

    def _pieces(self, token: str) -> list[str]:
        """A token; of a long one what the pattern finds in its beginning, then in what follows."""
        pieces: list[str] = []
        waiting = [token]
        while waiting:
            token = waiting.pop()
            if len(token) <= LONGEST:
                pieces.append(token)
                continue
            first = self._found(token[:LONGEST])[0]
            pieces.append(first)
            waiting += reversed(self._found(token[token.index(first) + len(first) :]))
        return pieces

    def _found(self, text: str) -> list[str]:
        found: list[str] = pl.Series([text], dtype=pl.String).str.extract_all(self.pattern)[0].to_list()
        return found


# What Unicode read otherwise in version 9, which Lucene keeps to: marks in place of digits and letters, and no letters.
MARKS_ONCE: Final = r"\x{600}-\x{605}\x{6DD}\x{70F}\x{8E2}\x{1CF2}\x{1CF3}\x{110BD}"
SYMBOLS_ONCE: Final = (
    r"\x{2C2}-\x{2C5}\x{2D2}-\x{2D7}\x{2DE}\x{2DF}\x{2E5}-\x{2EB}\x{2ED}\x{2EF}-\x{2FF}\x{55A}-\x{55C}\x{55E}\x{58A}"
    r"\x{A708}-\x{A716}\x{A720}\x{A721}\x{A789}\x{A78A}\x{AB5B}"
)
MODIFYING: Final = rf"[[\p{{wb=Extend}}--[\p{{Emoji_Modifier}}\x{{111C9}}]]\p{{wb=Format}}\p{{wb=ZWJ}}{MARKS_ONCE}]*"


def _extended(signs: str) -> str:
    """One of these signs and what modifies it."""
    return f"(?:{signs}{MODIFYING})"


def _word() -> str:
    """A word by Unicode's annex 29, as Lucene reads it: letters, digits, and what joins them."""
    numeric = _extended(rf"[[\p{{wb=Numeric}}--[{MARKS_ONCE}\x{{19DA}}]]\x{{FF10}}-\x{{FF19}}]")
    katakana = _extended(r"\p{wb=Katakana}")
    alphabetic = _extended(rf"[\p{{wb=ALetter}}--[{MARKS_ONCE}{SYMBOLS_ONCE}]]")
    hebrew = _extended(r"\p{wb=Hebrew_Letter}")
    joiner = _extended(r"\p{wb=ExtendNumLet}")
    in_word = _extended(r"[[\p{wb=MidLetter}--\x{55F}]\x{2D7}\p{wb=MidNumLet}\p{wb=Single_Quote}]")
    in_number = _extended(r"[\p{wb=MidNum}\p{wb=MidNumLet}\p{wb=Single_Quote}\x{FE10}\x{FE14}]")
    quoted = f"{hebrew}{_extended(chr(34))}{hebrew}|{hebrew}{_extended(chr(39))}"
    letter = f"(?:{quoted}|{alphabetic}|{hebrew})"
    numbers = f"{numeric}(?:(?:{joiner}*|{in_number}){numeric})*"
    letters = f"{letter}(?:(?:{joiner}*|{in_word}){letter})*"
    core = f"(?:{katakana}(?:{joiner}*{katakana})*|(?:{numbers}|{letters})+)"
    return f"{joiner}*{core}(?:{joiner}+{core})*{joiner}*"


def _emoji() -> str:
    """Flags, keycaps, pictures, and those that zero-width joiners make of several; digits and letters are words."""
    flag = _extended(r"\p{wb=Regional_Indicator}") + "{2}"
    keycap = r"[#*]\x{FE0F}?\x{20E3}"
    picture = (
        r"(?:\p{Emoji_Modifier_Base}\x{FE0F}?\p{Emoji_Modifier}"
        r"|[\p{Extended_Pictographic}--\p{wb=ALetter}]\x{FE0F}?)"
    )
    tagged = r"(?:[\x{E0020}-\x{E007E}]+\x{E007F})?"
    chain = f"{picture}{tagged}(?:\\x{{200D}}{picture})*{MODIFYING}"
    return f"{flag}|{keycap}{MODIFYING}|{chain}|\\p{{Emoji_Modifier}}{MODIFYING}"


UNSPACED: Final = r"\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}\p{Ahom}"
UNSPACED_SYMBOLS: Final = (
    r"\x{109E}\x{109F}\x{19DA}\x{19DE}\x{19DF}\x{1AA0}-\x{1AAD}\x{AA77}-\x{AA79}\x{AADE}\x{AADF}"
    r"\x{1173A}\x{1173B}\x{1173F}"
)
RUN: Final = _extended(rf"[[[{UNSPACED}]&&[\p{{L}}\p{{M}}]--\x{{1A7F}}]{UNSPACED_SYMBOLS}]") + "+"
PLAIN_WORD: Final = re.compile(
    "_*[A-Za-z0-9](?:_*[A-Za-z0-9]|(?<=[A-Za-z])[.:'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))*_*"
)
WORDS: Final = Tokenizer(
    "|".join([_emoji(), _word(), RUN, _extended(r"\p{Han}"), _extended(r"\p{Hiragana}")]), PLAIN_WORD
)
JAVA_SPACE: Final = r"\x09-\x0D\x1C-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}"
NOT_SPACE: Final = Tokenizer(f"[^{JAVA_SPACE}]+", re.compile(r"[^\x09-\x0D\x1C-\x20]+"))


# Steps from a token to a term: lower case, stop words, and the stems of Porter and Savoy.

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
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] != "s":
        word = word[:-1]
    word = _without_participle(word)
    if word[-1] == "y" and "v" in letter_kinds_of(word[:-1]):
        word = word[:-1] + "i"
    if len(word) > 1:
        word = _replaced_ending(word, DOUBLE_ENDINGS.get(word[-2], ()))
    word = _replaced_ending(word, DERIVED_ENDINGS.get(word[-1], ()))
    if len(word) > 1:
        # The first ending that fits taken off, where the measure of what stands before it is above 1.
        ending = next((each for each in LAST_ENDINGS.get(word[-2], ()) if word.endswith(each)), "")
        stem = word.removesuffix(ending) + (ending[0] if ending.endswith("ion") else "")
        word = stem if ending and letter_kinds_of(stem).count("vc") > 1 else word
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


# An analyser: how texts become terms, and how a pattern that is not analysed becomes one of the same kind.

Numbers: TypeAlias = NDArray[Any]  # whole numbers of the width that they need
MOST_KNOWN: Final = 1_000_000


@dataclass(frozen=True, eq=False)
class AnalysedColumn:
    """All terms of a column of texts, in their order: how many each text has, at which position, and which term.

    Positions count tokens from 0; a token that the analyser drops leaves its number unused.
    """

    terms: pl.Series  # the distinct ones, in the order of code points
    lengths: Numbers
    position: Numbers
    code: Numbers  # places in `terms`

    def by_text(self) -> list[list[tuple[str, int]]]:
        """The terms with their positions of each text."""
        names = self.terms.to_list()
        found = [(names[code], place) for code, place in zip(self.code.tolist(), self.position.tolist(), strict=True)]
        ends = np.cumsum(self.lengths).tolist()
        return [found[end - length : end] for end, length in zip(ends, self.lengths.tolist(), strict=True)]


class KnownTerms:
    """Terms of tokens that were seen before, so that each is worked out once for many columns."""

    def __init__(self) -> None:
        self.table = pl.DataFrame(schema={"token": pl.String, "term": pl.String})

    def terms_of(self, tokens: pl.Series, analyser: Analyser) -> pl.Series:
        """The term of each distinct token, null where it is dropped."""
        asked = pl.DataFrame({"token": tokens})
        new = asked.join(self.table, on="token", how="anti")["token"]
        if len(self.table) + len(new) > MOST_KNOWN:
            self.table, new = self.table.clear(), tokens
        terms = pl.Series("term", [analyser.term(token) for token in new], dtype=pl.String)
        self.table = pl.concat([self.table, pl.DataFrame({"token": new, "term": terms})])
        return asked.join(self.table, on="token", how="left", maintain_order="left")["term"]


@dataclass(frozen=True)
class Analyser(Named):
    """A tokenizer, steps that make a term of a token or drop it, and those of them that patterns go through."""

    tokenizer: ClassVar[Tokenizer]
    steps: ClassVar[tuple[Filter, ...]] = ()
    normalising: ClassVar[tuple[Filter, ...]] = ()
    joins_words: ClassVar[bool] = True  # whether words of a query that follow each other are one text

    def term(self, token: str) -> str | None:
        """The term of a token; None where it is dropped."""
        return _through_steps(self.steps, token)

    def normalise(self, text: str) -> str:
        """A part of a pattern, a bound of a range or a fuzzy term, made like the terms it is compared with."""
        return _through_steps(self.normalising, text) or ""

    def analyse(self, text: str) -> list[tuple[str, int]]:
        """The terms of one text with their positions. For many texts `analyse_column` is much faster."""
        found = ((self.term(token), place) for place, token in enumerate(self.tokenizer.split_text(text)))
        return [(term, place) for term, place in found if term is not None]

    def analyse_column(
        self, texts: pl.Series | Iterable[str | None], known: KnownTerms | None = None
    ) -> AnalysedColumn:
        """The terms of many texts; each distinct token is filtered once, and `known` keeps it for the next call."""
        column = texts if isinstance(texts, pl.Series) else pl.Series(list(texts), dtype=pl.String)
        tokens, counts = self.tokenizer.split(column)
        distinct = tokens.unique()
        terms = (known or KnownTerms()).terms_of(distinct, self)
        vocabulary = terms.drop_nulls().unique().sort()
        code = _places(terms, vocabulary)[_places(tokens, distinct)]
        kept = code >= 0
        ends = np.cumsum(counts, dtype=np.int64)
        position = np.arange(len(code), dtype=np.int32) - np.repeat((ends - counts).astype(np.int32), counts)
        lengths = np.diff(np.concatenate([[0], np.cumsum(kept, dtype=np.int32)])[np.concatenate([[0], ends])])
        return AnalysedColumn(vocabulary, lengths, position[kept], code[kept])


def _through_steps(steps: tuple[Filter, ...], word: str) -> str | None:
    found: str | None = word
    for step in steps:
        if not found:
            break
        found = step(found)
    return found or None


def _places(words: pl.Series, distinct: pl.Series) -> Numbers:
    """The place of each word among distinct ones; -1 for null."""
    if not len(distinct):
        return np.full(len(words), -1, dtype=np.int32)
    places = words.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32)
    return places.fill_null(-1).to_numpy()


@dataclass(frozen=True)
class Whitespace(Analyser):
    """Runs without white space, as they are written; a no-break space is part of a word."""

    name: ClassVar[str] = "whitespace"
    tokenizer: ClassVar[Tokenizer] = NOT_SPACE


@dataclass(frozen=True)
class Standard(Analyser):
    """Unicode's words in lower case, without stop words and stems: for every language."""

    name: ClassVar[str] = "standard"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower,)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)


@dataclass(frozen=True)
class English(Analyser):
    """Unicode's words without final 's, in lower case, without 33 stop words, by Porter's stems."""

    name: ClassVar[str] = "english"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (cut_possessive, lower, drop_english_stop_words, porter_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)


@dataclass(frozen=True)
class German(Analyser):
    """Unicode's words in lower case, without 231 stop words, umlauts spelled alike, by Savoy's light stems."""

    name: ClassVar[str] = "german"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower, drop_german_stop_words, fold_german, german_light_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower, fold_german)


@dataclass(frozen=True)
class Whole(Analyser):
    """The whole text is one term, as it is written.

    >>> Whole().analyse("Doc 234")
    [('Doc 234', 0)]
    """

    name: ClassVar[str] = "whole"
    tokenizer: ClassVar[Tokenizer] = NOT_SPACE
    joins_words: ClassVar[bool] = False

    def analyse(self, text: str) -> list[tuple[str, int]]:
        """The text at position 0; nothing of an empty one."""
        return [(text, 0)] if text else []


@dataclass(frozen=True)
class Token:
    """A token: its place among the tokens, its first sign and the one behind its last, and its term or None."""

    position: int
    start: int
    end: int
    text: str
    term: str | None


def tokens_of(text: str, analyser: Analyser) -> list[Token]:
    """All tokens of a text, also those that the analyser drops.

    >>> [(each.term, each.start, each.end) for each in tokens_of("The foxes' den", ANALYSERS.parse("english"))]
    [(None, 0, 3), ('fox', 4, 9), ('den', 11, 14)]
    """
    found, end = [], 0
    for position, word in enumerate(analyser.tokenizer.split_text(text)):
        start = text.index(word, end)
        end = start + len(word)
        found.append(Token(position=position, start=start, end=end, text=word, term=analyser.term(word)))
    return found


# The analysers by name, in the order people read them.

ALL: dict[str, type[Analyser]] = {each.name: each for each in (Whitespace, Standard, English, German)}
GROUP = "rankscope.analysers"  # entry points of other packages
ANALYSERS: NamedCatalogue[Analyser] = NamedCatalogue("analyser", ALL, example="english", group=GROUP)
