"""Sets of ir_datasets: read where their files are, never fetched without being asked to."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.needs import needed_module

CODE = """
import rankscope
from rankscope.inputs.documents.topics import read_topics
from rankscope.core.errors import InputError
index = rankscope.index("irds:vaswani")
assert len(index) == 2, len(index)
topics = read_topics("irds:vaswani")
assert topics.texts() == {"1": "FOXES AND DENS"}, topics
ranks = rankscope.search(index, topics="irds:vaswani", qrels="irds:vaswani")
assert ranks.judged.lists("rank") == [[1]], ranks.judged.lists("rank")
"""
REFUSED = """
import rankscope
for name in ("irds:vaswani", "irds:no-such-set"):
    try:
        rankscope.index(name)
    except rankscope.InputError as error:
        print(error)
"""


def tar(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def asked(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    import os

    environment = {**os.environ, "IR_DATASETS_HOME": str(home), "IR_DATASETS_TMP": str(home / "tmp")}
    return subprocess.run([sys.executable, "-c", code], env=environment, check=False, capture_output=True, text=True)


def test_a_set_is_read_where_its_files_are(tmp_path: Path) -> None:
    needed_module("ir_datasets", "datasets")
    files = {
        "doc-text": "1\na fox in its den\n   /\n2\ndogs\n   /\n",
        "query-text": "1\nFOXES AND DENS\n/\n",
        "rlv-ass": "1\n1\n   /\n",
    }
    (tmp_path / "vaswani").mkdir()
    (tmp_path / "vaswani" / "npl.tar.gz").write_bytes(tar(files))
    done = asked(CODE, tmp_path)
    assert done.returncode == 0, done.stderr


def test_nothing_is_fetched_unasked(tmp_path: Path) -> None:
    needed_module("ir_datasets", "datasets")
    done = asked(REFUSED, tmp_path)
    assert "irds:vaswani: 1 problem\n  is not on this machine" in done.stdout
    assert "download" in done.stdout
    assert "irds:no-such-set: 1 problem\n  cannot be loaded" in done.stdout
    assert not list((tmp_path / "vaswani").glob("*.gz"))
