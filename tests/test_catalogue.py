"""Look-up by name: spelling, other packages, and what is loaded when. A broken package is named and left out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankscope.analysis.forecast.models import MODELS
from rankscope.analysis.statistics.corrections import CORRECTIONS
from rankscope.analysis.statistics.named_tests import PAIR_TESTS, TABLE_TESTS
from rankscope.analysis.statistics.proportions import PROPORTION_INTERVALS
from rankscope.core import catalogue
from rankscope.core.catalogue import Catalogue, Later, later
from rankscope.core.errors import MeasureError, SettingError
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.nearest.metrics import METRICS
from rankscope.feedback.examples.items import SCALINGS
from rankscope.feedback.methods import METHODS
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.users import USERS
from rankscope.inputs.collections.collection import COLLECTIONS
from rankscope.inputs.collections.sample import FEATURE_SPACES
from rankscope.inputs.formats.registry import FORMATS
from rankscope.measures.notation import MEASURES
from rankscope.reports.graphs.kinds import KINDS as GRAPHS
from rankscope.reports.graphs.layout import THEMES
from rankscope.reports.output_formats import OUTPUT_FORMATS
from tests.commands.line.inside import ended, runs_in

GROUPS = ("measures", "formats", "graphs", "feedback", "descriptors", "collections", "users")


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose modules cannot be imported, or hold nothing of use."""
    info = tmp_path / "site" / "broken_pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-pack\nVersion: 1.0\n")
    lines = [
        f"[rankscope.{group}]\nbad = broken_pack_{kind}:thing\n" for group, kind in zip(GROUPS, KINDS, strict=True)
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    for kind, text in KINDS.items():
        (tmp_path / "site" / f"broken_pack_{kind}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "site")
    catalogue.additions.cache_clear()
    yield
    catalogue.additions.cache_clear()
    for kind in KINDS:
        sys.modules.pop(f"broken_pack_{kind}", None)


KINDS = {
    "missing": "import nothing_of_this_name\n",
    "raising": "raise RuntimeError('two\\nlines \\x1b[2J')\n",
    "leaving": "import sys\nsys.exit(3)\n",
    "lacking": "other = 1\n",
    "nameless": "thing = 1\n",
    "wrong": "this is no python\n",
    "failing": "1 / 0\n",
}


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("group", GROUPS)
def test_it_is_named_once_and_left_out(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert catalogue.additions(f"rankscope.{group}") == ()
    assert catalogue.additions(f"rankscope.{group}") == ()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"! broken-pack adds 'bad' to rankscope.{group}")
    assert "\x1b" not in line


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    "line",
    ["measures", "evaluate qrels.txt a.run", "graph precision-recall qrels.txt a.run -o x.svg", "measures nDCG"],
)
def test_commands_go_on_without_it(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    assert ended(monkeypatch, *line.split()) == 0


EVERY: tuple[Catalogue[Any], ...] = (
    MEASURES,
    DESCRIPTORS,
    METRICS,
    METHODS,
    USERS,
    STARTS,
    MODELS,
    FORMATS,
    OUTPUT_FORMATS,
    COLLECTIONS,
    GRAPHS,
    THEMES,
    PAIR_TESTS,
    TABLE_TESTS,
    CORRECTIONS,
    PROPORTION_INTERVALS,
    SCALINGS,
    FEATURE_SPACES,
)
every = pytest.mark.parametrize("sort", EVERY, ids=lambda sort: sort.what)


def thing(name: str, *aliases: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, aliases=aliases, about=f"The {name}. More.")


@every
def test_a_name_is_found_however_it_is_joined_and_its_case(sort: Catalogue[Any]) -> None:
    assert len(sort) == len(sort.names()) > 0
    for name, entry in zip(sort.own_names(), sort.own(), strict=True):
        assert sort.find(name) is entry
        for other in (name.upper(), name.replace("-", "_"), name.replace("_", "-")):
            assert sort.find(other) is entry
            assert sort.spell(other) == name
        assert getattr(entry, "name", name) == name


@every
def test_a_name_that_is_not_there_is_told_with_those_that_are(sort: Catalogue[Any]) -> None:
    name = sort.own_names()[0]
    with pytest.raises(sort.error) as told:
        sort.find(name + "x")
    assert str(told.value).startswith(f"no {sort.what} '{name}x'")
    assert (sort.advice or ", ".join(map(sort.show, sort.names()))) in str(told.value)
    assert name + "x" not in sort


@pytest.mark.parametrize("sort", [each for each in EVERY if each is not SCALINGS], ids=lambda sort: sort.what)
def test_every_entry_says_what_it_is_in_one_line(sort: Catalogue[Any]) -> None:
    for name, summary in [each for each in sort.listing() if each[0] != "none"]:
        assert len(summary) > 8, name
        assert "\n" not in summary


def test_the_exact_spelling_wins_and_what_could_be_two_is_an_error() -> None:
    both = Catalogue("sort", [thing("R", "recall"), thing("r"), thing("a-b"), thing("a_b")])
    assert both.find("R").name == "R"
    assert both.find("r").name == "r"
    assert both.find("a_b").name == "a_b"
    assert both.find("Recall").name == "R"
    with pytest.raises(SettingError, match="'A-B' could be a-b or a_b: spell it as one of them"):
        both.find("A-B")


def test_the_name_of_one_wins_over_the_alias_of_another() -> None:
    both = Catalogue("sort", [thing("P", "precision"), thing("precision")])
    assert both.find("precision").name == "precision"


def test_other_packages_are_asked_only_for_names_that_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    added = (thing("theirs", "other"), thing("ap"), thing("ours"))

    def ask(group: str) -> tuple[SimpleNamespace, ...]:
        asked.append(group)
        return added

    monkeypatch.setattr(catalogue, "additions", ask)
    sort = Catalogue("sort", [thing("ours", "mine"), thing("AP")], "rankscope.things")
    assert [sort.find(name).name for name in ("ours", "mine", "AP")] == ["ours", "ours", "AP"]
    assert asked == []
    assert [sort.find(name).name for name in ("theirs", "OTHER", "ap")] == ["theirs", "theirs", "ap"]
    assert set(asked) == {"rankscope.things"}
    assert sort.names() == ("ours", "AP", "theirs", "ap")
    assert [name for name, _ in sort.listing()] == list(sort.names())


def test_an_entry_is_loaded_when_it_is_named() -> None:
    sort: Catalogue[Any] = Catalogue(
        "sort", later("rankscope", {"wrong": "core.errors:SettingError", "no": "nothing:At"})
    )
    assert sort.names() == ("wrong", "no")
    assert sort.find("WRONG") is SettingError
    assert Later("rankscope.core.errors").load().MeasureError is MeasureError


LOADED = """
import sys
{line}
print(*sorted(name for name in sys.modules if name.startswith("rankscope.") or "." not in name))
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "without"),
    [
        (
            "from rankscope.measures.notation import parse_measure; parse_measure('P(rel=2)@10')",
            {"polars", "scipy", "sklearn", "cv2", "skimage"},
        ),
        (
            "from rankscope.feedback.methods import METHODS; METHODS.parse('svm(C=1)')",
            {"polars", "scipy", "sklearn", "rankscope.feedback.methods.query_movement"},
        ),
        (
            "from rankscope.engines.images.descriptors import DESCRIPTORS; DESCRIPTORS.parse('hog(side=32,cell=8)')",
            {"cv2", "skimage", "PIL", "rankscope.engines.images.shape_descriptors"},
        ),
        (
            "from rankscope.reports.output_formats import OUTPUT_FORMATS; OUTPUT_FORMATS.find('trec')",
            {"numpy", "polars", "rankscope.core.latex"},
        ),
        (
            "from rankscope.inputs.collections.collection import COLLECTIONS; COLLECTIONS.find('digits')",
            {"sklearn", "rankscope.inputs.collections.pictures"},
        ),
        ("import rankscope.core.notation", {"numpy", "polars"}),
    ],
)
def test_naming_one_loads_no_laboratory(line: str, without: set[str]) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED.format(line=line)], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & without == set()
