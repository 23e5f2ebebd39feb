"""Pictures of the collection and those that somebody dropped in: never the file itself, whatever is in it."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, NamedTuple

from numpy.typing import NDArray
from starlette.responses import Response

from rankscope.core.caching import Recent
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import OneOf, WholeNumber
from rankscope.engines.images.image import LARGE, SMALL
from rankscope.workbench.browsing.collection import VectorRecipe
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.items import place_of
from rankscope.workbench.pictures import PictureWorkers, other_nature
from rankscope.workbench.service.application import Refusal

# Pictures of the collection, small or large, by number: never the file itself, whatever is in it.

SIDES: Final = {"small": SMALL, "large": LARGE}
PICTURE_CACHING: Final = "private, max-age=3600"
PICTURE_ROOM: Final = 128 << 20  # bytes of pictures that are kept


class Pictures:
    """The pictures of a project: decoded elsewhere, and kept."""

    def __init__(self, bench: Workbench) -> None:
        self.access = bench.project.access
        self.cache, self.workers = Recent[bytes](PICTURE_ROOM, len), PictureWorkers()
        bench.on_close(self.workers.close)

    def small(self, item: str, side: int) -> bytes:
        """A picture of at most so many pixels each way, as WebP; made anew where the file has changed."""

        def made(data: bytes) -> bytes:
            digest = hashlib.blake2b(data, digest_size=16).digest()  # equal files are decoded once
            return self.cache.get((digest, side), lambda: self.workers.thumbnail(data, side))

        try:
            path = self.access.picture(item)
            state = path.stat()
            key = (item, side, state.st_mtime_ns, state.st_size)
            return self.cache.get(key, lambda: made(path.read_bytes()))
        except (OSError, SettingError):
            raise Refusal(404, "there is no picture of this item") from None
        except InputError as error:
            what = error.reports[0].problems[0].what.replace(f"'{item}'", "of this item")
            raise Refusal(404, f"this picture cannot be shown: {what}") from None


class PictureAsked(NamedTuple):
    number: Annotated[int, WholeNumber(0), "the number of an item"]
    size: Annotated[str, OneOf(("small", "large"), exactly=True), f"at most {SMALL} or {LARGE} pixels"] = "small"


@address("GET", "/picture/{number:int}", media="image/webp", statuses=(404,))
def picture(visit: Visit, asked: PictureAsked) -> Response:
    """The picture of an item."""
    item = visit.project.items[place_of(visit.bench, asked.number)]
    found = visit.bench.keep(Pictures).small(item.id, SIDES[asked.size])
    return Response(found, headers={"cache-control": PICTURE_CACHING}, media_type="image/webp")


# Pictures that somebody dropped in: in memory for as long as they are signed in, and seen by nobody else.

MOST_DROPPED_BYTES: Final = 200 << 20  # of all pictures together
MOST_DROPPED: Final = 200  # pictures
LARGEST_DROPPED: Final = 20 << 20  # bytes of one


@dataclass(eq=False)
class DroppedPicture:
    """A file, whose it is, what is shown of it, and its vectors by the feature files they can be compared with."""

    owner: str
    name: str
    data: bytes
    preview: bytes
    vectors: dict[str, NDArray[Any]] = field(default_factory=dict)


class DroppedPictures:
    """The last pictures of everybody, by names that nobody can guess."""

    def __init__(self, bench: Workbench) -> None:
        self.access, self.pictures = bench.project.access, bench.keep(Pictures)
        self._kept: OrderedDict[str, DroppedPicture] = OrderedDict()
        self._lock = threading.Lock()
        self._describing = threading.Lock()  # one at a time: a large picture takes memory

    def add(self, visit: Visit, name: str, data: bytes) -> str:
        """Keep a picture, decoded where it can do no harm; how it is called from now on."""
        if len(data) > LARGEST_DROPPED:
            raise Refusal(413, f"a picture may have {LARGEST_DROPPED >> 20} MB, and this file has more")
        if other := other_nature(data):
            raise Refusal(415, f"this file is {other} as well as a picture: save the picture alone, and drop that")
        try:
            preview = self.pictures.workers.thumbnail(data, LARGE)
        except InputError as error:
            raise Refusal(415, f"this file cannot be shown: {error.reports[0].problems[0].what}") from None
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[key] = DroppedPicture(owner_of(visit), name[:120], data, preview)
            while (
                len(self._kept) > MOST_DROPPED
                or sum(len(each.data) for each in self._kept.values()) > MOST_DROPPED_BYTES
            ):
                self._kept.popitem(last=False)
        return key

    def find(self, visit: Visit, key: str) -> DroppedPicture:
        """One's own picture; those of others are not there."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or not secrets.compare_digest(found.owner, owner_of(visit)):
                raise Refusal(404, "this picture is not there any more, or is not yours: drop it again")
            self._kept.move_to_end(key)
            return found

    def vector(self, picture: DroppedPicture, features: str) -> NDArray[Any]:
        if features not in picture.vectors:
            path = self.access.sources.features[self.access.feature_names.index(features)]
            how = VectorRecipe.of(path)
            with self._describing:
                picture.vectors[features] = how.vector(self.pictures.workers.pixels(picture.data))
        return picture.vectors[features]


def owner_of(visit: Visit) -> str:
    """Somebody in one session: another sign-in of the same person does not see what was dropped here."""
    cookie = visit.request.cookies.get(visit.bench.reach.cookie) or visit.request.headers.get("authorization", "")
    return hashlib.blake2b(f"{visit.person.id} {cookie}".encode(), digest_size=16).hexdigest()
