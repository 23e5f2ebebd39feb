"""Items where they lie, and how far the judging is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import MarkEvent
from tests.workbench.projects import ITEMS, judge_all, small_project, write_sources


def picture_project(folder: Path) -> Project:
    """Four pictures in two class folders, described by hand in another order."""
    from PIL import Image

    for name in ("cat/1.png", "cat/2.png", "dog/1.png", "top.png"):
        (folder / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4)).save(folder / "photos" / name)
    ids = np.array(["top.png", "dog/1.png", "cat/2.png", "cat/1.png"])
    np.savez(folder / "f.npz", features=np.arange(8.0).reshape(4, 2), ids=ids, metric="l1")
    (folder / "a.run").write_text("cat/1.png Q0 cat/2.png 1 2 t\ncat/1.png Q0 dog/1.png 2 1 t\n")
    return Project.new(
        folder / "project", images=folder / "photos", features=[folder / "f.npz"], runs=[folder / "a.run"]
    )


def test_pictures_have_classes_files_and_vectors_in_the_order_of_the_items(tmp_path: Path) -> None:
    with picture_project(tmp_path) as project:
        assert [(each.id, each.class_) for each in project.items] == [
            ("cat/1.png", "cat"),
            ("cat/2.png", "cat"),
            ("dog/1.png", "dog"),
            ("top.png", ""),
        ]
        assert project.access.picture("dog/1.png") == tmp_path / "photos" / "dog" / "1.png"
        found = project.access.vectors()
        assert (found.name, found.metric) == ("f.npz", "l1")
        assert found.matrix.tolist() == [[6, 7], [4, 5], [2, 3], [0, 1]]


def test_a_query_of_a_run_that_is_an_item_is_a_query_by_example(tmp_path: Path) -> None:
    with picture_project(tmp_path) as project:
        (query,) = project.queries.values()
        assert (query.id, query.example, query.class_) == ("cat/1.png", "cat/1.png", "cat")


def test_what_has_gone_or_is_not_there_is_told(tmp_path: Path) -> None:
    with picture_project(tmp_path) as project:
        (tmp_path / "photos" / "top.png").unlink()
        with pytest.raises(InputError, match=r"top\.png"):
            project.access.picture("top.png")
        with pytest.raises(SettingError, match="There are: f.npz"):  # noqa: RUF043
            project.access.vectors("g.npz")
        with pytest.raises(SettingError, match="no texts"):
            project.access.document("top.png")


def test_features_of_other_items_are_told_when_a_project_is_made(tmp_path: Path) -> None:
    given = write_sources(tmp_path)
    np.savez(tmp_path / "f.npz", features=np.zeros((3, 2)), ids=np.array(["a", "b", "c"]))
    np.savez(tmp_path / "g.npz", features=np.zeros((3, 2)))
    with pytest.raises(InputError) as caught:
        Project.new(tmp_path / "project", **given, features=[tmp_path / "f.npz", tmp_path / "g.npz"])
    assert "f.npz: 1 problem\n  has no vector of d, e, f, g, h and 6 more" in str(caught.value)
    assert "g.npz: 1 problem\n  has 3 rows without names, and there are 14 items" in str(caught.value)


def test_documents_have_their_fields(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        assert [project.access.document(each)["text"] for each in ITEMS] == [f"text of {each}" for each in ITEMS]
        with pytest.raises(SettingError, match="no pictures"):
            project.access.picture("a")


def test_progress_counts_what_is_judged_and_what_is_open(tmp_path: Path) -> None:
    with small_project(tmp_path, double=0.0, repeat=0.0) as project:
        project.make_pool("depth(5)")
        ann = project.invite("ann").assessor.id
        assert project.progress().open == 24
        assert project.progress().seconds_left is None
        for item, ms in (("a", 1000), ("b", 3000), ("c", 2000)):
            project.grade(ann, "q1", item, 1, ms=ms)
        project.save(MarkEvent(assessor=ann, key="s", kind="skip", query="q1", item="d"))
        found = project.progress()
        assert [(each.query, each.judged, each.places) for each in found.queries] == [("q1", 3, 12), ("q2", 0, 12)]
        mine = next(each for each in found.assessors if each.assessor == ann)
        assert (mine.grades, mine.skipped, mine.median_ms) == (3, 1, 2000)
        assert found.seconds_left == 2.0 * 21


@pytest.mark.parametrize(
    ("method", "budget", "places"), [("bandit(5)", 4, 8), ("mtf(2)", None, 10), ("bandit(5) + sample(1-5:50%)", 4, 8)]
)
def test_progress_of_an_adaptive_pool_ends_where_its_judging_does(
    tmp_path: Path, method: str, budget: int | None, places: int
) -> None:
    with small_project(tmp_path, double=0.0, repeat=0.0) as project:
        project.make_pool(method, budget=budget)
        assert project.progress().open == places
        judge_all(project, project.invite("ann").assessor.id)
        assert project.progress().open == 0
