"""What whoever runs work elsewhere should know, said once on standard error."""

from __future__ import annotations

import sys
from functools import cache

from rankscope.names import visible


@cache
def point_out(line: str) -> None:
    """Print the line, marked as a warning, unless this process has done so before."""
    print(visible(f"! {line}"), file=sys.stderr)
