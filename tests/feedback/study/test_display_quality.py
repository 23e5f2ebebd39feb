from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.feedback.study.loop import trace_displays

TRACE = {
    "actual precision": [0.4, 0.6, 0.8],
    "actual recall": [1 / 3, 0.5, 2 / 3],
    "new precision": [0.4, 0.2, 0.2],
    "new precision of unseen": [0.4, 0.5, 0.5],
    "new recall": [1 / 3, 1 / 6, 1 / 6],
    "new recall of the rest": [1 / 3, 0.25, 1 / 3],
    "cumulative precision": [0.4, 3 / 7, 4 / 9],
    "cumulative recall": [1 / 3, 0.5, 2 / 3],
}


@pytest.mark.parametrize("name", TRACE)
def test_the_trace_of_three_displays(name: str) -> None:
    qualities = trace_displays(["aXYbZ", "abcWZ", "abcdV"], list("abcdef"))
    assert [each.shares()[name][0] for each in qualities] == pytest.approx(TRACE[name], abs=1e-12)


displays = st.lists(st.sets(st.sampled_from("abcdefghij"), min_size=1, max_size=4).map("".join), min_size=1, max_size=5)


@given(displays, st.sets(st.sampled_from("abcdefghij"), min_size=1))
def test_cumulative_recall_is_the_sum_of_new_recalls(shown: list[str], target: set[str]) -> None:
    qualities = trace_displays(shown, sorted(target), scope=4)
    new = np.cumsum([each.shares()["new recall"][0] for each in qualities])
    assert [each.shares()["cumulative recall"][0] for each in qualities] == pytest.approx(new)


@given(displays, st.sets(st.sampled_from("abcdefghij"), min_size=1))
def test_every_share_is_what_sets_say(shown: list[str], target: set[str]) -> None:
    seen: set[str] = set()
    for display, result in zip(shown, trace_displays(shown, sorted(target), scope=4), strict=True):
        new, shares = set(display) - seen, result.shares()
        rest = target - seen
        seen |= new
        assert shares["actual precision"][0] == len(set(display) & target) / 4
        assert shares["new precision"][0] == len(new & target) / 4
        assert shares["cumulative precision"][0] == pytest.approx(len(seen & target) / len(seen))
        unseen = shares["new precision of unseen"][0]
        assert unseen == pytest.approx(len(new & target) / len(new)) if new else np.isnan(unseen)
        left = shares["new recall of the rest"][0]
        assert left == pytest.approx(len(new & rest) / len(rest)) if rest else np.isnan(left)


def test_a_short_display_keeps_the_scope_as_divisor() -> None:
    assert trace_displays(["ab"], ["a"], scope=5)[0].shares()["actual precision"].tolist() == [0.2]
