"""What a report of text runs loads: the kinds and formats that it needs, and nothing of the laboratory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.data import GOLDEN

MOST = 229  # a page holds its graphs as pictures, which the canvas draws
LABORATORY = ("engines", "inputs.collections", "feedback", "analysis.sampling")
CODE = """
import json, sys
from rankscope.commands.line.main import cli
try:
    cli(["report", *sys.argv[1:-1], "-o", sys.argv[-1], "--quiet"])
except SystemExit as end:
    assert not end.code
print(json.dumps([*sys.modules]))
"""


def test_a_report_of_a_text_run_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    files = [str(GOLDEN / "ties-0" / name) for name in ("qrels", "run")]
    everything = loaded_by(CODE, *files, str(tmp_path / "report.html"))
    assert "multiprocessing" not in everything
    loaded = {each for each in everything if each.partition(".")[0] == "rankscope"}
    assert len(loaded) <= MOST, f"{len(loaded)} modules"
    assert not [each for each in loaded if each.startswith(tuple(f"rankscope.{room}" for room in LABORATORY))]
    seldom = ("inputs.formats.columnar", "analysis.forecast.growth", "analysis.statistics.anova")
    assert not {f"rankscope.{each}" for each in seldom} & loaded


def test_formats_are_known_as_they_say_themselves() -> None:
    from rankscope.inputs.formats.registry import FORMATS, KNOWN

    assert [(each.name, each.suffixes) for each in KNOWN] == [(each.name, each.suffixes) for each in FORMATS.own()]


def test_packages_list_what_they_give() -> None:
    from rankscope import analysis, engines, feedback, inputs

    for package in (analysis, engines.text, engines.nearest, feedback, inputs.collections):
        for name in package.__all__:
            assert getattr(package, name) is not None
        assert set(dir(package)) == set(package.__all__)


EVALUATING = """
import json, sys
from rankscope.commands.line.main import cli
try:
    cli(["evaluate", *sys.argv[1:], "--quiet"])
except SystemExit as end:
    assert not end.code
print(json.dumps([*sys.modules]))
"""
DICTIONARIES = """
import json, sys
import rankscope
assert rankscope.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})["AP"] == 0.5
print(json.dumps([*sys.modules]))
"""
FEW_MEASURES = {"average_precision", "dcg", "precision_recall", "reciprocal_rank"}  # those of no -m
SELDOM = {"polars", "scipy", "rich", "jinja2", "html", "tempfile", "shutil", "bz2", "lzma", "importlib.metadata"}


def loaded_by(code: str, *words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def measures_in(loaded: set[str]) -> set[str]:
    """The measures that were loaded, by the names of their files."""
    from rankscope.measures import PLACES

    files = {each.address.partition(":")[0] for each in PLACES.values()}
    return {name.rpartition(".")[2] for name in files & loaded}


def test_evaluate_loads_the_measures_it_names_and_nothing_seldom(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.txt" for name in ("qrels", "run")]  # of other names any package may have a format
    for file in files:
        file.write_bytes((GOLDEN / "ties-0" / file.stem).read_bytes())
    loaded = loaded_by(EVALUATING, *map(str, files))
    assert not SELDOM & loaded
    assert measures_in(loaded) == FEW_MEASURES


def test_dictionaries_load_the_measures_they_name_and_nothing_seldom() -> None:
    loaded = loaded_by(DICTIONARIES)
    assert not (SELDOM | {"click"}) & loaded
    assert measures_in(loaded) == FEW_MEASURES


def test_the_table_of_measures_says_what_their_classes_say() -> None:
    from rankscope import measures

    assert list(measures.PLACES) == [each.name for each in measures.ALL]
    assert {*measures.__all__} == {"ALL", "Measure", *(each.__name__ for each in measures.ALL)}


def test_what_trec_eval_calls_a_measure_is_what_the_measure_says() -> None:
    from rankscope.measures.notation import TREC_SINGLE, trec_single

    assert {name: trec_single(name).trec_name() for name in TREC_SINGLE} == {name: name for name in TREC_SINGLE}


def test_a_run_with_tabs_is_no_table_and_loads_no_reader_of_tables(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.txt" for name in ("qrels", "run")]
    for file in files:
        file.write_bytes((GOLDEN / "ties-0" / file.stem).read_bytes().replace(b" ", b"\t"))
    assert not SELDOM & loaded_by(EVALUATING, *map(str, files))
