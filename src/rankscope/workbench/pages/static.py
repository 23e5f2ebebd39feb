"""Scripts, styles and pictures of the pages themselves: files of this package and no others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from starlette.responses import Response

from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.service.refusals import Refusal

KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FOLDER: Final = Path(__file__).parents[1] / "static"


@dataclass(frozen=True)
class StaticAsked:
    """A file's name."""

    name: Annotated[str, Words(100), "the name of a file"]


@cache
def files() -> dict[str, tuple[bytes, str, str]]:
    """Content, kind and digest of each file, by name; a name that is not here is no file."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in KINDS:
            content = path.read_bytes()
            found[path.name] = content, KINDS[path.suffix], hashlib.sha256(content).hexdigest()[:16]
    return found


@address("GET", "/static/{name}", role="anybody", media=", ".join(KINDS.values()), reads_journal=False)
async def static(visit: Visit, asked: StaticAsked) -> Response:
    """A script or a style of the pages."""
    if asked.name not in files():
        raise Refusal(404, "there is no such file")
    content, kind, digest = files()[asked.name]
    headers = {"etag": f'"{digest}"', "cache-control": "no-cache"}
    if visit.request.headers.get("if-none-match") == f'"{digest}"':
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=kind)


ADDRESSES = (static,)
