"""Links of pages on the site: what lies outside docs/ has a page of its own there, or is no link."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"``.+?``|`[^`\n]+`")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^()\s]+)\)|<img[^>]* src=\"([^\"]+)\"|<a href=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z]+:")


def prose(text: str) -> str:
    """A page without its code, where brackets are no links.

    >>> prose("see [a](a.md) and `[b](b.md)`")
    'see [a](a.md) and '
    """
    return INLINE.sub("", FENCE.sub("", text))


def targets(text: str) -> Iterator[str]:
    """Where a page's links and pictures point to; a text that is only code is a link too.

    >>> list(targets("[`rank`](../a.md#rank) ![g](g.svg) `[b](b.md)`"))
    ['../a.md#rank', 'g.svg']
    """
    plain = INLINE.sub("x", FENCE.sub("", text))
    yield from (found[2] for found in LINK.finditer(plain))
    yield from (next(filter(None, found.groups())) for found in PICTURE.finditer(plain))


def on_site(text: str, page: str, moved: Mapping[str, str]) -> str:
    """A page's text with its links as the site has them.

    `page` and the keys of `moved` are paths in the repository, what it holds for them paths on the site. A link to
    anything else outside docs/ leaves its words.

    >>> on_site("[c](../CHANGELOG.md), [t](../tests/test_a.py), [g](g.md#x)", "docs/a.md", {"CHANGELOG.md": "log.md"})
    '[c](log.md), t, [g](g.md#x)'
    """
    home = posixpath.dirname(moved.get(page, page.removeprefix("docs/")))

    def placed(found: re.Match[str]) -> str:
        words, target = found.groups()
        path, hash_mark, anchor = target.partition("#")
        if ELSEWHERE.match(target) or not path:
            return found[0]
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        there = moved.get(whole) or (whole.removeprefix("docs/") if whole.startswith("docs/") else None)
        if there is None:
            return words
        return f"[{words}]({posixpath.relpath(there, home or '.')}{hash_mark}{anchor})"

    return "".join(LINK.sub(placed, part) if number % 2 == 0 else part for number, part in enumerate(_fenced(text)))


def _fenced(text: str) -> list[str]:
    """Prose and code blocks in turn."""
    parts, start = [], 0
    for block in FENCE.finditer(text):
        parts += [text[start : block.start()], block[0]]
        start = block.end()
    return [*parts, text[start:]]
