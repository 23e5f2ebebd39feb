"""Likely misses of labels against counting by hand, and labels of digits that were taken away."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError
from rankscope.engines.nearest.label_check import check_labels
from rankscope.inputs.features import Features

CHANCE = np.random.default_rng(5)
LABELS = np.repeat(["a", "b", "c"], 20)
POINTS = CHANCE.normal(size=(60, 3)) + 1.2 * np.repeat(np.eye(3), 20, axis=0)


def by_hand(points: np.ndarray, members: list[int], item: int) -> float:
    """The share of the members that have an item among their first m - 1."""
    others = [member for member in members if member != item]
    found = 0
    for member in others:
        distance = np.linalg.norm(points - points[member], axis=1)
        ranked = [each for each in np.argsort(distance, kind="stable").tolist() if each != member]
        found += item in ranked[: len(members) - 1]
    return found / len(others)


def test_shares_are_those_counted_by_hand() -> None:
    done = check_labels(Features.of(POINTS, LABELS.tolist()), "l2", least=0.3)
    listed = {(each.label, each.item): each.share for each in done.misses}
    for label in "abc":
        members = np.flatnonzero(label == LABELS).tolist()
        for item in range(60):
            share = by_hand(POINTS, members, item)
            if item not in members and share > 0.3:
                assert listed.pop((label, str(item))) == pytest.approx(share)
    assert not listed
    assert [each.share for each in done.misses] == sorted((each.share for each in done.misses), reverse=True)


def test_members_that_no_member_finds_are_strangers() -> None:
    points = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    done = check_labels(Features.of(points, list("aabbba")), "l2")
    assert [(each.label, each.item) for each in done.strangers] == [("a", "5"), ("b", "2")]


def test_labels_that_were_taken_away_from_digits_are_found_again() -> None:
    """60 of 1,797 digits lose their label: most stand in the list of their class, and near its top."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    lost = np.random.default_rng(0).choice(1797, 60, replace=False)
    labels = [str(each) for each in digits.target]
    truth = {str(item): labels[item] for item in lost.tolist()}
    for item in lost.tolist():
        labels[item] = ""
    done = check_labels(Features.of(digits.data, labels), least=0.3)
    listed = [(each.item, each.label) for each in done.misses]
    again = [pair for pair in truth.items() if pair in listed]
    assert len(again) >= 50
    first = [pair for pair in listed[:60] if pair in truth.items()]
    assert len(first) >= 30  # by chance 60 * 60 / (9 * 1797) = .2


def test_what_has_no_class_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to check"):
        check_labels(Features.of(POINTS, ["all"] * 60))


def test_the_command_lists_and_writes(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", features=POINTS, labels=LABELS)
    words = ["labels", str(tmp_path / "f.npz"), "--metric", "l2", "--least", "0.3", "--limit", "2"]
    done = CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "misses.json")])
    assert done.exit_code == 0, done.output
    assert "the first 2" in done.output
    rows = json.loads((tmp_path / "misses.json").read_text())["rows"]
    python = rankscope.check_labels(POINTS, LABELS.tolist(), metric="l2", least=0.3)
    assert [(row["class"], row["item"]) for row in rows if row["kind"] == "likely miss"] == [
        (each.label, each.item) for each in python.misses
    ]
    assert CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "misses.csv")]).exit_code == 0
    assert (tmp_path / "misses.csv").read_text().startswith("kind,class,item,its label")
    assert CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "misses.pdf")]).exit_code == 2
