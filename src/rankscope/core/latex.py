"""Tables for a paper: booktabs, decimals aligned by dcolumn, the best of each measure in bold, as wide as a column.

How a table is fitted into a column (size, headings, line breaks, panels), how wide each column is set, and how each
sign is written so that it stays what it is.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rankscope.core.errors import SettingError
from rankscope.core.names import one_line
from rankscope.core.rendering import Cell, Grid

# How a table is fitted into a column of a page: its size, headings, line breaks, and panels below each other.

COLUMN = 221.0  # points: the column of a two-column article on A4, narrower than those of ACM (241) and IEEE (252)
PAGE = 452.0  # both columns of the same; ACM has 506, IEEE 516
NARROWEST = 60.0
SEPARATION = {9: 3.5, 8: 2.5, 7: 2.0}  # points on each side of a column, by the font's size
READABLE = 60.0  # points of a column of broken text; less only where nothing else fits
LEAST = 20.0


@dataclass(frozen=True)
class PlacedColumn:
    """A column, and the width that its text is broken to; None where it is not."""

    column: LatexColumn
    wrapped: float | None = None


@dataclass(frozen=True)
class Layout:
    """A table that fits: panels below each other, each with the columns that name its rows."""

    size: int
    stacked: bool  # headings: scope and parameters on lines of their own
    panels: tuple[tuple[PlacedColumn, ...], ...]
    width: float  # of the widest panel, in points

    @property
    def separation(self) -> float:
        """Between columns, on each side, in points."""
        return SEPARATION[self.size]


@dataclass(frozen=True)
class _Try:
    """A way to set the table: the font's size, stacked headings, the least width of broken text, panels."""

    size: int
    stacked: bool
    least: float | None
    panels: int


def width_of_columns(columns: str | float) -> float:
    """Points for one column of a two-column page, for both, or as many as given.

    >>> width_of_columns("1"), width_of_columns("2"), width_of_columns("347pt"), width_of_columns(345)
    (221.0, 452.0, 347.0, 345.0)
    """
    text = str(columns).strip()
    if text in ("1", "2"):
        return COLUMN if text == "1" else PAGE
    try:
        width = float(text.removesuffix("pt"))
    except ValueError:
        width = 0.0
    if not NARROWEST <= width < 10_000:
        raise SettingError(
            f"columns for LaTeX: 1 (one of two), 2 (both) or a width in points such as 347pt, got '{columns}'"
        )
    return width


def fitted(columns: Sequence[LatexColumn], width: float) -> Layout:
    """The first layout that is not wider than `width`: large letters and few panels are preferred."""
    texts = [not each.numeric for each in columns]  # those up to the last of the first texts name the rows
    first = texts.index(True) if True in texts else 0
    keys = next((place for place in range(first, len(texts)) if not texts[place]), len(texts))
    for way in _tries(max(1, len(columns) - keys)):
        layout = _layout(columns, keys, width, way)
        if layout is not None:
            return layout
    raise SettingError(f"this table does not fit into {width:.0f} points: choose a wider column, or fewer measures")


def _tries(values: int) -> Iterator[_Try]:
    """The nicest first: few panels before large letters, these before headings on one line."""
    for panels in range(1, values + 1):
        for size, stacked, least in ((9, False, None), (9, True, None), (8, True, None), (8, True, READABLE)):
            yield _Try(size, stacked, least, panels)
    yield _Try(7, True, LEAST, values)


def _layout(columns: Sequence[LatexColumn], keys: int, width: float, way: _Try) -> Layout | None:
    """The table set in one way; None where a panel is too wide."""
    import numpy as np

    parts = np.array_split(np.arange(keys, len(columns)), way.panels)
    chosen = [[*columns[:keys], *(columns[place] for place in part.tolist())] for part in parts]
    limit = min((_text_limit(panel, width, way) for panel in chosen), default=math.inf)
    if way.least is None or limit >= way.least:
        broken = limit if way.least is not None else math.inf
        panels = tuple(tuple(_placed(each, broken, way) for each in panel) for panel in chosen)
        widest = max(_panel_width(panel, way) for panel in panels)
        if widest <= width:
            return Layout(way.size, way.stacked, panels, widest)
    return None


def _placed(column: LatexColumn, limit: float, way: _Try) -> PlacedColumn:
    wide = not column.numeric and column.width(way.size, way.stacked) > limit
    return PlacedColumn(column, limit if wide else None)


def _panel_width(panel: Sequence[PlacedColumn], way: _Try) -> float:
    widths = [each.column.width(way.size, way.stacked) if each.wrapped is None else each.wrapped for each in panel]
    return sum(widths) + 2 * SEPARATION[way.size] * (len(widths) - 1)


