"""What becomes a document: links inside of the folder, each page once, equal text once."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

import rankscope
from tests.engines.crawler.site import (
    HOME,
    Make,
    Names,
    Reply,
    documents,
    gathered_from,
    page,
    reasons,
    redirect,
    served,
)
from tests.needs import needed_module


def make_pdf(*lines: str, title: str = "", password: str = "") -> bytes:
    """A PDF of one page a line."""
    pypdf = needed_module("pypdf", "gather")
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(name): NameObject(value) for name, value in font.items()})
    for line in lines:
        sheet = writer.add_blank_page(300, 300)
        drawn = DecodedStreamObject()
        drawn.set_data(f"BT /F1 12 Tf 20 200 Td ({line}) Tj ET".encode())
        fonts = DictionaryObject({NameObject("/F1"): named})
        sheet[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        sheet[NameObject("/Contents")] = writer._add_object(drawn)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_loops_end_and_each_page_is_asked_for_once(tmp_path: Path) -> None:
    pages: dict[str, Make] = {
        "/": page("home", "/a", "/"),
        "/a": page("a", "/b", "/a#top"),
        "/b": page("b", "/", "/a?utm_source=x"),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert site.asked == ["/robots.txt", "/", "/a", "/b"]
    assert (gathered.documents, gathered.copies, gathered.asked, gathered.left_out) == (3, 0, 3, ())
    assert list(documents(tmp_path)) == ["/", "/a", "/b"]


def test_a_table_holds_what_an_index_needs_and_where_it_came_from(tmp_path: Path) -> None:
    with served({"/": page("A fox", "/old"), "/old": redirect("/new"), "/new": page("A den", title="Den")}) as site:
        gathered_from(f"{site.home}/#top", tmp_path)
    table = pl.read_parquet(tmp_path / "docs.parquet")
    assert table.columns == ["id", "title", "text", "address", "copies"]
    assert table.row(1) == (f"{site.home}/old", "Den", "A den", f"{site.home}/new", [])


def test_a_trap_of_endless_links_ends_by_depth_and_by_pages(tmp_path: Path) -> None:
    def trap(path: str) -> str:
        number = int(path.rpartition("/")[2] or 0)
        return page(f"trap {number}", *(f"/trap/{number * 10 + each}" for each in range(1, 10)))

    with served({"/trap/*": trap}) as site:
        deep = gathered_from(f"{site.home}/trap/", tmp_path, depth=2)
        assert (deep.asked, deep.waiting) == (1 + 9 + 81, 0)
        site.asked.clear()
        few = gathered_from(f"{site.home}/trap/", tmp_path, depth=100, pages=30)
    assert (few.asked, len(site.pages_asked), few.documents) == (30, 30, 30)
    assert few.waiting > 0


def test_links_out_of_a_folder_and_to_other_hosts_are_not_followed(tmp_path: Path) -> None:
    links = ("a.html", "sub/b.html", "../up.html", "/docs2/c.html", "http://example.org/docs/", "//example.org/")
    pages: dict[str, Make] = {
        "/docs/index.html": page("index", *links, "mailto:me@example.org", "javascript:void(0)", "ftp://x/"),
        "/docs/a.html": page("a"),
        "/docs/sub/b.html": page("b", "../%2e%2e/up.html", "/docs/../up.html"),
    }
    with served(pages) as site:
        gathered = gathered_from(f"{site.home}/docs/index.html", tmp_path)
    assert site.pages_asked == ["/docs/index.html", "/docs/a.html", "/docs/sub/b.html"]
    assert gathered.outside == 5


def test_equal_text_is_stored_once_and_its_copies_are_named(tmp_path: Path) -> None:
    pages: dict[str, Make] = {
        "/": page("home", "/1", "/2", "/3"),
        "/1": page("same", title="one"),
        "/2": page("same", title="two"),
    }
    with served({**pages, "/3": page("same", "/4"), "/4": page("other")}) as site:
        gathered = gathered_from(site.home, tmp_path)
    found = documents(tmp_path)
    assert list(found) == ["/", "/1", "/4"]  # links of a copy are followed
    assert found["/1"]["copies"] == [f"{site.home}/2", f"{site.home}/3"]
    assert (gathered.documents, gathered.copies) == (3, 2)


def test_a_place_that_a_redirect_led_to_is_not_asked_for_again(tmp_path: Path) -> None:
    pages: dict[str, Make] = {
        "/": page("home", "/old", "/new", "/older"),
        "/old": redirect("/new"),
        "/older": redirect("/new"),
    }
    with served({**pages, "/new": page("new")}) as site:
        gathered_from(site.home, tmp_path)
    assert site.pages_asked == ["/", "/old", "/new", "/older"]
    assert documents(tmp_path)["/old"]["copies"] == [f"{site.home}/new", f"{site.home}/older"]


def test_redirects_are_followed_by_hand_and_not_for_ever(tmp_path: Path) -> None:
    pages: dict[str, Make] = {
        "/": page("home", "/chain/5", "/chain/6", "/loop", "/away", "/nowhere", "/odd"),
        "/chain/*": lambda path: redirect(f"/chain/{int(path[-1]) - 1}") if path[-1] != "0" else page("end"),
        "/loop": redirect("/loop"),
        "/away": redirect("http://example.org/"),
        "/nowhere": Reply(status=301),
        "/odd": redirect("file:///etc/passwd"),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path, depth=1)
    assert reasons(gathered) == {
        "/chain/6": "redirects more than 5 times",
        "/loop": "redirects more than 5 times",
        "/away": "redirects to example.org, a host that is not named: name http://example.org/ too if you want it",
        "/nowhere": "redirects to nowhere",
        "/odd": "redirects to nowhere",
    }
    assert documents(tmp_path)["/chain/5"]["address"] == f"{site.home}/chain/0"


def test_pdf_html_and_plain_text_are_read_and_nothing_else(tmp_path: Path) -> None:
    framed = (
        "<title>Fox &amp; den</title><header>top</header><nav>menu</nav><aside>ad</aside><p>around</p>"
        "<main><h1>Head</h1><p>A <b>f</b>ox<br>ran</p><script>x()</script><form>ask</form><style>p{}</style></main>"
        "<footer>end</footer>"
    )
    pages: dict[str, Make] = {
        "/": page(
            "home", "/a.pdf", "/b.html", "/c.txt", "/d.png", "/e", "/f", "/g.pdf", "/h.pdf", "/i", "/j", "/k.pdf"
        ),
        "/a.pdf": Reply(make_pdf("A fox", "in a den", title="Foxes"), "application/pdf"),
        "/b.html": framed,
        "/c.txt": Reply("Füchse".encode(), "text/plain"),
        "/d.png": Reply(b"\x89PNG", "image/png"),
        "/e": Reply(b"<!DOCTYPE html><p>unsaid", ""),
        "/f": Reply(b"PK\x03\x04", "application/octet-stream"),
        "/g.pdf": Reply(b"%PDF-1.4 broken", "application/pdf"),
        "/h.pdf": Reply(make_pdf("served as html"), "text/html"),
        "/i": Reply(b"<title>only</title>"),
        "/j": Reply(b"gone", status=410),
        "/k.pdf": Reply(make_pdf("secret", password="x"), "application/pdf"),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    found = {path: (row["title"], row["text"]) for path, row in documents(tmp_path).items()}
    assert found == {
        "/": ("home", "home"),
        "/a.pdf": ("Foxes", "A fox\nin a den"),
        "/b.html": ("Fox & den", "Head\nA fox\nran"),
        "/c.txt": ("", "Füchse"),
        "/e": ("", "unsaid"),
        "/h.pdf": ("", "served as html"),
    }
    why = reasons(gathered)
    assert why.pop("/g.pdf").startswith("cannot be read as pdf: ")
    assert why == {
        "/d.png": "is no page but image/png",
        "/f": "is neither HTML nor PDF nor plain text",
        "/i": "holds no text",
        "/j": "answers with 410",
        "/k.pdf": "is locked with a password",
    }


def test_what_a_page_asks_of_robots_is_done(tmp_path: Path) -> None:
    hidden = '<meta name="Robots" content="NOINDEX"><p>hidden</p><a href="/b">b</a>'
    ends = '<meta name="robots" content="nofollow"><p>ends</p><a href="/c">c</a>'
    mixed = '<p>mixed</p><a rel="nofollow" href="/d">d</a><a href="/e">e</a>'
    with served({"/": page("home", "/a", "/f", "/g"), "/a": hidden, "/b": page("b"), "/f": ends, "/g": mixed}) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert site.pages_asked == ["/", "/a", "/f", "/g", "/b", "/e"]
    assert reasons(gathered)["/a"] == "asks not to be stored"


def test_links_start_from_the_base_that_a_page_names(tmp_path: Path) -> None:
    with served({"/": '<base href="/deep/"><p>home</p><a href="a">a</a>', "/deep/a": page("a")}) as site:
        gathered_from(site.home, tmp_path)
    assert site.pages_asked == ["/", "/deep/a"]


def test_hosts_take_turns_and_all_are_named(tmp_path: Path) -> None:
    pages: dict[str, Make] = {"/": page("home", "/1", "/2"), "/1": page("one"), "/2": page("two")}
    names = Names(a_test=[HOME], b_test=[HOME])
    with served(pages) as site:
        seeds = [f"http://{name}.test:{site.port}/" for name in "ab"]
        gathered = gathered_from(seeds, tmp_path, resolve=names)
    assert names.asked == ["a.test", "a.test", "b.test", "b.test", "a.test", "b.test", "a.test", "b.test"]
    assert (gathered.documents, gathered.copies) == (3, 3)


def test_equal_pages_give_equal_bytes(tmp_path: Path) -> None:
    with served({"/": page("home", "/a", "/b"), "/a": page("a"), "/b": page("a")}) as site:
        tables = []
        for _ in range(2):
            gathered_from(site.home, tmp_path)
            tables.append((tmp_path / "docs.parquet").read_bytes())
    assert tables[0] == tables[1]
    assert [each.name for each in tmp_path.iterdir()] == ["docs.parquet"]


def test_the_function_of_the_facade_gathers_and_reports_progress(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with served({"/": page("home", "/a", "/b"), "/a": page("a"), "/b": page("b")}) as site:
        gathered = rankscope.gather(
            site.home, tmp_path / "d.parquet", pause=0, allow=HOME, progress=lambda *given: told.append(given)
        )
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert gathered.path == str(tmp_path / "d.parquet")


def test_nothing_gathered_is_an_error_that_says_why(tmp_path: Path) -> None:
    with served({}) as site, pytest.raises(rankscope.InputError, match="answers with 404"):
        gathered_from(site.home, tmp_path)
    assert list(tmp_path.iterdir()) == []
