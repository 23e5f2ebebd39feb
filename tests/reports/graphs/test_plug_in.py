"""A kind of graph from another package: listed, drawn and explained as ours are, its options on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core import catalogue
from rankscope.core.errors import SettingError
from rankscope.ranks.storage import save_ranks
from rankscope.reports import graphs
from rankscope.reports.page.report import figures_of
from tests.reports.graphs.examples import TWO

PLUG_IN = '''
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.reports.graphs import Axis, Graph, ONE, Option, kind

if TYPE_CHECKING:
    from rankscope.ranks.relevant_ranks import RelevantRanks


@kind("depth-waves", "how deep rankings go", systems=ONE, compares=True)
def depth_waves_graph(
    systems: RelevantRanks | Sequence[RelevantRanks],
    bins: Annotated[int, Option("how many bins", least=2)] = 10,
    mood: Annotated[Literal["calm", "wild"], Option("how it looks")] = "calm",
    heights: Annotated[Sequence[float], Option("a height; repeat it", "--height", metavar="H")] = (),
    way: Annotated[Literal["up", "down"], Option("in which direction")] = "up",
    depth: Annotated[int, Option("a name that the command has already")] = 3,
    bare: Annotated[bool, Option("without a curve")] = False,
) -> Graph:
    """How deep the rankings of one system go."""
    title = f"{bins} {mood} {list(heights)} {way} {depth} {bare}"
    graph = Graph(title, Axis("rank"), Axis("height"))
    return graph if bare else graph.curve(Curve(np.arange(2.0), np.arange(2.0)), "wave")


@kind("learning-waves", "how learning goes up and down", needs=("feedback",))
def learning_waves_graph(results: object) -> Graph:
    """Learning goes up and down."""
    return Graph("waves", Axis("x"), Axis("y"))


not_a_kind = type("Thing", (), {"name": "thing"})()
'''


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with two kinds of graph, and something that is none."""
    info = tmp_path / "site" / "wave_pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wave-pack\nVersion: 1.0\n")
    entries = ("depth-waves = wave_pack:depth_waves_graph", "learning-waves = wave_pack:learning_waves_graph")
    (info / "entry_points.txt").write_text("\n".join(["[rankscope.graphs]", *entries, "thing = wave_pack:not_a_kind"]))
    (tmp_path / "site" / "wave_pack.py").write_text(PLUG_IN)
    monkeypatch.syspath_prepend(tmp_path / "site")
    catalogue.additions.cache_clear()
    yield
    catalogue.additions.cache_clear()
    sys.modules.pop("wave_pack", None)


pytestmark = pytest.mark.usefixtures("plug_in")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "first.ranks.parquet"
    save_ranks(TWO[0], path)
    return path


def rankscope(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["graph", *map(str, arguments)])


def test_its_options_work_on_the_command_line(saved: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    options = ("--bins", 4, "--mood", "wild", "--height", 1, "--height", "2.5", "--way", "down", "--bare")
    done = rankscope(*options, "depth-waves", saved, "-o", target)
    assert done.exit_code == 0, done.output
    assert "4 wild [1.0, 2.5] down 3 True" in target.read_text()
    assert rankscope("depth-waves", saved, "-o", target).exit_code == 0
    assert "10 calm [] up 3 False" in target.read_text()


def test_an_option_that_the_command_has_itself_stays_what_it_is(saved: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    assert rankscope("depth-waves", saved, "-o", target, "--depth", 50).exit_code == 0
    assert "10 calm [] up 3 False" in target.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mood", "loud"), "--mood loud: must be one of calm, wild"),
        (("--bins", "1"), "--bins 1: must be a whole number of at least 2"),
        (("--bins", "few"), "--bins few: must be a whole number of at least 2"),
        (("--height", "1", "--height", "up"), "--height 1 --height up: must each be a number that is finite"),
        (("--bins", "1", "--mood", "loud"), "2 settings cannot be so:\n  --bins 1: must"),
        (
            ("--points", "3"),
            "depth-waves has no option --points; it has: --bins, --mood, --height, --way, --bare",
        ),
        (("-m", "AP", "--reach", "3"), "depth-waves has no option --measure, --reach; it has: --bins"),
    ],
)
def test_what_it_cannot_take_is_said(options: tuple[str, ...], message: str, saved: Path, tmp_path: Path) -> None:
    done = rankscope("depth-waves", saved, "-o", tmp_path / "x.json", *options)
    assert isinstance(done.exception, SettingError)
    assert message in str(done.exception)


def test_help_names_it_with_its_options_beside_ours() -> None:
    text = " ".join(rankscope("--help").output.split()).replace("depth- waves", "depth-waves")
    assert "depth-waves how deep rankings go" in text
    assert "depth-waves: how many bins. Default: 10." in text
    ways = "grip, grnp, grep: how generality varies: thinned or bins. Default: thinned."
    assert f"{ways} depth-waves: in which direction: up or down. Default: up." in text
    assert "learning-waves" not in text
    own = rankscope("depth-waves", "--help").output
    assert "How many bins. Default: 10." in " ".join(own.split())
    assert "--reach" not in own
    assert "How deep the rankings of one system go." in own


def test_a_report_draws_it_and_one_of_feedback_results_goes_to_the_page_of_a_study() -> None:
    drawn = [figure for figure in figures_of(TWO) if figure.kind.name == "depth-waves"]
    assert [figure.id for figure in drawn] == ["depth-waves-first", "depth-waves-second"]
    assert [kind.name for kind in graphs.FEEDBACK_KINDS][-1] == "learning-waves"
