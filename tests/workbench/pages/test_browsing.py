"""The collection looked through, and searched by example: exact, with scores, and not by those who judge."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rankscope.workbench.pages import items
from tests.workbench.pages.pictured import EACH, drop, pixels_of, png_of, served_pictures
from tests.workbench.pages.served import JSON, Served, served_project

RUN = "".join(f"red/0.png Q0 red/{rank}.png {rank} {-rank} t\n" for rank in range(1, 5))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_pictures(tmp_path_factory.mktemp("pictures")) as found:
        yield found


def number_of(served: Served, item: str) -> int:
    return served.bench.number_of(item)


# browse


def test_by_class_each_class_stands_together_and_one_can_be_chosen(served: Served) -> None:
    view = served.json("/browse")
    assert view["order"] == "class"
    assert [each["label"] for each in view["items"]] == ["blue"] * EACH + ["green"] * EACH + ["red"] * EACH
    green = served.json("/browse?class_=green")
    assert {each["id"].partition("/")[0] for each in green["items"]} == {"green"}
    assert served.client.get("/browse?class_=mauve", headers=JSON).status_code == 404


def test_random_is_shuffled_and_the_same_for_the_same_seed(served: Served) -> None:
    first, again, other = (served.json(f"/browse?order=random&seed={seed}")["items"] for seed in (1, 1, 2))
    assert first == again != other
    assert sorted(each["id"] for each in first) == sorted(each.id for each in served.project.items)


def test_by_nearness_begins_with_the_item_and_holds_all(served: Served) -> None:
    near = number_of(served, "red/3.png")
    view = served.json(f"/browse?order=near&near={near}")
    assert view["items"][0]["number"] == near
    assert [each["label"] for each in view["items"][:EACH]] == ["red"] * EACH
    assert len({each["id"] for each in view["items"]}) == 3 * EACH


def test_pages_are_of_sixty(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.workbench.pages.browse.BROWSE_PAGE", 10)
    pages = [served.json(f"/browse?page={page}") for page in (1, 2, 3, 99)]
    assert [len(each["items"]) for each in pages] == [10, 10, 4, 4]
    assert [each["items"][0]["rank"] for each in pages] == [1, 11, 21, 21]
    assert 'rel="next"' in served.client.get("/browse?page=2").text


# like


def test_the_nearest_are_those_of_a_full_sort(served: Served) -> None:
    number = number_of(served, "blue/2.png")
    vectors = served.project.access.vectors("means.npz").matrix
    place = served.project.places["blue/2.png"]
    distance = np.abs(vectors - vectors[place]).sum(axis=1)
    order = [each for each in np.argsort(distance, kind="stable").tolist() if each != place]
    found = served.json(f"/like/{number}?features=means.npz&metric=l1")["items"]
    assert [each["id"] for each in found] == [served.project.items[each].id for each in order[:20]]
    assert [each["score"] for each in found] == pytest.approx((-distance[order[:20]]).tolist())
    second = served.json(f"/like/{number}?features=means.npz&metric=l1&page=2")
    assert [each["rank"] for each in second["items"]] == [21, 22, 23]


@pytest.mark.parametrize("asked", ["features=none.npz", "metric=nearly", "metric=hamming-bits"])
def test_features_and_metrics_that_are_not_there_are_told(served: Served, asked: str) -> None:
    answer = served.client.get(f"/like/0?{asked}", headers=JSON)
    assert answer.status_code in (400, 409)
    assert answer.json()["error"]


def test_a_project_without_features_says_what_to_do(tmp_path: Path) -> None:
    with served_project(tmp_path) as texts:
        texts.sign_in()
        assert "rankscope describe" in texts.client.get("/like").text
        assert texts.client.get("/like/0").status_code == 400
        assert len(texts.json("/browse")["items"]) == 14


# a picture dropped in


def test_a_dropped_picture_of_the_collection_finds_itself_first(served: Served) -> None:
    answer = drop(served, (served.project.sources.images / "green/5.png").read_bytes())  # type: ignore[operator]
    assert answer.status_code == 303
    found = served.json(answer.headers["location"])["items"]
    assert found[0]["id"] == "green/5.png"
    assert found[0]["score"] == pytest.approx(0, abs=1e-6)
    page = served.client.get(answer.headers["location"]).text
    assert f'src="/like/picture/{answer.headers["location"].partition("dropped=")[2].partition("&")[0]}"' in page


def test_a_dropped_picture_is_seen_by_its_owner_alone(served: Served) -> None:
    answer = drop(served, png_of(pixels_of("red", 30)))
    key = answer.headers["location"].partition("dropped=")[2].partition("&")[0]
    preview = served.client.get(f"/like/picture/{key}")
    assert (preview.status_code, preview.headers["content-type"]) == (200, "image/webp")
    assert preview.content[8:12] == b"WEBP"
    token = served.project.invite("eve", "admin").token
    cookie = dict(served.client.client.cookies)
    served.client.client.cookies.clear()
    theirs = {"authorization": f"Bearer {token}", **JSON}
    assert served.client.get(f"/like/picture/{key}", headers=theirs).status_code == 404
    assert served.client.get(f"/like?dropped={key}", headers=theirs).status_code == 404
    served.client.client.cookies.update(cookie)


def test_a_file_that_does_not_say_how_it_was_made_compares_no_picture(served: Served) -> None:
    answer = drop(served, png_of(pixels_of("red", 31)), features="means.npz")
    assert "features=moments.npz" in answer.headers["location"]
    key = answer.headers["location"].partition("dropped=")[2].partition("&")[0]
    told = served.client.get(f"/like?dropped={key}&features=means.npz", headers=JSON)
    assert told.status_code == 400
    assert "does not say how its vectors were made" in told.json()["error"]


def _large() -> bytes:
    """A small file that says it has 13,000 x 13,000 pixels, and keeps its word."""
    import struct
    import zlib

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 13_000, 13_000, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1 + 13_000 // 8) * 13_000, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _with_archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr("a.class", "x")
    return png_of(pixels_of("red", 1)) + target.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (_large(), "megapixels"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "a page with a script"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "a page with a script"),
        (b"GIF89a/*" + b"\0" * 40 + b"*/=1;<script>alert(1)</script>", "a page with a script"),
        (b"\xff\xd8\xff%PDF-1.7 " + png_of(pixels_of("red", 1)), "a PDF"),
        (_with_archive(), "an archive"),
        (b"hello", "no picture"),
        (b"", "no picture"),
    ],
    ids=["bomb", "svg", "xml", "gif-script", "pdf", "zip", "text", "empty"],
)
def test_what_is_no_plain_picture_is_refused(served: Served, data: bytes, told: str) -> None:
    answer = served.client.post(
        "/like/picture", files={"file": ("x.png", data, "image/png")}, headers={**JSON, "origin": "http://127.0.0.1"}
    )
    assert answer.status_code == 415
    assert told in answer.json()["error"]


# who may look


def test_judges_look_at_nothing_of_this(served: Served) -> None:
    token = served.project.invite("judge").token
    cookie = dict(served.client.client.cookies)
    served.client.client.cookies.clear()
    judge = {"authorization": f"Bearer {token}", **JSON}
    for path in ("/browse", "/like/0", "/like", "/search?q=a", "/session", "/look"):
        assert served.client.get(path, headers=judge).status_code == 403, path
    served.client.client.cookies.update(cookie)


def test_an_admin_who_judges_sees_no_classes_until_all_is_judged(tmp_path: Path) -> None:
    with served_pictures(tmp_path, {"r": RUN}) as served:
        served.project.make_pool("depth(4)")
        assert served.json("/browse")["order"] == "class"
        owner = served.project.assessor_named("owner").id
        served.project.grade(owner, "red/0.png", "red/1.png", 1)
        view = served.json("/browse")
        assert (view["order"], view["judging"], view["classes"]) == ("random", True, [])
        assert {(each["id"], each["label"]) for each in view["items"]} == {("", "")}
        assert "judge them first" in served.client.get("/browse?order=class", headers=JSON).json()["error"]
        example, other = number_of(served, "red/0.png"), number_of(served, "blue/0.png")
        assert served.client.get(f"/like/{example}", headers=JSON).status_code == 403
        assert served.client.get(f"/browse?order=near&near={example}", headers=JSON).status_code == 403
        assert {each["id"] for each in served.json(f"/like/{other}")["items"]} == {""}
        for rank in (2, 3, 4):
            served.project.grade(owner, "red/0.png", f"red/{rank}.png", 1)
        assert served.json("/browse")["order"] == "class"
        assert served.json(f"/like/{example}")["items"][0]["id"]


def test_few_neighbourhoods_are_kept(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    around = served.bench.keep(items.Neighbourhoods)
    monkeypatch.setattr(around._made, "room", 2)
    for metric in ("l1", "l2", "cosine", "l1"):
        served.json(f"/like/0?metric={metric}")
    assert list(around._made.kept) == [("moments.npz", "cosine"), ("moments.npz", "l1")]
