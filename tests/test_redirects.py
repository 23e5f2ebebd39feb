"""One rule for redirects, for each of our clients of HTTP: no credentials to another origin, nothing back to http."""

from __future__ import annotations

import base64
import re
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankscope
from rankscope.core.errors import InputError
from rankscope.inputs import redirects
from rankscope.inputs.remote import RemoteSource
from tests.needs import needed_module, needed_program

SOURCE = Path(rankscope.__file__).parent
RUN = b"q1 Q0 d1 1 1.0 t\n"
QRELS = {"q1": {"d1": 1}}
SECRET = "s3cret-of-me"
BASIC = f"Basic {base64.b64encode(f'me:{SECRET}'.encode()).decode()}"
CLIENTS = re.compile(r"^\s*(?:from|import) (?:urllib\.request|urllib3|http\.client|requests)\b", re.MULTILINE)
CREDENTIALS = {"authorization", "x-amz-security-token", "cookie", "proxy-authorization"}


class Asked(NamedTuple):
    """A request, and the credentials that came with it."""

    method: str
    path: str
    told: dict[str, str]


class Place(NamedTuple):
    """A server, and what it was asked."""

    address: str
    asked: list[Asked]

    @property
    def told(self) -> list[str]:
        return [each.told.get("authorization", "") for each in self.asked]


