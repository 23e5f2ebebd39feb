"""What all pages share: templates, style, colours in light and dark, and a policy that lets only their own script run.

A page opens offline: no address in it is ever asked, and equal inputs give equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.core.files import atomic
from rankscope.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
DRAWING = ("page.js", "choice.js", "drawing.js", "conclusions.js", "figures.js", "plain.js")  # a page of graphs alone
PACKED = 7  # of 9: two more take twice the time and save one byte in a hundred
LIGHT = {
    "bg": "#fff",
    "ink": "#16191d",
    "dim": "#555d66",
    "line": "#d9dee3",
    "soft": "#f4f6f8",
    "tint": "#3d8fd1",
    "good": "#0b6b3a",
    "bad": "#a3340c",
    "link": "#00599c",
    "base": "#fbf3dc",
    "amber": "#8a5a00",
    "c0": "#16191d",
    "c1": "#0067b1",
    "c2": "#c2510a",
    "c3": "#00805f",
    "c4": "#9a3fa5",
    "c5": "#7d6300",
    "c6": "#0b7f91",
    "c7": "#b32a5c",
}
DARK = {
    "bg": "#14171b",
    "ink": "#e8ebee",
    "dim": "#a7b0b9",
    "line": "#343a41",
    "soft": "#1d2126",
    "tint": "#3f8fd0",
    "good": "#6fd39b",
    "bad": "#ff9d73",
    "link": "#7cc0ff",
    "base": "#2e2a1c",
    "amber": "#e3b65a",
    "c0": "#e8ebee",
    "c1": "#62b0f5",
    "c2": "#ff9a5c",
    "c3": "#4fcfa4",
    "c4": "#d896e3",
    "c5": "#d9bd4a",
    "c6": "#5fcbdc",
    "c7": "#ff8fb4",
}


@dataclass(frozen=True)
class Shell:
    """The style sheet and the script of a page, and the policy that lets nothing else run, load or be asked."""

    style: str
    script: str

    @classmethod
    def of(cls, *names: str) -> Shell:
        """From the files of these names, in this order, style sheets and scripts."""
        texts = [(TEMPLATES / name).read_text(encoding="utf-8") for name in names]
        styles = [text for name, text in zip(names, texts, strict=True) if name.endswith(".css")]
        scripts = [text for name, text in zip(names, texts, strict=True) if name.endswith(".js")]
        whole = '"use strict";\n(() => {\n' + "\n".join(scripts) + "\n})();\n"
        light, dark = (" ".join(f"--{name}: {colour};" for name, colour in each.items()) for each in (LIGHT, DARK))
        # colours in light and dark: as the reader has it, unless the button says otherwise; paper is always light
        themes = (
            f":root {{ color-scheme: light; {light} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) "
            f"{{ color-scheme: dark; {dark} }} }}\n"
            f"@media screen {{ :root[data-theme=dark] {{ color-scheme: dark; {dark} }} }}"
        )
        return cls("\n".join([themes, *styles]), whole)

    @property
    def policy(self) -> str:
        """Only the script of the page itself runs, known by its digest; nothing is loaded from anywhere."""
        digest = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
        return (
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
            "base-uri 'none'; form-action 'none'"
        )


@cache
def environment() -> Any:
    """Where templates come from; what is not there is an error, and every value is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_page(template: str, files: Sequence[str], data: Mapping[str, object], **parts: Any) -> str:
    """A page of a template, style sheets and scripts; `data` is what its script gets, by the ids of its elements."""
    packed = {}
    for id, value in data.items():
        packed[id] = pack_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    page = environment().get_template(template)
    return str(page.render(**parts, data=packed, shell=Shell.of(*files), version=__version__))


def write_page(page: str, path: str | Path) -> int:
    """Write a page, whole or not at all; its size in bytes."""
    with atomic(path, "wb") as file:
        return file.write(page.encode())


def pack_text(text: str) -> str:
    """Text as deflated bytes in base 64, which every browser since 2023 unpacks by itself.

    >>> zlib.decompress(base64.b64decode(pack_text("recall,precision"))).decode()
    'recall,precision'
    """
    return base64.b64encode(zlib.compress(text.encode(), PACKED)).decode()
