"""Files that are a picture and something else at once: refused before anything looks at the picture in them."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Final

MARKUP: Final = re.compile(rb"<(?:script|html|svg|iframe|\?php|!doctype html)[\s>/]", re.IGNORECASE)
PDF_BEGINS: Final = 1024  # bytes within which readers look for the beginning


def other_nature(data: bytes) -> str:
    """What else a file could be taken for; empty where it is nothing but what it is.

    >>> other_nature(b"GIF89a<script>alert(1)</script>"), other_nature(b"\\x89PNG...")
    ('a page with a script', '')
    """
    if MARKUP.search(data):
        return "a page with a script"
    if b"%PDF-" in data[:PDF_BEGINS]:
        return "a PDF"
    return "an archive" if zipfile.is_zipfile(BytesIO(data)) else ""