@contextmanager
def served(
    leads: Callable[[str], str | None] = lambda path: None, tls: ssl.SSLContext | None = None
) -> Iterator[Place]:
    """A server of this machine that leads elsewhere, or gives a run."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            told = {name.lower(): value for name, value in self.headers.items() if name.lower() in CREDENTIALS}
            asked.append(Asked(self.command, self.path, told))
            self.rfile.read(int(self.headers.get("content-length", "0")))
            target = leads(self.path)
            self.send_response(307 if target else 200)
            if target:
                self.send_header("Location", target)
            self.send_header("ETag", '"x"')
            self.send_header("Last-Modified", "Mon, 16 Nov 2026 00:00:00 GMT")
            self.send_header("Content-Length", "0" if target else str(len(RUN)))
            self.end_headers()
            if not target and self.command != "HEAD":
                self.wfile.write(RUN)

        do_HEAD = do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Place(f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """An encrypted localhost that every client trusts."""
    openssl = needed_program("openssl", advice="apt-get install openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1"]
    subject = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*made, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.load_cert_chain(certificate, key)
    return found


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def with_password(address: str) -> str:
    return address.replace("://", f"://me:{SECRET}@")


@pytest.mark.parametrize("read", [lambda source: source.path, lambda source: source.size], ids=["GET", "HEAD"])
def test_a_password_of_an_address_stays_with_its_origin(read: Callable[[RemoteSource], Any]) -> None:
    with served() as there, served(lambda path: f"{there.address}/b.run") as here:
        read(RemoteSource(f"{with_password(here.address)}/a.run"))
        assert here.told == [BASIC]
        assert there.told == [""]
        assert len({each.method for each in here.asked + there.asked}) == 1


def test_a_password_goes_on_within_its_origin_and_not_there_again_from_elsewhere() -> None:
    leads: dict[str, str] = {"/1": "/2"}
    with served(lambda path: f"{back}/4") as there, served(leads.get) as here:
        back, leads["/2"] = here.address, f"{there.address}/3"
        RemoteSource(f"{with_password(here.address)}/1").path  # noqa: B018
        assert here.told == [BASIC, BASIC, ""]
        assert there.told == [""]


def test_a_redirect_is_said() -> None:
    with served() as there, served(lambda path: f"{there.address}/b.run?token={SECRET}") as here:
        found = rankscope.evaluate(QRELS, f"{with_password(here.address)}/a.run", "P@1")
        assert f"a: its address redirects to {there.address}/b.run, from where it was read" in found.notes
        assert SECRET not in str(found.notes)
        assert rankscope.evaluate(QRELS, f"{there.address}/b.run", "P@1").notes == ()


def refused(address: str) -> str:
    with pytest.raises(InputError) as caught:
        RemoteSource(address).path  # noqa: B018
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("file:///etc/passwd", "redirects to nowhere"),
        ("ftp://localhost/x", "redirects to nowhere"),
        ("http://you:pass@localhost:1/x", "redirects to nowhere"),
        ("http://localhost:port/x", "redirects to nowhere"),
        ("/again", "redirects more than 5 times"),
    ],
)
def test_what_leads_nowhere_or_for_ever_is_refused(target: str, told: str) -> None:
    with served(lambda path: target) as here:
        assert told in refused(f"{with_password(here.address)}/a.run")
        assert len(here.asked) == (6 if "more than" in told else 1)


def test_nothing_leads_from_https_back_to_http(tls: ssl.SSLContext) -> None:
    with served() as there, served(lambda path: f"{there.address}/b.run", tls) as here:
        assert "redirects from https to http (localhost)" in refused(f"{with_password(here.address)}/a.run")
        assert (here.told, there.asked) == ([BASIC], [])
    with served(tls=tls) as there, served(lambda path: f"{there.address}/b.run") as here:
        assert Path(RemoteSource(f"{with_password(here.address)}/a.run").path).read_bytes() == RUN
        assert there.told == [""]


def test_pages_are_not_gathered_from_http_where_https_was_named(tls: ssl.SSLContext, tmp_path: Path) -> None:
    needed_module("protego", "gather")
    from tests.engines.crawler.site import gathered_from

    def leads(path: str) -> str | None:
        return None if path == "/robots.txt" else f"{there.address}{path}"

    with served() as there, served(leads, tls) as here:
        names = [f"{here.address}/a", f"{there.address}/"]
        with pytest.raises(InputError, match=r"redirects from https to http \(localhost\)"):
            gathered_from(names[:1], tmp_path, allow=("127.0.0.1", "::1"))
        assert [each.told for each in here.asked] == [{}] * len(here.asked)
        assert there.asked == []


@pytest.mark.parametrize(
    "given",
    [{"USER": "me", "PASSWORD": SECRET}, {"API_KEY": SECRET}, {"TOKEN": SECRET}],
    ids=lambda given: next(iter(given)),
)
def test_an_engine_that_leads_elsewhere_is_not_followed(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    needed_module("httpx", "gather")
    for name in ("USER", "PASSWORD", "API_KEY", "TOKEN"):
        monkeypatch.delenv(f"RANKSCOPE_ENGINE_{name}", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(f"RANKSCOPE_ENGINE_{name}", value)
    with served() as there, served(lambda path: f"{there.address}{path}") as here:
        with pytest.raises(InputError, match="it leads to http://localhost") as caught:
            rankscope.search(engine=f"solr:{here.address}/solr/docs", topics={"1": "fox"})
        assert SECRET not in str(caught.value)
        assert [bool(each) for each in here.told] == [True]
        assert there.asked == []


def test_a_store_that_leads_elsewhere_gets_the_signature_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """obstore follows by itself, without the signature; what is left of a temporary key opens nothing without it."""
    needed_module("obstore", "remote")
    with served() as there, served(lambda path: there.address.replace("localhost", "127.0.0.1") + path) as here:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "me",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": here.address,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        assert Path(RemoteSource("s3://b/a.run").path).read_bytes() == RUN
        assert all(each.startswith("AWS4-HMAC-SHA256") for each in here.told)
        assert set(there.told) == {""}


def test_urllib_asks_in_one_function_and_no_client_follows_by_itself() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "follow_redirects" not in text
        found += [
            (str(path.relative_to(SOURCE)), text[: each.end()].split("\ndef ")[-1]) for each in CLIENTS.finditer(text)
        ]
    ((path_found, function),) = found
    assert (path_found, function.partition("(")[0]) == ("inputs/remote.py", "_web_answer")


def test_an_origin_has_the_usual_port() -> None:
    assert (
        redirects.origin_of("http://a:80/x") == redirects.origin_of("http://A") != redirects.origin_of("https://a:80")
    )