def _text_limit(panel: Sequence[LatexColumn], width: float, way: _Try) -> float:
    """How wide a column of text may be, so that numbers and narrower texts have their room.

    >>> from rankscope.core.rendering import Cell
    >>> names, values = LatexColumn("system", (Cell("x" * 99, number=False),)), LatexColumn("AP", (Cell("0.262"),))
    >>> round(_text_limit([names, values], 221, _Try(8, True, 60.0, 1)), 1)
    200.9
    """
    room = width - 2 * SEPARATION[way.size] * (len(panel) - 1)
    room -= sum(each.width(way.size, way.stacked) for each in panel if each.numeric)
    texts = sorted(each.width(way.size, way.stacked) for each in panel if not each.numeric)
    while texts and texts[0] <= room / len(texts):
        room -= texts.pop(0)
    return room / len(texts) if texts else math.inf


PLACES = 3
PACKAGES = r"needs \usepackage{booktabs} and \usepackage{dcolumn}; \input it into a table"
MOST_ROWS = 48  # that a page holds; more are set as tables of their own
NOTE_SIZE = 7
BETWEEN = "\n\\\\\\noalign{\\vskip 4pt}\n"  # panels
NARROWEST_NOTE = 150.0


def latex_comments(lines: Iterable[str]) -> str:
    """Each line as a comment that ends where it should, whatever names stand in it."""
    return "".join(f"% {one_line(line)}\n" for line in lines)


def latex_table(grid: Grid, width: float = COLUMN, notes: Sequence[str] = ()) -> str:
    """The table, not wider than so many points; notes stand below it.

    Where it is too wide, letters become smaller, headings and names break, and measures stand in panels below each
    other. More rows than a page holds are set as several tables.
    """
    layout = layout_of(grid, width)
    sheets = _sheets(layout, len(grid.rows))
    size = f"\\fontsize{{{layout.size}}}{{{layout.size * 1.2:.1f}}}\\selectfont"
    begin = f"\\noindent{{{size}\\setlength{{\\tabcolsep}}{{{layout.separation}pt}}%\n"
    below = _notes(notes, min(width, max(layout.width, NARROWEST_NOTE)))
    texts = [begin + _sheet(each, below if each is sheets[-1] else "") + "}%\n" for each in sheets]
    lead = [PACKAGES, *([f"{len(sheets)} tables: put each into a float of its own"] if len(sheets) > 1 else [])]
    whole = "\\par\n".join(texts)
    return latex_comments(lead) + (f"{PREAMBLE}\n" if f"\\{UNKNOWN}{{" in whole else "") + whole


def layout_of(grid: Grid, width: float = COLUMN) -> Layout:
    """How a table is fitted into a column."""
    columns = [LatexColumn(each, tuple(row[place] for row in grid.rows)) for place, each in enumerate(grid.header)]
    return fitted(columns, width)


def _sheets(layout: Layout, rows: int) -> list[list[str]]:
    """Panels that stand on one page together."""
    sheets: list[list[str]] = [[]]
    filled = 0
    for panel in layout.panels:
        for start in range(0, max(rows, 1), MOST_ROWS):
            part = range(start, min(start + MOST_ROWS, rows))
            if sheets[-1] and filled + len(part) > MOST_ROWS:
                sheets, filled = [*sheets, []], 0
            sheets[-1].append(_panel(panel, part, layout))
            filled += len(part)
    return sheets


def _sheet(panels: Sequence[str], notes: str) -> str:
    """One panel as it is; several, or one with notes, below each other."""
    parts = [each.rstrip("\n") for each in (*panels, *filter(None, [notes]))]
    if len(parts) == 1:
        return parts[0]
    return "\\begin{tabular}{@{}l@{}}\n" + BETWEEN.join(parts) + "\n\\end{tabular}"


def _panel(panel: Sequence[PlacedColumn], rows: range, layout: Layout) -> str:
    columns = "".join(each.column.shape(layout.size, each.wrapped) for each in panel)
    body = [_row(each.column.cell(row, each.wrapped, layout.size) for each in panel) for row in rows]
    lines = [*_headings(panel, layout), "\\midrule", *body]
    inside = "\n".join(line if line.endswith("rule") else f"{line} \\\\" for line in lines)
    begin, end = _environment(columns, layout)
    return f"{begin}\n\\toprule\n{inside}\n\\bottomrule\n{end}\n"


