from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankscope.feedback.display_quality import SHARES
from rankscope.feedback.results import Results
from rankscope.feedback.summary import Summary, session_rows
from rankscope.reports.feedback import text_of, verdict

TOPICS, STARTS = 9, 3


def made_up(gains: dict[str, float], topics: int = TOPICS, seed: int = 0) -> Results:
    """Methods whose AP in round 1 is that of no feedback plus a gain, with a little noise."""
    chance = np.random.default_rng(seed)
    level = chance.uniform(0.3, 0.6, topics)
    rows = []
    for method, gain in {**gains, "no-feedback": 0.0}.items():
        for topic in range(topics):
            for start in range(1, STARTS + 1):
                for number in (0, 1):
                    value = level[topic] + number * gain + 0.01 * chance.random()
                    rows.append({"method": method, "topic": f"t{topic}", "assessor": "", "start": start, "seed": 0,
                                 "round": number, "list": "residual", "relevant": 5, "items": 50, "positives": 1,
                                 "negatives": 1, "AP": value, **dict.fromkeys(SHARES, value), "seconds": 0.0,
                                 "flag": "", "failed": ""})  # fmt: skip
    about = {"measures": ["AP"], "protocol": {"rounds": 1, "scope": 20, "scored": "residual"}, "user": "consistent",
             "start": "one_query", "items": 50, "seed": 0}  # fmt: skip
    return Results(pl.DataFrame(rows), about)


def test_every_topic_counts_the_same() -> None:
    results = made_up({"svm": 0.2})
    fewer = Results(results.frame.filter((pl.col("topic") != "t0") | (pl.col("start") == 1)), results.about)
    table = Summary(fewer, "AP").tables[1]
    whole = fewer.frame.filter((pl.col("round") == 1) & (pl.col("method") == "svm"))
    wanted = whole.group_by("topic").agg(pl.col("AP").mean()).sort("topic").get_column("AP").to_list()
    assert table.select("svm").values[:, 0] == pytest.approx(wanted)
    assert Summary(fewer, "AP").means("svm")[0][1] == pytest.approx(np.mean(wanted))


def test_words_say_who_is_better_and_where_feedback_hurts() -> None:
    lines = "\n".join(verdict(Summary(made_up({"svm": 0.2, "rocchio": -0.1}), "AP")))
    assert "svm is highest in the last round" in lines
    assert "better than every other method" in lines
    assert "against no feedback (family of 2 tests: 2 pairs of systems, Holm): feedback helps with svm." in lines
    assert "feedback hurts with rocchio (−.1" in lines
    assert "rocchio on 9 of 9" in lines


def test_what_no_test_supports_is_not_said() -> None:
    lines = "\n".join(verdict(Summary(made_up({"svm": 0.002, "rocchio": 0.0}), "AP")))
    assert "better than" not in lines
    assert "helps" not in lines
    assert "no difference from rocchio is shown" in lines
    assert "no difference is shown for svm and rocchio" in lines


def test_few_topics_show_nothing_and_it_is_said() -> None:
    lines = "\n".join(verdict(Summary(made_up({"svm": 0.2, "rocchio": -0.1}, topics=3), "AP")))
    assert "3 topics are too few to show more in a family of 1 test" in lines
    assert "hurts" not in lines


def test_the_text_has_every_method_and_control() -> None:
    results = made_up({"svm": 0.2})
    text = text_of(results)
    assert text.count("no-feedback") >= 3
    assert [row["method"] for row in session_rows(results)] == ["svm", "no-feedback"]
    assert "9 topics, 27 sessions of each method" in text
