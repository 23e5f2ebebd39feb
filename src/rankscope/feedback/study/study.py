"""A study: methods x topics x starts x rounds, on all cores, that continues after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import polars as pl

from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.parts import PartsFolder, Runner, finish_parts, work_folder
from rankscope.core.processes import PATIENCE, Processes
from rankscope.core.runners import runner_of
from rankscope.core.validation import COUNT, FLAG, SEED, check
from rankscope.feedback.examples.items import KeptMatrix, features_digest, matrix_digest
from rankscope.feedback.methods import CONTROLS, control_methods
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.experiment import Experiment
from rankscope.feedback.study.kept_sessions import KEPT, KeptSessions, item_ids, kept_columns
from rankscope.feedback.study.loop import MethodPair, Round, SessionBlock, block_size, shared_rounds
from rankscope.feedback.study.results import Results, frame_of
from rankscope.feedback.users.sessions import Sessions
from rankscope.inputs.formats.columnar import read_frame
from rankscope.measures.measure import Measure
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.version import __version__

DEFAULT_MEASURES = ("AP", "Rprec", "Estar")
SESSIONS_IN_PART = 200  # sessions, at most: what is lost when a study is stopped
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class StudyPart:
    """One method in some sessions."""

    method: Method
    sessions: Sessions
    digest: str


@dataclass(frozen=True, eq=False)
class StudyPlan:
    """What a study computes; `measures` are of the scored list, the first one decides.

    Of the residual list, which differs by method, two methods are compared on the items that neither has shown: `pair`.
    """

    setting: Experiment
    methods: tuple[Method, ...]
    sessions: Sessions
    measures: tuple[Measure, ...]
    starts: int
    seed: int = 0
    keep_sessions: bool = False
    replayed: KeptSessions | None = None  # where starts and marks come from, in place of the start and the user

    @classmethod
    def of(
        cls,
        setting: Experiment,
        methods: Iterable[Method],
        *,
        starts: int = 10,
        measures: Sequence[str] | None = None,
        controls: bool = True,
        seed: int = 0,
    ) -> StudyPlan:
        """The methods asked for and, unless unwanted, the controls: no feedback, random, all labels, ideal."""
        starts, controls, seed = check(locals(), starts=COUNT, controls=FLAG, seed=SEED).values()
        asked = tuple(dict.fromkeys([*methods, *(control_methods() if controls else ())]))
        if not asked:
            raise SettingError("a study needs at least one method")
        names = measures or DEFAULT_MEASURES
        return cls(
            setting=setting,
            methods=asked,
            sessions=setting.sessions(starts, seed),
            measures=tuple(parse_measures(names)),
            starts=starts,
            seed=seed,
        )

    def keeping(self) -> StudyPlan:
        """The same study, whose displays and marks are kept with its results."""
        if self.pair is not None:
            raise SettingError("sessions of two methods on a residual list go side by side and are not kept")
        return replace(self, keep_sessions=True)

    def replaying(self, kept: KeptSessions) -> StudyPlan:
        """The same study with starts and marks from kept sessions; an `InputError` where they are of another one."""
        kept.check(self.about, list(map(str, self.methods)))
        sessions = kept.sessions(self.setting.topics, item_ids(self.setting))
        return replace(self, replayed=kept, sessions=sessions)

    @property
    def pair(self) -> MethodPair | None:
        """The two methods that share a residual list, where just two are asked for and that list is scored."""
        asked = [each for each in self.methods if each.name not in CONTROLS]
        return (asked[0], asked[1]) if self.setting.protocol.scored == "residual" and len(asked) == 2 else None

    @property
    def about(self) -> dict[str, Any]:
        """Every choice that decides numbers."""
        setting = self.setting
        rows = getattr(setting.start, "rows", None)
        units = dict(zip(setting.topics.names, setting.topics.units, strict=True))
        marked = None if self.replayed is None else self.replayed.about.get("user")  # when sessions were kept
        return {
            "version": __version__,
            "features": features_digest(setting.items),
            "items": len(setting.items),
            "columns": setting.items.features,
            "groups": setting.items.group_sizes,
            "scaling": setting.items.scaling.name,
            "topics": setting.topics.digest,
            "truth": setting.topics.truth,
            **({"units": units} if len({*units.values()}) < len(units) else {}),  # where topics share labels
            "start": str(setting.start),
            "start_scores": "" if rows is None else digest_of({"rows": rows.tolist()}),
            "user": str(marked or getattr(setting.marker, "user", "judge")),
            "protocol": setting.protocol.settings(),
            "measures": [str(each) for each in self.measures],
            "ties": "order of the items",
            "starts": self.starts,
            "seed": self.seed,
        }

    def parts(self) -> list[StudyPart]:
        """All parts, method by method."""
        about, size = self.about, min(SESSIONS_IN_PART, block_size(self.setting.items))
        if self.pair is not None:
            about |= {"pair": [str(each) for each in self.pair]}
        if self.keep_sessions or self.replayed is not None:
            about |= {"kept": self.keep_sessions, "replayed": self.replayed is not None}
        results = []
        for method in self.methods:
            for block in self.sessions.blocks(size):
                own = {"method": str(method), "sessions": block.names(self.setting.topics)}
                results.append(StudyPart(method, block, digest_of(about | own)))
        return results


def study(
    plan: StudyPlan,
    *,
    result: str | Path | None = None,
    on: str | Runner | None = None,
    progress: Progress | None = None,
    keep_sessions: str | Path | None = None,
) -> Results:
    """Run the plan and, where a result file is named, write it; what was finished before is not done again.

    `keep_sessions` names a file for starts, displays and marks, which `StudyPlan.replaying` reads again.
    `on` says where, as `rankscope.core.runners.runner_of` reads it, and changes only times; None: as many processes
    as there are cores, when there is enough to do.
    """
    plan = plan if keep_sessions is None else plan.keeping()
    runner = Processes(patience=PATIENCE) if on is None else runner_of(on)
    parts = plan.parts()
    with ExitStack() as stack:
        folder = None if result is None else stack.enter_context(PartsFolder(work_folder(result), ParquetForm()).open())
        with light_to_travel(plan.setting, None if folder is None else folder.path) as setting:
            frames = finish_parts(work, replace(plan, setting=setting), parts, runner, folder, progress)
        # in the order of the plan, whatever was done first
        results = Results(pl.concat([frames[part.digest] for part in parts]), plan.about)
        if keep_sessions is not None:
            KeptSessions.of(results.frame, item_ids(plan.setting), results.about).save(keep_sessions)
            results = replace(results, frame=results.frame.drop(KEPT))
        if result is not None:
            results.save(result)
    return results


class ParquetForm:
    """A table in a Parquet file."""

    suffix = ".parquet"

    def read(self, file: Path) -> pl.DataFrame | None:
        """The table; None where there is none that is whole."""
        try:
            return read_frame(file) if file.exists() else None
        except InputError:
            return None

    def write(self, frame: pl.DataFrame, stream: BinaryIO) -> None:
        frame.write_parquet(stream)


def work(plan: StudyPlan, part: StudyPart) -> pl.DataFrame:
    """The rows of one part."""
    setting, listed = plan.setting, plan.setting.protocol.scored
    if plan.replayed is not None:
        setting = plan.replayed.replayed(setting, str(part.method))
    result: list[Round] = []
    shared: list[RelevantRanks | None] | None = None
    kept = None
    if plan.pair is not None and part.method in plan.pair:
        other = plan.pair[1 - plan.pair.index(part.method)]
        both = list(shared_rounds((part.method, other), setting, part.sessions))
        result, shared = [own for own, _ in both], [ranks for _, ranks in both]
    else:
        block = SessionBlock(part.method, setting, part.sessions)
        result = list(block.rounds())
        shared = None if plan.pair is None else [None] * len(result)
        kept = kept_columns(block) if plan.keep_sessions else None
    return frame_of(str(part.method), part.sessions, setting.topics, result, plan.measures, listed, shared, kept)


# An experiment whose features are large does not carry them to workers: they read them from a file.

LARGE_FEATURES = 100_000_000  # bytes of features


@contextmanager
def light_to_travel(setting: Experiment, folder: Path | None) -> Iterator[Experiment]:
    """The same experiment, whose features lie in a file of the folder as soon as it travels, and until the block ends.

    Without a folder, in one for temporary files, which only workers of this machine reach.
    """
    if setting.items.matrix.nbytes <= LARGE_FEATURES:
        yield setting
    elif folder is None:
        with TemporaryDirectory(prefix="rankscope-") as temporary, light_to_travel(setting, Path(temporary)) as light:
            yield light
    else:
        digest = matrix_digest(setting.items.matrix)
        kept = KeptMatrix(folder.resolve() / f"features-{digest[:32]}.npy", digest)
        try:
            yield replace(setting, items=replace(setting.items, kept=kept))
        finally:
            kept.path.unlink(missing_ok=True)
