"""Feedback on an index of texts: from the shell, from one call, and by hand the numbers are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankscope
from rankscope.core.errors import SettingError
from rankscope.engines.text import Index
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.text import TextItems
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.results import Results, load_results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.starts import ExternalRanking
from rankscope.feedback.users.topics import Topics
from tests.commands.line.inside import ended

WORDS = ["fox", "den", "snow", "river", "stone", "leaf", "wind", "night", "owl", "moss"]
DOCUMENTS = [
    {"id": f"d{number}", "contents": " ".join(WORDS[(number * step + step) % 10] for step in range(1, 3 + number % 7))}
    for number in range(60)
]
TOPICS = {"1": "a fox in its den", "2": "snow and wind", "3": "river stones"}
QRELS = {
    topic: {f"d{number}": 1 + number % 2 for number in range(60) if number % 6 == place}
    for place, topic in enumerate(TOPICS)
}
METHODS_TRIED = ("text-rm3", "text-rocchio", "query-point")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Index.build(DOCUMENTS, "docs.index")
    (tmp_path / "topics.tsv").write_text("".join(f"{topic}\t{text}\n" for topic, text in TOPICS.items()))
    lines = [f"{topic} 0 {item} {grade}\n" for topic, items in QRELS.items() for item, grade in items.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    return tmp_path


def numbers(results: Results) -> pl.DataFrame:
    """All that a study found but how long it took."""
    times = [name for name in results.frame.columns if "second" in name or "time" in name]
    return results.frame.drop(times).sort(results.frame.columns[:4])


def by_hand(rel: float = 1, similarity: str = "bm25", **protocol: Any) -> Results:
    items = TextItems.in_index(Index.build(DOCUMENTS), TOPICS, similarity=similarity)
    topics = Topics.from_qrels(QRELS, items.ids, rel)
    setting = Experiment.of(items, topics, None, ExternalRanking.by_words(items, topics), Protocol(**protocol))
    plan = StudyPlan.of(setting, [METHODS.parse(each) for each in METHODS_TRIED], starts=1, measures=["AP"])
    return study(plan, on="home")


@pytest.mark.parametrize("choices", [{}, {"rel": 2, "similarity": "lm-dirichlet(mu=1000)"}], ids=str)
def test_the_shell_and_one_call_give_what_is_done_by_hand(
    choices: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared: dict[str, Any] = {"scope": 5, "rounds": 2}
    expected = numbers(by_hand(**shared, **choices))
    called = rankscope.simulate_feedback(
        "docs.index",
        topics="topics.tsv",
        qrels="qrels.txt",
        methods=",".join(METHODS_TRIED),
        measures=["AP"],
        on="home",
        **shared,
        **choices,
    )
    assert numbers(called).equals(expected)
    options = [word for name, value in {**shared, **choices}.items() for word in (f"--{name}", str(value))]
    command = ("feedback", "docs.index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "-m", "AP", "--on", "home")
    assert ended(monkeypatch, *command, "--methods", ",".join(METHODS_TRIED), *options, "-o", "out.parquet") == 0
    assert numbers(load_results("out.parquet")).equals(expected)


def test_an_index_and_dictionaries_do_as_well() -> None:
    found = rankscope.simulate_feedback(
        Index.build(DOCUMENTS), topics=TOPICS, qrels=QRELS, scope=5, rounds=1, on="home"
    )
    methods = set(found.frame["method"].unique())
    assert {"text-rm3", "text-rocchio", "query-point", "rocchio"} <= methods
    assert found.frame.filter(method="text-rm3", round=0).height == len(TOPICS)  # one session of a topic: all are alike


def test_sessions_that_differ_are_ten_of_a_topic() -> None:
    found = rankscope.simulate_feedback(
        Index.build(DOCUMENTS),
        topics=TOPICS,
        qrels=QRELS,
        methods="text-rm3",
        user="noisy(0.2)",
        scope=5,
        rounds=1,
        on="home",
    )
    assert found.frame.filter(method="text-rm3", round=0).height == 10 * len(TOPICS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["docs.index", "--topics", "topics.tsv"], "an index of texts needs --topics FILE and --qrels FILE"),
        (["docs.index", "--qrels", "qrels.txt"], "an index of texts needs --topics FILE and --qrels FILE"),
        (
            ["docs.index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "--labels", "l.txt"],
            "--labels: belongs to vectors with labels",
        ),
        (["digits", "--similarity", "dfi", "--field", "x"], "--similarity, --field: belongs to an index of texts"),
        (["docs.index", "--topics", "two.tsv", "--qrels", "qrels.txt"], "topics that the judgements speak of: 2, 3"),
        (["docs.index", "--topics", "topics.tsv", "--qrels", "qrels.txt", "--start", "word"], "words"),
    ],
)
def test_what_cannot_be_is_refused(
    arguments: list[str],
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "two.tsv").write_text("1\ta fox\n")
    (folder / "l.txt").write_text("a\n")
    assert ended(monkeypatch, "feedback", *arguments, "-o", "out.parquet", "--on", "home") == 2
    assert words in capsys.readouterr().err
    assert not (folder / "out.parquet").exists()


def test_python_is_told_in_its_own_words() -> None:
    with pytest.raises(SettingError, match="an index of texts needs topics=FILE and qrels=FILE"):
        rankscope.simulate_feedback(Index.build(DOCUMENTS), topics=TOPICS)


def test_a_question_is_answered_on_texts_by_methods_on_words_too() -> None:
    answer = rankscope.ask_feedback(
        "examples", Index.build(DOCUMENTS), topics=TOPICS, qrels=QRELS, methods="text-rm3,rocchio", sizes=(1, 4)
    )
    rows = {row["method"]: row for row in answer.tables[0].rows}
    assert [row["failed"] for row in rows.values()] == [0, 0]
    assert float(str(rows["text-rm3"]["4 + 4"])) > 0
