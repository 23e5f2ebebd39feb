"""Names that users, files and others chose: shown without harm, kept apart, and made fit for files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

from rankscope.core.caching import lazy_pattern

LONGEST_SLUG = 80
RANKS_SUFFIX = ".ranks.parquet"  # of a saved reduction: judgements and a run as ranks
UNSEEN: re.Pattern[str] = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # what steers a terminal or the direction of writing, and bytes of names that are no UTF-8
FORMULA: re.Pattern[str] = lazy_pattern(
    r"(?!\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$)\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]"
)
ALSO_IN_ONE_LINE: re.Pattern[str] = lazy_pattern(r"[\n\t]")


def visible(text: str) -> str:
    r"""Text as it may be shown on a terminal: signs that would steer it stand as escapes; lines stay lines.

    >>> print(visible("bm25\x1b[2J"), visible(os.fsdecode(b"\xff.run")))
    bm25\x1b[2J \xff.run
    """
    return text if text.isprintable() else UNSEEN.sub(_escape, text)


def name_of(path: str | Path) -> str:
    """The last part of a path, in one line.

    >>> name_of("runs/bm25.run")
    'bm25.run'
    """
    return one_line(Path(path).name)


def one_line(text: str) -> str:
    r"""The same for a cell or a comment, where a new line would begin something else.

    >>> print(one_line("a\nb"))
    a\nb
    """
    return ALSO_IN_ONE_LINE.sub(_escape, visible(text))


def in_json(text: str) -> str:
    r"""JSON of the same meaning without such signs, so that it can be shown too, and written as UTF-8.

    >>> print(in_json('{"name": "\x9b2J"}'))
    {"name": "\u009b2J"}
    """
    return text if text.isascii() else UNSEEN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape", "backslashreplace").decode()


def cell(value: object) -> object:
    """A value for a CSV file: text that a spreadsheet would take for a formula gets a single quote in front.

    Numbers stay numbers, those that are written as text too.
    >>> cell("=1+1"), cell("-1"), cell(-1.5), cell("@home"), cell("d-7")
    ("'=1+1", '-1', -1.5, "'@home", 'd-7')
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def slugs(texts: Sequence[str]) -> list[str]:
    """A name for files and addresses for each text, all different, also where capitals are not distinguished.

    Letters other than a to z have no place in them, so several texts may begin alike: later ones get a number.
    >>> slugs(["grep runs/BM25 (2)", "grep bm25_k1", "grep bm25-k1", "grep BM25-k1"])
    ['grep-runs-bm25-2', 'grep-bm25-k1', 'grep-bm25-k1-2', 'grep-bm25-k1-3']
    """
    plain = [re.sub(r"[^a-z0-9.]+", "-", text.lower())[:LONGEST_SLUG].strip("-.") or "graph" for text in texts]
    return _numbered(plain, "{name}-{number}")


def file_names(texts: Sequence[str]) -> list[str]:
    """A name without signs that a shell reads for each text, all different, also where capitals are not distinguished.

    >>> file_names(["lbp(grid=4)", "svm(C=1)", "svm(c=1)"])
    ['lbp-grid-4', 'svm-C-1', 'svm-c-1-2']
    """
    plain = [re.sub(r"[^\w.-]+", "-", text)[:LONGEST_SLUG].strip("-.") or "unnamed" for text in texts]
    return _numbered(plain, "{name}-{number}", str.casefold)


def _numbered(names: Sequence[str], form: str, key: Callable[[str], str] = str) -> list[str]:
    """Names with a number behind those that stood before; never one that another name has by itself."""
    taken, result = set(map(key, names)), dict[str, str]()
    for name in names:
        number, chosen = 1, name
        while key(chosen) in result or (number > 1 and key(chosen) in taken):
            number += 1
            chosen = form.format(name=name, number=number)
        result[key(chosen)] = chosen
    return list(result.values())


def distinct_names(names: Sequence[str], paths: Sequence[str | Path | None]) -> list[str]:
    """Names of systems, all different: equal ones get what tells their files' paths apart, else a number.

    >>> distinct_names(["bm25", "bm25", "dense"], ["main/bm25.run", "branch/bm25.run", "dense.run"])
    ['main/bm25', 'branch/bm25', 'dense']
    >>> distinct_names(["bm25", "bm25", "bm25"], ["bm25.run", "bm25.json", None])
    ['bm25.run', 'bm25.json', 'bm25']
    """
    results = list(names)
    for name in [name for name, count in Counter(names).items() if count > 1]:
        rows = [row for row, each in enumerate(names) if each == name and paths[row] is not None]
        for row, told in zip(rows, _differences(name, [Path(str(paths[row])) for row in rows]), strict=True):
            results[row] = told
    return _numbered(results, "{name} ({number})")


def _differences(name: str, paths: Sequence[Path]) -> list[str]:
    """The name behind the folders in which the paths differ; the whole name of the file where they do not."""
    folders = [Path(os.path.abspath(path)).parent.parts for path in paths]
    lead = _alike(folders)
    rest = [parts[lead:] for parts in folders]
    tail = _alike([parts[::-1] for parts in rest])
    between = [parts[: len(parts) - tail] for parts in rest]
    once = Counter(between)
    return [
        "/".join((*parts, name if once[parts] == 1 else path.name)) for parts, path in zip(between, paths, strict=True)
    ]


def _alike(paths: Sequence[tuple[str, ...]]) -> int:
    """In how many parts all paths begin alike."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))
