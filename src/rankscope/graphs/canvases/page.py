"""An interactive page that needs no net: the script of Vega is inside, once."""

from __future__ import annotations

import html as markup
import json
import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.errors import RankscopeError
from rankscope.files import atomic
from rankscope.graphs.canvases.static import converter
from rankscope.graphs.canvases.vega_lite import VERSION, specification
from rankscope.graphs.look import FONT, Look

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

HINT = "Point at a curve for its numbers; click a name in the legend to pick it out, double-click to see all again."
OPTIONS = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}, "renderer": "svg"}


def html(graph: Graph, look: Look) -> str:
    """The whole page."""
    theme = look.theme
    style = (
        f"body{{margin:2rem;background:{theme.paper};color:{theme.ink};font:14px {FONT}}}"
        f"p{{color:{theme.words};max-width:60em}}#vg-tooltip-element{{font-family:{FONT}}}"
    )
    body = (
        f'<div id="graph"></div>\n<p>{HINT}</p>\n<script>{script()}</script>\n<script>{embedding(graph, look)}</script>'
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{markup.escape(graph.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def embedding(graph: Graph, look: Look, place: str = "graph") -> str:
    """The script that draws the graph into the element of this id; several graphs share one `script()`."""
    tooltip: dict[str, Any] = {"theme": look.theme.name if look.theme.name == "dark" else "light"}
    spec = _inside_script(specification(graph, look, interactive=True))
    return f"vegaEmbed('#{place}', {spec}, {_inside_script({**OPTIONS, 'tooltip': tooltip})});"


def _inside_script(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


@cache
def script() -> str:
    """Vega, Vega-Lite and vega-embed in one script, as the installed vl-convert has them.

    vl-convert takes seconds to put it together; afterwards it lies in the user's cache folder under the versions it
    belongs to, so it is the same bytes every time. A folder that cannot be written costs only those seconds.
    """
    stored = cache_folder() / f"vega-{VERSION}-vl-convert-{version('vl-convert-python')}.js"
    try:
        return stored.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = _bundled()
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        with atomic(stored) as file:
            file.write(text)
    except (OSError, RankscopeError):
        pass
    return text


def _bundled() -> str:
    return str(converter().javascript_bundle(vl_version=VERSION)).replace("</script", "<\\/script")


def cache_folder() -> Path:
    """Where this user's programs keep what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "rankscope"
