"""What a pack is run on: pictures described, labels and properties as topics, one target for each assessor."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from rankscope.core.arrays import BoolArray
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.images.decoding import read_image
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import Image
from rankscope.feedback.examples.geometry import squared_nearness
from rankscope.feedback.examples.items import Items, features_digest
from rankscope.feedback.packs.pack import Case, Pack, property_values
from rankscope.feedback.study.sensitivity import shared_topics
from rankscope.feedback.users.expressions import And, Properties, parse_expression
from rankscope.feedback.users.starts import STARTS, OneQuery
from rankscope.feedback.users.topics import Topics, sampling_units
from rankscope.feedback.users.users import USERS, Partial
from rankscope.inputs.collections.collection import COLLECTIONS, Collection

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
