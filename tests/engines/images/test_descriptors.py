"""What holds for every descriptor: length, finite values, text, distance."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.core.errors import SettingError
from rankscope.engines.images import descriptors
from rankscope.engines.images.descriptors import DESCRIPTORS, Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.nearest.metrics import space_of
from tests.engines.images.examples import EVERY, ODD, VARIANTS, noise

SIDE = st.integers(1, 40)
QUICK = tuple(each for each in EVERY if each.name not in ("gist", "zernike", "angular-radial"))


@pytest.mark.parametrize("descriptor", EVERY, ids=str)
@pytest.mark.parametrize("picture", ODD)
def test_an_odd_picture_has_finite_values_and_the_right_number_of_them(descriptor: Descriptor, picture: str) -> None:
    vector = descriptor.of(ODD[picture])
    assert vector.shape == (descriptor.size,)
    assert np.isfinite(vector).all()


@pytest.mark.parametrize("descriptor", QUICK, ids=str)
@settings(max_examples=10)
@given(
    picture=arrays(
        np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3)), elements=st.integers(0, 255)
    )
)
def test_any_picture_has_finite_values(descriptor: Descriptor, picture: np.ndarray) -> None:
    vector = descriptor.of(Image.of(picture))
    assert vector.shape == (descriptor.size,)
    assert np.isfinite(vector).all()


@pytest.mark.parametrize("descriptor", EVERY, ids=str)
def test_the_same_picture_gives_the_same_bits(descriptor: Descriptor) -> None:
    picture = noise(48, 64).rgb
    assert descriptor.of(Image.of(picture)).tobytes() == descriptor.of(Image.of(picture.copy())).tobytes()


@pytest.mark.parametrize("descriptor", [each for each in EVERY if each.counts], ids=str)
def test_counts_count_every_pixel_once_and_whole(descriptor: Descriptor) -> None:
    vector = descriptor.of(noise(40, 56))
    rings = 3 if str(descriptor) == "lbp(patterns=turned)" else 1
    assert vector.dtype == np.int64
    assert vector.sum() == rings * 40 * 56


@pytest.mark.parametrize("descriptor", EVERY, ids=str)
def test_the_distance_is_symmetric_and_nothing_is_nearer_than_the_same(descriptor: Descriptor) -> None:
    pictures = [noise(64, 64, seed) for seed in range(5)]
    matrix = np.stack([descriptor.of(each) for each in [*pictures, pictures[0]]])
    rows = np.arange(len(matrix))
    scores = space_of(descriptor.distance, matrix).reference_table(rows, rows)
    np.testing.assert_allclose(scores, scores.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.diag(scores), scores.max(axis=1), atol=1e-12)
    assert scores[0, 5] == scores[0, 0]


@pytest.mark.parametrize("descriptor", EVERY, ids=str)
def test_a_descriptor_prints_as_it_is_written(descriptor: Descriptor) -> None:
    assert DESCRIPTORS.parse(str(descriptor)) == descriptor
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor


@pytest.mark.parametrize("text", VARIANTS)
def test_options_are_printed_when_they_differ_from_the_usual(text: str) -> None:
    assert str(DESCRIPTORS.parse(text)) == text


def test_names_may_be_written_with_underscores_and_options_by_position() -> None:
    assert str(DESCRIPTORS.parse(" RGB_histogram( 4 ) ")) == "rgb-histogram(bins=4)"
    assert str(DESCRIPTORS.parse("colour-moments(hsv, grid=3)")) == "colour-moments(space=hsv,grid=3)"


def test_several_are_separated_by_commas_outside_brackets() -> None:
    assert [str(each) for each in DESCRIPTORS.parse_list("cedd, colour-moments(hsv,3),cedd")] == [
        "cedd",
        "colour-moments(space=hsv,grid=3)",
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ced", "did you mean 'cedd'"),
        ("cedd(", "write NAME"),
        ("cedd(bins=3)", "has no option 'bins'. It has: form"),
        ("cedd(form=tiny)", "must be one of compact, full"),
        ("gist(3)", "no option for '3'. It has none"),
        ("rgb-histogram(bins=0)", "at least 1 and at most 64"),
        ("rgb-histogram(bins=two)", "a whole number"),
        ("rgb-histogram(4,bins=5)", "given twice"),
        ("scalable-colour(100)", "one of 16, 32, 64, 128, 256"),
        ("hog(side=32)", "at least 2 cells"),
    ],
)
def test_what_is_written_wrongly_is_explained(text: str, word: str) -> None:
    with pytest.raises(SettingError) as error:
        DESCRIPTORS.parse(text)
    assert word in str(error.value)


def test_every_file_of_a_descriptor_is_registered() -> None:
    folder = Path(descriptors.__file__).parent
    modules = {kind.__module__.rpartition(".")[2] for kind in DESCRIPTORS.own()}
    written = {path.stem for path in folder.glob("*_descriptors.py") if "(Descriptor)" in path.read_text()}
    assert written == modules
    assert DESCRIPTORS.own_names() == tuple(kind.name for kind in DESCRIPTORS.own())


@pytest.mark.parametrize("kind", DESCRIPTORS.own(), ids=lambda kind: kind.name)
def test_a_descriptor_explains_itself(kind: type[Descriptor]) -> None:
    assert kind.source
    assert kind.__doc__
