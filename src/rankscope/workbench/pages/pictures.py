"""Pictures of the collection, small or large, by number: never the file itself, whatever is in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Final

from starlette.responses import Response

from rankscope.engines.images.thumbnails import LARGE, SMALL
from rankscope.errors import InputError, SettingError
from rankscope.running.recent import Recent
from rankscope.validation import OneOf, WholeNumber
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pictures.workers import PictureWorkers
from rankscope.workbench.service.refusals import Refusal

SIDES: Final = {"small": SMALL, "large": LARGE}
KEPT: Final = "private, max-age=3600"
ROOM: Final = 128 << 20  # bytes of pictures that are kept


class Pictures:
    """The pictures of a project: decoded elsewhere, and kept."""

    def __init__(self, bench: Workbench) -> None:
        self.access = bench.project.access
        self.cache, self.workers = Recent[bytes](ROOM, len), PictureWorkers()
        bench.on_close(self.workers.close)

    def small(self, item: str, side: int) -> bytes:
        """A picture of at most so many pixels each way, as WebP; made anew where the file has changed."""
        try:
            path = self.access.picture(item)
            state = path.stat()
            key = (item, side, state.st_mtime_ns, state.st_size)
            return self.cache.get(key, lambda: self.of_bytes(path.read_bytes(), side))
        except (OSError, SettingError):
            raise Refusal(404, "there is no picture of this item") from None
        except InputError as error:
            what = error.reports[0].problems[0].what.replace(f"'{item}'", "of this item")
            raise Refusal(404, f"this picture cannot be shown: {what}") from None

    def of_bytes(self, data: bytes, side: int) -> bytes:
        """The same of the bytes of a file; equal files are decoded once."""
        digest = hashlib.blake2b(data, digest_size=16).digest()
        return self.cache.get((digest, side), lambda: self.workers.thumbnail(data, side))


@dataclass(frozen=True)
class PictureAsked:
    """Which picture, and how large."""

    number: Annotated[int, WholeNumber(0), "the number of an item"]
    size: Annotated[str, OneOf(("small", "large"), exactly=True), f"at most {SMALL} or {LARGE} pixels"] = "small"


@address("GET", "/picture/{number:int}", media="image/webp", statuses=(404,))
def picture(visit: Visit, asked: PictureAsked) -> Response:
    """The picture of an item."""
    try:
        item = visit.bench.item_of(asked.number)
    except IndexError:
        raise Refusal(404, f"there is no item {asked.number}") from None
    found = visit.bench.keep(Pictures).small(item, SIDES[asked.size])
    return Response(found, headers={"cache-control": KEPT}, media_type="image/webp")


ADDRESSES = (picture,)
