"""What kinds of graph say of themselves: it is complete, it is true, and nothing is loaded before it is asked for."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.reports import graphs
from rankscope.reports.graphs import kinds
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.kinds import SEVERAL, TWO, GraphKind, Option, SystemCount, kind, options_of
from tests.reports.graphs.examples import ranked, scored

EVERY = (*graphs.ALL, *graphs.FEEDBACK)
every_kind = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: str(kind.name))
every_kind_of_runs = pytest.mark.parametrize("kind", graphs.ALL, ids=lambda kind: str(kind.name))


def test_each_graph_of_a_file_is_a_registered_kind() -> None:
    files = {entry.address.partition(":")[0] for entry in kinds.ENTRIES.values()}
    found = [each for file in files for each in vars(import_module(file)).values() if isinstance(each, GraphKind)]
    assert {each.name for each in found} == {kind.name for kind in EVERY} == set(kinds.ENTRIES)


def test_each_kind_is_in_the_stub_for_those_who_read_types() -> None:
    stub = Path(str(graphs.__file__)).with_suffix(".pyi").read_text()
    functions = {entry.address.partition(":")[2]: name for name, entry in kinds.ENTRIES.items()}
    assert set(re.findall(r"as (\w+_graph)$", stub, re.M)) == set(functions) <= set(dir(graphs))
    assert all(getattr(graphs, name).name == kind for name, kind in functions.items())


def test_kinds_of_feedback_say_that_they_need_it() -> None:
    assert all("feedback" in kind.needs for kind in graphs.FEEDBACK)
    assert not any("feedback" in kind.needs for kind in graphs.ALL)
    assert {*graphs.KINDS, *graphs.FEEDBACK_KINDS} == {*EVERY}


@every_kind
def test_each_kind_has_a_summary_of_one_line(kind: GraphKind[Any]) -> None:
    assert 10 < len(kind.about) < 70
    assert not kind.about.endswith(".")


@every_kind
def test_each_option_is_explained_and_its_default_is_allowed(kind: GraphKind[Any]) -> None:
    for option in kind.options:
        assert option.declared.help
        assert not option.declared.help.endswith(".")
        if option.default is not inspect.Parameter.empty:
            assert option.rule.plain(option.default) == option.default
        assert all(each.startswith("-") for each in option.spellings)
    assert len({option.spellings[-1] for option in kind.options}) == len(kind.options)


@every_kind_of_runs
def test_each_kind_takes_as_many_systems_as_it_says_and_no_others(kind: GraphKind[Any]) -> None:
    one = scored() if kind.wants("scores") else ranked("one", 1)
    for count in {0, kind.systems.least - 1, kind.systems.most + 1}:
        with pytest.raises(SettingError, match=f"shows {kind.systems}, got {count}"):
            kind([one] * count)


@pytest.mark.parametrize("kind", [kind for kind in graphs.ALL if not kind.needs], ids=lambda kind: str(kind.name))
def test_a_kind_that_needs_nothing_is_drawn_without_collection_size_and_scores(kind: GraphKind[Any]) -> None:
    systems = [ranked(name, seed, collection=None) for name, seed in (("first", 1), ("second", 2))]
    assert kind(systems[: kind.systems.most]).marks


# options


def drawn(
    systems: object,
    bins: Annotated[int, Option("how many bins", least=2)] = 10,
    mood: Annotated[Literal["calm", "wild"] | None, Option("how it looks", "-x --mood")] = None,
    ends: Annotated[Sequence[float], Option("an end", "--end")] = (0.0, 1.0),
    to: Annotated[float | str, Option("to where")] = "10x",
    rough: Annotated[bool, Option("without detail")] = False,
    named: Annotated[bool, Option("without names")] = True,
    unknown: NotImported = None,  # type: ignore[name-defined]  # noqa: F821
    seed: int = 0,
) -> Graph:
    """Nothing."""
    raise NotImplementedError


def test_options_are_read_from_the_signature() -> None:
    found = {option.name: option for option in options_of(drawn)}
    assert list(found) == ["bins", "mood", "ends", "to", "rough", "named"]
    assert {name: option.type for name, option in found.items()} == {
        "bins": int,
        "mood": str,
        "ends": float,
        "to": str,
        "rough": bool,
        "named": bool,
    }
    assert found["mood"].choices == ("calm", "wild")
    assert found["mood"].spellings == ("-x", "--mood")
    assert [found[name].many for name in ("bins", "ends")] == [False, True]
    assert [found[name].default_words for name in found] == ["10", "", "0.0, 1.0", "10x", "", ""]
    assert found["named"].spellings == ("--no-named",)


def test_a_value_that_an_option_cannot_have_is_refused_by_python_too() -> None:
    shown = kind("drawn", "nothing")(drawn)
    with pytest.raises(SettingError, match=r"^mood='loud': must be one of calm, wild$"):
        shown([], mood="loud")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"^bins=1: must be a whole number of at least 2 and below 2\^63$"):
        shown([], 1)
    with pytest.raises(SettingError, match=r"^ends=\[0, 'x'\]: must each be a number that is finite$"):
        shown([], ends=[0, "x"])  # type: ignore[list-item]
    with pytest.raises(SettingError, match=r"^ends='01': must be a list$"):
        shown([], ends="01")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"^bins=None: must be a whole number"):
        shown([], None)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError):
        shown([], 2, None)


def test_all_values_that_cannot_be_are_told_at_once() -> None:
    with pytest.raises(SettingError) as told:
        kind("drawn", "nothing")(drawn)([], 1, mood="loud", rough="no")  # type: ignore[arg-type]
    assert [problem.partition(":")[0] for problem in told.value.problems] == ["bins=1", "mood='loud'", "rough='no'"]


def test_a_kind_gets_plain_values_however_they_were_given() -> None:
    got: list[object] = []

    def keep(
        results: object,
        bins: Annotated[int, Option("how many bins", least=2)] = 10,
        mood: Annotated[Literal["calm", "wild"] | None, Option("how it looks")] = None,
        ends: Annotated[Sequence[float], Option("an end", "--end")] = (0.0, 1.0),
        more: int = 0,
    ) -> Graph:
        got[:] = [results, bins, mood, ends, more]
        return Graph("kept", Axis("x"), Axis("y"))

    shown = kind("kept", "nothing")(keep)
    shown("all", np.int64(3), ends=np.array([0.5, 2.0]), mood="WILD", more=np.int64(7))  # type: ignore[arg-type]
    assert got == ["all", 3, "wild", (0.5, 2.0), 7]
    assert list(map(type, got)) == [str, int, str, tuple, np.int64], "what is no option is handed on as it is"
    shown("all", 3.0, None)  # type: ignore[arg-type]
    assert got == ["all", 3, None, (0.0, 1.0), 0]
    with pytest.raises(TypeError, match="positional"):
        shown("all", 3, None, [], 0, "too much")  # type: ignore[call-arg]


def test_a_command_fills_in_what_a_kind_takes() -> None:
    assert graphs.rank_intervals_graph.accepted("P@10", seed=3, other=1) == {"measure": "P@10", "seed": 3}
    assert graphs.forecast_graph.accepted("P@10", seed=3) == {}, "its measure is its own"


# how many systems


def test_systems_are_shared_out_as_a_kind_can_show_them() -> None:
    assert TWO.shares(["a"]) == [["a"]], "so that the graph says what it lacks"
    assert SEVERAL.shares(["a"]) == [["a"]]
    many = SystemCount(2, 60, worth=3)
    assert [many.shares("abc"[:count]) for count in (1, 2, 3)] == [[["a"]], [], [["a", "b", "c"]]]


# loading


def loaded(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys\n{inspect.cleandoc(code)}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(told.stdout.split())


def test_importing_graphs_loads_no_kind_and_no_heavy_package() -> None:
    there = loaded("import rankscope.reports.graphs as graphs\nassert 'grip' in graphs.KINDS.own_names()")
    assert not {"numpy", "polars", "scipy", "rankscope.reports.graphs.graph", "rankscope.statistics"} & there
    assert not there & {entry.address.partition(":")[0] for entry in kinds.ENTRIES.values()}


def test_a_kind_alone_is_loaded_with_its_command(tmp_path: Path) -> None:
    there = loaded(
        f"""
        from click.testing import CliRunner
        from rankscope.commands.line.main import cli
        (open({str(tmp_path / "q")!r}, "w")).write("1 0 a 1\\n")
        (open({str(tmp_path / "r")!r}, "w")).write("1 Q0 a 1 2 x\\n")
        arguments = ["graph", "precision-scope", {str(tmp_path / "q")!r}, {str(tmp_path / "r")!r}, "--quiet", "-o"]
        done = CliRunner().invoke(cli, [*arguments, {str(tmp_path / "x.csv")!r}])
        assert done.exit_code == 0, done
        """
    )
    files = {entry.address.partition(":")[0] for entry in kinds.ENTRIES.values()}
    assert there & files == {"rankscope.reports.graphs.scope_curves"}
    assert not {name for name in there if name.startswith(("rankscope.feedback", "rankscope.engines"))}


def test_a_report_of_text_loads_no_laboratory(tmp_path: Path) -> None:
    there = loaded("import rankscope.reports.page.html\nfrom rankscope.reports import graphs\ntuple(graphs.KINDS)")
    assert not {name for name in there if name.startswith(("rankscope.feedback", "rankscope.engines"))}
