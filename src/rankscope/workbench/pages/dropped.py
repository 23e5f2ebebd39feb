"""Pictures that somebody dropped in: in memory for as long as they are signed in, and seen by nobody else."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from numpy.typing import NDArray

from rankscope.engines.images.thumbnails import LARGE
from rankscope.errors import InputError
from rankscope.workbench.browsing.mixed_files import other_nature
from rankscope.workbench.browsing.one_more import OneMore
from rankscope.workbench.pages.addresses import Visit
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.pictures import Pictures
from rankscope.workbench.service.refusals import Refusal

MOST_BYTES: Final = 200 << 20  # of all pictures together
MOST: Final = 200  # pictures
LARGEST: Final = 20 << 20  # bytes of one


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
        if len(data) > LARGEST:
            raise Refusal(413, f"a picture may have {LARGEST >> 20} MB, and this file has more")
        if other := other_nature(data):
            raise Refusal(415, f"this file is {other} as well as a picture: save the picture alone, and drop that")
        try:
            preview = self.pictures.workers.thumbnail(data, LARGE)
        except InputError as error:
            raise Refusal(415, f"this file cannot be shown: {error.reports[0].problems[0].what}") from None
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[key] = DroppedPicture(owner_of(visit), name[:120], data, preview)
            while len(self._kept) > MOST or sum(len(each.data) for each in self._kept.values()) > MOST_BYTES:
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
        """What its vector would have been in a feature file."""
        if features not in picture.vectors:
            path = self.access.sources.features[self.access.feature_names.index(features)]
            how = OneMore.of(path)
            with self._describing:
                picture.vectors[features] = how.vector(self.pictures.workers.pixels(picture.data))
        return picture.vectors[features]


def owner_of(visit: Visit) -> str:
    """Somebody in one session: another sign-in of the same person does not see what was dropped here."""
    cookie = visit.request.cookies.get(visit.bench.reach.cookie) or visit.request.headers.get("authorization", "")
    return hashlib.blake2b(f"{visit.person.id} {cookie}".encode(), digest_size=16).hexdigest()
