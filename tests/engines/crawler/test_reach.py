"""The crawler never connects to an address that it must not: every connection is recorded."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import InputError, SettingError
from tests.engines.crawler.site import HOME, Names, RecordingNetwork, gathered_from, page, reasons, redirect, served

PUBLIC, OTHER = "93.184.216.34", "8.8.8.8"
FORBIDDEN = [
    "127.0.0.1",
    "127.8.9.10",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "3fff::1",
    "fec0::1",
    "2002:0808:0808::",
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_addresses_that_are_not_public_are_never_connected_to(address: str, tmp_path: Path) -> None:
    network = RecordingNetwork()
    with pytest.raises(InputError, match="which is no public address: give allow="):
        gathered_from("http://bad.test/", tmp_path, allow=(), resolve=Names(bad_test=[address]), network=network)
    assert network.connected == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "127.1", "[::ffff:7f00:1]"]
)
def test_this_machine_is_refused_however_it_is_written(host: str, tmp_path: Path) -> None:
    network = RecordingNetwork()
    with served({"/": page("secret")}) as site, pytest.raises(InputError):
        gathered_from(f"http://{host}:{site.port}/", tmp_path, allow=(), network=network)
    assert network.connected == []
    assert site.asked == []


def test_an_allowed_network_is_reached_and_no_other(tmp_path: Path) -> None:
    names = Names(in_test=["10.1.2.3"], out_test=["10.2.2.3"])
    network = RecordingNetwork()
    with served({"/": page("inside")}) as site:
        seeds = [f"http://{name}.test:{site.port}/" for name in ("in", "out")]
        gathered = gathered_from(seeds, tmp_path, allow=("10.1.0.0/16",), resolve=names, network=network)
    assert network.hosts == {"10.1.2.3"}
    assert gathered.documents == 1
    assert "10.2.2.3, which is no public address" in gathered.left_out[0][1]


def test_of_several_addresses_only_permitted_ones_are_tried(tmp_path: Path) -> None:
    network = RecordingNetwork()
    with served({"/": page("mixed")}) as site:
        gathered_from(
            f"http://mixed.test:{site.port}/",
            tmp_path,
            allow=(),
            resolve=Names(mixed_test=[f"127.0.0.1,{PUBLIC},::1"]),
            network=network,
        )
    assert network.hosts == {PUBLIC}


def test_an_answer_of_the_name_servers_that_changes_is_checked_each_time(tmp_path: Path) -> None:
    """Public for robots.txt and the first page, then this machine: the page behind is never asked for."""
    names, network = Names(turn_test=[PUBLIC, PUBLIC, "127.0.0.1"]), RecordingNetwork()
    with served({"/": page("home", "/admin"), "/admin": page("secret")}) as site:
        gathered = gathered_from(f"http://turn.test:{site.port}/", tmp_path, allow=(), resolve=names, network=network)
    assert network.hosts == {PUBLIC}
    assert site.asked == ["/robots.txt", "/"]
    assert "leads to 127.0.0.1" in reasons(gathered)["/admin"]


def test_the_address_that_was_checked_is_the_one_connected_to(tmp_path: Path) -> None:
    """The name is looked up once a connection: a second answer could be another."""
    names, network = Names(turn_test=[PUBLIC, OTHER]), RecordingNetwork()
    with served({"/": page("home")}) as site:
        gathered_from(f"http://turn.test:{site.port}/", tmp_path, allow=(), resolve=names, network=network)
    assert [host for host, _ in network.connected] == [PUBLIC, OTHER]
    assert len(names.asked) == len(network.connected)


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/secret", "http://localhost:{port}/secret", "//[::1]/"])
@pytest.mark.parametrize("where", ["/page", "/robots.txt"])
def test_redirects_to_this_machine_are_not_followed(target: str, where: str, tmp_path: Path) -> None:
    names, network = Names(a_test=[PUBLIC], localhost=["127.0.0.1"]), RecordingNetwork()
    with served({"/": page("home", "/page"), "/secret": page("secret")}) as site:
        site.pages[where] = redirect(target.format(port=site.port))
        if where == "/robots.txt":
            with pytest.raises(InputError, match=r"left alone, because its robots\.txt redirects to"):
                gathered_from(f"http://a.test:{site.port}/", tmp_path, allow=(), resolve=names, network=network)
        else:
            gathered = gathered_from(f"http://a.test:{site.port}/", tmp_path, allow=(), resolve=names, network=network)
            assert "a host that is not named" in reasons(gathered)["/page"]
    assert network.hosts == {PUBLIC}
    assert "/secret" not in site.asked


def test_a_redirect_to_a_named_host_with_a_forbidden_address_is_refused_at_the_connection(tmp_path: Path) -> None:
    names, network = Names(a_test=[PUBLIC], b_test=["127.0.0.1"]), RecordingNetwork()
    with served({"/": page("home", "/page"), "/secret": page("secret")}) as site:
        site.pages["/page"] = redirect(f"http://b.test:{site.port}/secret")
        seeds = [f"http://{name}.test:{site.port}/" for name in "ab"]
        gathered = gathered_from(seeds, tmp_path, allow=(), resolve=names, network=network)
    assert network.hosts == {PUBLIC}
    assert gathered.documents == 1
    assert "/secret" not in site.asked


def test_a_redirect_to_a_named_host_is_followed(tmp_path: Path) -> None:
    names, network = Names(a_test=[PUBLIC], b_test=[OTHER]), RecordingNetwork()
    with served({"/a/": page("home", "/a/moved"), "/b/": page("other"), "/b/new": page("moved")}) as site:
        site.pages["/a/moved"] = redirect(f"http://b.test:{site.port}/b/new")
        seeds = [f"http://{name}.test:{site.port}/{name}/" for name in "ab"]
        gathered = gathered_from(seeds, tmp_path, allow=(), resolve=names, network=network)
    assert gathered.documents == 3
    assert network.hosts == {PUBLIC, OTHER}


def test_proxies_of_the_environment_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served({"/*": page("proxy")}) as proxy, served({"/": page("home")}) as site:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.home)
        monkeypatch.setenv("no_proxy", "")
        gathered_from(site.home, tmp_path)
    assert proxy.asked == []
    assert site.pages_asked == ["/"]


def test_names_without_an_address_are_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has a host without an address: gone\.test"):
        gathered_from("http://gone.test/", tmp_path, resolve=Names())


def test_what_is_allowed_must_be_an_address_or_a_network(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"must be an address as 127\.0\.0\.1") as raised:
        gathered_from(f"http://{HOME}/", tmp_path, allow=("localhost", "10.0.0.1/8"))
    assert len(raised.value.problems) == 2


def test_a_certificate_must_be_that_of_the_name_though_an_address_is_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpcore

    asked: list[tuple[str | None, bool, ssl.VerifyMode]] = []

    class Encrypting(httpcore.NetworkStream):
        def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
            asked.append((server_hostname, ssl_context.check_hostname, ssl_context.verify_mode))
            raise httpcore.ConnectError("enough seen")

        def close(self) -> None:
            pass

    network = RecordingNetwork()
    monkeypatch.setattr(network._real, "connect_tcp", lambda *_: Encrypting())
    with pytest.raises(InputError, match="enough seen"):
        gathered_from("https://a.test/", tmp_path, allow=(), resolve=Names(a_test=[PUBLIC]), network=network)
    assert network.connected == [(PUBLIC, 443)]
    assert asked == [("a.test", True, ssl.CERT_REQUIRED)]
