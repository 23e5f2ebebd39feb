"""project.toml: what a person may edit of a project, read with every problem at once."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.validation import (
    COUNT,
    FLAG,
    SEED,
    TEXT,
    Number,
    Optional,
    Rule,
    Several,
    WholeNumber,
    plain_values,
)
from rankscope.workbench.store.databases import check_address, mask

PROJECT_FILE: Final = "project.toml"
IRDS: Final = "irds:"
SHARE: Final = Number(least=0, most=1)
# by table, each with what it means; a new setting adds its line here
SETTINGS: Final[dict[str, dict[str, tuple[Rule, str]]]] = {
    "project": {
        "id": (TEXT, "names the project in a database; leave it as it is"),
        "database": (
            Optional(TEXT),
            "where the journal is, if not in the folder: postgresql://USER@HOST/NAME or service=NAME",
        ),
    },
    "collection": {
        "images": (Optional(TEXT), "a folder of pictures"),
        "texts": (Optional(TEXT), "a file or folder of documents"),
        "features": (Several(TEXT), "vectors of the items, for searching by example"),
        "runs": (Several(TEXT), "rankings that pools are drawn from"),
        "topics": (Optional(TEXT), "what is looked for"),
        "index": (Optional(TEXT), "an index of the texts, for searching by words"),
    },
    "judging": {
        "grades": (Several(WholeNumber(least=0, most=9)), "the grades that assessors choose from, 0 to 9"),
        "relevant": (WholeNumber(least=0, most=9), "the lowest grade that counts as relevant"),
        "per_item": (COUNT, "how many assessors judge each item"),
        "double": (SHARE, "share of the items that two assessors judge, where per_item is 1"),
        "repeat": (SHARE, "share of an assessor's items that come back, to see whether the answer is the same"),
        "swap": (
            SHARE,
            "share of two lists side by side that come back with the sides swapped, to see whether the side decides",
        ),
        "single": (FLAG, "all items of a query go to one assessor"),
        "loan_minutes": (
            Number(above=0, most=24 * 60),
            "an item that was shown and not marked goes to others after so long",
        ),
        "seed": (SEED, "of the order in which items are shown"),
    },
}


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """What project.toml says. Paths are as written: below the project's folder unless they are absolute."""

    id: str
    database: str | None = None
    images: str | None = None
    texts: str | None = None
    features: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    topics: str | None = None
    index: str | None = None
    grades: tuple[int, ...] = (0, 1, 2)
    relevant: int = 1
    per_item: int = 1
    double: float = 0.1
    repeat: float = 0.02
    swap: float = 0.2
    single: bool = False
    loan_minutes: float = 10
    seed: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ProjectFile:
        """Checked; one `SettingError` with everything that cannot be."""
        rules = {name: rule for table in SETTINGS.values() for name, (rule, _) in table.items()}
        known = {each.name: each.default for each in fields(cls)}
        plain, problems = plain_values(rules, {**known, **values})
        problems += _problems_together(plain)
        if problems:
            raise SettingError.of(problems)
        return cls(**plain)

    @classmethod
    def read(cls, folder: Path) -> ProjectFile:
        """From the file of a project; an `InputError` with every problem."""
        path = folder / PROJECT_FILE
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            advice = f"Make one with: rankscope project new {shlex.quote(str(folder))} --images DIR"
            raise InputError.of(str(folder), [f"is no project: there is no {PROJECT_FILE}"], advice) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError.of(str(path), [f"cannot be read: {error}"]) from None
        values, problems = _flat(tables)
        try:
            found = cls.of(values)
        except SettingError as error:
            raise InputError.of(str(path), [*problems, *error.problems]) from None
        if problems:
            raise InputError.of(str(path), problems)
        return found

    def write(self, folder: Path) -> None:
        """The file, with a word on each setting."""
        values = asdict(self)
        lines = ["# A project of rankscope. Edit it while nothing runs; judgements are in judgements.db.", ""]
        for table, settings in SETTINGS.items():
            lines += [f"[{table}]"]
            for name, (_, meaning) in settings.items():
                written = _toml(values[name])
                lines.append(f"{name} = {written}  # {meaning}" if written else f"# {name} =  # {meaning}")
            lines.append("")
        with atomic(folder / PROJECT_FILE, private=True) as file:
            file.write("\n".join(lines))

    def path(self, folder: Path, written: str) -> Path:
        """Where something that the file names lies; a set of ir_datasets lies nowhere here."""
        if written.startswith(IRDS):
            return Path(written)
        return Path(os.path.normpath(folder / written))


def path_to_write(source: str | Path, folder: Path) -> str:
    """A path as project.toml has it: absolute as it was given, else relative to the project's folder."""
    text = os.fspath(source)
    return text if os.path.isabs(text) or text.startswith(IRDS) else Path(os.path.relpath(text, folder)).as_posix()


def _flat(tables: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings of all tables, and what is no setting."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for table, rules in SETTINGS.items():
        given = tables.get(table, {})
        if not isinstance(given, Mapping):
            problems.append(f"{table} must be a table: [{table}]")
            continue
        unknown = [name for name in given if name not in rules]
        problems += [
            f"[{table}] has no setting '{name}'{did_you_mean(name, rules)}".removesuffix(".") for name in unknown
        ]
        values |= {name: value for name, value in given.items() if name in rules}
    problems += [
        f"there is no table [{name}]{did_you_mean(name, SETTINGS)}".removesuffix(".")
        for name in tables.keys() - SETTINGS
    ]
    if "id" not in values:
        problems.append("[project] has no id")
        values["id"] = "0" * 16
    return values, problems


def _problems_together(plain: Mapping[str, Any]) -> list[str]:
    """What is wrong only in view of another setting."""
    problems = []
    grades = plain.get("grades")
    if grades is not None and (len(grades) < 2 or list(grades) != sorted(set(grades))):
        problems.append(f"grades={list(grades)}: two or more, each once, ascending")
    elif grades is not None and plain.get("relevant", grades[0]) not in grades[1:]:
        problems.append(f"relevant={plain['relevant']}: must be one of the grades above the lowest, {list(grades[1:])}")
    if "id" in plain and not (len(plain["id"]) == 16 and set(plain["id"]) <= set("0123456789abcdef")):
        problems.append("id: must be 16 hexadecimal digits")
    if plain.get("database"):
        try:
            if mask(check_address(plain["database"])) != plain["database"]:
                problems.append("database: holds a password; put it into PGPASSWORD or a passfile instead")
        except SettingError as error:
            problems.append(f"database: {error}")
    return problems


def _toml(value: object) -> str:
    """A value as TOML writes it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    r"""A text between quotes.

    >>> print(_quoted('a "b"\n\x7f'))
    "a \"b\"\u000a\u007f"
    """
    signs = (
        f"\\{sign}" if sign in '"\\' else sign if sign >= " " and sign != "\x7f" else f"\\u{ord(sign):04x}"
        for sign in text
    )
    return f'"{"".join(signs)}"'
