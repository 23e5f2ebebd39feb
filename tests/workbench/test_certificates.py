"""A certificate is served, and said to be out of time where browsers will not take it."""

from __future__ import annotations

import subprocess
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.needs import needed_module, needed_program

needed_module("uvicorn", "web")
from rankscope.workbench.serving import ServedCertificate, watched  # noqa: E402

SETTINGS = """
[ca]
default_ca = ours
[ours]
database = {folder}/issued
new_certs_dir = {folder}
default_md = sha256
policy = names
serial = {folder}/serial
unique_subject = no
[names]
commonName = supplied
"""


def certificate_until(end: datetime, folder: Path) -> ServedCertificate:
    """One of our own, valid for a year up to then."""
    openssl = needed_program("openssl", advice="apt-get install openssl")
    key, asked, certificate, settings = (str(folder / name) for name in ("key.pem", "asked.pem", "served.pem", "ca"))
    (folder / "issued").touch()
    (folder / "ca").write_text(SETTINGS.format(folder=folder))
    times = [f"{each:%Y%m%d%H%M%SZ}" for each in (end - timedelta(days=365), end)]
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]
    make = ["req", "-new", *new_key, "-subj", "/CN=localhost", "-out", asked]
    sign = ["ca", "-config", settings, "-selfsign", "-keyfile", key, "-in", asked, "-out", certificate]
    for each in (make, [*sign, "-startdate", times[0], "-enddate", times[1], "-create_serial", "-batch", "-notext"]):
        subprocess.run([openssl, *each], check=True, capture_output=True)
    return ServedCertificate(certificate, key)


@pytest.mark.parametrize(("days", "said"), [(1, 0), (-1, 1)])
def test_an_expired_certificate_is_served_with_a_word(tmp_path: Path, days: int, said: int) -> None:
    lines: list[str] = []
    certificate = certificate_until(datetime.now(UTC) + timedelta(days=days), tmp_path)
    with watched(certificate, lines.append):
        assert len(lines) == said
    assert all("served.pem: certificate has expired, so browsers warn of this service" in each for each in lines)


@pytest.mark.thorough
def test_a_certificate_that_runs_out_while_it_is_served_is_told_of_once(tmp_path: Path) -> None:
    lines: list[str] = []
    told = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        told.set()

    certificate = certificate_until(datetime.now(UTC) + timedelta(seconds=3), tmp_path)
    certificate_until(datetime.now(UTC) + timedelta(days=1), tmp_path)  # renewed in its file, which is not read again
    with watched(certificate, say, seconds=0.05):
        assert not lines
        assert told.wait(30)
        assert not threading.Event().wait(0.5)
    assert len(lines) == 1
    assert "certificate has expired" in lines[0]
