"""What stands first for each query of each system, and what a page shows of these items: titles, pictures, links.

The page itself fetches nothing: what it shows is inside, and a template makes a link that somebody may follow.
"""

from __future__ import annotations

import base64
import math
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.inputs.problems import shorten_value
from rankscope.ranks.item_ranks import FirstItem, Lists
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.engines.images.picture_set import PictureSet
    from rankscope.inputs.documents.topics import QuerySet
    from rankscope.inputs.reading import Reading


# What stands first for each query of each system, with the words of the query and what is known of the items.

COUNT = 10  # items of each list
MOST = 500_000  # items of all lists together: more would make the page too large to open
QUESTIONS = ("question", "desc", "description", "text", "narrative", "narr")


@dataclass(frozen=True)
class ShownDocuments:
    """By the id of an item: its title, its first words, a picture as a data address; and how a link is made."""

    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    link: str = ""

    def __bool__(self) -> bool:
        return bool(self.titles or self.texts or self.pictures or self.link)


@dataclass(frozen=True)
class FoundItems:
    """Lists by the name of the system; words of queries: a title, and a question where there is one."""

    lists: Mapping[str, Lists] = field(default_factory=dict)
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    documents: ShownDocuments = field(default_factory=ShownDocuments)
    pictured: Mapping[str, str] = field(default_factory=dict)  # the picture that a query is, by its id

    @property
    def items(self) -> list[str]:
        found = (item.id for lists in self.lists.values() for first in lists.values() for item in first)
        return list(dict.fromkeys(filter(None, found)))

    def with_words(self, queries: QuerySet) -> FoundItems:
        return replace(self, words=words_of(queries))

    def data(self, queries: Sequence[str], systems: Sequence[str]) -> dict[str, Any]:
        """As the script of the page reads it; queries and systems by their numbers."""
        shown = [number for number, name in enumerate(systems) if name in self.lists]
        lists = [self.lists[systems[number]] for number in shown]
        return {
            "listed": {"count": COUNT, "systems": shown, "queries": [_query(lists, each) for each in queries]},
            "words": [self.words.get(query, ("", "")) for query in queries] if self.words else [],
            "titles": dict(self.documents.titles),
            "texts": dict(self.documents.texts),
            "pictures": {**self.documents.pictures, **self.pictured},
            "link": self.documents.link,
        }


def _query(lists: Sequence[Lists], query: str) -> dict[str, Any]:
    """The items of one query, each once with its grade, and what each system has first by their numbers."""
    place: dict[str, int] = {}
    items: list[FirstItem] = []
    first = []
    for each in lists:
        numbers = []
        for item in each.get(query, ()):
            key = item.id or f"\0{len(items)}"  # without an id every item is another one
            if key not in place:
                place[key] = len(items)
                items.append(item)
            numbers.append(place[key])
        first.append(numbers)
    known = [(item.grade if item.judged else None) for item in items]
    grades = [int(each) if each is not None and each == int(each) else each for each in known]
    return {"ids": [item.id for item in items], "grades": grades, "first": first}


def words_of(queries: QuerySet) -> dict[str, tuple[str, str]]:
    """The title of each query and its question, each in one line.

    >>> from rankscope.inputs.documents.topics import QuerySet
    >>> words_of(QuerySet({"1": {"title": "organized crime", "desc": "Which\\n gangs?"}}))
    {'1': ('organized crime', 'Which gangs?')}
    """
    usual = queries.texts()
    titles = {query: usual[query] or next(filter(None, parts.values()), "") for query, parts in queries.parts.items()}
    words = {}
    for query, parts in queries.parts.items():
        others = (parts[name] for name in QUESTIONS if parts.get(name))
        question = next((text for text in others if text != titles[query]), "")
        words[query] = _text_line(titles[query]), _text_line(question)
    return words


