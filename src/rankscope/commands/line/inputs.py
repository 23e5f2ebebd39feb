"""From the files and options of a command to scores: the same for every command that takes QRELS and RUN."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.line.output import say
from rankscope.core.errors import SettingError
from rankscope.core.names import RANKS_SUFFIX, one_line
from rankscope.core.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from rankscope.core.settings import InputChoices
    from rankscope.inputs.reading import Reading
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.ranks.parts.resources import Where
    from rankscope.reports.page.found_items import FoundItems


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a command was given: files, names of their systems, and the choices made by hand, named as in Python."""

    files: tuple[str, ...]
    systems: tuple[str, ...]
    choices: InputChoices

    @classmethod
    def of(cls, files: Iterable[str], options: dict[str, Any]) -> Inputs:
        """From what `input_options` and `setting_options` left in the keywords of a command."""
        context, default = click.get_current_context(), click.core.ParameterSource.DEFAULT
        systems = options.pop("systems", None) or ()
        by_hand: Any = {
            name: value
            for name, value in options.items()
            if value is not None
            and not (context.get_parameter_source(name) is default and value == context.params[name])
        }
        return cls(tuple(files), systems, by_hand)

    @property
    def settings(self) -> Settings:
        """All choices that change numbers."""
        names = ("compat", *(each.name for each in SETTINGS))
        return Settings(**{name: self.choices[name] for name in names if name in self.choices})  # type: ignore[literal-required]

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
        from rankscope.commands.scores import scores_of

        runs = self.named_runs
        if runs is None:
            named = self.named(self.files)
            source: Any = dict(zip(named, self.files, strict=True)) if named else list(self.files)
        else:
            self._need_runs(command)
            source = self.files[0]
        return scores_of(
            source,
            runs,
            list(measures),
            keep_scores=keep_scores,
            progress=progress,
            where=where,
            both_levels=both_levels,
            **self.choices,
        )

    def reading(self, settings: Settings) -> Reading:
        """How the files are read."""
        from rankscope.commands.scores import reading_of_choices

        return reading_of_choices(self.choices, settings.comments)

    def found_items(self, scores: Scores, **given: Any) -> FoundItems:
        """What each system finds first, for a page; `given` are topics, documents and the baseline."""
        from rankscope.commands.report import found_items

        reading, runs = self.reading(scores.settings), self.named_runs
        if runs is None:
            return found_items(scores, reading=reading, **given)
        return found_items(scores, self.files[0], runs, junk=self.choices.get("junk"), reading=reading, **given)

    @property
    def named_runs(self) -> dict[str, str] | list[str] | None:
        """The runs, under the names given explicitly where there are some; None where ranks were saved."""
        if all(path.endswith(RANKS_SUFFIX) for path in self.files):
            return None
        runs = list(self.files[1:])
        named = self.named(runs)
        return dict(zip(named, runs, strict=True)) if named else runs

    def named(self, systems: Sequence[str]) -> list[str]:
        """Names given explicitly, one for each system; nothing where none are."""
        names = [one_line(name) for name in self.systems]
        if names and (len(names) != len(systems) or len(set(names)) < len(names) or not all(names)):
            raise SettingError(
                f"--system NAME once for each system, all different: {len(systems)} needed, got {', '.join(names)}"
            )
        return names

    def _need_runs(self, command: str) -> None:
        runs = self.files[1:]
        if not runs:
            raise SettingError(f"{command} needs judgements and at least one run: rankscope {command} QRELS RUN...")
        if any(path.endswith(RANKS_SUFFIX) for path in self.files):
            raise SettingError("saved ranks hold their judgements already: give NAME.ranks.parquet files alone")
        if sys.stdin is None and "-" in runs:
            raise SettingError("there is no standard input to read")


def where_of(options: Mapping[str, Any], quiet: bool) -> Where | None:
    """From the options of where a large run is reduced; None where nothing was chosen of them."""
    chosen = {name: options[name] for name in ("on", "memory", "work", "shuffle", "digest")}
    if chosen == {"on": "home", "memory": None, "work": None, "shuffle": "auto", "digest": True}:
        return None
    from rankscope.core.machine import memory_size
    from rankscope.core.runners import runner_of
    from rankscope.ranks.parts.resources import Where

    if chosen["on"] != "home":
        chosen["on"] = runner_of(chosen["on"])  # before a file is read
    if chosen["memory"] is not None:
        chosen["memory"] = memory_size(chosen["memory"])
    return Where(**chosen) if quiet else Where(**chosen, say=say)
