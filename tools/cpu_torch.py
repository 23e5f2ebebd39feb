"""Installs a torch that needs no graphics card into the Python that runs this: `python tools/cpu_torch.py`.

Only where the package index that pip is set up with has one. On Linux that is a version marked `+cpu`: the plain ones
bring gigabytes of libraries for graphics cards. Elsewhere the plain ones are made for the processor. Where there is
none, or it takes too long, this says so and ends with 1: tests that need torch then skip.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
ASKING, INSTALLING = 120, 900  # seconds


def wanted() -> str:
    """What the extra `gpu` asks for."""
    pyproject = Path(__file__).resolve().parents[1] / "pyproject.toml"
    extras = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return next(each for each in extras["gpu"] if each.startswith("torch"))


def cpu_requirement(listing: str, platform: str) -> str | None:
    """The torch to install, from what `pip index versions torch` printed; None where none is for the processor.

    >>> cpu_requirement("torch (2.15.0)\\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.9.0+cpu", "linux")
    'torch==2.13.0+cpu'
    >>> cpu_requirement("torch (2.15.0)\\nAvailable versions: 2.15.0, 2.13.0", "darwin")
    'torch==2.15.0'
    >>> cpu_requirement("torch (2.15.0)\\nAvailable versions: 2.15.0, 2.13.0", "linux") is None
    True
    """
    line = re.search(r"^Available versions: (.+)$", listing, re.MULTILINE)
    versions = [each.strip() for each in line[1].split(",")] if line else []
    fit = [each for each in versions if platform != "linux" or each.endswith("+cpu")]
    return f"torch=={fit[0]}" if fit else None


def main() -> str | None:
    """What went wrong, if anything did."""
    if find_spec("torch"):
        return None
    asked = [*PIP, "index", "versions", "torch"]
    try:
        listing = subprocess.run(asked, capture_output=True, text=True, timeout=ASKING).stdout
        found = cpu_requirement(listing, sys.platform)
        if found is None:
            return "the package index has no torch for the processor alone"
        subprocess.run([*PIP, "install", "--quiet", found, wanted()], check=True, timeout=INSTALLING)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        return f"torch could not be installed: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main())
