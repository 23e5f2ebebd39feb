"""The figures of the descriptors on a thousand photos: a sample of `python -m benchmarks descriptors`."""

from __future__ import annotations

import pytest

from rankscope.core.settings import Settings
from rankscope.engines.images.describing import Outcome, describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.picture_folders import LabelledPicture, pictures_in
from rankscope.engines.nearest import nearest_ranks
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from tests.data import data_folder

EXACT = (0.00005, 0.00005, 0.0005, 0.00005)
CLOSE = (0.003, 0.003, 0.008, 0.003)
FUZZY = (0.010, 0.010, 0.015, 0.010)
FIGURES = {  # MAP, P@10, ER, ANMRR
    "rgb-histogram": ((0.4912, 0.7114, 0.202, 0.4204), EXACT),
    "opponent-histogram(bins=4)": ((0.4317, 0.6092, 0.299, 0.4678), CLOSE),
    "colour-layout": ((0.4007, 0.5573, 0.376, 0.5028), CLOSE),
    "scalable-colour": ((0.5474, 0.7614, 0.141, 0.3724), CLOSE),
    "edge-histogram": ((0.4058, 0.5673, 0.333, 0.5086), CLOSE),
    "cedd": ((0.5158, 0.7310, 0.177, 0.3960), FUZZY),
    "hog": ((0.3086, 0.4861, 0.400, 0.6096), FUZZY),
}
METRICS = {"opponent-histogram(bins=4)": "l1"}


@pytest.fixture(scope="module")
def photos() -> list[LabelledPicture]:
    folder = data_folder("corel1k")
    return pictures_in(folder / "images", folder / "labels.csv")[0]


@pytest.fixture(scope="module")
def described(photos: list[LabelledPicture]) -> Outcome:
    return describe([photo.path for photo in photos], [DESCRIPTORS.parse(text) for text in FIGURES])


@pytest.mark.thorough
@pytest.mark.parametrize("name", FIGURES)
def test_a_thousand_photos_give_the_figures_of_the_specification(
    name: str, photos: list[LabelledPicture], described: Outcome
) -> None:
    vectors = next(each for each in described.described if str(each.descriptor) == name)
    ids, labels = [photo.id for photo in photos], [photo.label for photo in photos]
    ranks = nearest_ranks(vectors.features, labels, METRICS.get(name, vectors.metric), ids=ids)
    scores = evaluate_ranks([ranks], ["AP", "P@10", "ER", "NMRR"], Settings())
    expected, tolerance = FIGURES[name]
    for measure, value, room in zip(("AP", "P@10", "ER", "NMRR"), expected, tolerance, strict=True):
        assert scores[measure] == pytest.approx(value, abs=room), measure
