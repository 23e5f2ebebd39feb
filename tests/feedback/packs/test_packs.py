"""Benchmark packs: what a file may say, the rule of the topics, runs that are stopped, and the stored reference."""

from __future__ import annotations

import colorsys
import hashlib
from pathlib import Path

import numpy as np
import pytest

from rankscope.commands.feedback import run_pack
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.images.image import Image
from rankscope.feedback.examples.items import Items, features_digest
from rankscope.feedback.methods import METHODS
from rankscope.feedback.packs.pack import (
    hue_saturation_value,
    labels_digest,
    pack_collection,
    pack_names,
    pack_topics,
    pooled,
    properties_of,
    property_values,
    read_pack,
)
from rankscope.feedback.packs.run import PackResult, case_plan, pack_text, ratio_of, stored_reference
from rankscope.feedback.study.findings import LABELS
from rankscope.feedback.study.results import load_results
from rankscope.feedback.study.sensitivity import mean_overlap, shared_topics
from rankscope.feedback.study.study import load_sessions, study
from rankscope.feedback.users.topics import Topics, sampling_units
from rankscope.reports.page.feedback_page import render_pack
from tests.feedback.problems import same_numbers
from tools.pack_rule import TopicRule

SMALL = """
[pack]
name = "small"
version = 3
title = "A small one"
[collection]
name = "icons"
[features]
descriptor = "hog"
[topics]
rule = "by hand"
elementary = ["pause"]
[study]
methods = ["rocchio", "query-point"]
measures = ["AP"]
starts = 2
rounds = 1
scope = 5
repeats = 1
examples = 3
[[cases]]
name = "plain"
[[cases]]
name = "pooled"
user = "noisy(0.1)"
start = "mixed(one_query, random_display)"
pool = 10
"""


def written(folder: Path, text: str = SMALL) -> Path:
    path = folder / "small.toml"
    path.write_text(text)
    return path


def vectors(folder: Path, seed: int = 0) -> Path:
    chance = np.random.default_rng(seed)
    labels = np.repeat(["red", "green"], 20)
    points = chance.normal(size=(40, 4)) + 3 * np.eye(4)[np.repeat(np.arange(2), 20)]
    np.savez(folder / "own.npz", features=points, labels=labels, ids=np.array([f"i{row}" for row in range(40)]))
    return folder / "own.npz"


def test_shipped_packs_are_whole() -> None:
    assert {"corel-composite", "icons-composite"} <= set(pack_names())
    for name in pack_names():
        pack = read_pack(name)
        stored = stored_reference(pack)
        assert stored is not None
        assert {each.topic for each in stored.baselines} == set(pack.topics)
        assert all(each.feasibility.feasible for each in stored.baselines)
        assert {each.method.rpartition(",")[0] for each in stored.results} == set(pack.study["methods"])
        assert pack.tables["topics"]["rule"] == str(TopicRule())
        assert f"version {pack.version}" in pack.citation
        assert hashlib.sha256(pack.text.rstrip("\n").encode()).hexdigest() == pack.digest


def test_topics_of_the_icons_are_those_of_the_rule() -> None:
    pack = read_pack("icons-composite")
    collection = pack_collection(pack)
    assert labels_digest(collection) == pack.tables["collection"]["labels"]
    have = properties_of(pack, collection)
    plain, composite = TopicRule().candidates(have, collection.classes, pack.reference)
    assert [each for each in plain if each in pack.topics] == pack.tables["topics"]["elementary"]
    assert [each for each in composite if each in pack.topics] == pack.tables["topics"]["composite"]
    topics = pack_topics(pack, pack.topics, have)
    assert len(topics) == len(pack.tables["topics"]["elementary"]) + 3 * len(pack.tables["topics"]["composite"])
    assert topics.given_gains is not None
    assert set(np.unique(topics.given_gains.round(6))) == {0.0, 0.5, 1.0}  # half of a composite topic is half


def test_all_that_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    text = SMALL.replace('"rocchio"', '"rochio"').replace("noisy(0.1)", "command(rm -rf x)").replace("pause", "a and")
    with pytest.raises(InputError) as told:
        read_pack(written(tmp_path, text))
    for words in ("no method 'rochio'", "may not start programs", "topic 'a and'"):
        assert words in str(told.value).replace("feedback method", "method")
    with pytest.raises(InputError, match="is missing") as told:
        read_pack(written(tmp_path, SMALL.replace("[features]", "[feature]")))
    assert "did you mean 'features'" in str(told.value)
    with pytest.raises(SettingError, match="did you mean 'icons-composite'"):
        read_pack("icon-composite")


