"""The pages made from the code say what the code says, and the examples of the others run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.peers import PEERS
from tests.conformance.diversity import NDEVAL_PAIRS
from tests.conformance.peers import LIGHT, RANX_BPREF
from tests.conformance.provided import PROVIDED
from tests.conformance.user_models import CWL, NTCIR
from tests.data import GOLDEN
from tools.make_docs import DOCS, PAGES

AGAIN = "run: python tools/make_docs.py"


@pytest.mark.parametrize("page", [page for page in PAGES if not page.runs_peers], ids=lambda page: page.path)
def test_a_reference_page_is_what_the_code_says_now(page: object) -> None:
    result = next(each for each in PAGES if each is page)
    path = DOCS / result.path
    assert path.exists(), AGAIN
    assert path.read_text(encoding="utf-8") == result.make(), f"docs/{result.path} is old; {AGAIN}"


def test_the_conformance_page_speaks_of_every_peer_and_every_measure_compared() -> None:
    text = (DOCS / "conformance.md").read_text(encoding="utf-8")
    assert [peer.name for peer in PEERS if peer.name not in text] == []
    pairs = [pair for peer in (*LIGHT, PROVIDED, CWL, NTCIR) for pair in (*peer.pairs, RANX_BPREF)] + [*NDEVAL_PAIRS]
    assert [pair for pair in pairs if f"`{pair.theirs}` | `{pair.ours}`" not in text] == []


def test_the_conformance_page_reports_no_difference_that_nobody_explains() -> None:
    text = (DOCS / "conformance.md").read_text(encoding="utf-8")
    assert not re.findall(r"different in \d+ cases", text)
    assert "Missing without a reason: 0." in text
    assert "| missing |" not in text


EXAMPLES = re.findall(
    r"^rankscope (evaluate .+)$", (DOCS / "how-to" / "from-trec_eval.md").read_text(encoding="utf-8"), re.M
)


def test_the_page_for_trec_eval_users_has_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_for_trec_eval_users_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(GOLDEN / "ties-0" / "qrels", tmp_path / "qrels.txt")
    shutil.copy(GOLDEN / "ties-0" / "run", tmp_path / "run.txt")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, shlex.split(example))
    assert done.exit_code == 0, done.output
    assert done.output


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md"])
def test_the_front_pages_count_methods_and_controls_apart(page: str) -> None:
    from rankscope.feedback.methods import ALL, CONTROLS

    text = " ".join((DOCS.parent / page).read_text(encoding="utf-8").split())
    assert f"{len(ALL) - len(CONTROLS)} methods and {len(CONTROLS)} controls" in text
    assert f"{len(ALL)} methods" not in text
