"""Writes what ranx answers; run it with `python -m`. Its methods are compiled one by one, for minutes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tests.measures.fusion.cases import CASES, LEARNT, FusionCase
from tests.measures.fusion.lists import Nested, random_judgements

GOLDEN = Path(__file__).parent / "golden" / "ranx.json"
TABLES = {"mapfuse": "map_scores", "bayesfuse": "log_odds"}


def answer(ranx: Any, case: FusionCase) -> Nested:
    """What ranx makes of a case; methods that learn do so on the queries they are used for."""
    given = [ranx.Run(run, name=str(place)) for place, run in enumerate(case.runs())]
    params = case.params
    if case.method in LEARNT:
        judged = random_judgements(seed=case.seed)
        relevant = {query: {item: 1 for item, grade in items.items() if grade} for query, items in judged.items()}
        normalized = [ranx.normalization.min_max_norm(run) for run in given]
        more = {"n_segments": params.pop("segments")} if "segments" in params else {}
        tables = getattr(ranx.fusion, f"{case.name}_train")(ranx.Qrels(relevant), normalized, **more)
        params[TABLES.get(case.name, "probs")] = tables
    norm = None if case.norm == "none" else case.norm
    fused = ranx.fuse(given, norm=norm, method=case.name, params=params)
    return {query: {item: float(score) for item, score in items.items()} for query, items in fused.to_dict().items()}


def main() -> None:
    """All cases into one file."""
    warnings.simplefilter("ignore")
    import ranx
    import ranx.fusion
    import ranx.normalization

    answers = {str(case): answer(ranx, case) for case in CASES}
    GOLDEN.parent.mkdir(exist_ok=True)
    from importlib.metadata import version

    text = json.dumps({"ranx": version("ranx"), "answers": answers}, separators=(",", ":"))
    GOLDEN.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