def _environment(columns: str, layout: Layout) -> tuple[str, str]:
    """Panels of numbers alone are spread to one width."""
    if len(layout.panels) == 1 or any(each.column.has_rest for panel in layout.panels for each in panel):
        return f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}", "\\end{tabular}"
    spread = f"@{{\\extracolsep{{\\fill}}}}{columns}@{{}}"
    return f"\\begin{{tabular*}}{{{layout.width:.1f}pt}}{{{spread}}}", "\\end{tabular*}"


def _headings(panel: Sequence[PlacedColumn], layout: Layout) -> list[str]:
    """As many lines as the heading with most of them has; shorter ones stand at the bottom."""
    texts = [each.column.lines(layout.stacked) for each in panel]
    height = max(map(len, texts), default=1)
    padded = [("",) * (height - len(lines)) + lines for lines in texts]
    return [
        _row(
            _heading(each, lines[number], layout.size, last=each is panel[-1])
            for each, lines in zip(panel, padded, strict=True)
        )
        for number in range(height)
    ]


def _heading(placed: PlacedColumn, text: str, size: float, last: bool) -> str:
    if placed.column.numeric:
        shape = "c@{}" if last else "c"
        return f"\\multicolumn{{{2 if placed.column.has_rest else 1}}}{{{shape}}}{{{escape_latex(text)}}}"
    return escape_latex(text) if placed.wrapped is None else breakable(text, placed.wrapped, size)


def _row(cells: Iterable[str]) -> str:
    r"""Cells side by side; a bracket or a star at the beginning would belong to the \\ before it."""
    text = " & ".join(cells)
    return "{}" + text if text.lstrip().startswith(("[", "*")) else text


def _notes(lines: Sequence[str], width: float) -> str:
    """What must be said below the table, in smaller letters."""
    if not lines:
        return ""
    long = width / 3  # a word that breaks
    words = [
        breakable(word, width, NOTE_SIZE) if text_width(word, NOTE_SIZE) > long else escape_latex(word)
        for word in " ".join(lines).split()
    ]
    size = f"\\fontsize{{{NOTE_SIZE}}}{{{NOTE_SIZE * 1.2:.1f}}}\\selectfont"
    return f"\\parbox{{{width:.1f}pt}}{{{size}\\raggedright {' '.join(words)}}}"


# The columns of a table for a paper: how wide each is set in points, and how its cells are written.

NUMBER = re.compile(r"([<>+\u2212-]?)([\d,]*)(?:\.(\d+))?(.*)", re.DOTALL)
SCRIPT = {10: 7, 9: 6, 8: 6, 7: 5}  # the size of superscripts
GAP = 1 / 6  # between a number and its interval, in parts of the size
MARK_COMMANDS = {"†": r"\dagger", "‡": r"\ddagger"}
UNDEFINED = "-"


@dataclass(frozen=True)
class _Number:
    """A number in its parts, without a zero before the point."""

    sign: str
    whole: str
    decimals: str
    rest: str

    @classmethod
    def of(cls, text: str) -> _Number | None:
        """The parts of a text; None where it is not a number."""
        found = NUMBER.fullmatch(text)
        if found is None or not (found[2] or found[3]):
            return None
        whole = "" if found[2] == "0" and found[3] else found[2]
        rest = re.sub(r"(?<![\d.])0\.", ".", found[4].strip())
        return cls(found[1].replace("-", "\u2212"), whole, found[3] or "", rest)


