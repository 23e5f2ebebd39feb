"""What a test needs in addition to the core: it skips aloud where that is missing, and fails where it has to be there.

`RANKSCOPE_MAY_LACK` names what the machine may lack, with spaces between; once it is set, even to nothing, whatever
else is missing is a failure. `.ci/run` sets it when it has installed all it can, so that no test skips for want of
something that was just installed. Without it anything may be missing.
"""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

MAY_LACK = "RANKSCOPE_MAY_LACK"


def needed_module(name: str, extra: str) -> Any:
    """A module that comes with one of rankscope's extras; one that is there but broken is an error as always."""
    package = name.partition(".")[0]
    if find_spec(package) is None:
        skip_for_want_of(package, f"pip install 'rankscope[{extra}]'")
    return import_module(name)


def needed_program(*names: str, advice: str) -> str:
    """The path of the first of these programs that is installed; the first name is the one to be missed."""
    found = next(filter(None, map(shutil.which, names)), None)
    return found or skip_for_want_of(names[0], advice)


def needed_postgresql() -> Path:
    """The folder of PostgreSQL's own programs; Debian keeps them outside of the usual path, by version."""
    usual = Path(shutil.which("initdb") or "/").parent
    kept = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    found = next((each for each in (usual, *reversed(kept)) if (each / "initdb").exists()), None)
    return found or skip_for_want_of("postgresql", "apt-get install postgresql")


def skip_for_want_of(what: str, advice: str) -> NoReturn:
    """End the test, or the whole file where this stands outside a function."""
    may_lack = os.environ.get(MAY_LACK)
    if may_lack is not None and what not in may_lack.split():
        pytest.fail(f"{what} is missing, but {MAY_LACK} does not name it: it has to be there. {advice}", pytrace=False)
    pytest.skip(f"NO {what.upper()}: {advice}", allow_module_level=True)
