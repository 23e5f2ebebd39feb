"""A study: methods x topics x starts x rounds, on all cores, that continues after an interruption.

Its sessions can be kept in a file as they went: with what each began, every display, and what its user said, one row
for each method, session and round. A replay takes starts and marks from the file, lets methods rank anew, and stops
where a display is not the one that was kept: so nobody has to trust our simulated users.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from rankscope.core.arrays import IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.parts import PartsFolder, Runner, finish_parts, work_folder
from rankscope.core.processes import PATIENCE, Processes
from rankscope.core.runners import runner_of
from rankscope.core.validation import COUNT, FLAG, SEED, check
from rankscope.feedback.examples.items import KeptMatrix, features_digest, matrix_digest
from rankscope.feedback.methods import CONTROLS, control_methods
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.experiment import Experiment, Marked, Marker
from rankscope.feedback.study.loop import MethodPair, Round, SessionBlock, block_size, shared_rounds
from rankscope.feedback.study.results import Results, frame_of, read_noted, write_noted
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Sessions
from rankscope.inputs.formats.columnar import read_frame
from rankscope.measures.measure import Measure
from rankscope.measures.notation import parse_measures
from rankscope.ranks.ragged import Ragged
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


KEY = "rankscope.feedback.sessions"
WHO = ("method", "topic", "assessor", "start", "seed", "round")
ITEMS = ("given", "shown", "taken back")  # lists of items: numbers while sessions run, ids in a file
KEPT = ("query", *ITEMS, "given marks", "marks", "worth")
ADVICE = "rankscope feedback ... --keep-sessions NAME.parquet makes one."
SAME = ("features", "topics", "protocol", "start", "start_scores", "items")  # what a replay must have alike


def kept_columns(block: SessionBlock) -> pl.DataFrame:
    """What a block of sessions was given, shown and told: sessions of round 0, then those of round 1, and so on."""
    sessions, history, last = block.sessions, block.history, block.protocol.rounds
    given = sessions.given
    first = pl.DataFrame(
        {
            "query": pl.Series(sessions.query, dtype=pl.Int64),
            "given": _lists(given, "item"),
            "given marks": _lists(given, "mark"),
        }
    )
    rounds = []
    for number, displayed in enumerate(block.displays):
        row, place = np.nonzero(displayed >= 0)
        shown = Ragged.from_rows(row, len(sessions), item=displayed[row, place])
        said = Ragged.empty(len(sessions), "mark", "worth")
        back = Ragged.empty(len(sessions), "item")
        if number < last:
            told = history.said[number]
            marks, worth = told.said[row, place].astype(np.int64), told.grades[row, place]
            said = Ragged.from_rows(row, len(sessions), mark=marks, worth=worth)
            taken, item = np.divmod(np.sort(history.taken_back[number]), history.items)
            back = Ragged.from_rows(taken, len(sessions), item=item)
        columns = {"shown": _lists(shown, "item"), "marks": _lists(said, "mark")}
        columns |= {"worth": _lists(said, "worth", pl.Float64), "taken back": _lists(back, "item")}
        rounds.append(pl.concat([first, pl.DataFrame(columns)], how="horizontal"))
    return pl.concat(rounds)


def _lists(values: Ragged, name: str, kind: type[pl.DataType] = pl.Int64) -> pl.Series:
    return pl.Series(values.lists(name), dtype=pl.List(kind))


@dataclass(frozen=True, eq=False)
class KeptSessions:
    """The sessions of a study; `about` says how they were made, as with its results."""

    frame: pl.DataFrame
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pl.DataFrame, ids: Sequence[str], about: Mapping[str, Any]) -> KeptSessions:
        """From the frame of a study that kept them, in which items are numbers."""
        names = pl.lit(pl.Series(ids, dtype=pl.String))
        told = [pl.col(name).list.eval(names.gather(pl.element())) for name in ITEMS]
        query = pl.when(pl.col("query") >= 0).then(names.gather(pl.col("query").clip(0))).alias("query")
        return cls(frame.select(*WHO, *KEPT).with_columns(query, *told), about)

    def save(self, path: str | Path) -> None:
        write_noted(path, self.frame, KEY, self.about)

    def check(self, about: Mapping[str, Any], methods: Sequence[str]) -> None:
        """Raise unless a study is one that these sessions can be replayed in."""
        wanted = json.loads(json.dumps(dict(about)))  # as a file holds it
        problems = [
            f"{name.replace('_', ' ')}: kept with {self.about.get(name)}, now {wanted.get(name)}"
            for name in SAME
            if self.about.get(name) != wanted.get(name)
        ]
        kept = set(self.frame["method"].unique().to_list())
        problems += [f"method {name} is not among those kept" for name in methods if name not in kept]
        if problems:
            advice = "Replay with the features, topics, methods and choices that the sessions were kept with."
            raise InputError.of("kept sessions", problems, advice)

    @cached_property
    def rounds(self) -> dict[tuple[str, str, str, int, int], dict[str, Any]]:
        """Each row by method, topic, assessor, start and round."""
        rows = self.frame.iter_rows(named=True)
        return {(row["method"], row["topic"], row["assessor"], row["start"], row["round"]): row for row in rows}

    def sessions(self, topics: Topics, ids: Sequence[str]) -> Sessions:
        """With what the sessions of every method began."""
        number = {name: place for place, name in enumerate(ids)}
        rows = {both: row for row, both in enumerate(zip(topics.names, topics.assessors, strict=True))}
        first = self.frame["method"][0]
        begun = self.frame.filter((pl.col("method") == first) & (pl.col("round") == 0)).to_dicts()
        topic = np.array([rows[each["topic"], each["assessor"]] for each in begun], dtype=np.int64)
        given = Ragged.of([[number[item] for item in each["given"]] for each in begun], "item")
        marks = np.array([mark for each in begun for mark in each["given marks"]], dtype=np.int64)
        return Sessions(
            topic=topic,
            start=np.array([each["start"] for each in begun], dtype=np.int64),
            seed=np.array([each["seed"] for each in begun], dtype=np.int64),
            query=np.array([-1 if each["query"] is None else number[each["query"]] for each in begun], dtype=np.int64),
            given=given.with_columns(mark=marks),
            scored=topic,
        )

    def replayed(self, setting: Experiment, method: str) -> Experiment:
        """The setting of one part of a study: displays are marked as they were when this method showed them."""
        return replace(setting, marker=AsKept(self, method, setting.topics, item_ids(setting)))


@dataclass(eq=False)
class AsKept(Marker):
    """Says of each display what was said of it, round after round; another display than the one kept is an error."""

    kept: KeptSessions
    method: str
    topics: Topics
    ids: Sequence[str]
    number: int = 0  # of the round

    def marked(self, sessions: Sessions, shown: IntArray) -> Marked:
        place = {name: number for number, name in enumerate(self.ids)}
        said, grades = np.zeros(shown.shape, np.int8), np.full(shown.shape, -1.0)
        back: list[tuple[int, int]] = []
        problems = []
        for row, (topic, start) in enumerate(zip(sessions.topic.tolist(), sessions.start.tolist(), strict=True)):
            who = (self.method, self.topics.names[topic], self.topics.assessors[topic], start, self.number)
            told, there = self.kept.rounds[who], shown[row] >= 0
            if [self.ids[item] for item in shown[row][there].tolist()] != told["shown"]:
                problems.append(f"{self.method}, {self.topics.labels[topic]}/{start}, round {self.number}")
                continue
            said[row, there], grades[row, there] = told["marks"], told["worth"]
            back += [(row, place[item]) for item in told["taken back"]]
        if problems:
            advice = "Features, methods or the version are not those of the study that kept them."
            raise InputError.of("kept sessions", [f"{each}: another display is shown" for each in problems], advice)
        self.number += 1
        gone = np.array(back, dtype=np.int64).reshape(-1, 2)
        return Marked(said, grades, (gone[:, 0], gone[:, 1]))


def item_ids(setting: Experiment) -> tuple[str, ...]:
    """Of the items of a study; numbers where nobody named them."""
    return tuple(getattr(setting.marker, "ids", ())) or tuple(map(str, range(len(setting.items))))


def load_sessions(path: str | Path) -> KeptSessions:
    """Read what `--keep-sessions` wrote; a clear error if the file is none."""
    return KeptSessions(*read_noted(path, KEY, "no file of sessions", ADVICE))
