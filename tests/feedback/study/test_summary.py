from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.wording import decimal_text
from rankscope.feedback.study.findings import further_findings, study_text, study_verdicts, study_warnings
from rankscope.feedback.study.loop import SHARES
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import Summary, compare_methods, session_rows

TOPICS, STARTS = 9, 3


def made_up(gains: dict[str, float], topics: int = TOPICS, seed: int = 0, measure: str = "AP") -> Results:
    """Methods whose AP in round 1 is that of no feedback plus a gain, with a little noise."""
    chance = np.random.default_rng(seed)
    level = chance.uniform(0.3, 0.6, topics)
    rows = []
    for method, gain in {**gains, "no-feedback": 0.0}.items():
        for topic in range(topics):
            for start in range(1, STARTS + 1):
                for number in (0, 1):
                    value = level[topic] + number * gain + 0.01 * chance.random()
                    rows.append(
                        {
                            "method": method,
                            "topic": f"t{topic}",
                            "assessor": "",
                            "start": start,
                            "seed": 0,
                            "round": number,
                            "list": "frozen",
                            "relevant": 5,
                            "items": 50,
                            "positives": 1,
                            "negatives": 1,
                            measure: value,
                            **dict.fromkeys(SHARES, value),
                            "tied": 0,
                            "ranking": int(1e15 * value),
                            "seconds": 0.0,
                            "flag": "",
                            "failed": "",
                        }
                    )
    about = {
        "measures": [measure],
        "protocol": {"rounds": 1, "scope": 20, "scored": "frozen"},
        "user": "consistent",
        "start": "one_query",
        "items": 50,
        "seed": 0,
    }
    return Results(pl.DataFrame(rows), about)


def words(results: Results) -> str:
    return "\n".join([*study_verdicts(results), *further_findings(results)])


def test_means_and_intervals_are_those_of_every_command() -> None:
    results = made_up({"svm": 0.2})
    fewer = Results(results.frame.filter((pl.col("topic") != "t0") | (pl.col("start") == 1)), results.about)
    own = fewer.frame.filter((pl.col("round") == 1) & (pl.col("method") == "svm"))
    wanted = mean_intervals(own.get_column("AP").to_numpy()[:, None], own.get_column("topic").to_list())
    mean, low, high = Summary(fewer, "AP").means("svm")
    assert (mean[1], low[1], high[1]) == pytest.approx((wanted.mean[0], wanted.low[0], wanted.high[0]))
    assert mean[1] == pytest.approx(own.get_column("AP").mean())


def test_of_one_topic_and_one_method_no_interval_is_made_and_that_is_said() -> None:
    results = made_up({"svm": 0.2})
    one = Results(results.frame.filter(pl.col("topic") == "t0"), results.about)
    text = study_text(one)
    assert "nan" not in text
    assert "No 95% intervals: 1 topic.\n" in text
    assert re.search(r"^svm: 0?\.\d+ AP in the last round\.$", text, re.MULTILINE)
    assert "1 topic cannot make any difference significant" in text
    assert "95% intervals: bounded (fewer than 25 topics); 9 topics" in study_text(results)


def test_words_say_what_decides_who_is_better_and_where_feedback_hurts() -> None:
    results = made_up({"svm": 0.2, "rocchio": -0.1})
    lines = words(results)
    assert lines.startswith("Decided by AP of the frozen list")
    assert "It decides alone; cumulative recall is secondary." in lines
    comparison = compare_methods(results)
    assert comparison is not None
    told = verdict_sentences(comparison)[0]
    assert told.endswith("(27 queries of 9 classes, p = .004).")
    assert told.replace("queries", "sessions").replace("classes", "topics") in lines
    assert "svm is significantly better than rocchio by .3" in lines
    assert "Against no feedback, by AP: feedback helps with svm." in lines
    assert "Against no feedback, by AP: feedback hurts with rocchio (−.1" in lines
    assert "rocchio on 9 of 9" in lines


def test_of_three_methods_the_secondary_quantity_is_said_to_be_so() -> None:
    lines = words(made_up({"svm": 0.2, "rocchio": -0.1, "parzen": -0.2}))
    assert "By cumulative recall (secondary): svm is highest" in lines
    assert "better than every other method" in lines


