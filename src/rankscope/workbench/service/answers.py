"""Answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

Json = dict[str, Any]
MEDIA = "application/json; charset=utf-8"


def json_bytes(value: object, pretty: bool = False) -> bytes:
    """A value as JSON, perhaps on lines of its own; half a sign becomes a question mark."""
    form: Json = {"indent": 2} if pretty else {"separators": (",", ":")}
    return json.dumps(value, ensure_ascii=False, **form).encode("utf-8", "replace")


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else json_bytes(value)
    return Response(content, status, dict(headers or {}), MEDIA)


def shown_number(value: float) -> float | None:
    """A score as JSON can hold it, in the shortest digits of its 32 bits.

    >>> import numpy as np
    >>> shown_number(float(np.float32(0.1)))
    0.1
    """
    import numpy as np

    return float(np.format_float_scientific(np.float32(value), unique=True)) if np.isfinite(value) else None