def listed_systems(names: Sequence[str], order: Iterable[int], queries: int) -> list[str]:
    """The systems whose lists a page can hold: the baseline, which is the first, and the best of the others.

    >>> listed_systems(["base", "a", "b"], [2, 1, 0], queries=30), listed_systems(["x", "y", "z"], [2, 1, 0], 25_000)
    (['base', 'b', 'a'], ['x', 'z'])
    """
    most = max(2, MOST // max(1, queries * COUNT))
    return [names[each] for each in dict.fromkeys([0, *order])][:most]


def lists_of_ranks(ranks: RelevantRanks) -> Lists:
    """What is known of the first items without the run: the grades of those judged, and no id."""
    grades = np.full((len(ranks), COUNT), math.nan)
    near = ranks.judged["rank"] <= COUNT
    grades[ranks.judged.row[near], ranks.judged["rank"][near] - 1] = ranks.judged["grade"][near]
    lengths = np.minimum(ranks.depth, COUNT).tolist()
    rows = zip(ranks.queries, grades.tolist(), lengths, strict=True)
    return {query: [FirstItem("", grade) for grade in own[:length]] for query, own, length in rows}


# What a page shows of the items found: titles and first words, small pictures, or links to where they are.

ID = "{id}"
TITLES = ("title", "headline", "subject", "name")
TEXTS = ("text", "body", "contents", "abstract", "description")
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm")
FIRST_WORDS = 220  # characters


def shown_documents(source: str | Path, wanted: Sequence[str], reading: Reading | None = None) -> ShownDocuments:
    """What a file, a folder, an index or a template of addresses says of these items.

    >>> shown_documents("https://example.org/{id}", ["d1"]).link
    'https://example.org/{id}'
    """
    if ID in str(source):
        link = str(source)
        if not link.startswith(("https://", "http://")):  # a click could run something
            raise SettingError(f"--docs {shorten_value(link)}: a template of links starts with https:// or http://")
        return ShownDocuments(link=link)
    if os.path.isdir(source):
        there: dict[str, Path] = {}  # files of pictures that are called as an item, with its suffix or without
        for path in sorted(Path(source).rglob("*")):
            if path.suffix.lower() in PICTURES:
                inside = path.relative_to(source)
                for name in (str(inside), str(inside.with_suffix("")), path.name, path.stem):
                    there.setdefault(name, path)
        pictures = {name: there[name] for name in wanted if name in there}
        if pictures:
            from rankscope.engines.images.image import read_image

            pixels = {name: read_image(path).rgb for name, path in pictures.items()}
            return ShownDocuments(pictures=picture_addresses(pixels))
    if not wanted and _is_index(source):  # saved ranks hold no ids; the index still tells the size of the collection
        return ShownDocuments()
    found = {str(row["id"]): row for row in _rows(source, wanted, reading)}
    if not found:
        few = ", ".join(shorten_value(each) for each in wanted[:3])
        count = how_many(len(wanted), "items")
        raise SettingError(f"--docs {source}: holds none of the {count} that stand first in the runs, as {few}")
    titles = {each: text for each, row in found.items() if (text := _first_of(row, TITLES))}
    texts = {each: text for each, row in found.items() if (text := _first_words(row))}
    return ShownDocuments(titles, texts)


def documents_in_index(source: str | Path | None) -> int | None:
    """How many documents an index holds; None where the source of what is shown is something else.

    >>> documents_in_index("https://example.org/{id}")
    """
    if source is None or not _is_index(source):
        return None
    from rankscope.engines.text.text_index import Index

    return len(Index.open(source))


def _first_of(row: Mapping[str, Any], names: Sequence[str]) -> str:
    known = {str(name).lower(): value for name, value in row.items()}
    return next((_text_line(str(known[name])) for name in names if known.get(name)), "")


def _text_line(text: str) -> str:
    return " ".join(text.split())


def _first_words(row: Mapping[str, Any]) -> str:
    """The beginning of the text, whatever it is called, without the title that some texts begin with."""
    others = (str(value) for name, value in row.items() if name != "id" and name.lower() not in TITLES and value)
    text, title = _first_of(row, TEXTS) or _text_line(" ".join(others)), _first_of(row, TITLES)
    while title and text.startswith(title):  # once by the collection, once by the reader that joins both
        text = text.removeprefix(title).lstrip()
    return text if len(text) <= FIRST_WORDS else text[:FIRST_WORDS].rsplit(" ", 1)[0] + " \u2026"


def _rows(source: str | Path, wanted: Sequence[str], reading: Reading | None) -> Iterator[Mapping[str, Any]]:
    """The documents wanted, of an index, or of a file or folder that is read to its end."""
    if _is_index(source):
        from rankscope.engines.text.text_index import Index

        reader = Index.open(source).reader
        yield from reader.stored_rows(reader.ids.is_in(list(wanted)).arg_true().to_list())
        return
    from rankscope.inputs.documents.stream import read_documents

    for table in read_documents([source], reading):
        yield from table.filter(table["id"].is_in(list(wanted))).iter_rows(named=True)


def _is_index(source: str | Path) -> bool:
    from rankscope.engines.text.index_files import INDEX_RECORD

    return os.path.isfile(os.path.join(source, INDEX_RECORD))


# Small pictures for a page, each once, as large as the room allows.

Key = TypeVar("Key")
ROOM = 1_800_000  # bytes that all pictures of a page may take together
RULE = 40  # bytes of the style sheet around each
WIDE = 5 / 3  # the widest a picture may be for its height
STEPS = ((96, 72), (96, 55), (80, 50), (64, 45), (48, 40), (40, 30), (32, 25))  # height, quality
FLAT = 64  # colours: a picture of no more is a drawing, kept without loss


def thumbnails(pictures: PictureSet, rows: Sequence[int], room: int = ROOM) -> dict[int, str]:
    """A data address for each picture of a set."""
    return picture_addresses({row: pictures.picture(row).rgb for row in dict.fromkeys(rows)}, room)


def picture_addresses(pixels: Mapping[Key, NDArray[np.uint8]], room: int = ROOM) -> dict[Key, str]:
    """A data address for each picture; all of them lower or coarser where they would not fit into the room.

    None is ever enlarged. With the least size what they take is what they take.
    """
    from rankscope.engines.images.image import pillow

    image, has_webp = pillow("Image"), pillow("features").check("webp")
    filter, largest = image.Resampling.LANCZOS, STEPS[0][0]
    small = {row: _reduced(image.fromarray(each), largest, filter) for row, each in pixels.items()}
    results: dict[Key, str] = {}
    for height, quality in STEPS:
        results = {row: _address(_reduced(each, height, filter), quality, has_webp) for row, each in small.items()}
        if sum(len(each) + RULE for each in results.values()) <= room:
            break
    return results


def _reduced(picture: Any, height: int, filter: Any) -> Any:
    scale = min(1.0, height / picture.height, WIDE * height / picture.width)
    if scale == 1.0:
        return picture
    size = tuple(max(1, round(side * scale)) for side in picture.size)
    return picture.resize(size, filter)


def _address(picture: Any, quality: int, has_webp: bool) -> str:
    """WebP, or JPEG where Pillow has no WebP."""
    file = BytesIO()
    if has_webp:
        flat = picture.getcolors(FLAT) is not None
        options = {"lossless": True} if flat else {"quality": quality, "method": 4}
        picture.save(file, "WEBP", **options)
        kind = "webp"
    else:
        picture.save(file, "JPEG", quality=quality)
        kind = "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


# Small grey pictures as addresses that a page holds, without any library for pictures.

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY_BITS = 4  # sixteen greys: enough for an icon, and half the bytes


def grey_address(picture: NDArray[np.uint8]) -> str:
    """A PNG of 16 greys as a data address; 0 is black.

    >>> grey_address(np.zeros((2, 2), dtype=np.uint8))[:30]
    'data:image/png;base64,iVBORw0K'
    """
    height, width = picture.shape
    greys = np.zeros((height, width + width % 2), dtype=np.uint8)
    greys[:, :width] = np.rint(picture / 255 * (2**GREY_BITS - 1)).astype(np.uint8)
    pairs = (greys[:, 0::2] << GREY_BITS) | greys[:, 1::2]
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pairs], axis=1)
    header = struct.pack(">IIBBBBB", width, height, GREY_BITS, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    file = PNG_SIGNATURE + b"".join(_chunk(*part) for part in parts)
    return f"data:image/png;base64,{base64.b64encode(file).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
