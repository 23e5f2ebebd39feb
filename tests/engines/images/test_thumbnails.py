"""Small pictures for pages: as large as asked at most, upright, on white, and nothing else of the file in them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import InputError
from rankscope.engines.images.image import LARGE, SMALL, thumbnail
from tests.needs import needed_module

pil = needed_module("PIL.Image", "images")


def file_of(picture: Any, kind: str, **how: Any) -> bytes:
    stream = BytesIO()
    picture.save(stream, kind, **how)
    return stream.getvalue()


def opened(data: bytes) -> Any:
    return pil.open(BytesIO(data))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
@pytest.mark.parametrize(
    ("size", "small"), [((4000, 3000), (192, 144)), ((300, 1200), (48, 192)), ((60, 40), (60, 40))]
)
def test_it_is_no_larger_than_asked_and_never_enlarged(
    kind: str, size: tuple[int, int], small: tuple[int, int]
) -> None:
    found = opened(thumbnail(file_of(pil.new("RGB", size, "red"), kind), SMALL))
    assert (found.format, found.size) == ("WEBP", small)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_it_is_turned_as_the_camera_says(kind: str) -> None:
    picture = pil.new("RGB", (400, 200), "red")
    exif = picture.getexif()
    exif[0x0112] = 6  # a quarter turn
    exif[0x010F] = "Camera of Somebody"
    made = thumbnail(file_of(picture, kind, exif=exif), SMALL)
    assert opened(made).size == (96, 192)
    assert b"Somebody" not in made


@pytest.mark.parametrize("mode", ["L", "CMYK", "P", "1", "RGBA", "LA", "I;16"])
def test_every_mode_of_pixels_can_be_shown(mode: str) -> None:
    grey = pil.fromarray(np.full((50, 80), 200, np.uint8))
    picture = pil.fromarray(np.full((50, 80), 51200, np.uint16)) if mode == "I;16" else grey.convert(mode)
    kind = "TIFF" if mode in ("CMYK", "I;16") else "PNG"
    shown = np.asarray(opened(thumbnail(file_of(picture, kind), SMALL)).convert("RGB"))
    assert shown.shape == (50, 80, 3)
    assert abs(int(shown.mean()) - (255 if mode == "1" else 200)) < 60


def test_a_jpeg_of_print_colours_is_shown_too() -> None:
    found = opened(thumbnail(file_of(pil.new("CMYK", (300, 200), (0, 255, 255, 0)), "JPEG"), SMALL)).convert("RGB")
    red, green, blue = found.getpixel((10, 10))
    assert red > 150 > max(green, blue)


def test_what_is_transparent_lies_on_white() -> None:
    found = opened(thumbnail(file_of(pil.new("RGBA", (20, 20), (255, 0, 0, 0)), "PNG"), LARGE)).convert("RGB")
    assert found.getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"\xff\xd8\xff", b"\x89PNG\r\n"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="no picture that can be read"):
        thumbnail(data)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(kind: str) -> None:
    with pytest.raises(InputError, match=r"megapixels, more than 0\.01"):
        thumbnail(file_of(pil.new("RGB", (200, 100)), kind), SMALL, max_pixels=10_000)
