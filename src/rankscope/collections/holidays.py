"""INRIA Holidays: 1491 photos in 500 groups; the first of each group is the query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankscope.collections.collection import Collection, Truth
from rankscope.collections.kind import CollectionKind, NotThereError, first_folder
from rankscope.collections.tables import lines_of
from rankscope.errors import InputError, Problem

if TYPE_CHECKING:
    from rankscope.inputs.run import Run

MEMBERS = 100  # numbers of one group share all but the last two digits
LIST = "holidays_images.dat"


def read(folder: Path) -> Collection:
    """Names come from the official list, or from the photos; a number divided by 100 is the group.

    The query is removed from its own ranking, and the other members of its group are relevant.
    """
    photos = {path.name: path for path in first_folder([folder, folder / "jpg", folder / "images"])}
    names = lines_of(folder / LIST) if (folder / LIST).is_file() else list(photos)
    names = sorted(name for name in names if Path(name).stem.isdecimal())
    if not names:
        raise NotThereError(f"holds neither {LIST} nor photos called by six digits")
    complete = all(name in photos for name in names)
    return Collection(
        name="holidays",
        ids=tuple(names),
        paths=tuple(photos[name] for name in names) if complete else None,
        truth=truth_of(names),
        measures=("AP(area=oxford)",),
        notes=() if complete else ("no photos here: only their names are known",),
    )


def truth_of(names: list[str]) -> tuple[Truth, ...]:
    """The first of each group as the query, the others as relevant; a group of one asks nothing.

    >>> truth_of(["100000.jpg", "100001.jpg", "100100.jpg"])
    (Truth(query='100000.jpg', item='100000.jpg', relevant={'100001.jpg': 1}, junk=(), box=None),)
    """
    groups: dict[int, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(int(Path(name).stem) // MEMBERS, []).append(name)
    return tuple(Truth(first, first, dict.fromkeys(rest, 1)) for first, *rest in groups.values() if rest)


def read_result(path: str | Path) -> Run:
    """A result in the format of the official evaluation: `query rank name rank name ...`, ranks from 0, one line each.

    The ranks decide, not the order in the line. A line that cannot be read is an `InputError` that names it.
    """
    from rankscope.inputs.run import Run

    file, problems = Path(path), []
    order: dict[str, list[str]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        query, *rest = line.split() or [""]
        if not query:
            continue
        if len(rest) % 2 or not all(rank.isdecimal() for rank in rest[::2]):
            problems.append(Problem(f"line {number}", "must read: query rank name rank name ..."))
        elif query in order:
            problems.append(Problem(f"line {number}", f"query {query} was answered before"))
        else:
            ranked = sorted(zip(map(int, rest[::2]), rest[1::2], strict=True), key=lambda pair: pair[0])
            order[query] = [name for _, name in ranked]
    if problems or not order:
        raise InputError.of(file.name, problems or ["holds no rankings"])
    return Run.of(order, name=file.stem)


KIND = CollectionKind(
    name="holidays",
    about="1491 photos in 500 groups; the first of each group is the query; trapezoid AP",
    read=read,
    layout=f"It should hold {LIST} (one name a line), or the photos 100000.jpg, 100001.jpg, ... in itself or in jpg.",
    source="Jegou, Douze and Schmid 2008",
)
