"""Files to pixels: orientation, frames, transparency, odd modes, and files that hold no picture."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow
from skimage.color import rgb2hsv, rgb2lab

from rankscope.core.errors import InputError, MissingExtra
from rankscope.engines.images.image import Image, decode, read_image
from tests.data import data_folder
from tests.engines.images.examples import noise


def saved(picture: Pillow.Image, format: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    picture.save(file, format, **options)
    return file.getvalue()


def test_pixels_come_out_as_they_went_in() -> None:
    rgb = noise(9, 7).rgb
    assert (decode(saved(Pillow.fromarray(rgb))).rgb == rgb).all()


@pytest.mark.parametrize(("orientation", "turns"), [(1, 0), (3, 2), (6, 3), (8, 1)])
def test_the_picture_stands_as_its_camera_says(orientation: int, turns: int) -> None:
    rgb = noise(6, 4).rgb
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    assert (decode(saved(Pillow.fromarray(rgb), exif=exif)).rgb == np.rot90(rgb, turns)).all()


def test_a_mirrored_picture_is_mirrored_back() -> None:
    rgb = noise(6, 4).rgb
    exif = Pillow.Exif()
    exif[0x0112] = 2
    assert (decode(saved(Pillow.fromarray(rgb), exif=exif)).rgb == rgb[:, ::-1]).all()


def test_only_the_first_frame_counts() -> None:
    frames = [Pillow.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert (decode(data).rgb == (255, 0, 0)).all()


def test_transparency_is_laid_on_white() -> None:
    clear = Pillow.new("RGBA", (1, 3), (0, 0, 0, 0))
    clear.putpixel((0, 1), (0, 0, 0, 255))
    clear.putpixel((0, 2), (0, 0, 0, 128))
    assert decode(saved(clear)).rgb[:, 0, 0].tolist() == [255, 0, 127]


def test_transparency_of_greys_and_palettes_is_laid_on_white() -> None:
    clear = Pillow.new("RGBA", (2, 2), (0, 0, 0, 0))
    assert (decode(saved(clear.convert("LA"))).rgb == 255).all()
    assert (decode(saved(clear.convert("RGB").quantize(2), transparency=0)).rgb == 255).all()


def test_deep_greys_keep_their_upper_byte() -> None:
    deep = Pillow.fromarray(np.array([[0, 255, 256, 65535]], dtype=np.uint16))
    assert decode(saved(deep)).grey.tolist() == [[0, 0, 1, 255]]


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK"])
def test_other_modes_become_red_green_and_blue(mode: str) -> None:
    format = "TIFF" if mode == "CMYK" else "PNG"
    picture = decode(saved(Pillow.new("RGB", (3, 2), "white").convert(mode), format))
    assert picture.rgb.shape == (2, 3, 3)
    assert (picture.rgb == 255).all()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"hello, world", "format is not known"),
        (saved(Pillow.new("RGB", (64, 64)))[:60], "is no picture"),
        (saved(Pillow.fromarray(noise(64, 64).rgb), "JPEG")[:900], "truncated"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(200)), "is no picture"),
    ],
)
def test_what_holds_no_picture_is_an_error_that_names_it(data: bytes, word: str) -> None:
    with pytest.raises(InputError) as error:
        decode(data, "holiday.jpg")
    assert "holiday.jpg" in str(error.value)
    assert word in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.png.*\n.*No such file"):
        read_image(tmp_path / "none.png")


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    with pytest.raises(MissingExtra, match=r"rankscope\[images\]"):
        decode(b"x")


def test_colour_spaces_agree_with_scikit_image() -> None:
    picture = noise(40, 50)
    np.testing.assert_allclose(picture.hsv, rgb2hsv(picture.rgb), atol=3e-5)
    assert np.abs(picture.lab - rgb2lab(picture.rgb)).max() < 0.6


def test_shrinking_averages_exact_areas() -> None:
    picture = noise(12, 20)
    expected = picture.rgb.reshape(3, 4, 5, 4, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(picture.shrunk(3, 5), expected, atol=1e-4)


def test_the_reader_of_opencv_sees_the_same_pixels() -> None:
    path = data_folder("corel1k") / "images" / "beaches_000.jpg"
    bgr = cv2.imread(str(path))
    assert bgr is not None
    assert np.abs(read_image(path).rgb.astype(int) - bgr[..., ::-1].astype(int)).max() <= 1


def test_ink_is_cut_free_of_its_margins() -> None:
    page = np.full((9, 9), 255, dtype=np.uint8)
    page[2:4, 5:8] = 0
    assert Image.of(page).area("ink").rgb.shape == (2, 3, 3)
    assert Image.of(page).area("whole").rgb.shape == (9, 9, 3)
