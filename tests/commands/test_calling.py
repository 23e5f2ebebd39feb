"""Public functions name all that they take, and say what was probably meant where a name is wrong."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.commands.feedback_questions import QUESTIONS
from rankscope.core.errors import RankscopeError, SettingError, UnknownSetting
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Stroke
from tests.commands.results import BAD, FEATURES, GOOD, LABELS, QRELS, RUNS, VECTORS, of

FUNCTIONS = [name for name in rankscope.__all__ if inspect.isfunction(getattr(rankscope, name))]
OPEN = {"graph": "options", "ask_feedback": "options"}  # what the kind of graph and the question take
EVERY_KIND = (*graphs.KINDS.own_names(), *graphs.FEEDBACK_KINDS.own_names())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_signature_names_every_parameter(name: str) -> None:
    signature = inspect.signature(getattr(rankscope, name))
    packed = [
        each.name for each in signature.parameters.values() if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    assert packed == ([OPEN[name]] if name in OPEN else [])
    assert signature.return_annotation is not inspect.Signature.empty
    shown = pydoc.plain(pydoc.render_doc(getattr(rankscope, name)))
    assert inspect.getdoc(getattr(rankscope, name)).splitlines()[0] in shown  # type: ignore[union-attr]
    assert all(each in shown for each in signature.parameters)


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_name_every_parameter_too(name: str) -> None:
    kinds = {each.kind for each in inspect.signature(QUESTIONS[name]).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_kind_of_graph_is_called_and_explained_like_a_function(name: str) -> None:
    kind = (graphs.KINDS if name in graphs.KINDS else graphs.FEEDBACK_KINDS).find(name)
    assert list(inspect.signature(kind).parameters) == list(kind.parameters)
    assert inspect.getdoc(kind) == kind.text
    assert repr(kind).startswith(f"{name.replace('-', '_')}_graph(")
    assert kind.text.splitlines()[0] in pydoc.plain(pydoc.render_doc(kind))


def test_choices_that_are_not_given_are_those_of_the_signature() -> None:
    """A default that is shown must change nothing when it is given."""
    shown = {name: each.default for name, each in inspect.signature(rankscope.evaluate).parameters.items()}
    given = {name: value for name, value in shown.items() if name not in ("qrels", "runs", "measures")}
    assert rankscope.evaluate(QRELS, GOOD, "AP", **given)["AP"] == rankscope.evaluate(QRELS, GOOD, "AP")["AP"]
    shown = {name: each.default for name, each in inspect.signature(rankscope.simulate_feedback).parameters.items()}
    given = {name: shown[name] for name in ("rel", "similarity", "also", "scaling", "groups", "log", "field")}
    study: dict[str, Any] = {"methods": "rocchio", "starts": 1, "rounds": 1, "scope": 5, "on": "home"}
    again = rankscope.simulate_feedback(VECTORS, LABELS, **study, **given)
    assert again.frame.drop("seconds").equals(of("simulate_feedback").frame.drop("seconds"))


def test_a_wrong_keyword_is_a_type_error_as_everywhere_in_python() -> None:
    with pytest.raises(TypeError, match="did you mean 'measures'"):
        rankscope.evaluate(QRELS, GOOD, measure="AP")  # type: ignore[call-arg]
    with pytest.raises(SettingError) as caught:
        rankscope.fuse([GOOD, BAD], metod="rrf", nrom="none")  # type: ignore[call-arg]
    assert len(caught.value.problems) == 2
    assert isinstance(caught.value, UnknownSetting)


MEANT: dict[str, tuple[str, Callable[[], object]]] = {  # what was meant, and what was written
    "a function": ("evaluate", lambda: rankscope.evalute),  # type: ignore[attr-defined]
    "a graph function": ("precision_recall_graph", lambda: graphs.precision_recal_graph),  # type: ignore[attr-defined]
    "a class of measures": ("nDCG", lambda: rankscope.measures.nDCQ),  # type: ignore[attr-defined]
    "a function of a package": ("compare", lambda: rankscope.analysis.compair),  # type: ignore[attr-defined]
    "a measure": ("nDCG", lambda: rankscope.evaluate(QRELS, GOOD, "nDGC@10")),
    "a measure of scores": ("Rprec", lambda: of("evaluate")["old", "Rperc"]),
    "a system of scores": ("old", lambda: of("evaluate")["odl", "AP"]),
    "a measure to compare by": ("nDCG", lambda: rankscope.compare(of("evaluate"), "nDGC@10")),
    "a baseline": ("old", lambda: rankscope.compare(of("evaluate"), baseline="odl")),
    "a system of a table": ("new", lambda: of("ScoreTable").select("nwe")),
    "a measure of a table": ("Rprec", lambda: rankscope.ScoreTable.of(of("evaluate"), "Rperc")),
    "a system of a suite": ("new", lambda: of("suite").main.system("nwe")),
    "a measure of a forecast": ("Rprec", lambda: of("forecast_growth")["Rpre"]),
    "a coefficient": ("alpha, nominal", lambda: of("agreement").together["alpha nominal"]),
    "an assessor": ("a", lambda: rankscope.agreement({"anna": QRELS, "bob": QRELS}).between("ana", "bob")),
    "a query": ("q11", lambda: rankscope.explain_query(QRELS, GOOD, "q11x")),
    "a setting": ("given", lambda: rankscope.evaluate(QRELS, GOOD, ties="gvien")),
    "a kind of graph": ("precision-recall", lambda: rankscope.graph("precison-recall", QRELS, GOOD)),
    "an option of a graph": ("way", lambda: rankscope.graph("grip", QRELS, GOOD, wya="bins")),
    "an option of a graph function": ("way", lambda: graphs.grip_graph(of("rank"), wya="bins")),  # type: ignore[call-arg]
    "a correction": ("holm", lambda: rankscope.compare(of("evaluate"), correction="hulm")),
    "a test": ("tukey", lambda: rankscope.compare(of("evaluate"), tests=["tuky"])),
    "a fusion": ("rrf", lambda: rankscope.fuse([GOOD, BAD], "rff")),
    "a normalization": ("min-max", lambda: rankscope.fuse([GOOD, BAD], norm="minmax")),
    "a distance": ("cosine", lambda: rankscope.rank(VECTORS, LABELS, metric="cosin")),
    "a feedback method": ("rocchio", lambda: rankscope.simulate_feedback(VECTORS, LABELS, methods="rochio")),
    "a question": ("stability", lambda: rankscope.ask_feedback("stabilty", FEATURES)),
    "an option of a question": ("methods", lambda: rankscope.ask_feedback("stability", FEATURES, metods="svm")),
    "a collection": ("icons", lambda: rankscope.simulate_feedback("icosn")),
    "a user": ("noisy", lambda: rankscope.score_user(QRELS, "nosy(0.2)")),
    "a similarity": ("bm25", lambda: rankscope.search(of("index"), "wing", similarity="bm52")),
    "a growth model": ("pareto", lambda: rankscope.forecast_growth(of("rank"), to="4x", model="paretto")),
    "a peer": ("trec_eval-9", lambda: rankscope.evaluate(QRELS, GOOD, compat="trec_evl-9")),
    "a theme": ("dark", lambda: of("graph").save("never.svg", theme="drak")),
}


@pytest.mark.parametrize("case", MEANT)
def test_a_wrong_name_gets_what_was_meant(case: str) -> None:
    meant, write = MEANT[case]
    with pytest.raises((RankscopeError, AttributeError, KeyError, TypeError)) as caught:
        write()
    assert "did you mean '" in str(caught.value)
    assert meant in str(caught.value).partition("did you mean '")[2].partition("'")[0]


def test_graph_functions_take_scores_and_ranks_in_every_shape() -> None:
    scores = of("evaluate")
    expected = graphs.precision_recall_graph(list(scores.ranks))
    ranks = {name: rankscope.reduce(QRELS, run) for name, run in RUNS.items()}
    for systems in (scores, scores.ranks, list(scores.systems), ranks):
        graph = graphs.precision_recall_graph(systems)
        assert graph.series == expected.series == ("old", "new")
        for mark, other in zip(graph.marks, expected.marks, strict=True):
            if isinstance(mark, Stroke) and isinstance(other, Stroke):
                assert np.array_equal(mark.y, other.y)
    for name in ("band", "per-query-differences", "precision-scope", "rank-intervals"):
        assert repr(graphs.by_name(name)(scores)) == repr(rankscope.graph(name, QRELS, RUNS))
        assert repr(rankscope.graph(name, scores)) == repr(rankscope.graph(name, ranks))


@pytest.mark.parametrize("wrong", [GOOD, rankscope.Run.of(GOOD), "bm25.run", [GOOD], 7])
def test_a_graph_function_says_what_it_needs(wrong: Any) -> None:
    with pytest.raises(SettingError, match=r"rankscope.graph\('grip', qrels, runs\)"):
        graphs.grip_graph(wrong)


def test_scores_and_files_are_compared_alike(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{q} 0 {item} {grade}\n" for q, items in QRELS.items() for item, grade in items.items()))
    for measures in ("AP", ["nDCG@10", "AP"], ["P@1", "AP"]):  # P@1 was not among those evaluated
        expected = rankscope.compare(qrels, RUNS, measures)
        for again in (
            rankscope.compare(of("evaluate"), measures),
            rankscope.compare(of("evaluate"), measures=measures),
        ):
            assert [one.pairs for one in again.measures] == [one.pairs for one in expected.measures]
            assert again.to_markdown() == expected.to_markdown()
    everything = rankscope.compare(qrels, RUNS, ["AP", "nDCG@10", "P@10", "RR", "Rprec"])
    assert rankscope.compare(of("evaluate")).to_markdown() == everything.to_markdown()
    assert rankscope.gate(of("evaluate"), "RR").checks == rankscope.gate(QRELS, RUNS, "RR").checks


def test_scores_that_are_there_take_no_settings_any_more() -> None:
    scores = of("evaluate")
    with pytest.raises(SettingError, match="the scores are there already"):
        rankscope.compare(scores, rel=2)
    with pytest.raises(SettingError, match="the scores are there already"):
        rankscope.compare(scores, RUNS, "AP")
    assert rankscope.compare(scores, seed=3).seed == 3


def test_every_verb_that_reads_ranks_takes_scores() -> None:
    ranked = rankscope.evaluate(of("rank"), measures="AP")
    assert rankscope.homogeneity(ranked).keys() == {"nearest"}
    assert rankscope.forecast_growth(ranked, to="4x", force=True).target == of("forecast_growth").target
    one = rankscope.evaluate(QRELS, GOOD, collection_size=100)
    assert rankscope.explain_query(one, query="q1").scopes == of("explain_query").scopes
    assert rankscope.evaluate(ranked, measures="RR")["RR"] == rankscope.evaluate(of("rank"), measures="RR")["RR"]
