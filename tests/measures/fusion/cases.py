"""What is fused for the comparison with ranx: methods with their options, normalizations, runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.measures.fusion.lists import Nested, random_runs

SIMPLE = ("rrf", "sum", "mnz", "anz", "min", "max", "med", "isr", "log_isr", "bordafuse")
WITH_OPTION = ("rrf(k=7)", "gmnz(gamma=0.4)", "logn_isr(sigma=0.3)", "rbc(phi=0.8)", "rbc(phi=0.35)")
WEIGHTED = ("wsum", "wmnz", "mixed", "w_bordafuse")
MAJORITIES = ("condorcet", "w_condorcet")
LEARNT = ("posfuse", "slidefuse(w=2)", "mapfuse", "bayesfuse", "probfuse(segments=4)", "segfuse")
NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda")
WEIGHTS = (0.5, 0.2, 0.3)
VOTES = (0.4, 0.25, 0.35)  # never even


@dataclass(frozen=True)
class FusionCase:
    """A method as rankscope writes it, a normalization, and the seed of the runs."""

    method: str
    norm: str
    seed: int

    def __str__(self) -> str:
        return f"{self.method} {self.norm}"

    @property
    def name(self) -> str:
        """The method without its options."""
        return self.method.partition("(")[0]

    @property
    def params(self) -> dict[str, Any]:
        """Options, weights included, as ranx names them."""
        inner = self.method.partition("(")[2].rstrip(")")
        given = dict(part.split("=") for part in inner.split(",") if part)
        found: dict[str, Any] = {name: float(value) if "." in value else int(value) for name, value in given.items()}
        if self.name == "w_condorcet":
            return {"weights": list(VOTES)}
        return found | ({"weights": list(WEIGHTS)} if self.name in WEIGHTED else {})

    def runs(self) -> list[Nested]:
        """Three runs without ties; for majorities such that ranx does not depend on the order of its sets."""
        return agreeing_runs(self.seed) if self.name in MAJORITIES else random_runs(seed=self.seed)


def agreeing_runs(seed: int) -> list[Nested]:
    """Complete orders that differ by neighbours exchanged: their majorities are never a circle, nor even."""
    random = np.random.default_rng(seed)
    runs: list[Nested] = []
    for _ in range(3):
        order = list(range(20))
        for place in random.choice(np.arange(0, 19, 2), 4, replace=False):
            order[place], order[place + 1] = order[place + 1], order[place]
        runs.append({"q": {f"d{item}": float(30 - place) for place, item in enumerate(order)}})
    return runs


CASES = (
    *(FusionCase(method, norm, 3) for norm in NORMS[1:] for method in ("sum", "mnz", "med")),
    *(FusionCase(method, norm, 5) for norm in ("min-max", "none") for method in SIMPLE),
    *(FusionCase(method, "min-max", 6) for method in (*WITH_OPTION, *WEIGHTED)),
    *(FusionCase(method, "min-max", 8) for method in MAJORITIES),
    *(FusionCase(method, "min-max", 9) for method in LEARNT),
)