ASSESSORS = (
    SMALL.replace(
        "[study]",
        """[assessors]
ann = { heavy = 0.1 }
ben = { heavy = 0.2 }
[study]""",
    )
    + """
[[cases]]
name = "assessors"
assessors = "all"
[[cases]]
name = "partial"
user = "partial(0.5)"
[[cases]]
name = "examples"
start = "examples(19, 19)"
[[cases]]
name = "deep"
pool = 40
"""
)


def test_cases_that_other_topics_cannot_make_are_left_out_and_a_citation_names_what_was_run(tmp_path: Path) -> None:
    pack, own = read_pack(written(tmp_path, ASSESSORS)), vectors(tmp_path)
    more = ["parzen", "rocchio"]
    out = tmp_path / "out"
    made = run_pack(tmp_path / "small.toml", own, output=out, methods=more, on="home", keep_sessions=True)
    assert [case.name for case, _ in made.cases] == ["plain", "pooled", "examples"]
    reasons = {case.name: why for case, why in made.left_out}
    assert reasons == {
        "assessors": "no topic has several assessors",
        "partial": "no item is relevant in part",
        "deep": "a pool of depth 40 holds every item",
    }
    assert not (tmp_path / "out" / "assessors.parquet").exists()
    text, page = pack_text(made), render_pack(made)
    assert text.startswith(
        "The study of pack small on another collection: own.npz\npack small 3: 40 items, 2 topics, 3"
    )
    for case, why in reasons.items():
        assert f"! case {case} is left out: {why}" in text
        assert f"case {case} is left out: {why}" in page
    features, topics = features_digest(made.problem.items)[:16], made.problem.topics.digest[:16]
    assert made.citation == (
        f"{pack.citation}; run on another collection, own.npz (features SHA-256 {features}, topics SHA-256 {topics}); "
        "without cases assessors, partial, deep; methods added: parzen"
    )
    assert f"Cite: {made.citation}" in text
    assert made.citation in page
    methods = [METHODS.parse(name) for name in ("rocchio", "query-point", "parzen")]
    for one, results in made.cases:
        kept = load_sessions(out / f"{one.name}.sessions.parquet")
        plan = case_plan(pack, made.problem, one, methods)
        assert same_numbers(results, study(plan.replaying(kept), on="home"))
    assert pack.title not in text + page  # which is that of its own collection
    assert pack.citation.startswith(f"rankscope pack small, version 3 (SHA-256 {pack.digest[:16]})")


def test_a_start_that_topics_cannot_have_leaves_its_case_out_and_no_case_is_an_error(tmp_path: Path) -> None:
    own, start = vectors(tmp_path), "mixed(one_query, random_display)"
    text = ASSESSORS.replace('name = "plain"', 'name = "plain"\nassessors = "all"').replace("19, 19", "20, 19")
    written(tmp_path, text.replace("pool = 10", "pool = 1000"))
    with pytest.raises(InputError) as told:
        run_pack(tmp_path / "small.toml", own, output=tmp_path / "out", on="home")
    for words in ("case plain: no topic has several assessors", "case examples: examples(20,19) cannot be drawn"):
        assert words in str(told.value)
    assert "None of its cases can be made" in str(told.value)
    assert start in text
    assert not list((tmp_path / "out").glob("*.parquet"))


def test_topics_that_share_a_class_are_one_sampling_unit() -> None:
    pack = read_pack("icons-composite")
    units = sampling_units({name: pack.classes_of(name) for name in pack.topics})
    assert len(units) == 19
    assert len({*units.values()}) == 11
    assert units["crop and heavy"] == units["crop and symmetric"] == units["crop"] == "crop"
    assert units["pause and heavy"] == "pause"  # heavy is no class
    chain = {"a": {"x"}, "b": {"y"}, "c": {"x", "y"}, "d": {"z"}}
    assert sampling_units({name: frozenset(own) for name, own in chain.items()}) == {
        "a": "a",
        "b": "a",
        "c": "a",
        "d": "d",
    }


def test_shares_of_one_class_are_not_counted_as_independent_topics() -> None:
    """Three topics of one class are one value: the interval of the ratio is that of the units."""
    thrice = [0.4, 0.4, 0.4, 0.6, 0.6, 0.6]
    units = ["a"] * 3 + ["b"] * 3
    made = ratio_of("x", thrice, [0.9, 1.1], units=(units, ["a", "b"]))
    assert (made.low, made.high) == pytest.approx(
        (ratio_of("x", [0.4, 0.6], [0.9, 1.1]).low, ratio_of("x", [0.4, 0.6], [0.9, 1.1]).high)
    )
    assert ratio_of("x", thrice, [0.9, 1.1]).low > made.low


