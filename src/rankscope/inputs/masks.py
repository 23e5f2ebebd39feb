"""Arrays whose values are masked in part: what is masked has no value, and is not guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import InputError

ADVICE = "Leave those rows out, or fill them: array.filled(value)."


def refuse_masked(values: Any, source: str) -> NDArray[Any]:
    """The values as an array; masked ones are an `InputError`: numpy would show what lies behind the mask.

    >>> refuse_masked(np.ma.array([1, 2], mask=[False, False]), "run")
    array([1, 2])
    """
    hidden = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if hidden:
        raise InputError.of(source, [f"{hidden} value{'' if hidden == 1 else 's'} of {values.size} are masked"], ADVICE)
    return np.asarray(values)
