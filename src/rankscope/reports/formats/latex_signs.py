r"""Text for LaTeX, sign by sign: how each is written so that it stays what it is, and how wide it is set.

Widths are those of Computer Modern Roman, in parts of the font's size; the Times of most journals is narrower. A sign
that pdfLaTeX does not know (a Chinese one, an emoji) is itself in XeLaTeX and LuaLaTeX and its number elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.names import one_line

PLAIN = {  # cmr10, in thousandths
    278: "!',.:;[]il·",
    306: "fj",
    333: "- |",
    361: "I_",
    389: "()t",
    395: "rs",
    444: "cez†‡",
    472: "?",
    500: '"$*0123456789^ago~/`–',
    514: "J\\{}",
    528: "kqxvy",
    556: "Sbdhnpu",
    611: "Z",
    625: "L",
    653: "F",
    681: "EP",
    708: "B",
    722: "CTw",
    736: "R",
    750: "AHNUVXY",
    764: "D",
    778: "+=@&<>KOQ−",
    785: "G",
    833: "#%m",
    917: "M",
    1028: "W",
}
WIDTH = {sign: width / 1000 for width, signs in PLAIN.items() for sign in signs}
WIDEST = 1.03  # of a letter that has no entry of its own


def _pairs(text: str) -> dict[str, str]:
    """Signs and the commands that set them, from words in turn."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


COMMANDS = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "\xa0": "~",
    **_pairs(r"~ \textasciitilde{} ^ \textasciicircum{} < \textless{} > \textgreater{}"),
    **_pairs(r"ß \ss{} æ \ae{} Æ \AE{} œ \oe{} Œ \OE{} ø \o{} Ø \O{} ł \l{} Ł \L{} ı \i{} § \S{} ¶ \P{}"),
    **_pairs(r"© \copyright{} – \textendash{} — \textemdash{} … \textellipsis{}"),
    **_pairs(r"| \textbar{} ` \textasciigrave{} ‘ \textquoteleft{} ’ \textquoteright{}"),
    **_pairs(r"“ \textquotedblleft{} ” \textquotedblright{}"),
}
FORMULAS = {  # Greek capitals that look like Latin ones have no command
    **_pairs(r"− - × \times ± \pm · \cdot ≤ \leq ≥ \geq ≠ \neq ≈ \approx → \rightarrow ← \leftarrow ∞ \infty"),
    **_pairs(r"† \dagger ‡ \ddagger ° ^\circ ¹ ^1 ² ^2 ³ ^3 µ \mu α \alpha β \beta γ \gamma δ \delta ε \epsilon"),
    **_pairs(r"ζ \zeta η \eta θ \theta ι \iota κ \kappa λ \lambda μ \mu ν \nu ξ \xi π \pi ρ \rho σ \sigma"),
    **_pairs(r"ς \varsigma τ \tau υ \upsilon φ \phi χ \chi ψ \psi ω \omega Γ \Gamma Δ \Delta Θ \Theta"),
    **_pairs(r"Λ \Lambda Ξ \Xi Π \Pi Σ \Sigma Υ \Upsilon Φ \Phi Ψ \Psi Ω \Omega"),
}
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331"
ACCENTS = dict(zip(MARKS, "`'^~=u.\"rHvdcb", strict=True))
UNKNOWN = "rankscopesign"
PREAMBLE = rf"\providecommand{{\{UNKNOWN}}}[2]{{\ifdefined\Umathcode#1\else(#2)\fi}}"
LIGATURES = re.compile(r"(?<=[-'`,<>!?])(?=[-'`,<>])")
WIDER = {  # pairs of signs that stand further apart, and how far
    re.compile(r"[bop](?=[cdeoq])|I(?=I)|gj"): 0.028,
    re.compile(r"[abop](?=j)"): 0.056,
    re.compile(r"f[]!')?]"): 0.078,
    re.compile(r"'[!?]|[.?!:;,][]')]* "): 0.112,
}


@dataclass(frozen=True)
class Sign:
    """How a sign is written, and its width in parts of the font's size."""

    latex: str
    width: float


def signs_of(text: str) -> Iterator[Sign]:
    """The signs of a text on one line, letters with their accents."""
    for cluster in re.findall("[^\u0300-\u036f][\u0300-\u036f]*|[\u0300-\u036f]", one_line(text)):
        for letter in (cluster,) if len(cluster) == 1 else (unicodedata.normalize("NFC", cluster),):
            yield _sign(letter)


def _sign(text: str) -> Sign:
    if text in COMMANDS:
        return Sign(COMMANDS[text], WIDTH.get(text, 1.0))
    if text in FORMULAS:
        return Sign(f"${FORMULAS[text]}$", WIDTH.get(text, 1.0))
    if len(text) == 1 and " " <= text <= "~":
        return Sign(text, WIDTH[text])
    return _accented(text) or _unknown(text)


def _accented(text: str) -> Sign | None:
    """A letter from a to z with the accents that every font has; None for any other sign."""
    parts = unicodedata.normalize("NFD", text)
    letter, accents = parts[0], parts[1:]
    if not accents or not (letter.isascii() and letter.isalpha()) or not set(accents) <= ACCENTS.keys():
        return None
    latex = f"\\{letter}" if letter in "ij" else letter
    for accent in accents:
        latex = f"\\{ACCENTS[accent]}{{{latex}}}"
    return Sign(latex, max(WIDTH[letter], WIDTH["a"]))


def _unknown(text: str) -> Sign:
    number = " ".join(f"U+{ord(each):04X}" for each in text)
    return Sign(f"\\{UNKNOWN}{{{text}}}{{{number}}}", max(WIDEST, text_width(f"({number})", 1.0)))


def escape_latex(text: str) -> str:
    r"""Text with LaTeX's special signs made plain, no two of which join to a third.

    >>> print(escape_latex("bm25_k1 50%"), escape_latex("--é α 中"))
    bm25\_k1 50\% -{}-\'{e} $\alpha$ \rankscopesign{中}{U+4E2D}
    """
    return LIGATURES.sub("{}", "".join(sign.latex for sign in signs_of(text)))


def breakable(text: str, widest: float, size: float) -> str:
    r"""Escaped text that may break after punctuation, and anywhere if a part of it is wider than `widest` points.

    >>> print(breakable("run_2024-b", widest=100, size=10))
    run\_\allowbreak{}2024-\allowbreak{}b
    """
    parts = re.split(r"(?<=[-_./:,+@ )])", text)
    if any(text_width(part, size) > widest for part in parts):
        parts = list(text)
    return r"\allowbreak{}".join(escape_latex(part) for part in parts if part)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in points, at most a little more than it is set.

    >>> round(text_width("0.262", 10), 2), round(text_width("0.262", 8), 2)
    (22.78, 19.36)
    """
    kerns = sum(extra * len(pairs.findall(text)) for pairs, extra in WIDER.items())
    return (sum(sign.width for sign in signs_of(text)) + kerns) * size * _small(size) * (BOLD if bold else 1)


BOLD = 1.265  # the letters of the bold face are wider by at most so much, its digits by this:
BOLD_DIGIT = 1.155
SMALLER = {5: 1.45, 6: 1.267, 7: 1.165, 8: 1.0626, 9: 1.0287}  # letters of small sizes are wider in parts of the size


def _small(size: float) -> float:
    return SMALLER.get(round(size), 1.0)
