"""From texts to tokens: one pattern per tokenizer, run by polars over whole columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

LONGEST: Final = 255  # signs of a token; what is longer is cut


@dataclass(frozen=True)
class Tokenizer:
    """A pattern in the language of polars, each match of which is a token."""

    pattern: str

    def split(self, texts: pl.Series) -> pl.Series:
        """The tokens of each text, as a column of lists; a text that is null has none.

        >>> import polars as pl
        >>> WORDS.split(pl.Series(["It's 3.14, e-mail", None])).to_list()
        [["It's", '3.14', 'e', 'mail'], []]
        """
        import polars as pl

        tokens = texts.cast(pl.String).fill_null("").str.extract_all(self.pattern)
        too_long = _lists_with_long_tokens(tokens)
        return tokens if not too_long.any() else self._cut(tokens, too_long)

    def _cut(self, tokens: pl.Series, too_long: pl.Series) -> pl.Series:
        """The same lists with long tokens cut, of which there are few."""
        import polars as pl

        lists = [self._pieces_of(each) if long else each for each, long in zip(tokens, too_long, strict=True)]
        return pl.Series(tokens.name, lists, dtype=pl.List(pl.String))

    def _pieces_of(self, tokens: pl.Series) -> list[str]:
        """Each token of a text; a long one gives what the pattern finds in its beginning, then in what follows."""
        import polars as pl

        pieces: list[str] = []
        waiting = list(reversed(tokens.to_list()))
        while waiting:
            token = waiting.pop()
            if len(token) <= LONGEST:
                pieces.append(token)
                continue
            first = pl.Series([token[:LONGEST]]).str.extract_all(self.pattern)[0][0]
            following = token[token.index(first) + len(first) :]
            pieces.append(first)
            waiting += reversed(pl.Series([following]).str.extract_all(self.pattern)[0].to_list())
        return pieces


def _lists_with_long_tokens(tokens: pl.Series) -> pl.Series:
    import polars as pl

    return tokens.list.eval(pl.element().str.len_bytes() > LONGEST).list.any()


MODIFYING: Final = r"[[\p{wb=Extend}--\p{Emoji_Modifier}]\p{wb=Format}\p{wb=ZWJ}]*"


def _extended(signs: str) -> str:
    """One of these signs and what modifies it."""
    return f"(?:{signs}{MODIFYING})"


def _word() -> str:
    """A word of Unicode's annex 29, as Lucene reads it: letters, digits, and what joins them."""
    numeric = _extended(r"[\p{wb=Numeric}\x{FF10}-\x{FF19}]")
    katakana = _extended(r"\p{wb=Katakana}")
    alphabetic = _extended(r"\p{wb=ALetter}")
    hebrew = _extended(r"\p{wb=Hebrew_Letter}")
    joiner = _extended(r"\p{wb=ExtendNumLet}")
    in_word = _extended(r"[\p{wb=MidLetter}\p{wb=MidNumLet}\p{wb=Single_Quote}]")
    in_number = _extended(r"[\p{wb=MidNum}\p{wb=MidNumLet}\p{wb=Single_Quote}]")
    quoted = f"{hebrew}{_extended(chr(34))}{hebrew}|{hebrew}{_extended(chr(39))}"
    letter = f"(?:{quoted}|{alphabetic}|{hebrew})"
    numbers = f"{numeric}(?:(?:{joiner}*|{in_number}){numeric})*"
    letters = f"{letter}(?:(?:{joiner}*|{in_word}){letter})*"
    core = f"(?:{katakana}(?:{joiner}*{katakana})*|(?:{numbers}|{letters})+)"
    return f"{joiner}*{core}(?:{joiner}+{core})*{joiner}*"


def _emoji() -> str:
    """Flags, keycaps, pictures, and those that zero-width joiners make of several."""
    flag = _extended(r"\p{wb=Regional_Indicator}") + "{2}"
    keycap = r"[0-9#*]\x{FE0F}?\x{20E3}"
    picture = r"[\p{Extended_Pictographic}&&\p{Emoji}]\x{FE0F}?\p{Emoji_Modifier}?"
    tagged = r"(?:[\x{E0020}-\x{E007E}]+\x{E007F})?"
    chain = f"{picture}{tagged}(?:\\x{{200D}}{picture})*"
    return f"{flag}|{keycap}|{chain}|\\p{{Emoji_Modifier}}"


WITHOUT_SPACES: Final = (
    r"[\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}\p{Ahom}]"
)
RUN: Final = _extended(rf"[{WITHOUT_SPACES}&&[\p{{L}}\p{{M}}]]") + "+"
WORDS: Final = Tokenizer("|".join([_emoji(), _word(), RUN, _extended(r"\p{Han}"), _extended(r"\p{Hiragana}")]))
JAVA_SPACE: Final = r"\x09-\x0D\x1C-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}"
NOT_SPACE: Final = Tokenizer(f"[^{JAVA_SPACE}]+")
