"""`rankscope estimate QRELS RUN...`: from files and options to what is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.errors import SettingError


@dataclass(frozen=True)
class RunOptions:
    """What was asked of whole runs."""

    files: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    machine: str | None
    tuned_on: str | None
    correct_from: int | None
    drawn: str | None
    collection: int | None
    rel: float
    level: float
    more: int | None
    resamples: int
    seed: int
    input_format: str | None
    encoding: str
    columns: str | None
    map_qrels: str | None
    map_runs: str | None

    def __post_init__(self) -> None:
        count = len(self.files) - 1
        problems = []
        if count < 1:
            problems.append("estimate needs judgements and at least one run: rankscope estimate QRELS RUN...")
        if self.systems and (len(self.systems) != count or len(set(self.systems)) < count):
            problems.append(f"--system NAME once for each run, all different: {count} needed, got {len(self.systems)}")
        if self.machine is None and self.tuned_on is not None:
            problems.append("--tuned-on is about a machine judge: give its labels with --machine FILE")
        if self.machine is None and self.correct_from is not None:
            problems.append("--correct-from is about a machine judge: give its labels with --machine FILE")
        if self.machine is not None:
            given = {"--drawn": self.drawn, "--more": self.more, "--collection-size": self.collection}
            unused = [name for name, value in given.items() if value is not None]
            problems += [f"{name} is about a judged sample and does nothing with --machine" for name in unused]
        if problems:
            raise SettingError.of(problems)

    @property
    def runs(self) -> Any:
        """Their files, by name where names are given."""
        return dict(zip(self.systems, self.files[1:], strict=True)) if self.systems else list(self.files[1:])


def show_machine(asked: RunOptions, output_format: str) -> None:
    """Corrected means."""
    from rankscope.cli.output import print_result
    from rankscope.facade.estimating import estimate_with_machine
    from rankscope.reports.formats.rows import as_json
    from rankscope.reports.texts.machine_judge import machine_json, machine_text

    done = estimate_with_machine(
        asked.files[0],
        asked.machine,
        asked.runs,
        asked.measures or "AP",
        tuned_on=asked.tuned_on,
        **({} if asked.correct_from is None else {"correct_from": asked.correct_from}),
        rel=asked.rel,
        level=asked.level,
        input_format=asked.input_format,
        encoding=asked.encoding,
        columns=asked.columns,
        map_qrels=asked.map_qrels,
        map_runs=asked.map_runs,
    )
    print_result(as_json(machine_json(done)) if output_format == "json" else machine_text(done))


def show_runs(asked: RunOptions, output_format: str, per_query: bool, graphs: str | None) -> None:
    """What the judged sample says of the runs."""
    from rankscope.cli.output import print_result, say
    from rankscope.facade.estimating import estimate_runs
    from rankscope.reports.formats.rows import as_json
    from rankscope.reports.texts.run_estimates import estimates_json, estimates_text

    done = estimate_runs(
        asked.files[0],
        asked.runs,
        ",".join(asked.measures) or None,
        drawn=asked.drawn,
        collection_size=asked.collection,
        rel=asked.rel,
        level=asked.level,
        more=asked.more,
        resamples=asked.resamples,
        seed=asked.seed,
        input_format=asked.input_format,
        encoding=asked.encoding,
        columns=asked.columns,
        map_qrels=asked.map_qrels,
        map_runs=asked.map_runs,
    )
    print_result(as_json(estimates_json(done)) if output_format == "json" else estimates_text(done, per_query))
    if graphs is not None:
        for path in _draw(done, graphs):
            say(path)


def _draw(done: Any, folder: str) -> list[str]:
    from rankscope.files import made_folder
    from rankscope.graphs.sample_graphs import interval_graph, strata_graph

    where = made_folder(folder)
    paths = {where / "intervals.svg": interval_graph(done), where / "judge-next.svg": strata_graph(done)}
    for path, graph in paths.items():
        graph.save(path, width="full")
    return [str(path) for path in paths]
