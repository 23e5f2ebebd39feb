"""`rankscope gather`: what it says, what it refuses, and with which code it ends."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.commands.line.inside import ended
from tests.engines.crawler.site import HOME, page, redirect, served


def test_it_says_what_was_gathered_and_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"/d/": page("home", "a", "b", "c", "x", "/out"), "/d/a": page("a"), "/d/b": page("a"), "/d/c": page("c")}
    output = tmp_path / "docs.parquet"
    with served({**pages, "/d/x": redirect("http://example.org/")}) as site:
        arguments = ("gather", f"{site.home}/d/", "--allow", HOME, "--pause", 0, "-o", output)
        assert ended(monkeypatch, *arguments) == 0
        told = capsys.readouterr().err
        assert ended(monkeypatch, *arguments, "--pages", 2, "--quiet") == 0  # its own table is replaced
        assert capsys.readouterr().err == ""
        assert ended(monkeypatch, *arguments, "--pages", 2) == 0
    assert "docs.parquet: 3 documents from 5 pages, 1 copy of them named\n" in told
    assert "1 link leads out of the folders: not followed" in told
    assert "! 1 page left out:\n" in told
    assert f"{site.home}/d/x redirects to example.org, a host that is not named" in told
    assert (
        "the limit of 2 pages was reached and more are known: give a larger --pages to have them"
        in capsys.readouterr().err
    )
    assert pl.read_parquet(output)["text"].to_list() == ["home", "a"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["example.org", "-o", "d.parquet"],
            ["example.org: is no address of a page; did you mean https://example.org"],
        ),
        (["http://a:b@x/", "ftp://x/", "-o", "d.csv"], ["3 settings", "user name or a password", "as .parquet"]),
        (["http://127.0.0.1:9/", "-o", "d.parquet"], ["nothing was gathered", "give --allow 127.0.0.1 if you mean it"]),
        (["http://x/", "-o", "d.parquet", "--allow", "home"], ["--allow home: must be an address"]),
        (["http://x/", "-o", "d.parquet", "--pages", "0"], ["--pages"]),
        (["http://x/", "-o", "d.parquet", "--megabytes", "nan"], ["--megabytes"]),
        (["http://x/", "-o", "d.parquet", "--contact", "ü"], ["--contact must be an address or a page"]),
        (["http://x/", "-o", "no/d.parquet"], ["there is no folder no"]),
        (["http://x/"], ["Missing option '-o'"]),
        (["-o", "d.parquet"], ["Missing argument 'URL...'"]),
    ],
)
def test_bad_input_ends_with_two_and_says_what_to_do(
    arguments: list[str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ended(monkeypatch, "gather", *arguments) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    for word in words:
        assert word in told
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_not_ours_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "docs.parquet"
    pl.DataFrame({"id": ["a"], "text": ["mine"]}).write_parquet(output)
    with served({"/": page("home")}) as site:
        arguments = ("gather", site.home, "--allow", HOME, "--pause", 0, "-o", output)
        assert ended(monkeypatch, *arguments) == 2
        assert "a table that rankscope did not write" in capsys.readouterr().err
        assert site.asked == []
        assert ended(monkeypatch, *arguments, "--force") == 0


def test_many_pages_with_one_reason_are_shortened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served({"/": page("home", *(f"/{number}" for number in range(14)))}) as site:
        assert ended(monkeypatch, "gather", site.home, "--allow", HOME, "--pause", 0, "-o", tmp_path / "d.parquet") == 0
    told = capsys.readouterr().err
    assert told.count("answers with 404") == 11
    assert "... and 4 more: answers with 404" in told