def test_the_overlap_of_assessors_is_what_the_page_says() -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "benchmark-packs.md").read_text()
    pack = read_pack("icons-composite")
    topics = pack_topics(pack, pack.topics, properties_of(pack, pack_collection(pack)))
    overlaps = [mean_overlap(topics.named([name])) for name in shared_topics(topics)]
    words = f"targets overlap by {min(overlaps):.2f} to {max(overlaps):.2f} (icons)".replace(" 0.", " .")
    assert words == "targets overlap by .34 to .97 (icons)"
    assert words in page


@pytest.mark.thorough
def test_a_run_goes_on_where_it_was_stopped_with_the_same_result(tmp_path: Path) -> None:
    pack, own = written(tmp_path), vectors(tmp_path)
    whole = run_pack(pack, own, output=tmp_path / "whole", on="home")
    cut, kept = tmp_path / "cut", ("plain.parquet", "baselines.json")  # what a run had finished when it was stopped
    cut.mkdir()
    for name in kept:
        (cut / name).write_bytes((tmp_path / "whole" / name).read_bytes())
    before = (cut / "plain.parquet").stat().st_mtime_ns
    again = run_pack(pack, own, output=cut, on="home")
    assert (cut / "plain.parquet").stat().st_mtime_ns == before  # was not done again
    for (_, one), (_, other) in zip(whole.cases, again.cases, strict=True):
        assert same_numbers(one, other)
    assert (cut / "baselines.json").read_bytes() == (tmp_path / "whole" / "baselines.json").read_bytes()
    more = run_pack(pack, own, output=cut, methods=["parzen"], on="home")  # another plan is done anew
    assert "parzen" in load_results(cut / "plain.parquet").methods
    _check_words(more)


def _check_words(result: PackResult) -> None:
    text, page = pack_text(result), render_pack(result)
    assert LABELS in text
    assert "category labels serve as truth" in page
    assert "another collection" in text
    assert result.citation in text
    assert "Share of the items shown that nobody has judged" in text


def test_a_pack_without_its_pictures_says_where_they_may_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    with pytest.raises(SettingError, match=r"corel1k.*FOLDER --pack corel-composite"):
        run_pack("corel-composite", output=tmp_path / "out")


def test_a_pool_is_what_stands_first_in_five_rankings() -> None:
    chance = np.random.default_rng(0)
    items = Items.of(chance.normal(size=(40, 2)))
    topics = Topics.of({"a": np.arange(40) < 15})
    made = pooled(topics, items, 6)
    assert made.judged is not None
    assert not made.targets[~made.judged].any()
    assert np.array_equal(made.targets, topics.targets & made.judged)
    from rankscope.feedback.users.starts import OneQuery

    expected: set[int] = set()
    for query in OneQuery().drawn(topics, 5).query.tolist():
        apart = ((items.matrix - items.matrix[query]) ** 2).sum(axis=1)
        expected |= set(np.argsort(apart, kind="stable")[:6].tolist())
    assert set(np.flatnonzero(made.judged[0]).tolist()) == expected


def test_ratios_of_means_against_scipy_and_by_simulation() -> None:
    from scipy import stats

    a, b = np.array([0.4, 0.6, 0.5]), np.array([0.9, 1.1, 1.0, 0.8])
    made = ratio_of("x", a, b)
    parts = [a.var(ddof=1) / 3 / a.mean() ** 2, b.var(ddof=1) / 4 / b.mean() ** 2]
    nu = sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 3)
    half = stats.t.ppf(0.975, nu) * sum(parts) ** 0.5
    assert (made.low, made.high) == pytest.approx(
        (a.mean() / b.mean() * np.exp(-half), a.mean() / b.mean() * np.exp(half))
    )
    chance, held = np.random.default_rng(0), []
    for _ in range(600):
        one = ratio_of("x", chance.normal(0.6, 0.1, 20), chance.normal(0.8, 0.1, 20))
        held.append(one.low <= 0.75 <= one.high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)
    same = ratio_of("x", a, a)
    assert (same.ratio, same.low, same.high) == (1.0, 1.0, 1.0)


def test_colours_are_those_of_the_standard_library() -> None:
    pixels = np.random.default_rng(0).random((200, 3))
    hue, saturation, value = hue_saturation_value(pixels)
    others = np.array([colorsys.rgb_to_hsv(*pixel) for pixel in pixels.tolist()])
    assert np.column_stack([hue / 360, saturation, value]) == pytest.approx(others, abs=1e-12)


def test_form_by_hand() -> None:
    one_side = np.full((4, 4), 255, np.uint8)
    one_side[:, 0] = 0
    both = one_side.copy()
    both[:, 3] = 0
    made = property_values([lambda: Image.of(one_side), lambda: Image.of(both)], ["heavy", "symmetric"])
    assert made["symmetric"].tolist() == [0.0, 1.0]
    assert made["heavy"][0] == 0.25
    with pytest.raises(SettingError, match="no property 'pink'"):
        property_values([], ["pink"])
