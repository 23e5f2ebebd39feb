"""robots.txt, pauses, one request at a time, and a name of our own."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.crawler.crawler import Pacer
from rankscope.engines.crawler.gathering import GatheringLimits
from rankscope.version import __version__
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

LINKS = page("home", "/open/a", "/shut/b", "/shut/but/c")
PAGES: dict[str, Make] = {"/": LINKS, "/open/a": page("a"), "/shut/b": page("b"), "/shut/but/c": page("c")}


def robots(text: str) -> Reply:
    return Reply(text.encode(), "text/plain")


def test_forbidden_folders_are_not_asked_for(tmp_path: Path) -> None:
    with served({**PAGES, "/robots.txt": robots("User-agent: *\nDisallow: /shut/\nAllow: /shut/but/\n")}) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert site.asked == ["/robots.txt", "/", "/open/a", "/shut/but/c"]
    assert reasons(gathered) == {"/shut/b": "is forbidden by robots.txt"}
    assert gathered.asked == 3


def test_rules_for_us_by_name_hold_before_those_for_all(tmp_path: Path) -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Rankscope\nDisallow: /open\n"
    with served({**PAGES, "/robots.txt": robots(text)}) as site:
        gathered_from(site.home, tmp_path)
    assert site.pages_asked == ["/", "/shut/b", "/shut/but/c"]


def test_a_redirect_into_a_forbidden_folder_is_not_followed(tmp_path: Path) -> None:
    pages: dict[str, Make] = {
        **PAGES,
        "/open/a": redirect("/shut/b"),
        "/robots.txt": robots("User-agent: *\nDisallow: /shut/"),
    }
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert "/shut/b" not in site.asked
    assert reasons(gathered)["/open/a"] == "is forbidden by robots.txt"


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_host_whose_rules_cannot_be_had_is_left_alone(status: int, tmp_path: Path) -> None:
    with (
        served({**PAGES, "/robots.txt": Reply(status=status)}) as site,
        pytest.raises(InputError, match=rf"left alone, because its robots\.txt answers with {status}"),
    ):
        gathered_from(site.home, tmp_path)
    assert site.asked == ["/robots.txt"]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_host_without_rules_allows_all(status: int, tmp_path: Path) -> None:
    with served({**PAGES, "/robots.txt": Reply(status=status)}) as site:
        assert gathered_from(site.home, tmp_path).documents == 4
    assert site.asked.count("/robots.txt") == 1


def test_rules_are_found_behind_a_redirect_and_read_to_half_a_megabyte(tmp_path: Path) -> None:
    long = "User-agent: *\nDisallow: /shut/\n" + "# long\n" * 200_000 + "Disallow: /open/\n"
    with served({**PAGES, "/robots.txt": redirect("/rules"), "/rules": robots(long)}) as site:
        gathered_from(site.home, tmp_path)
    assert site.asked == ["/robots.txt", "/rules", "/", "/open/a"]


def test_requests_come_one_at_a_time_with_a_pause_between(tmp_path: Path) -> None:
    with served(PAGES) as site:
        gathered_from(site.home, tmp_path, pause=0.2)
    gaps = [later - earlier for earlier, later in pairwise(site.times)]
    assert len(gaps) == 4
    assert min(gaps) >= 0.2
    assert site.most_at_once == 1


def test_a_crawl_delay_is_kept(tmp_path: Path) -> None:
    with served({**PAGES, "/robots.txt": robots("User-agent: *\nCrawl-delay: 0.3\n")}) as site:
        gathered_from(site.home, tmp_path, pages=2)
    assert site.times[1] - site.times[0] >= 0.3
    assert site.times[2] - site.times[1] >= 0.3


@pytest.mark.parametrize("delay", ["nan", "-3", "inf", "soon"])
def test_a_delay_that_is_no_time_is_ignored(delay: str, tmp_path: Path) -> None:
    with served({**PAGES, "/robots.txt": robots(f"User-agent: *\nCrawl-delay: {delay}\n")}) as site:
        assert gathered_from(site.home, tmp_path).documents == 4


def test_ports_of_one_host_share_its_pause(tmp_path: Path) -> None:
    with served({"/": page("one")}) as first, served({"/": page("two")}) as second:
        gathered_from([first.home, second.home], tmp_path, pause=0.15)
    times = sorted(first.times + second.times)
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.15


def test_the_usual_pause_is_a_second() -> None:
    assert GatheringLimits().pause == 1
    waited: list[float] = []
    pacer = Pacer(GatheringLimits().pause, clock=lambda: 50.0, wait=waited.append)
    pacer.note_answer("a")
    pacer.wait_for("a", 0.2)
    pacer.wait_for("b")
    assert waited == [1.0]


def test_a_busy_server_is_asked_again_when_it_wishes(tmp_path: Path) -> None:
    answers = [Reply(status=503, headers={"Retry-After": "1"}), Reply(status=429), Reply(page("at last").encode())]
    always = Reply(status=429, headers={"Retry-After": "86400"})
    pages: dict[str, Make] = {"/": page("home", "/busy", "/never"), "/busy": lambda _: answers.pop(0), "/never": always}
    with served(pages) as site:
        gathered = gathered_from(site.home, tmp_path)
    assert documents(tmp_path)["/busy"]["text"] == "at last"
    assert site.pages_asked == ["/", "/busy", "/busy", "/busy", "/never"]
    assert site.times[3] - site.times[2] >= 1
    assert reasons(gathered) == {"/never": "answers with 429"}


def test_we_say_who_we_are(tmp_path: Path) -> None:
    with served({"/": page("home")}) as site:
        gathered_from(site.home, tmp_path, contact="me@example.org")
    assert site.agents == {f"rankscope/{__version__} (obeys robots.txt; me@example.org)"}


@pytest.mark.parametrize("contact", ["", "a\r\nCookie: x", "ü", "(me)", "x" * 300])
def test_a_contact_that_no_header_can_hold_is_refused(contact: str) -> None:
    with pytest.raises(SettingError, match="contact must be"):
        GatheringLimits(contact=contact)


def test_no_cookie_and_no_credential_is_ever_sent(tmp_path: Path) -> None:
    """A server that gives a cookie and asks for it back gets nowhere."""
    given = Reply(status=302, headers={"Location": "/", "Set-Cookie": "a=b"})
    with served({"/": given}) as site, pytest.raises(InputError, match="redirects more than 5 times"):
        gathered_from(site.home, tmp_path)
    assert len(site.pages_asked) == 6


def test_a_named_host_that_is_down_does_not_keep_the_others(tmp_path: Path) -> None:
    names = Names(up_test=[HOME])
    with served({"/": page("home")}) as site:
        gathered = gathered_from(
            [f"http://down.test:{site.port}/", f"http://up.test:{site.port}/"], tmp_path, resolve=names
        )
    assert gathered.documents == 1
    assert gathered.left_out[0][1] == ("is left alone, because its robots.txt has a host without an address: down.test")
