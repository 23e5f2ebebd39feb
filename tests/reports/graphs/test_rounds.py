from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.study.summary import Summary
from rankscope.reports.graphs import FEEDBACK
from rankscope.reports.graphs.feedback import rounds_graph
from rankscope.reports.graphs.graph import Stroke
from tests.feedback.study.test_summary import made_up
from tests.reports.graphs.recording import RecordingCanvas

RESULTS = made_up({"svm": 0.2, "rocchio": -0.1})


def test_every_method_has_a_curve_and_a_band_around_it() -> None:
    graph = rounds_graph(RESULTS, "AP")
    curves = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    assert [mark.name for mark in curves] == ["svm", "rocchio", "no-feedback"]
    assert {mark.name for mark in graph.marks if mark.role == "band"} == {"svm", "rocchio", "no-feedback"}
    mean, low, high = Summary(RESULTS, "AP").means("svm")
    assert np.array_equal(curves[0].y, mean)
    assert (low <= mean).all()
    assert (mean <= high).all()


def test_of_many_methods_the_best_and_no_feedback_have_bands() -> None:
    graph = rounds_graph(made_up({f"method {number}": number / 50 for number in range(9)}), "AP")
    assert len([mark for mark in graph.marks if mark.role == "curve"]) == 8
    assert {mark.name for mark in graph.marks if mark.role == "band"} == {"method 8", "no-feedback"}


def test_methods_that_are_not_drawn_are_named() -> None:
    results = made_up({f"method {number}": number / 50 for number in range(9)})
    last = {name: Summary(results, "AP").means(name)[0][-1] for name in results.methods}
    told = rounds_graph(results, "AP").subtitle
    assert told.endswith(f"; not drawn: method 1 ({last['method 1']:.2f}), method 0 ({last['method 0']:.2f})")
    assert "not drawn" not in rounds_graph(RESULTS).subtitle
    assert f"not drawn: rocchio ({Summary(RESULTS, 'AP').means('rocchio')[0][-1]:.2f})" in (
        rounds_graph(RESULTS, methods=["svm"]).subtitle
    )


def test_what_decides_is_drawn_unless_told() -> None:
    assert rounds_graph(RESULTS).title == "AP as feedback goes on"
    canvas = RecordingCanvas()
    rounds_graph(RESULTS).draw(canvas)
    assert canvas.marks


def test_what_is_not_in_the_study_is_refused() -> None:
    with pytest.raises(SettingError, match="there are svm"):
        rounds_graph(RESULTS, methods=["parzen"])
    with pytest.raises(SettingError, match="the study has no"):
        rounds_graph(RESULTS, "nDCG")


def test_the_kind_is_registered_with_those_of_feedback() -> None:
    assert rounds_graph in FEEDBACK
