"""From texts to tokens: one pattern per tokenizer, run by polars over whole columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


Numbers = NDArray[Any]
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

        >>> import polars as pl
        >>> tokens, counts = WORDS.split(pl.Series(["It's 3.14, e-mail", None]))
        >>> tokens.to_list(), counts.tolist()
        (["It's", '3.14', 'e', 'mail'], [4, 0])
        """
        import polars as pl

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
        import polars as pl

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
        import polars as pl

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
