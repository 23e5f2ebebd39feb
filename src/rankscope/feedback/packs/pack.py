"""A pack as its file tells it: TOML, checked with every problem at once."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankscope.catalogue import Catalogue, did_you_mean
from rankscope.errors import InputError, Problem, RankscopeError
from rankscope.feedback.methods import METHODS
from rankscope.feedback.packs.picture_properties import KINDS
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.users.expressions import parse_expression
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.users import USERS
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
        """What it is called."""
        return str(self.tables["pack"]["name"])

    @property
    def version(self) -> int:
        """A new one whenever anything in it changes."""
        return int(self.tables["pack"]["version"])

    @property
    def title(self) -> str:
        """In a line."""
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
        """How every session goes."""
        return Protocol(scope=self.study["scope"], rounds=self.study["rounds"])

    @property
    def baseline_file(self) -> Path | None:
        """The stored baselines next to the pack."""
        told = self.tables.get("baselines")
        return None if told is None or self.place is None else self.place.parent / str(told["file"])


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
    problems = [*_shape_problems(tables), *([] if _shape_problems(tables) else _content_problems(tables))]
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
        unknown = [name for name in own if name not in KINDS]
        problems += [Problem(f"[assessors] {who}", f"there is no property '{name}'") for name in unknown]
    return problems
