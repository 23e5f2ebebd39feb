"""The text of a page, in whatever letters it was written."""

from __future__ import annotations

import codecs
import re

NAMED = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
NAMED_WITHIN = 4096
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
SPOKEN = re.compile(
    "utf-(?:8|16|16-le|16-be)|cp(?:125[0-8]|866|874|932|949)|iso8859-(?:[2-9]|1[0-6])|koi8-[ru]|mac-(?:roman|cyrillic)"
    "|gb2312|gbk|gb18030|big5|big5hkscs|euc_jp|iso2022_jp|shift_jis|euc_kr"
)
AS_WINDOWS = ("ascii", "iso8859-1")  # browsers read these as cp1252, and so do authors


def decoded(body: bytes, spoken: str = "") -> str:
    """A page as text: by its mark, else as its server says, else as it says itself, else as UTF-8, else as cp1252.

    What cannot be in one of these encodings is read in the next.
    >>> decoded("café".encode("latin-1"), "utf-8"), decoded("café".encode(), "no-such")
    ('café', 'café')
    >>> decoded('<meta charset="koi8-r">лиса'.encode("koi8-r"))[-4:]
    'лиса'
    """
    named = NAMED.search(body[:NAMED_WITHIN])
    marks = [encoding for mark, encoding in MARKS if body.startswith(mark)]
    for encoding in [*marks, _codec(spoken), _codec(named[1].decode("ascii")) if named else "", "utf-8"]:
        try:
            if encoding:
                return body.decode(encoding)
        except UnicodeError:
            continue
    return body.decode("cp1252", "replace")


def _codec(name: str) -> str:
    """The encoding of this name; nothing where there is none that pages are written in."""
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return ""
    return "cp1252" if known in AS_WINDOWS else known if SPOKEN.fullmatch(known) else ""