def test_what_no_test_supports_is_not_said() -> None:
    lines = words(made_up({"svm": 0.002, "rocchio": 0.0}))
    assert "is better" not in lines
    assert "helps" not in lines
    assert "No significant difference in AP" in lines
    assert "no significant difference for svm and rocchio" in lines


def test_what_few_topics_can_show_is_said_where_methods_are_not_distinguished() -> None:
    """The difference of which 80 % of experiments tell, and what so few topics may lack; limits are of the tests."""
    results = made_up({"svm": 0.002, "rocchio": 0.0, "parzen": 0.001})
    comparison = compare_methods(results)
    assert comparison is not None
    best = comparison.main.order[0]
    open_to = [pair for pair in comparison.main.pairs if best in (pair.first, pair.second) and not pair.better]
    sizes = sorted(comparison.main.detectable(pair) for pair in open_to)
    span = f"{decimal_text(sizes[0])} to {decimal_text(sizes[-1])}, pair by pair," if len(sizes) > 1 else ""
    lines = words(results)
    assert f"9 topics show a true difference of {span or decimal_text(sizes[0])} between {best}" in lines
    assert "if 1 in 20 topics gains or loses much, a sample of 9 lacks all of these in 63 % of cases" in lines
    for pair in comparison.main.pairs:
        assert (pair.low <= 0 <= pair.high) == (not pair.better)


def test_few_topics_show_nothing_and_it_is_said() -> None:
    lines = words(made_up({"svm": 0.2, "rocchio": -0.1}, topics=3))
    assert "3 topics cannot make any difference significant" in lines
    assert "hurts" not in lines


def test_where_less_is_better_the_least_is_best() -> None:
    results = made_up({"svm": 0.2, "rocchio": -0.1}, measure="ER")
    lines = words(results)
    assert Summary(results, "ER").ordered == ("rocchio", "svm")
    assert "rocchio is significantly better than svm by .3" in lines
    assert "by ER: feedback helps with rocchio." in lines
    assert "svm on 9 of 9" in lines


def test_methods_that_rank_alike_are_compared_once_and_it_is_said() -> None:
    results = made_up({"svm": 0.2, "retin": 0.2, "rocchio": -0.1})
    twin = results.frame.filter(pl.col("method") == "svm").with_columns(method=pl.lit("retin"))
    same = Results(pl.concat([results.frame.filter(pl.col("method") != "retin"), twin]), results.about)
    assert same.alike() == (("svm", "retin"),)
    comparison = compare_methods(same)
    assert comparison is not None
    assert comparison.systems == ("svm", "rocchio")
    assert "! retin ranked as svm did in every round of all 27 sessions: compared once, as svm" in study_warnings(same)
    assert not results.alike()


def test_a_session_counts_in_every_round_or_in_none() -> None:
    results = made_up({"svm": 0.2})
    gone = (pl.col("method") == "svm") & (pl.col("topic") == "t0") & (pl.col("round") == 1)
    frame = results.frame.with_columns(AP=pl.when(gone).then(float("nan")).otherwise(pl.col("AP")))
    summary = Summary(Results(frame, results.about), "AP")
    rest = results.frame.filter((pl.col("method") == "svm") & (pl.col("topic") != "t0") & (pl.col("round") == 0))
    assert summary.means("svm")[0][0] == pytest.approx(rest.get_column("AP").mean())
    assert [row["sessions"] for row in summary.round_rows()] == [24, 27]


def test_the_text_has_every_method_and_control() -> None:
    results = made_up({"svm": 0.2})
    text = study_text(results)
    assert text.count("no-feedback") >= 3
    assert [row["method"] for row in session_rows(results)] == ["svm", "no-feedback"]
    assert "9 topics, 27 sessions of each method" in text
    assert "svm: .6" in text  # one method has nobody to be compared with


def test_a_median_counts_the_sessions_that_never_come_so_far() -> None:
    results = made_up({"svm": 0.2})
    rare = pl.when(pl.col("topic") == "t0").then(0.9).otherwise(0.1)
    frame = results.frame.with_columns(pl.when(pl.col("method") == "svm").then(rare).alias("cumulative recall"))
    (row, _) = session_rows(Results(frame, results.about))
    assert row["reach recall 0.5"] == pytest.approx(1 / 9)
    assert np.isnan(float(str(row["median round"])))
