"""A certificate is served, and said to be out of time where browsers will not take it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.needs import needed_module, needed_program
from tests.workbench.projects import small_project

needed_module("uvicorn", "web")
from rankscope.workbench.pages import Workbench  # noqa: E402
from rankscope.workbench.serving import (  # noqa: E402
    Exposure,
    start_lines,
)


@pytest.mark.parametrize(("days", "said"), [(1, []), (-1, ["certificate has expired"])])
def test_an_expired_certificate_is_served_with_a_word(tmp_path: Path, days: int, said: list[str]) -> None:
    openssl = needed_program("openssl", advice="apt-get install openssl")
    key, asked, certificate = (str(tmp_path / name) for name in ("key.pem", "asked.pem", "certificate.pem"))
    make = ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", asked]
    sign = ["x509", "-req", "-in", asked, "-signkey", key, "-days", str(days), "-out", certificate]
    for each in (make, sign):
        subprocess.run([openssl, *each], check=True, capture_output=True)
    exposure = Exposure(certificate=certificate, certificate_key=key)
    with small_project(tmp_path) as project:
        lines = [line for line in start_lines(Workbench(project), exposure, "https://localhost") if "browsers" in line]
    assert [each for each in said if each in "".join(lines)] == said
    assert len(lines) == len(said)
