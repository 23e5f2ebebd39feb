"""A program as a user: what it is asked, what it may answer, and that it is ended."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.users import command_user
from rankscope.feedback.users.command_user import CommandUser
from rankscope.feedback.users.users import USERS, Displays

ANSWERS = {
    "by name": "print(json.dumps({'relevant': [x for x in q['shown'] if x.startswith(q['topic'])]}), flush=True)",
    "log": "open(sys.argv[1], 'a').write(line); print('{\"irrelevant\": []}', flush=True)",
    "silent": "import time; time.sleep(60)",
    "no json": "print('I think b', flush=True)",
    "no list": 'print(\'{"relevant": "a1", "irrelevant": 3}\', flush=True)',
    "no sides": "print('{\"yes\": []}', flush=True)",
    "unknown": 'print(\'{"relevant": ["zz", "a1"], "irrelevant": ["a1"]}\', flush=True)',
    "refusal": 'print(\'{"error": "no key for the model"}\', flush=True)',
    "leaving": "sys.stderr.write('out of memory\\n'); sys.exit(3)",
}


def program(folder: Path, kind: str, *more: str) -> str:
    file = folder / "judge.py"
    file.write_text(f"import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n    {ANSWERS[kind]}\n")
    return " ".join([sys.executable, str(file), *more])


def look(topics: tuple[str, ...] = ("a", "b")) -> Displays:
    items = np.array([[0, 1], [1, 2]])
    there = np.array([[True, True], [True, False]])
    gains = np.zeros(items.shape)
    return Displays(gains, np.array([7, 8]), items, there, topics=topics, ids=("a1", "b1", "c1"))


def test_it_sees_topic_and_ids_and_its_answer_is_the_mark(tmp_path: Path) -> None:
    said = CommandUser(program(tmp_path, "by name")).says(look())
    assert said.tolist() == [[1, 0], [1, 0]]


def test_it_is_told_everything_but_the_truth(tmp_path: Path) -> None:
    log = tmp_path / "asked"
    CommandUser(program(tmp_path, "log", str(log))).says(look())
    command_user.end_all()
    first, second = log.read_text().splitlines()
    assert first == '{"topic": "a", "shown": ["a1", "b1"], "session": 7, "look": "look"}'
    assert '"shown": ["b1"]' in second


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("silent", ["gave no answer in 0.3 seconds"]),
        ("no json", ["no line of JSON: 'I think b'"]),
        ("no list", ['"relevant" is no list', '"irrelevant" is no list']),
        ("no sides", ["without"]),
        ("unknown", ["'zz' is marked but was not shown", "'a1' is marked twice"]),
        ("refusal", ["no key for the model"]),
        ("leaving", ["exit code 3", "out of memory"]),
    ],
)
def test_all_that_is_wrong_is_said(tmp_path: Path, kind: str, words: list[str]) -> None:
    user = CommandUser(program(tmp_path, kind), limit=0.3 if kind == "silent" else 20)
    with pytest.raises(InputError) as told:
        user.says(look())
    assert all(each in str(told.value) for each in words), told.value


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"(?s)no-such-program.*cannot be started"):
        CommandUser("no-such-program --fast").says(look())
    with pytest.raises(SettingError, match="names no program"):
        USERS.parse("command('')")


def test_it_runs_once_and_ends_with_us(tmp_path: Path) -> None:
    command = program(tmp_path, "by name")
    CommandUser(command).says(look())
    first = command_user.running_program(command, 60.0)
    CommandUser(command).says(look())
    assert command_user.running_program(command, 60.0) is first
    command_user.end_all()
    assert not first.is_running