@dataclass(frozen=True)
class LatexColumn:
    """A heading and the cells below it."""

    heading: str
    cells: tuple[Cell, ...]

    @cached_property
    def numbers(self) -> tuple[_Number | None, ...]:
        return tuple(_Number.of(cell.text) for cell in self.cells)

    @cached_property
    def numeric(self) -> bool:
        """Whether all cells are numbers, but for those that are undefined."""
        known = [each for cell, each in zip(self.cells, self.numbers, strict=True) if cell.text != UNDEFINED]
        return bool(known) and None not in known and all(cell.number for cell in self.cells)

    @cached_property
    def has_rest(self) -> bool:
        """Whether something stands behind the numbers."""
        return self.numeric and any(each is not None and each.rest for each in self.numbers)

    def lines(self, stacked: bool) -> tuple[str, ...]:
        """The heading on one line, or before its scope and its parameters on lines of their own.

        >>> LatexColumn("nDCG(gain=exp)@10", ()).lines(stacked=True)
        ('nDCG', '(gain=exp)', '@10')
        """
        return tuple(filter(None, re.split(r"(?=[(@])|(?<=[\w)]) ", self.heading))) if stacked else (self.heading,)

    def width(self, size: float, stacked: bool) -> float:
        """In points, as wide as the widest of its cells or the heading."""
        heading = max((text_width(line, size) for line in self.lines(stacked)), default=0.0)
        if not self.numeric:
            return max([heading, *(text_width(cell.text, size, cell.best) for cell in self.cells)])
        left, right = self.digits(size)
        number = (left + right) * text_width("0", size) + text_width(".", size)
        rests = [text_width(each.rest, size) for each in self.numbers if each is not None and each.rest]
        return max(heading, number + (max(rests) + GAP * size if rests else 0.0))

    def digits(self, size: float) -> tuple[int, int]:
        """Room before and after the point in digits, for the widest number with its marks."""
        digit, left, right = text_width("0", size), 0.0, 0.0
        for cell, number in zip(self.cells, self.numbers, strict=True):
            if number is None:
                continue
            bold = BOLD_DIGIT if cell.best else 1.0
            left = max(left, text_width(number.sign + number.whole, size) * bold)
            right = max(right, text_width(number.decimals, size) * bold + marks_width(cell.marks, size))
        return math.ceil(left / digit - 1e-9), math.ceil(right / digit - 1e-9)

    def shape(self, size: float, wrapped: float | None) -> str:
        """What stands for the column at the beginning of the tabular."""
        if self.numeric:
            left, right = self.digits(size)
            return f"D{{.}}{{.}}{{{left}.{right}}}" + (r"@{\,}l" if self.has_rest else "")
        return "l" if wrapped is None else rf">{{\raggedright\arraybackslash}}p{{{wrapped:.1f}pt}}"

    def cell(self, row: int, wrapped: float | None, size: float) -> str:
        """A cell as LaTeX, with the one behind it where the column has two."""
        cell, number = self.cells[row], self.numbers[row]
        if not self.numeric:
            text = escape_latex(cell.text) if wrapped is None else breakable(cell.text, wrapped, size)
            return rf"\textbf{{{text}}}" if cell.best else text
        if number is None:
            return r"\multicolumn{1}{c}{--}" + (" &" if self.has_rest else "")
        # bold on both sides of the point, which dcolumn sets by itself
        sign = {"\u2212": "-", "<": "{<}", ">": "{>}", "+": "+"}.get(number.sign, "")
        parts = [number.whole.replace(",", "{,}"), number.decimals]
        if cell.best:
            parts = [rf"\mathbf{{{part}}}" if part else "" for part in parts]
        point = "." if number.decimals else ""
        decimal = sign + parts[0] + point + parts[1] + marks_latex(cell.marks)
        return decimal + (f" & {escape_latex(number.rest)}".rstrip() if self.has_rest else "")


def marks_latex(marks: str) -> str:
    r"""Marks behind a number, raised.

    >>> print(marks_latex("ab"), marks_latex("†"), marks_latex("ab†"))
    ^{\mathrm{ab}} ^{\dagger} ^{\mathrm{ab}\dagger}
    """
    if not marks:
        return ""
    letters = "".join(sign for sign in marks if sign not in MARK_COMMANDS)
    upright = rf"\mathrm{{{letters}}}" if letters else ""
    return f"^{{{upright}{''.join(MARK_COMMANDS.get(sign, '') for sign in marks)}}}"


def marks_width(marks: str, size: float) -> float:
    """Marks are set smaller, with half a point behind them."""
    return text_width(marks, SCRIPT[round(size)]) + 0.5 if marks else 0.0


# Text for LaTeX, sign by sign: how each is written so that it stays what it is, and how wide it is set.

SIGNS_BY_WIDTH = {  # cmr10, in thousandths
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
SIGN_WIDTHS = {sign: width / 1000 for width, signs in SIGNS_BY_WIDTH.items() for sign in signs}
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
ACCENT_SIGNS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0331"
ACCENTS = dict(zip(ACCENT_SIGNS, "`'^~=u.\"rHvdcb", strict=True))
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
        return Sign(COMMANDS[text], SIGN_WIDTHS.get(text, 1.0))
    if text in FORMULAS:
        return Sign(f"${FORMULAS[text]}$", SIGN_WIDTHS.get(text, 1.0))
    if len(text) == 1 and " " <= text <= "~":
        return Sign(text, SIGN_WIDTHS[text])
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
    return Sign(latex, max(SIGN_WIDTHS[letter], SIGN_WIDTHS["a"]))


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
    wider = SMALLER.get(round(size), 1.0) * (BOLD if bold else 1)
    return (sum(sign.width for sign in signs_of(text)) + kerns) * size * wider


BOLD = 1.265  # the letters of the bold face are wider by at most so much, its digits by this:
BOLD_DIGIT = 1.155
SMALLER = {5: 1.45, 6: 1.267, 7: 1.165, 8: 1.0626, 9: 1.0287}  # letters of small sizes are wider in parts of the size
