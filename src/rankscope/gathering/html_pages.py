"""Pages of HTML: what they say, where they lead, and what they ask of those who gather them."""

from __future__ import annotations

import re
from typing import Any

from rankscope.gathering.parsing import Parsed
from rankscope.inputs.page_texts import html_texts, html_tree, storable_text

MOST_LINKS = 10_000


def parse_html(page: str) -> Parsed:
    """All of a page; links also from what frames it.

    >>> parse_html("<title>Foxes</title><nav><a href=b.html>more</a></nav><p>A fox")
    Parsed(title='Foxes', text='A fox', links=('b.html',), base='', hidden=False, problem='')
    """
    tree = html_tree(page)
    asked = _asked_of_robots(tree)
    base = tree.css_first("base[href]")
    links = () if "nofollow" in asked else _links(tree)
    texts = html_texts(tree)
    return Parsed(
        title=storable_text(texts.get("title", "")),
        text=storable_text(texts.get("text", "")).strip(),
        links=links,
        base=_attribute(base, "href") if base else "",
        hidden="noindex" in asked,
    )


def _asked_of_robots(tree: Any) -> set[str]:
    """What the page asks of those who gather it: nofollow, noindex."""
    named = [node for node in tree.css("meta[name][content]") if _attribute(node, "name").lower() == "robots"]
    words = {word for node in named for word in re.split(r"[\s,]+", _attribute(node, "content").lower())}
    return words | ({"nofollow", "noindex"} if "none" in words else set())


def _links(tree: Any) -> tuple[str, ...]:
    nodes = (node for node in tree.css("a[href], area[href]") if "nofollow" not in _attribute(node, "rel").lower())
    return tuple(dict.fromkeys(_attribute(node, "href") for node in nodes))[:MOST_LINKS]


def _attribute(node: Any, name: str) -> str:
    return storable_text(node.attributes.get(name) or "").strip()
