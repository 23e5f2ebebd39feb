"""The page on adding a method shows the file that is in use, and its faster form is right."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.feedback import Examples, Items
from rankscope.feedback.examples.geometry import means
from rankscope.feedback.methods import CentroidDifference, centroid_difference
from tests.feedback.methods.drawn import drawn_from

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "add-a-feedback-method.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def test_the_example_is_the_file_and_under_forty_lines() -> None:
    text = Path(centroid_difference.__file__).read_text(encoding="utf-8")
    assert BLOCKS[0] == text
    assert len(text.splitlines()) < 40


def test_the_faster_form_gives_the_same_scores() -> None:
    names: dict[str, Any] = {"Items": Items, "Examples": Examples, "means": means, "FloatArray": Any}
    exec(textwrap.dedent(BLOCKS[1]), names)
    drawn = drawn_from(0, sessions=5, plain=True)
    result = names["score_many"](None, drawn.items, drawn.examples)
    np.testing.assert_allclose(result, CentroidDifference().scores(drawn.items, drawn.examples).values, atol=1e-12)
