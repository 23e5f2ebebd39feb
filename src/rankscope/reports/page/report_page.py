"""The page of a report as a text that knows how to show itself, instead of half a megabyte at a prompt."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

from rankscope.displayed import Displayed
from rankscope.files import atomic

TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
LARGEST_FRAME = 3_000_000  # signs: a larger page would make a notebook slow
FRAME = "width:100%;height:600px;border:1px solid rgba(128,128,128,.45);background:#fff"


class ReportPage(str, Displayed):
    """One HTML page, whole: it is text in every way, opens offline, and a notebook shows it in a frame.

    >>> page = ReportPage("<html><title>Two systems</title></html>")
    >>> page.heading, page
    ('Two systems', Report 'Two systems': a page of 39 bytes, which page.save('report.html') writes)
    """

    __slots__ = ()
    __repr__ = Displayed.__repr__

    @property
    def heading(self) -> str:
        """What its title says."""
        found = TITLE.search(self)
        return unescape(found[1]).strip() if found else ""

    def save(self, path: str | Path) -> int:
        """Write it, whole or not at all; how many bytes it has."""
        with atomic(path, "wb") as file:
            return file.write(self.encode())

    def _repr_html_(self) -> str:
        said = Displayed._repr_html_(self)
        if len(self) > LARGEST_FRAME:
            return said
        named = f'title="{escape(self.heading)}" sandbox="allow-scripts" style="{FRAME}"'
        return f'{said}<iframe {named} srcdoc="{escape(str(self))}"></iframe>'
