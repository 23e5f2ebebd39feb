"""Requests and pictures that mean harm: refused, nothing changed, memory flat, no fault of ours."""

from __future__ import annotations

import os
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import InputError
from tests.needs import needed_module
from tests.workbench.pages.mangled import MangledRequest, mangled_requests
from tests.workbench.pages.served import Reach, Served, served_project

COUNT = int(os.environ.get("RANKSCOPE_MANGLED", "1500"))  # 10,000 in full


async def answered(application: Any, asked: MangledRequest) -> int:
    """The status of the answer to a request as a server hands it to an application."""
    path, _, query = asked.path.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": path.decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "headers": asked.headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8384),
        "root_path": "",
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": asked.body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return int(sent[0]["status"])


def test_mangled_requests_are_refused_and_change_nothing_of_others(tmp_path: Path, capfd: Any) -> None:
    from tests.workbench.pages.served import workbench_application

    with served_project(tmp_path, reach=Reach(rate=1e9)) as served:
        served.sign_in("ann")
        cookie = f"rankscope-8384={served.client.client.cookies['rankscope-8384']}"
        application = workbench_application(served.project, bench=served.bench)
        people, pools = dict(served.project.assessors), len(served.project.designs)

        async def all_of_them() -> list[int]:
            return [await answered(application, each) for each in mangled_requests(COUNT, 1, cookie)]

        statuses = served.client.runner.run(all_of_them())
        assert len(statuses) == COUNT
        assert [each for each in statuses if each >= 500] == []
        assert {200, 400, 401, 403, 404, 405, 421} <= set(statuses)
        assert served.project.assessors == people  # ann is a judge: nobody was invited, no pool was made
        assert len(served.project.designs) == pools
        assert {event.assessor for event in served.project.state.events} <= {served.project.assessor_named("ann").id}
        assert "Traceback" not in capfd.readouterr().err
        assert served.json("/me")["name"] == "ann"


def bomb(side: int = 13_000) -> bytes:
    """A PNG of so many pixels each way in some kilobytes."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    packed = zlib.compressobj(9)
    rows = b"".join(packed.compress(b"\0" * (side // 8 + 1 + 1)) for _ in range(side)) + packed.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with one good picture and some that mean harm."""
    image = needed_module("PIL.Image", "images")
    folder = tmp_path / "pictures"
    folder.mkdir()
    image.new("RGB", (300, 200), "red").save(folder / "good.png")
    (folder / "bomb.png").write_bytes(bomb())
    (folder / "script.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    jpeg = BytesIO()
    image.new("RGB", (64, 64), "blue").save(jpeg, "JPEG")
    (folder / "two.jpg").write_bytes(jpeg.getvalue() + b"<html><script>alert(1)</script></html>")
    (folder / "cut.jpg").write_bytes(jpeg.getvalue()[:80])
    return folder


def test_pictures_are_made_anew_and_harmful_ones_are_refused(tmp_path: Path, pictures: Path) -> None:
    from rankscope.workbench.project import Project
    from tests.workbench.asgi_client import client_of
    from tests.workbench.pages.served import Workbench, workbench_application

    assert (pictures / "bomb.png").stat().st_size < 40_000
    with Project.new(tmp_path / "judging", images=pictures) as project:
        bench = Workbench(project)
        with client_of(workbench_application(project, bench=bench)) as client:
            served = Served(project, bench, client)
            served.sign_in()
            told = {}
            for item in project.places:
                answer = client.get(f"/picture/{bench.number_of(item)}")
                told[item] = (answer.status_code, answer.headers["content-type"].partition(";")[0])
                assert b"script" not in answer.content or answer.status_code == 404
            assert told["good.png"] == told["two.jpg"] == (200, "image/webp")
            assert {told[each][0] for each in ("bomb.png", "script.png", "cut.jpg")} == {404}
            refused = client.get(f"/picture/{bench.number_of('bomb.png')}", headers={"accept": "application/json"})
            assert "169.0 megapixels, more than 64" in refused.json()["error"]
            large = client.get(f"/picture/{bench.number_of('good.png')}?size=large")
            opened = needed_module("PIL.Image", "images").open(BytesIO(large.content))
            assert (opened.format, opened.size) == ("WEBP", (300, 200))
            assert client.get("/picture/99").status_code == 404


def test_a_picture_that_takes_too_long_ends_its_process_and_not_ours() -> None:
    from rankscope.workbench.pictures import PictureWorkers

    workers = PictureWorkers(count=1, seconds=0.0)
    try:
        with pytest.raises(InputError, match="takes longer than 0 seconds"):
            workers.thumbnail(bomb(4000), 192)
        workers._seconds = 30.0
        image, file = needed_module("PIL.Image", "images"), BytesIO()
        image.new("RGB", (8, 8), "red").save(file, "PNG")
        assert workers.pixels(file.getvalue()).shape == (8, 8, 3)
    finally:
        workers.close()


def test_memory_stays_flat_under_wrong_tokens_and_made_up_addresses(tmp_path: Path) -> None:
    from rankscope.workbench.pages.bench import MOST_KEPT, Bucket, WrongTokens

    wrong, bucket = WrongTokens(), Bucket(20, 60)
    for number in range(MOST_KEPT + 500):
        wrong.add(f"10.0.0.{number}")
        bucket.wait(number)
    assert len(wrong._times) == len(bucket._left) == MOST_KEPT


def test_a_body_of_a_page_may_not_be_large(tmp_path: Path) -> None:
    with served_project(tmp_path) as served:
        served.sign_in()
        answer = served.change("/judge/marks", key="k" * (2 << 20))
        assert answer.status_code == 413
