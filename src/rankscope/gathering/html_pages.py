"""Pages of HTML: their title, the text that is theirs alone, and their links."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rankscope.gathering.parsing import Parsed, storable

MOST_LINKS = 10_000
FRAME = "script, style, noscript, template, nav, header, footer, aside, form"
BLOCKS = (
    "address article aside blockquote br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main ol p pre section"
    " table td th tr ul"
).replace(" ", ", ")
BLANKS = re.compile(r"[^\S\n]+")
LINES = re.compile(r" ?\n[ \n]*")


def parse_html(page: str) -> Parsed:
    """All of a page; of its text what stands in `main` or `article` if there is one, and never what frames it.

    >>> parse_html("<title>Foxes</title><nav>Home</nav><main>A fox<p>in a den <a href=b.html>more</a></main>")
    Parsed(title='Foxes', text='A fox\\nin a den more', links=('b.html',), base='', hidden=False, problem='')
    """
    tree = LexborHTMLParser(page)
    asked = _asked_of_robots(tree)
    links = () if "nofollow" in asked else _links(tree)
    base = tree.css_first("base[href]")
    heading = tree.css_first("title") or tree.css_first("h1")
    title = "" if heading is None else " ".join(heading.text().split())
    return Parsed(
        title=storable(title),
        text=storable(_text(tree)),
        links=links,
        base=_attribute(base, "href") if base else "",
        hidden="noindex" in asked,
    )


def _asked_of_robots(tree: LexborHTMLParser) -> set[str]:
    """What the page asks of those who gather it: nofollow, noindex."""
    named = [node for node in tree.css("meta[name][content]") if _attribute(node, "name").lower() == "robots"]
    words = {word for node in named for word in re.split(r"[\s,]+", _attribute(node, "content").lower())}
    return words | ({"nofollow", "noindex"} if "none" in words else set())


def _links(tree: LexborHTMLParser) -> tuple[str, ...]:
    nodes = (node for node in tree.css("a[href], area[href]") if "nofollow" not in _attribute(node, "rel").lower())
    return tuple(dict.fromkeys(_attribute(node, "href") for node in nodes))[:MOST_LINKS]


def _attribute(node: LexborNode, name: str) -> str:
    return storable(node.attributes.get(name) or "")


def _text(tree: LexborHTMLParser) -> str:
    """The text, with new lines where elements part it."""
    for node in tree.css(FRAME):
        node.decompose()
    body = tree.css_first("main") or tree.css_first("article") or tree.body
    if body is None:
        return ""
    for node in body.css(BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    return LINES.sub("\n", BLANKS.sub(" ", body.text(separator="")))
