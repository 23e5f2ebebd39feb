"""`rankscope forecast` and `rankscope estimate` as people call them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.ranks.storage import save_ranks
from tests.analysis.forecast.collections import drawn


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Judgements and a run: 40 queries, 300 items each, scores drawn at random."""
    random = np.random.default_rng(0)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "dense.run"
    judged, listed = [], []
    for query in range(40):
        scores = random.normal(0, 1, 300) + np.where(np.arange(300) < 5, 2.5, 0)
        judged += [f"q{query} 0 d{item} 1" for item in range(5)]
        listed += [f"q{query} Q0 d{item} 0 {score:.6f} dense" for item, score in enumerate(scores)]
    qrels.write_text("\n".join(judged) + "\n")
    run.write_text("\n".join(listed) + "\n")
    return str(qrels), str(run)


def said(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_run_is_forecast_with_everything_that_must_be_said(files: tuple[str, str]) -> None:
    text = said("forecast", *files, "--to", "4x", "--collection-size", "300")
    assert "from 300 to 1,200 items (4 times), 40 queries; 90% intervals" in text
    assert "pareto(16)" in text
    assert "error at 4x" in text
    assert "these queries" in text
    assert "all such queries" in text
    assert "Rprec, AP, P@10, R@10 by pareto(16): scores of the hits and of the best distractors" in text
    assert "The forecast holds only if" in text
    assert "does not depend on which other items are there" in text


def test_a_list_without_scores_gets_a_rank_model_and_says_why(files: tuple[str, str], tmp_path: Path) -> None:
    lists: dict[str, list[tuple[float, str]]] = {}
    for line in Path(files[1]).read_text().splitlines():
        query, _, item, _, score, _ = line.split()
        lists.setdefault(query, []).append((-float(score), item))
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps({query: [item for _, item in sorted(rows)] for query, rows in lists.items()}))
    asked = ("--to", "4x", "--collection-size", "300", "-m", "AP")
    text = said("forecast", files[0], str(plain), *asked)
    assert "AP by between: ranks alone, because the run gives an order, no scores" in text
    saved = str(tmp_path / "plain.ranks.parquet")
    said("evaluate", files[0], str(plain), "-o", saved, "--collection-size", "300")
    assert "by between: ranks alone, because the run gives an order, no scores" in said("forecast", saved, *asked[:2])


def test_classes_are_named_as_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "classes.ranks.parquet"
    result = drawn(queries=30, distractors=200)
    names = tuple(f"c{row // 3}" for row in range(30))
    save_ranks(replace(result, classes=names, provenance={"judgements": {"complete": True}}), path)
    text = said("forecast", str(path), "--to", "2x", "-m", "AP")
    assert "30 queries of 10 classes, the sampling units; 90% intervals" in text


def test_programs_get_json(files: tuple[str, str]) -> None:
    whole = json.loads(
        said("forecast", *files, "--to", "600", "--collection-size", "300", "-m", "Rprec,AP", "--format", "json")
    )
    assert whole["format"] == "rankscope.forecast"
    assert whole["target"] == 600
    assert [row["measure"] for row in whole["measures"]] == ["Rprec", "AP"]
    assert whole["backtest"]
    assert whole["version"] == 3
    assert whole["other_queries"] == "all"
    assert whole["models"] == ["Rprec, AP by pareto(16): scores of the hits and of the best distractors"]
    assert whole["measures"][0]["these queries low"] > whole["measures"][0]["all such queries low"]
    assert whole["measures"][0]["all such queries low"] > whole["measures"][0]["another set low"]
    assert whole["assumptions"]


def test_the_wider_interval_is_for_the_mean_over_all_queries_or_for_another_set(files: tuple[str, str]) -> None:
    asked = ("forecast", *files, "--to", "4x", "--collection-size", "300", "-m", "AP")
    row = json.loads(said(*asked, "--format", "json"))["measures"][0]
    for option, of, column, low in (
        ((), "the mean over all such queries", "all such queries", row["all such queries low"]),
        (("--other-queries", "another-set"), "another set of 40 queries", "another set", row["another set low"]),
    ):
        text = said(*asked, *option)
        assert f"90% intervals for these queries and for {of}, seed" in text
        assert column in text
        assert f"{low:.3f} to " in text


def test_the_back_test_of_every_model_is_shown_if_asked(files: tuple[str, str]) -> None:
    text = said("forecast", *files, "--to", "2x", "--collection-size", "300", "-m", "Rprec", "--backtest")
    assert all(name in text for name in ("pareto(8)", "tail(5)", "trend", "jeffreys"))


def test_saved_ranks_need_no_judgements(tmp_path: Path) -> None:
    path = tmp_path / "icons.ranks.parquet"
    save_ranks(drawn(queries=30, distractors=200), path)
    assert "pareto" in said("forecast", str(path), "--to", "2x", "-m", "Rprec")


def test_an_unknown_collection_size_is_an_error(files: tuple[str, str]) -> None:
    with pytest.raises(RankscopeError, match="--collection-size D"):
        said("forecast", *files, "--to", "4x")


def test_one_system_at_a_time(files: tuple[str, str]) -> None:
    with pytest.raises(SettingError, match="one system"):
        said("forecast", *files, files[1], "--to", "4x")


def test_too_far_needs_force(files: tuple[str, str]) -> None:
    arguments = ("forecast", *files, "--to", "50x", "--collection-size", "300", "-m", "Rprec")
    with pytest.raises(SettingError, match="too far"):
        said(*arguments)
    assert "! 50 times is beyond 32 times" in said(*arguments, "--force")


ESTIMATE = ("estimate", "--collection-size", "20000")


def test_an_estimate_from_a_judged_sample() -> None:
    text = said(*ESTIMATE, "--scope", "100", "--hits", "6", "--judged", "500", "--found", "3")
    assert "125.400000" in text
    assert "350.000000" in text
    assert "method: hypergeometric" in text


def test_an_estimate_as_json_has_null_for_what_is_not_known() -> None:
    whole = json.loads(said(*ESTIMATE, "--scope", "100", "--hits", "6", "--format", "json"))
    by_name = {row["quantity"]: row for row in whole["rows"]}
    assert by_name["recall"]["estimate"] is None
    assert by_name["recall"]["certain low"] == pytest.approx(0.000301417, abs=5e-10)


def test_how_many_items_to_judge() -> None:
    assert "11,987" in said(*ESTIMATE, "--needed", ".2", "--relevant", "64")
    with pytest.raises(SettingError, match="belong together"):
        said(*ESTIMATE, "--needed", ".2")
