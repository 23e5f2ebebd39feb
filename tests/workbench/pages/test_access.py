"""Who comes in, what they may open, and what a page of another site cannot do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workbench.pages.served import JSON, OURS, Proxies, Reach, Served, served_project


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_project(tmp_path) as found:
        yield found


def test_the_link_of_the_start_lets_in_once_and_is_led_away(served: Served) -> None:
    token = served.bench.start_token
    assert served.client.get("/").status_code == 401
    entered = served.client.get(f"/enter/{token}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"].lower()
    assert cookie.startswith("rankscope-8384=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert served.json("/me") == {"format": "rankscope.me", "version": 1, "name": "owner", "role": "admin"}
    served.client.client.cookies.clear()
    assert served.client.get(f"/enter/{token}").status_code == 401


def test_the_cookie_is_secure_under_tls(tmp_path: Path) -> None:
    reach = Reach(port=443, public="https://judging.example.org")
    with served_project(tmp_path, reach=reach) as served:
        home = {"host": "judging.example.org"}
        entered = served.client.get(f"/enter/{served.bench.start_token}", headers=home)
        assert "secure" in entered.headers["set-cookie"].lower()
        assert entered.headers["set-cookie"].startswith("rankscope-443=")
        assert served.client.get("/", headers={"host": "other.example.org"}).status_code == 421


def test_a_session_outlives_the_server_but_not_the_invitation(served: Served) -> None:
    served.sign_in("ann")
    cookie = served.client.client.cookies["rankscope-8384"]
    again = type(served.bench)(served.project)
    person = again.sessions.person(cookie)
    assert person is not None
    assert person.name == "ann"
    served.project.invite("ann")
    assert again.sessions.person(cookie) is None
    assert served.client.get("/").status_code == 401


def test_a_session_ends_after_thirty_days_and_a_clock_that_goes_back_ends_none(served: Served) -> None:
    ann = served.project.invite("ann").assessor
    cookie = served.bench.sessions.begin(ann)
    now = served.bench.sessions.clock()
    for days, lasts in ((-1, True), (29.9, True), (30.1, False)):
        served.bench.sessions.clock = lambda days=days: now + days * 24 * 3600  # type: ignore[misc]
        assert (served.bench.sessions.person(cookie) is not None) == lasts


@pytest.mark.parametrize("value", ["", "1", "1.2.3.4", "1.0." + "0" * 32 + "." + "0" * 64, "９.1.2.3", "a" * 4000])
def test_a_made_up_cookie_lets_nobody_in(served: Served, value: str) -> None:
    cookie = {"cookie": f"rankscope-8384={value}".encode()}
    assert served.client.get("/", headers=cookie).status_code == 401


def test_signing_out_ends_the_session_for_good(served: Served) -> None:
    served.sign_in()
    cookie = served.client.client.cookies["rankscope-8384"]
    assert served.client.post("/leave", headers=OURS).status_code == 303
    assert "rankscope-8384" not in served.client.client.cookies
    assert served.client.get("/", headers={"cookie": f"rankscope-8384={cookie}"}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://127.0.0.1", "sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1", "sec-fetch-site": "cross-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(served: Served, headers: dict[str, str]) -> None:
    served.sign_in()
    assert served.client.post("/leave", headers=headers).status_code == 403
    assert served.client.get("/").status_code == 200


def test_behind_a_proxy_the_origin_is_the_one_that_people_see(tmp_path: Path) -> None:
    with served_project(tmp_path, reach=Reach(public="http://judging.example.org")) as served:
        served.sign_in()
        assert served.client.post("/leave", headers=OURS).status_code == 403
        assert served.client.post("/leave", headers={"origin": "http://judging.example.org"}).status_code == 303


def test_a_program_comes_with_a_token_and_needs_no_origin(served: Served) -> None:
    token = served.project.invite("script", "admin").token
    bearer = {"authorization": f"Bearer {token}", **JSON}
    assert served.client.get("/me", headers=bearer).json()["name"] == "script"
    assert served.client.post("/judge/away", json={"tab": "t"}, headers=bearer).status_code == 204


def test_five_wrong_tokens_a_minute_then_the_address_waits(served: Served) -> None:
    right = served.project.invite("ann").token
    tried = [served.client.get(f"/enter/wrong{number}").status_code for number in range(3)]
    tried += [served.client.get("/", headers={"authorization": "Bearer wrong"}).status_code for _ in range(4)]
    assert tried == [401] * 5 + [429] * 2
    refused = served.client.get("/enter/wrong")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert served.client.get("/me", headers={"authorization": f"Bearer {right}"}).status_code == 200
    assert served.client.get(f"/enter/{right}").status_code == 303
    served.client.client.cookies.clear()
    assert served.client.get(f"/enter/{served.bench.start_token}").status_code == 303
    served.client.client.cookies.clear()
    served.bench.wrong_tokens.clock = lambda: 1e12
    assert served.client.get("/enter/wrong").status_code == 401


def wrong_tokens_of(served: Served, *forwarded: str) -> list[int]:
    """Six wrong tokens, each with the headers of X-Forwarded-For that a proxy or a liar sent."""
    return [
        served.client.get("/enter/wrong", headers=[("x-forwarded-for", each) for each in forwarded]).status_code
        for _ in range(6)
    ]


def test_x_forwarded_for_is_believed_of_a_trusted_proxy_alone(tmp_path: Path) -> None:
    """The client of these tests is 127.0.0.1: what it says counts where that is a proxy."""
    for public, proxies, believed in (
        (None, Proxies(), False),
        ("http://127.0.0.1", Proxies(), True),
        ("http://127.0.0.1", Proxies.of(["10.0.0.7"]), False),
        ("http://127.0.0.1", Proxies.of(["127.0.0.0/30"]), True),
    ):
        (tmp_path / str(believed) / str(public)[:4] / str(len(proxies.networks))).mkdir(parents=True)
        folder = tmp_path / str(believed) / str(public)[:4] / str(len(proxies.networks))
        with served_project(folder, reach=Reach(public=public, proxies=proxies)) as served:
            assert wrong_tokens_of(served, "1.2.3.4") == [401] * 5 + [429]
            other = [401] * 5 + [429] if believed else [429] * 6
            assert wrong_tokens_of(served, "1.2.3.4, 5.6.7.8") == other  # the proxy says the last one
            assert wrong_tokens_of(served, "1.2.3.4", "9.9.9.9") == other  # some add a header of their own
            assert wrong_tokens_of(served, "7.7.7.7, 9.9.9.9") == [429] * 6  # what was there before it is nobody's word


def test_changes_are_counted_and_reads_are_not(tmp_path: Path) -> None:
    with served_project(tmp_path, reach=Reach(rate=2)) as served:
        served.bench.changes.clock = lambda: 0.0
        token = served.project.invite("script").token
        bearer = {"authorization": f"Bearer {token}", **JSON}
        told = [served.client.post("/judge/away", json={"tab": "t"}, headers=bearer).status_code for _ in range(7)]
        assert told == [204] * 6 + [429]
        assert {served.client.get("/", headers=bearer).status_code for _ in range(20)} == {200}


def test_pages_send_what_keeps_them_safe(served: Served) -> None:
    served.sign_in()
    for address in ("/", "/nothing"):
        headers = served.client.get(address).headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_a_link_from_another_site_comes_in_at_the_second_step(served: Served) -> None:
    elsewhere = {"sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site"}
    answer = served.client.get("/", headers=elsewhere)
    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/">' in answer.text
    assert served.client.get("/enter/wrong", headers=elsewhere).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/static/../pages/home.py",
        "/static/..%2f..%2fproject.py",
        "/static/%2e%2e/x",
        "/static//etc/passwd",
        "/..",
        "//x",
    ],
)
def test_no_path_leads_out_of_the_static_files(served: Served, path: str) -> None:
    assert served.client.request("GET", f"http://127.0.0.1{path}").status_code in (401, 404)


def test_proxies_are_named_where_it_is_started(tmp_path: Path) -> None:
    from rankscope.workbench.serving import Exposure, start_lines

    wrong = ["serve", str(tmp_path / "project"), "--trusted-proxy", "10.0.0.0/33", "--rate", "0"]
    with served_project(tmp_path) as served:
        public = "https://judging.example.org"
        for host, proxies, warned in (
            ("127.0.0.1", [], False),
            ("0.0.0.0", [], True),
            ("0.0.0.0", ["10.0.0.7"], False),
        ):
            how = Exposure(host=host, behind_proxy=public, trusted_proxies=proxies)
            assert how.reach(1).proxies.trust("10.0.0.7") == bool(proxies)
            told = "\n".join(start_lines(served.bench, how, public))
            assert ("name another with --trusted-proxy ADDRESS" in told) == warned
    refused = subprocess.run([sys.executable, "-m", "rankscope", *wrong], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--trusted-proxy '10.0.0.0/33'" in refused.stderr
    assert "--rate must be above 0" in refused.stderr
