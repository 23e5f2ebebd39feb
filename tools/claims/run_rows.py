"""Runs the commands of all rows: `python -m tools.claims.run_rows FOLDER [NUMBER...]`, all rows without a number.

FOLDER is made with the files that the commands speak of. What `rankscope serve` serves is asked for, then it is ended
as by Ctrl-C. `rankscope gather` gathers the site of the tutorial, which is served meanwhile. A command fails that ends
with an error or shows nothing: neither words nor a file.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

from tests.test_tutorials import SITE, site_served
from tools.claims.files import make_files
from tools.claims.rows import all_rows

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "tutorials" / "site"
LONGEST = 3600  # seconds for one command, on a machine that others use too
ADDRESS = re.compile(r"http://\S+(?:/enter/|/solr/)\S+")  # at which something that is served can be seen


def commands(wanted: set[int]) -> list[str]:
    """The commands of the rows wanted, each once, in the order of the rows."""
    rows = [row for row in all_rows() if not wanted or row.number in wanted]
    return list(dict.fromkeys(command for row in rows for command in row.run))


def run(command: str, folder: Path) -> str:
    """Run one command in the folder, from the sources of this clone; what is wrong with what it did, if anything."""
    if command.startswith("rankscope serve"):
        return _served(command, folder)
    before = _written(folder)
    with site_served(PAGES) as host:
        done = subprocess.run(
            _arguments(command.replace(SITE, host)),
            cwd=folder,
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    if done.returncode:
        return done.stderr.strip() or done.stdout.strip() or f"ended with {done.returncode}"
    shown = done.stdout.strip() or done.stderr.strip() or _written(folder) != before
    return "" if shown else "shows nothing"


def _written(folder: Path) -> dict[Path, int]:
    """When each file in the folder was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def _arguments(command: str) -> list[str]:
    program, *arguments = shlex.split(command)
    return [
        sys.executable,
        *(["-m", "rankscope"] if program == "rankscope" else [str(ROOT / arguments.pop(0))]),
        *arguments,
    ]


def _environment() -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}


def _served(command: str, folder: Path) -> str:
    """Serve until the first page or the first answer to a search has been seen."""
    arguments, environment = _arguments(command), _environment()
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                if found := ADDRESS.search(line):
                    wrong = _seen(found[0])
                    break
            else:
                wrong = "".join(said).strip() or "says no address"
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
    return wrong or (f"ended with {process.returncode}" if process.returncode else "")


def _seen(address: str) -> str:
    """What is wrong with the page at an address, or with the answer to a search for everything."""
    opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
    with opener.open(address.replace("q=...", "q=*:*"), timeout=60) as answer:
        text = answer.read().decode()
        if "/solr/" in address:
            return "" if json.loads(text)["response"]["numFound"] > 0 else "finds nothing"
        return "" if answer.status == 200 and "<main" in text else f"shows no page but {text[:200]!r}"


def main(arguments: list[str]) -> int:
    """Run them, say how each ended, and end with the number of failures."""
    folder, failed = Path(arguments[0]), 0
    make_files(folder)
    for command in commands({int(each) for each in arguments[1:]}):
        try:
            wrong = run(command, folder)
        except subprocess.TimeoutExpired:
            wrong = f"took more than {LONGEST:,} seconds"
        failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok'}  {command}", flush=True)
        if wrong:
            print(wrong, flush=True)
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
