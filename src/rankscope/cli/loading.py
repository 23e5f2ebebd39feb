"""From the files and options of a command to scores: the same for every command that takes QRELS and RUN."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.inputs.reading import Reading
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.reports.page.found_items import FoundItems
    from rankscope.scale.where import Where
    from rankscope.settings import Settings

SAVED = ".ranks.parquet"
INPUT_NAMES = (
    "junk",
    "subtopics",
    "classes",
    "input_format",
    "encoding",
    "max_ratio",
    "columns",
    "map_qrels",
    "map_runs",
    "roll_up",
    "compat",
    "systems",
)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a command was given: files, how to read them, and the choices that change numbers."""

    files: tuple[str, ...]
    junk: str | None
    subtopics: str | None
    classes: str | None
    input_format: str | None
    encoding: str
    max_ratio: float
    columns: str | None
    map_qrels: str | None
    map_runs: str | None
    roll_up: str | None
    compat: str | None
    systems: tuple[str, ...] | None
    given: dict[str, Any]

    @classmethod
    def of(cls, files: Iterable[str], options: dict[str, Any]) -> Inputs:
        """From what `input_options` and `setting_options` left in the keywords of a command."""
        read = {name: options.pop(name, None) for name in INPUT_NAMES}
        return cls(tuple(files), **read, given=options)

    @staticmethod
    def where(options: dict[str, Any], quiet: bool) -> Where | None:
        """From what `scale_options` left in the keywords of a command; None where nothing was asked for."""
        asked = {name: options.pop(name) for name in ("on", "memory", "work", "shuffle", "digest")}
        if asked == {"on": None, "memory": None, "work": None, "shuffle": "auto", "digest": True}:
            return None
        from rankscope.cli.output import say
        from rankscope.running.memory import memory_size
        from rankscope.running.runners import runner_of
        from rankscope.scale.where import Where

        runner = asked["on"] if asked["on"] in (None, "home") else runner_of(asked["on"])  # before a file is read
        if asked["memory"] is not None:
            asked["memory"] = memory_size(asked["memory"])
        asked["on"] = runner or "home"
        return Where(**asked) if quiet else Where(**asked, say=say)

    @property
    def settings(self) -> Settings:
        """All choices."""
        from rankscope.settings import Settings

        return Settings(compat=self.compat, **self.given)

    def scores(
        self,
        command: str,
        measures: Iterable[str],
        progress: Any = None,
        *,
        keep_scores: bool = False,
        where: Where | None = None,
        both_levels: bool = False,
    ) -> Scores:
        """Evaluate saved ranks, or runs against judgements; `keep_scores` for graphs and forecasts that need them."""
        from rankscope.evaluation.evaluate import evaluate_ranks, way_of_evaluating

        if all(path.endswith(SAVED) for path in self.files):
            self._refuse_what_is_of_files(both_levels)
            return evaluate_ranks(self._saved(), measures, self.settings, self.classes)
        self._need_runs(command)
        return way_of_evaluating(both_levels)(
            self.files[0],
            self.named_runs,
            measures,
            junk=self.junk,
            subtopics=self.subtopics,
            classes=self.classes,
            format=self.input_format,
            encoding=self.encoding,
            max_ratio=self.max_ratio,
            columns=self.columns,
            map_qrels=self.map_qrels,
            map_runs=self.map_runs,
            roll_up=self.roll_up,
            progress=progress,
            keep_scores=keep_scores,
            where=where,
            compat=self.compat,
            **self.given,
        )

    def reading(self, settings: Settings) -> Reading:
        """How the files are read."""
        from rankscope.inputs.reading import reading_with

        return reading_with(
            self.columns,
            self.roll_up,
            self.input_format,
            self.encoding,
            settings.comments,
            self.max_ratio,
            self.map_qrels,
            self.map_runs,
        )

    def found_items(self, scores: Scores, **given: Any) -> FoundItems:
        """What each system finds first, for a page; `given` are topics, documents and the baseline."""
        from rankscope.facade.finding import found_items

        reading = self.reading(scores.settings)
        if all(path.endswith(SAVED) for path in self.files):
            return found_items(scores, reading=reading, **given)
        return found_items(scores, self.files[0], self.named_runs, junk=self.junk, reading=reading, **given)

    @property
    def named_runs(self) -> dict[str, str] | list[str] | None:
        """The runs, under the names given explicitly where there are some; None where ranks were saved."""
        if all(path.endswith(SAVED) for path in self.files):
            return None
        runs = list(self.files[1:])
        named = self.named(runs)
        return dict(zip(named, runs, strict=True)) if named else runs

    def _saved(self) -> list[RelevantRanks]:
        """Saved ranks, each under a name of its own."""
        from dataclasses import replace

        from rankscope.names import distinct_names
        from rankscope.ranks.storage import load_ranks

        ranks = [load_ranks(path) for path in self.files]
        names = self.named(self.files) or distinct_names([each.system for each in ranks], self.files)
        return [replace(each, system=name) for each, name in zip(ranks, names, strict=True)]

    def named(self, systems: Sequence[str]) -> list[str]:
        """Names given explicitly, one for each system; nothing where none are."""
        from rankscope.errors import SettingError
        from rankscope.names import one_line

        names = [one_line(name) for name in self.systems or ()]
        if names and (len(names) != len(systems) or len(set(names)) < len(names) or not all(names)):
            raise SettingError(
                f"--system NAME once for each system, all different: {len(systems)} needed, got {', '.join(names)}"
            )
        return names

    def _refuse_what_is_of_files(self, both_levels: bool) -> None:
        from rankscope.errors import SettingError

        if self.subtopics is not None:
            raise SettingError("--subtopics: saved ranks hold plain judgements only; give QRELS and RUN files")
        maps = {"--map": self.columns, "--map-qrels": self.map_qrels, "--map-runs": self.map_runs}
        given = {**maps, "--roll-up": self.roll_up, "--both-levels": both_levels or None}
        useless = [option for option, value in given.items() if value is not None]
        if useless:
            raise SettingError(f"{', '.join(useless)}: saved ranks have been read already; give QRELS and RUN files")

    def _need_runs(self, command: str) -> None:
        from rankscope.errors import SettingError

        runs = self.files[1:]
        if not runs:
            raise SettingError(f"{command} needs judgements and at least one run: rankscope {command} QRELS RUN...")
        if any(path.endswith(SAVED) for path in self.files):
            raise SettingError("saved ranks hold their judgements already: give NAME.ranks.parquet files alone")
        if sys.stdin is None and "-" in runs:
            raise SettingError("there is no standard input to read")
