"""A pack as its file tells it (TOML, checked with every problem at once), and what it is run on: pictures described,
labels and properties as topics, one target for each assessor.

Properties of a picture go by a stated rule, so that topics can be composed of more than class labels. Every value
lies from 0 to 1, and whoever looks decides from which value on a picture has the property: assessors of a pack differ
in that. Colours are shares of pixels (every fourth of every fourth row) by hue in degrees, of those with a saturation
of at least .4 and a value of at least .25.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.catalogue import Catalogue, did_you_mean, unknown_name
from rankscope.core.errors import InputError, Problem, RankscopeError, SettingError
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image, read_image
from rankscope.feedback.examples.geometry import squared_nearness
from rankscope.feedback.examples.items import Items, features_digest
from rankscope.feedback.methods import METHODS
from rankscope.feedback.study.experiment import Protocol
from rankscope.feedback.study.sensitivity import shared_topics
from rankscope.feedback.users.starts import STARTS, OneQuery
from rankscope.feedback.users.topics import And, Properties, Topics, parse_expression, sampling_units
from rankscope.feedback.users.users import USERS, Partial
from rankscope.inputs.collections.collection import COLLECTIONS, Collection
from rankscope.version import __version__

FOLDER, SUFFIX = files("rankscope.feedback.packs") / "data", ".toml"
TABLES: Mapping[str, tuple[str, ...]] = {  # what each table of the file may hold
    "pack": ("name", "version", "title", "about", "source", "caveats"),
    "collection": ("name", "classes", "others", "items", "labels"),
    "features": ("descriptor", "scaling", "digest"),
    "topics": ("rule", "elementary", "composite"),
    "assessors": (),  # names, each with the value from which on a property is there
    "study": ("methods", "measures", "starts", "rounds", "scope", "seed", "examples", "repeats"),
    "cases": ("name", "about", "user", "start", "assessors", "pool"),
    "baselines": ("file", "digest"),
}
NEEDED = ("pack", "collection", "features", "topics", "study", "cases")
COMMANDS = ("command",)  # users that a file from elsewhere must not start


@dataclass(frozen=True)
class Case:
    """One condition: who marks, how sessions begin, whose targets, and how deep a pool was judged (None: all)."""

    name: str
    about: str = ""
    user: str = "consistent"
    start: str = "one_query"
    assessors: str = "reference"
    pool: int | None = None


@dataclass(frozen=True, eq=False)
class Pack:
    """A benchmark that can be cited: its text decides everything, and `digest` is the SHA-256 of that text."""

    text: str
    tables: Mapping[str, Any]
    place: Path | None = None  # where the file lies, and its baselines next to it
    cases: tuple[Case, ...] = field(default=())

    @property
    def name(self) -> str:
        return str(self.tables["pack"]["name"])

    @property
    def version(self) -> int:
        """A new one whenever anything in it changes."""
        return int(self.tables["pack"]["version"])

    @property
    def title(self) -> str:
        return str(self.tables["pack"]["title"])

    @cached_property
    def digest(self) -> str:
        """Of the text, with one kind of line ends."""
        return hashlib.sha256("\n".join(self.text.splitlines()).encode()).hexdigest()

    @property
    def citation(self) -> str:
        """How to name it so that others can run the same."""
        return (
            f"rankscope pack {self.name}, version {self.version} (SHA-256 {self.digest[:16]}), rankscope {__version__}"
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """Elementary topics, then composite ones."""
        told = self.tables["topics"]
        return (*told.get("elementary", ()), *told.get("composite", ()))

    @property
    def assessors(self) -> Mapping[str, Mapping[str, float]]:
        """From which value on each assessor holds a property to be there."""
        return dict(self.tables.get("assessors", {}))

    def classes_of(self, topic: str) -> frozenset[str]:
        """The classes that a topic wants; properties, which items of every class may have, are none."""
        properties = {name for own in self.assessors.values() for name in own}
        return parse_expression(topic).wanted - properties

    @property
    def reference(self) -> str:
        """The assessor in the middle, whose targets the baselines are for; '' where there is none."""
        names = list(self.assessors)
        return names[len(names) // 2] if names else ""

    @property
    def study(self) -> Mapping[str, Any]:
        """Methods and sizes, those that are not told as in every study."""
        usual = {"measures": ["AP", "Rprec"], "starts": 3, "rounds": 4, "scope": 20, "seed": 0}
        return {**usual, "examples": 8, "repeats": 3, **self.tables["study"]}

    def protocol(self) -> Protocol:
        return Protocol(scope=self.study["scope"], rounds=self.study["rounds"])


def pack_names() -> tuple[str, ...]:
    """The packs that come with rankscope."""
    return tuple(sorted(each.name.removesuffix(SUFFIX) for each in FOLDER.iterdir() if each.name.endswith(SUFFIX)))


def read_pack(name: str | Path) -> Pack:
    """A pack by its name, or from a file; all that is wrong with it is one `InputError`.

    >>> read_pack("icons-composite").version
    1
    """
    text_name = str(name)
    if text_name.endswith(SUFFIX):
        path = Path(name)
    else:
        spelled = Catalogue.of_words("pack", pack_names()).find(text_name)
        path = Path(str(FOLDER / f"{spelled}{SUFFIX}"))
    try:
        text = path.read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError.of(path.name, [f"cannot be read: {reason}"]) from None
    problems = _shape_problems(tables) or _content_problems(tables)
    if problems:
        raise InputError.of(path.name, problems)
    return Pack(text, tables, path, tuple(Case(**each) for each in tables["cases"]))


def _shape_problems(tables: Mapping[str, Any]) -> list[Problem]:
    """Tables and keys that are missing or unknown."""
    problems = [Problem(f"[{name}]", "is missing") for name in NEEDED if name not in tables]
    for name, own in tables.items():
        if name not in TABLES:
            problems.append(Problem(f"[{name}]", f"is no table of a pack{did_you_mean(name, TABLES)}"))
            continue
        for each in own if isinstance(own, list) else [own]:
            unknown = [key for key in each if TABLES[name] and key not in TABLES[name]]
            problems += [Problem(f"[{name}] {key}", f"is unknown{did_you_mean(key, TABLES[name])}") for key in unknown]
    needed = {"pack": ("name", "version", "title"), "collection": ("name",), "features": ("descriptor",)}
    needed |= {"study": ("methods",), "topics": ("rule",)}
    return problems + [
        Problem(f"[{name}]", f"lacks {key}")
        for name, keys in needed.items()
        for key in keys
        if name in tables and key not in tables[name]
    ]


def _content_problems(tables: Mapping[str, Any]) -> list[Problem]:
    """Names and texts that nobody can read."""
    problems: list[Problem] = []

    def try_each(place: str, texts: Any, read: Any) -> None:
        for text in texts:
            try:
                read(text)
            except RankscopeError as error:
                problems.append(Problem(place, str(error)))

    told = tables["topics"]
    try_each("[study] methods", tables["study"]["methods"], METHODS.parse)
    try_each("[topics]", [*told.get("elementary", ()), *told.get("composite", ())], parse_expression)
    for case in tables["cases"]:
        place = f"[[cases]] {case.get('name', '?')}"
        try_each(place, [case.get("user", "consistent")], USERS.parse)
        try_each(place, [case.get("start", "one_query")], STARTS.parse)
        if str(case.get("user", "")).partition("(")[0].strip() in COMMANDS:
            problems.append(Problem(place, "a pack may not start programs: give --user to the study yourself"))
    for who, own in tables.get("assessors", {}).items():
        unknown = [name for name in own if name not in PROPERTIES]
        problems += [Problem(f"[assessors] {who}", f"there is no property '{name}'") for name in unknown]
    return problems


PIXEL_STEP = 4  # of pixels and rows; pictures of less than 64 pixels are looked at whole
SMALL_PICTURE = 64
SATURATED, LIT, DARK, BRIGHT = 0.4, 0.25, 0.25, 0.8
HUES = {"red": (340.0, 20.0), "yellow": (40.0, 70.0), "green": (70.0, 170.0), "blue": (180.0, 260.0)}


def hue_saturation_value(rgb: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Hue in degrees, saturation and value of pixels from 0 to 1 (Smith 1978); hue 0 where there is no colour.

    >>> [each.tolist() for each in hue_saturation_value(np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]))]
    [[180.0, 0.0], [1.0, 1.0], [0.5, 1.0]]
    """
    value = rgb.max(axis=-1)
    spread = value - rgb.min(axis=-1)
    safe = np.where(spread > 0, spread, 1.0)
    red, green, blue = np.moveaxis(rgb, -1, 0)
    sixth = np.where(
        value == red,
        ((green - blue) / safe) % 6,
        np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    return sixth * 60.0, np.where(value > 0, spread / np.where(value > 0, value, 1.0), 0.0), value


def _colour_shares(image: Image) -> dict[str, float]:
    step = PIXEL_STEP if min(image.rgb.shape[:2]) >= SMALL_PICTURE else 1
    hue, saturation, value = hue_saturation_value(image.rgb[::step, ::step].astype(np.float64) / 255)
    coloured = (saturation >= SATURATED) & (value >= LIT)
    shares = {name: float((coloured & _hue_within(hue, *ends)).mean()) for name, ends in HUES.items()}
    return shares | {"dark": float((value < DARK).mean()), "bright": float((value > BRIGHT).mean())}


def _hue_within(hue: FloatArray, low: float, high: float) -> BoolArray:
    """Hues from low up to high, round the circle where high is the smaller."""
    return (hue >= low) & (hue < high) if low < high else (hue >= low) | (hue < high)


def _form_shares(image: Image) -> dict[str, float]:
    """`heavy`: mean distance from the ground, which is the median; `symmetric`: how alike the two halves are."""
    grey = image.grey.astype(np.float64) / 255
    ink = np.abs(grey - np.median(grey)).sum()
    apart = np.abs(grey - grey[:, ::-1]).sum()
    return {"heavy": float(ink / grey.size), "symmetric": float(1 - apart / (2 * ink)) if ink > 0 else 1.0}


PROPERTIES: Mapping[str, Callable[[Image], dict[str, float]]] = {
    **dict.fromkeys((*HUES, "dark", "bright"), _colour_shares),
    **dict.fromkeys(("heavy", "symmetric"), _form_shares),
}


def property_values(images: Sequence[Callable[[], Image]], names: Sequence[str]) -> dict[str, FloatArray]:
    """The value of each property for each picture, which is read when it is its turn.

    >>> half = np.zeros((2, 2, 3), np.uint8); half[0] = (200, 0, 0)
    >>> property_values([lambda: Image.of(half)], ["red", "dark"])
    {'red': array([0.5]), 'dark': array([0.5])}
    """
    unknown = [name for name in names if name not in PROPERTIES]
    if unknown:
        raise SettingError.of([unknown_name("property", name, PROPERTIES) for name in unknown])
    makers = list(dict.fromkeys(PROPERTIES[name] for name in names))
    found = []
    for read in images:
        picture = read()
        found.append({name: value for make in makers for name, value in make(picture).items()})
    return {name: np.array([each[name] for each in found]) for name in names}


POOLED_FROM = 5  # queries of a topic whose nearest items went into its pool
Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class PackProblem:
    """Items and topics of a pack; `reference` are the targets of the assessor in the middle, `topics` those of all.

    `differs` says how the collection is not the one the pack was made with; empty where it is.
    """

    items: Items
    ids: tuple[str, ...]
    topics: Topics
    reference: Topics
    differs: tuple[str, ...] = ()
    other: str = ""  # the name of another collection than that of the pack

    def lacks(self, case: Case, seed: int) -> str:
        """Why a case cannot be made of these topics; '' where it can."""
        if case.assessors == "all" and not shared_topics(self.topics):
            return "no topic has several assessors"
        topics = self.of_case(case, seed)
        gains = topics.given_gains
        if isinstance(USERS.parse(case.user), Partial) and (gains is None or not ((gains > 0) & (gains < 1)).any()):
            return "no item is relevant in part"
        if case.pool is not None and topics.judged is not None and topics.judged.all():
            return f"a pool of depth {case.pool} holds every item"
        try:
            STARTS.parse(case.start).drawn(topics, 1, seed)
        except SettingError as error:
            return str(error)
        return ""

    def of_case(self, case: Case, seed: int) -> Topics:
        """The topics of one case: whose targets, and what of them a pool has found."""
        chosen = self.topics if case.assessors == "all" else self.reference
        return chosen if case.pool is None else pooled(chosen, self.items, case.pool, seed)


def pack_problem(pack: Pack, folder: str | Path | None = None, progress: Progress | None = None) -> PackProblem:
    """Read and describe the pictures of the pack's collection; `folder` is where it lies, if it does not ship."""
    collection = pack_collection(pack, folder)
    items = described(pack, collection, progress)
    have = properties_of(pack, collection)
    names = pack.topics
    told = {
        "ids and labels": (pack.tables["collection"].get("labels"), labels_digest(collection)),
        "features": (pack.tables["features"].get("digest"), features_digest(items)),
    }
    differs = [f"{what} are not those of the pack" for what, (made, own) in told.items() if made and made != own]
    return PackProblem(
        items=items,
        ids=collection.ids,
        topics=pack_topics(pack, names, have),
        reference=pack_topics(pack, names, have, pack.reference),
        differs=tuple(differs),
    )


def pack_collection(pack: Pack, folder: str | Path | None = None) -> Collection:
    """The collection of a pack; where it names so many `classes`, these (the largest) and so many `others`.

    Others are the first items without a class, in order.
    """
    told = pack.tables["collection"]
    whole = COLLECTIONS.find(str(told["name"])).load(folder)
    if "classes" not in told:
        return whole
    sizes = {name: whole.labels.count(name) for name in whole.classes}
    kept = set(sorted(sizes, key=lambda name: (-sizes[name], name))[: int(told["classes"])])
    plain = [place for place, label in enumerate(whole.labels) if not label][: int(told.get("others", 0))]
    rows = sorted([place for place, label in enumerate(whole.labels) if label in kept] + plain)
    return replace(
        whole,
        ids=tuple(whole.ids[row] for row in rows),
        labels=tuple(whole.labels[row] for row in rows),
        paths=None if whole.paths is None else tuple(whole.paths[row] for row in rows),
        images=None if whole.images is None else whole.images[rows],
        features=None,
    )


def described(pack: Pack, collection: Collection, progress: Progress | None = None) -> Items:
    """The features that methods see."""
    told = pack.tables["features"]
    sources = list(collection.paths) if collection.paths is not None else list(collection.images)  # type: ignore[arg-type]
    shown = None if progress is None else lambda done, all_of: progress("pictures", done / all_of)
    made = describe(sources, [DESCRIPTORS.parse(str(told["descriptor"]))], progress=shown)
    if made.problems:
        raise InputError.of(collection.name, list(made.problems), "A pack needs every picture of its collection.")
    return Items.of(made.described[0].features, scaling=told.get("scaling", "none"))


def properties_of(pack: Pack, collection: Collection) -> dict[str, Properties]:
    """For each assessor, '' where there is none: which items have each label, and which each property."""
    labels = np.array(collection.labels)
    classes: dict[str, BoolArray] = {name: labels == name for name in sorted({*collection.labels} - {""})}
    if not pack.assessors:
        return {"": classes}
    wanted = list(dict.fromkeys(name for own in pack.assessors.values() for name in own))
    if collection.paths is not None:
        readers = [partial(read_image, path) for path in collection.paths]
    else:
        assert collection.images is not None
        readers = [partial(Image.of, picture) for picture in collection.images]
    values = property_values(readers, wanted)
    return {
        who: {**classes, **{name: values[name] >= least for name, least in own.items()}}
        for who, own in pack.assessors.items()
    }


def pack_topics(pack: Pack, names: Sequence[str], have: dict[str, Properties], only: str | None = None) -> Topics:
    """One row for each topic, and one for each assessor of a topic on which they can differ; or those of one assessor.

    An item of which half of a composite topic is true is worth half. Class labels are part of every topic; topics that
    share one are one sampling unit (that they share a property, which all classes may have, makes them none).
    """
    units = sampling_units({name: pack.classes_of(name) for name in names})
    rows: list[tuple[str, str, BoolArray, np.ndarray]] = []
    for name in names:
        meant = parse_expression(name)
        people = [pack.reference] if only is not None or not isinstance(meant, And) else list(have)
        for who in people:
            rows.append((name, who if len(people) > 1 else "", meant.of(have[who]), meant.worth(have[who])))
    empty = [
        f"topic '{name}'{f' by {who}' if who else ''} has no relevant item"
        for name, who, hit, _ in rows
        if not hit.any()
    ]
    if empty:
        raise InputError.of(pack.name, empty, "This is not the collection that the pack was made for.")
    return Topics(
        names=tuple(row[0] for row in rows),
        targets=np.array([row[2] for row in rows]),
        assessors=tuple(row[1] for row in rows),
        given_gains=np.array([row[3] for row in rows]),
        truth="labels",
        shared=tuple(units[row[0]] for row in rows),
    )


def pooled(topics: Topics, items: Items, depth: int, seed: int = 0) -> Topics:
    """The topics as a pool knows them: judged is what stands among the first of five queries' rankings.

    What the pool has not found counts as irrelevant, and as not judged.
    """
    sessions = OneQuery().drawn(topics, POOLED_FROM, seed)
    nearness = squared_nearness(items, items.matrix[sessions.query].astype(np.float64))
    first = np.argsort(-nearness, axis=1, kind="stable")[:, :depth]
    judged = np.zeros(topics.targets.shape, np.bool_)
    judged[sessions.topic[:, None], first] = True
    judged[sessions.topic, sessions.query] = True
    gains = None if topics.given_gains is None else np.where(judged, topics.given_gains, 0.0)
    return replace(topics, targets=topics.targets & judged, given_gains=gains, judged=judged)


def labels_digest(collection: Collection) -> str:
    """SHA-256 of ids and labels, in order."""
    lines = [f"{item}\t{label}" for item, label in zip(collection.ids, collection.labels, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
