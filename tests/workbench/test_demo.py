"""The demo: icons to judge, made once and kept where a folder is given."""

from __future__ import annotations

from pathlib import Path

from rankscope.workbench.serving import demo_project
from tests.needs import needed_module


def test_the_demo_is_made_once_and_its_marks_stay(tmp_path: Path) -> None:
    needed_module("PIL", "images")
    with demo_project(tmp_path / "icons") as project:
        assert len(project.items) == 300
        assert len(project.queries) == 6
        assert project.guidelines
        owner = project.assessor_named("owner").id
        (loan,) = project.next_items(owner)
        project.grade(owner, loan.query, loan.item, 1)
        open_places = project.progress().open
        assert project.access.vectors("pixels.npz").matrix.shape[0] == 300
    with demo_project(tmp_path / "icons") as again:
        assert again.state.last == 1
        assert again.progress().open == open_places


def test_classes_of_the_demo_can_be_found_again(tmp_path: Path) -> None:
    """The two runs are worth judging: they bring class mates of the example to the front, and not the same ones."""
    needed_module("PIL", "images")
    with demo_project(tmp_path / "icons") as project:
        assert project.pool is not None
        classes = {each.id: each.class_ for each in project.items}
        mates = sum(classes[row.item] == classes[row.query] for row in project.pool.rows)
        assert 0.2 < mates / len(project.pool.rows) < 0.9
        assert len(project.pool.rows) > 60
