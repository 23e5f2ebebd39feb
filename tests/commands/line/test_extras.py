"""A command that needs several extras names all that are missing at once, with one command of pip."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rankscope.core.caching import EXTRA_PACKAGES, need_extras
from rankscope.core.errors import MissingExtra
from tests.commands.line.inside import ended

SEVERAL = {
    "serve --demo": "starlette, uvicorn, python-multipart, pillow|web,images",
    "serve judging": "starlette, uvicorn, python-multipart, pillow|web,images",
    "serve judging --database postgresql://ann@nowhere/judging": "starlette, uvicorn, python-multipart, pillow, "
    "psycopg|web,images,team",
    "serve --index docs.index": "starlette, uvicorn, python-multipart|web",
    "describe judging -o features.npz --model net.onnx": "pillow, onnxruntime|images,onnx",
    "describe judging -o features.npz --model net.pt": "pillow, torch|images,gpu",
    "benchmark digits -d lbp -o out": "pillow, opencv-python-headless, scikit-learn|images,feedback",
    "benchmark icons -d lbp,bag-of-words -o out": "pillow, opencv-python-headless, scikit-learn|images,feedback",
    "benchmark icons -d lbp -o out": "pillow, opencv-python-headless|images",
}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with a project of pictures, on a machine without any of the packages."""
    (tmp_path / "judging").mkdir()
    (tmp_path / "judging" / "project.toml").write_text(
        '[project]\nid = "0123456789abcdef"\n[collection]\nimages = "pictures"\n'
    )
    monkeypatch.chdir(tmp_path)
    for module in EXTRA_PACKAGES:
        monkeypatch.setitem(sys.modules, module, None)
    return tmp_path


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("command", SEVERAL)
def test_all_missing_extras_are_named_at_once(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages, extras = SEVERAL[command].split("|")
    assert ended(monkeypatch, *command.split()) == 2
    said = f"rankscope: {packages} are not installed. Install them with: pip install 'rankscope[{extras}]'\n"
    assert capsys.readouterr().err == said


def test_what_is_there_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    need_extras()
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "uvicorn", sys)
    with pytest.raises(MissingExtra, match=r"^pillow is not installed\. Install it with: pip .*\[images\]'$"):
        need_extras("PIL", "uvicorn", "PIL")
