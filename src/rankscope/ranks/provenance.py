"""Where the numbers of a reduction come from."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.settings import Settings
from rankscope.version import __version__

FIXED_BY_REDUCTION = ("ties", "duplicates", "judged_only", "score_width", "query_item", "seed")


def reduction_provenance(run: Run, qrels: Qrels, settings: Settings, returned: int) -> dict[str, Any]:
    """Where the numbers come from: digests and choices, but no time, host or path, so equal inputs give equal bytes."""
    return {
        "run": {"file": run.place, "sha256": run.digest, "tag": run.tag, "rows": returned, "scores": run.gives_scores},
        "judgements": {"file": qrels.name, "sha256": qrels.digest, "rows": len(qrels)},
        "settings": {name: getattr(settings, name) for name in FIXED_BY_REDUCTION},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """The versions that numbers depend on: what reads a file changes none of them."""
    return {"rankscope": __version__, "numpy": np.__version__}
