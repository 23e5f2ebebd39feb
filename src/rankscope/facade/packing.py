"""Benchmark packs: run one, on its own collection or on yours."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.errors import SettingError

if TYPE_CHECKING:
    from rankscope.feedback.packs.pack import Pack
    from rankscope.feedback.packs.problem import PackProblem
    from rankscope.feedback.packs.running import PackResult
    from rankscope.running.runner import Runner

Progress = Callable[[str, float], None]
VECTORS = (".npz", ".npy", ".parquet")


def run_pack(
    pack: str | Path,
    source: Any = None,
    *,
    output: str | Path | None = None,
    methods: Sequence[str] = (),
    on: str | Runner | None = None,
    progress: Progress | None = None,
    keep_sessions: bool = False,
    **problem: Any,
) -> PackResult:
    """Run a benchmark pack; what is finished lies in the folder `output` and is not done again.

    `pack`: a name, or a file NAME.toml. `source`: the folder of the pack's pictures, where they do not ship with
    rankscope (else the folder of its name in $RANKSCOPE_DATA); or features of another collection, as for
    `simulate_feedback`, with its own labels as topics: then efficiencies are shown with the stored ones. `methods` are
    compared with those of the pack. `keep_sessions` writes CASE.sessions.parquet too: starts, displays and marks.
    """
    from rankscope.feedback.packs.pack import read_pack
    from rankscope.feedback.packs.running import run_cases

    chosen = read_pack(pack)
    given = _problem(chosen, source, problem, progress)
    return run_cases(chosen, given, Path(output or chosen.name), methods, on, progress, keep_sessions)


def _problem(pack: Pack, source: Any, choices: dict[str, Any], progress: Progress | None) -> PackProblem:
    from rankscope.feedback.packs.problem import PackProblem, pack_problem

    if source is None or _is_folder(source):
        if choices:
            raise SettingError(
                f"{', '.join(choices)}: goes with features of another collection; a pack has its own topics"
            )
        return pack_problem(pack, source if source is not None else _usual_place(pack), progress)
    from rankscope.facade.problems import problem_of

    scaling = pack.tables["features"].get("scaling", "none")
    other = problem_of(source, **{"scaling": scaling, **choices})
    words = ("another collection", "topics are its own labels")
    return PackProblem(
        items=other.items,
        ids=other.ids,
        topics=other.topics,
        reference=other.topics,
        differs=words,
        other=Path(source).name if isinstance(source, str | Path) else "features from memory",
    )


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | Path) and not str(source).endswith(VECTORS) and Path(source).is_dir()


def _usual_place(pack: Pack) -> Path | None:
    """Where the collection lies: nowhere for one that ships, else below $RANKSCOPE_DATA."""
    from rankscope.collections import COLLECTIONS

    name = str(pack.tables["collection"]["name"])
    if not COLLECTIONS.find(name).layout:
        return None
    place = os.environ.get("RANKSCOPE_DATA")
    if place is None or not (Path(place) / name).is_dir():
        raise SettingError(
            f"pack {pack.name} needs the pictures of {name}: rankscope feedback FOLDER --pack {pack.name}, or put them "
            f"into $RANKSCOPE_DATA/{name}. `--pack icons-composite` runs without any file."
        )
    return Path(place) / name
