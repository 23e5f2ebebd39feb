"""The same systems under several assessors, seeds and collections: what the questions about chance have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError, SettingError
from rankscope.statistics.components.varied_values import VariedValues
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run

COVARIATES = ("class-size", "generality")


@dataclass(frozen=True, eq=False)
class VariedInputs:
    """Judgements by assessor ('' where there is one) and the runs of each system, one for each seed."""

    judgements: Mapping[str, Any]
    runs: Any  # as `evaluate` takes them, or {system: [run, ...]} where systems have seeds
    measure: str
    given: Mapping[str, Any]

    @classmethod
    def of(cls, qrels: Any, runs: Any, measure: str, assessors: Any, given: Mapping[str, Any]) -> VariedInputs:
        """Judgements of one, or of each of several assessors in place of them."""
        from rankscope.facade.agreeing import judgements_by_name

        if (qrels is None) == (assessors is None):
            people = setting_usage("assessors", "FILE")
            raise SettingError(f"give judgements, or those of each assessor in place of them ({people}), one of both")
        if runs is None or (isinstance(runs, Sequence) and not isinstance(runs, str) and not len(runs)):
            raise SettingError("there is no run to measure: give judgements and one run at least")
        named = {"": qrels} if assessors is None else judgements_by_name(assessors)
        if len(named) < 2 and assessors is not None:
            raise SettingError(f"one assessor alone is no variation: give judgements in place of {', '.join(named)}")
        return cls(named, runs, measure, {name: value for name, value in given.items() if value is not None})

    @property
    def by_seed(self) -> list[Any]:
        """The runs of each seed, by system; systems without seeds are in all of them alike, and counted once."""
        if not isinstance(self.runs, Mapping) or not any(_is_several(each) for each in self.runs.values()):
            return [self.runs]
        several = {name: each if _is_several(each) else [each] for name, each in self.runs.items()}
        most = max(map(len, several.values()))
        return [{name: each[seed] for name, each in several.items() if seed < len(each)} for seed in range(most)]

    def scores(self, judgements: Any, runs: Any) -> Scores:
        """One evaluation."""
        from rankscope.evaluation.evaluate import evaluate

        return evaluate(judgements, runs, [self.measure], **self.given)

    def tables(self) -> Iterator[tuple[str, str, ScoreTable]]:
        """Values of all systems, by assessor and seed."""
        seeds = self.by_seed
        for assessor, judgements in self.judgements.items():
            for number, runs in enumerate(seeds, 1):
                yield assessor, str(number) if len(seeds) > 1 else "", ScoreTable.of(self.scores(judgements, runs))

    def by_assessor(self) -> dict[str, ScoreTable]:
        """One table for each assessor, of the first seed."""
        return {name: ScoreTable.of(self.scores(each, self.by_seed[0])) for name, each in self.judgements.items()}

    @property
    def reading(self) -> Reading:
        """How files are read."""
        from rankscope.facade.scoring import reading_of_choices

        return reading_of_choices(self.given, comments=self.given.get("comments", True))  # type: ignore[arg-type]

    def named_runs(self) -> dict[str, Run]:
        """The runs of the first seed, read."""
        from rankscope.inputs.checks import raise_all
        from rankscope.inputs.several import named_runs

        errors: list[InputError] = []
        found = named_runs(self.by_seed[0], self.reading, errors)
        raise_all(errors)
        return {run.name: run for run in found}

    def on_collections(self, left_out: float, draws: int, seed: int) -> list[ScoreTable]:
        """Values on other collections, by the judgements of the first assessor; some items are left out of each."""
        runs = self.named_runs()
        scores = self.scores(next(iter(self.judgements.values())), runs)
        return tables_of_draws(scores, runs, left_out, draws, seed)

    def covariates(self, names: Sequence[str], explain_by: Any) -> dict[str, dict[str, float]]:
        """Numbers of each query: from a file or {name: {query: number}}, and those that judgements give by themselves.

        Class size and generality are counted in doublings (log 2).
        """
        from rankscope.statistics.variance.explained import read_variables

        is_file = isinstance(explain_by, str | Path)
        found = (
            read_variables(explain_by) if is_file else {name: dict(each) for name, each in (explain_by or {}).items()}
        )
        unknown = [name for name in names if name not in COVARIATES]
        if unknown:
            raise SettingError(f"no covariate {', '.join(unknown)}. There are: {', '.join(COVARIATES)}")
        return found | (self._of_judgements(names) if names else {})

    def _of_judgements(self, names: Sequence[str]) -> dict[str, dict[str, float]]:
        import numpy as np

        scores = self.scores(next(iter(self.judgements.values())), self.by_seed[0])
        ranks = scores.systems[0].ranks
        if "generality" in names and (ranks.collection < 1).any():
            raise SettingError(f"generality needs {setting_usage('collection_size', 'D')}")
        sizes = {"class-size": ranks.relevant, "generality": ranks.relevant / np.maximum(ranks.collection, 1)}
        with np.errstate(divide="ignore"):
            found = {f"{name} (log 2)": np.log2(sizes[name]) for name in names}
        return {name: dict(zip(ranks.queries, each.tolist(), strict=True)) for name, each in found.items()}

    def values(self, covariates: Mapping[str, Mapping[str, float]]) -> VariedValues:
        """All of them as one long table."""
        return VariedValues.of_cells(self.tables(), covariates)


def tables_of_draws(
    scores: Scores, runs: Mapping[str, Run], left_out: float, draws: int, seed: int
) -> list[ScoreTable]:
    """The first measure of some scores on other collections, of which such a share of the items is left out."""
    from rankscope.sampling.judged_run import ranking_table
    from rankscope.sampling.other_collections import ThinnedRuns

    rankings = {name: ranking_table(run) for name, run in runs.items()}
    return list(ThinnedRuns.of(scores, rankings).draws(left_out, draws, seed))


def _is_several(runs: Any) -> bool:
    """Whether it is a list of runs, as seeds are given."""
    return isinstance(runs, list | tuple) and not any(isinstance(each, int | float) for each in runs)
