"""Stopped work goes on: nothing that was written down is asked for again, and the result is the same."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankscope.core.errors import InputError, SettingError
from tests.engines.crawler.site import HOME, Make, Names, Reply, gathered_from, page, redirect, served

SITE: dict[str, Make] = {
    "/": page("home", *(f"/{number}" for number in range(12)), "/moved", "/shut/x"),
    "/moved": redirect("/3"),
    "/robots.txt": Reply(b"User-agent: *\nDisallow: /shut/", "text/plain"),
    **{f"/{number}": page(f"text {number // 2}", f"/sub/{number}") for number in range(12)},
    "/sub/*": lambda path: page(f"sub {path}", "/"),
}


def begun(address: str, folder: Path) -> subprocess.Popen[bytes]:
    command = ["gather", address, "--allow", HOME, "--pause", "0.02", "-o", "docs.parquet", "--quiet"]
    return subprocess.Popen([sys.executable, "-m", "rankscope", *command], cwd=folder)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_process_that_is_killed_loses_nothing_and_the_result_is_the_same(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    with served(SITE) as site:
        assert begun(site.home, whole).wait(60) == 0
        asked_whole = list(site.pages_asked)
        site.asked.clear()
        for stop in (3, 9, 17):
            process = begun(site.home, killed)
            while len(site.pages_asked) < stop and process.poll() is None:
                time.sleep(0.001)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert not (killed / "docs.parquet").exists()
        assert begun(site.home, killed).wait(60) == 0
    repeated = len(site.pages_asked) - len(set(site.pages_asked))
    assert repeated <= 3  # the page that was on its way at each kill
    assert set(site.pages_asked) == set(asked_whole)
    assert (killed / "docs.parquet").read_bytes() == (whole / "docs.parquet").read_bytes()
    assert [each.name for each in killed.iterdir()] == ["docs.parquet"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("after", range(1, 8))
def test_work_goes_on_wherever_it_was_stopped(after: int, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    told = 0

    def stop(asked: int, _known: int) -> None:
        nonlocal told
        told += 1
        if told == after:
            raise KeyboardInterrupt

    with served(SITE) as site:
        gathered_from(site.home, tmp_path / "whole", pages=15)
        site.asked.clear()
        with pytest.raises(KeyboardInterrupt):
            gathered_from(site.home, tmp_path, pages=15, progress=stop)
        assert (tmp_path / ".docs.parquet.gathering").exists()
        gathered = gathered_from(site.home, tmp_path, pages=15)
    assert gathered.resumed
    assert len(site.pages_asked) == len(set(site.pages_asked))
    assert (tmp_path / "docs.parquet").read_bytes() == (tmp_path / "whole" / "docs.parquet").read_bytes()


def interrupt(_asked: int, _known: int) -> None:
    raise KeyboardInterrupt


def test_other_settings_do_not_go_on_unless_it_begins_anew(tmp_path: Path) -> None:
    with served(SITE) as site:
        with pytest.raises(KeyboardInterrupt):
            gathered_from(site.home, tmp_path, depth=1, progress=interrupt)
        with pytest.raises(SettingError, match=r"it had other settings: depth=1 before.*restart"):
            gathered_from(site.home, tmp_path, depth=2)
        with pytest.raises(SettingError, match="other addresses before"):
            gathered_from(f"{site.home}/sub/", tmp_path, depth=1)
        assert gathered_from(site.home, tmp_path, depth=1, pause=0.01, contact="me").resumed  # no matter for the result
        with pytest.raises(KeyboardInterrupt):
            gathered_from(site.home, tmp_path, depth=1, progress=interrupt)
        assert not gathered_from(site.home, tmp_path, depth=2, restart=True).resumed


def test_two_processes_do_not_gather_into_one_file(tmp_path: Path) -> None:
    with served(SITE) as site:

        def other(_asked: int, _known: int) -> None:
            with pytest.raises(SettingError, match="another process gathers into"):
                gathered_from(site.home, tmp_path)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            gathered_from(site.home, tmp_path, progress=other)


def test_a_state_that_is_none_is_named_and_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / ".docs.parquet.gathering").write_bytes(b"no database at all, but long enough to be read as one" * 9)
    with served({"/": page("home")}) as site:
        with pytest.raises(SettingError, match="is no state of gathering, or is damaged"):
            gathered_from(site.home, tmp_path)
        gathered_from(site.home, tmp_path, restart=True)
    other = sqlite3.connect(tmp_path / ".docs.parquet.gathering")
    other.execute("CREATE TABLE other (x)")
    other.close()
    with served({"/": page("home")}) as site, pytest.raises(SettingError, match="is no state of gathering"):
        gathered_from(site.home, tmp_path)


def test_a_host_that_falls_silent_stops_the_work_and_keeps_it(tmp_path: Path) -> None:
    """After five pages in a row the network, not the page, is at fault: nothing is given up for it."""
    names = Names(a_test=[HOME])
    (tmp_path / "whole").mkdir()
    with served(SITE) as site:
        address = f"http://a.test:{site.port}/"
        gathered_from(address, tmp_path / "whole", resolve=names)

        def lose(asked: int, _known: int) -> None:
            if asked == 4:
                names.answers.clear()

        with pytest.raises(InputError, match="answered before and no longer does") as raised:
            gathered_from(address, tmp_path, resolve=names, progress=lose)
        assert "give the same command again to go on" in str(raised.value)
        with pytest.raises(InputError, match="answered before and no longer does"):
            gathered_from(address, tmp_path, resolve=names)  # not even robots.txt is there
        names.answers["a.test"] = [HOME]
        gathered_from(address, tmp_path, resolve=names)
    assert (tmp_path / "docs.parquet").read_bytes() == (tmp_path / "whole" / "docs.parquet").read_bytes()


SCRIPT = """
import sys, rankscope
print(rankscope.gather(sys.argv[1], "docs.parquet", pause=0, allow="127.0.0.1").documents)
"""


def test_a_plain_script_can_gather(tmp_path: Path) -> None:
    """Without the guard that scripts need which start copies of themselves."""
    (tmp_path / "script.py").write_text(SCRIPT)
    with served({"/": page("home", "/a"), "/a": page("a")}) as site:
        command = [sys.executable, "script.py", site.home]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("2\n", "")
