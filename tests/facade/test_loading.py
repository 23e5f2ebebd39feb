"""What a report of text runs loads: the kinds and formats that it needs, and nothing of the laboratory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.data import GOLDEN

MOST = 200
LABORATORY = ("engines", "collections", "feedback", "sampling")
CODE = """
import json, sys
from rankscope.cli.main import cli
try:
    cli(["report", *sys.argv[1:-1], "-o", sys.argv[-1], "--quiet"])
except SystemExit as end:
    assert not end.code
print(json.dumps([each for each in sys.modules if each.partition(".")[0] == "rankscope"]))
"""


def test_a_report_of_a_text_run_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    files = [str(GOLDEN / "ties-0" / name) for name in ("qrels", "run")]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *files, str(tmp_path / "report.html")], check=True, capture_output=True, text=True
    )
    loaded = json.loads(done.stdout)
    assert len(loaded) <= MOST, f"{len(loaded)} modules"
    assert not [each for each in loaded if each.split(".")[1:2] and each.split(".")[1] in LABORATORY]
    assert not {"rankscope.inputs.formats.parquet", "rankscope.forecast.growth", "rankscope.statistics.variance"} & set(
        loaded
    )


def test_formats_are_known_as_they_say_themselves() -> None:
    from rankscope.inputs.formats import ALL
    from rankscope.inputs.formats.known import KNOWN

    assert [(each.name, each.suffixes) for each in KNOWN] == [(each.name, each.suffixes) for each in ALL]


def test_packages_list_what_they_give() -> None:
    from rankscope import curves, forecast, statistics

    for package in (curves, forecast, statistics):
        for name in package.__all__:
            assert getattr(package, name) is not None
        assert set(dir(package)) == set(package.__all__)
