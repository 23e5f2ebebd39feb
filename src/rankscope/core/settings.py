"""Choices that change numbers, in one table: `--help`, every result's provenance and every report read it.

A peer's habits (`rankscope.peers`) replace the defaults, and a choice made by hand wins over both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, TypedDict, Unpack

from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import SettingError
from rankscope.core.keywords import declare_defaults
from rankscope.core.options import CHOICES, INPUT, Option, Parameter, Reads, option_fields
from rankscope.core.peers import COMPAT, PEER, peer
from rankscope.core.validation import (
    COUNT,
    FLAG,
    LARGEST,
    SEED,
    Number,
    OneOf,
    Optional,
    Rule,
    checked_once,
    plain_values,
)

LEVEL = 0.95  # of intervals, where nothing is said
MAPPING = "ROLE=NAME,..."
MAX_RATIO = 200.0  # how many times its own size a packed file may become


@dataclass(frozen=True, eq=False)
class Setting:
    """One choice: its name, default, meaning and what its value may be; `unset` says what a default of None does."""

    name: str
    default: object
    meaning: str
    rule: Rule
    unset: str = ""

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return "--" + self.name.replace("_", "-")

    @property
    def choices(self) -> tuple[object, ...]:
        """Its possible values, where there are few."""
        return self.rule.choices if isinstance(self.rule, OneOf) else ()

    @property
    def default_words(self) -> str:
        """The default as people read it: never the None of Python."""
        return self.unset if self.default is None else str(self.default)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "rel",
        1,
        "Lowest grade that counts as relevant, for measures that do not say it themselves",
        Number(above=-LARGEST, below=LARGEST),
    ),
    Setting("depth", None, "Look only at the first K items of each ranking", Optional(COUNT), unset="all of them"),
    Setting("judged_only", False, "Remove items without a judgement before ranks are counted", FLAG),
    Setting(
        "ties",
        "trec_eval",
        "Order of equal scores: trec_eval (item id descending, as bytes), ascending (item id ascending), given "
        "(order of the lines), rank (the rank column decides everything), hash (seeded, the same on every machine), "
        "expected (mean over all orders, with worst and best; simulated where there is no closed form and a query has "
        "more than 5,040 orders, and then said with its standard error)",
        OneOf(("trec_eval", "ascending", "given", "rank", "hash", "expected")),
    ),
    Setting(
        "scores",
        "descending",
        "Which scores are best: the largest (descending), or the smallest (ascending), as of distances, which are read "
        "as negated; ranks and lists are no scores",
        OneOf(("descending", "ascending")),
    ),
    Setting(
        "queries",
        "judged",
        "Queries in the mean: every judged one (a missing answer is an empty list), or only those the system answered",
        OneOf(("judged", "answered")),
    ),
    Setting(
        "no_relevant",
        "skip",
        "Queries without a relevant item: left out of the mean, or counted with the worst value, mostly 0",
        OneOf(("skip", "zero")),
    ),
    Setting(
        "duplicates",
        "error",
        "An item that occurs twice in a ranking or in the judgements: an error, or keep the best (higher score, "
        "higher grade), first or last",
        OneOf(("error", "best", "first", "last")),
    ),
    Setting("score_width", 64, "Bits of a score when scores are compared", OneOf((64, 32))),
    Setting("collection_size", None, "How many items the collection holds (d)", Optional(COUNT), unset="not known"),
    Setting(
        "query_item",
        "kept",
        "An item whose id is the query's: kept as it is, removed from list and judgements, kept_ignored (stays, but "
        "no rank is counted for it), or counted as relevant",
        OneOf(("kept", "removed", "kept_ignored", "counted")),
    ),
    Setting(
        "mean",
        "macro",
        "Summary: macro (mean over queries), micro (pooled counts; AP of all lists merged by score), geometric "
        "(floor 1e-5), class (mean within each class first)",
        OneOf(("macro", "micro", "geometric", "class")),
    ),
    Setting("comments", True, "Lines of a TREC file that begin with # are comments", FLAG),
    Setting("seed", 0, "Seed of every random choice", SEED),
)


class Choices(TypedDict, total=False):
    """Settings by name; None means not chosen."""

    rel: float | None
    depth: int | None
    judged_only: bool | None
    ties: str | None
    scores: str | None
    queries: str | None
    no_relevant: str | None
    duplicates: str | None
    score_width: int | None
    collection_size: int | None
    query_item: str | None
    mean: str | None
    comments: bool | None
    seed: int | None


class InputChoices(Choices, total=False):
    """How inputs are read, and every setting; None means not chosen.

    `junk`: pairs, {query: [item, ...]}, a table or a file. `subtopics`: a file, {query: {subtopic: {item: grade}}} or
    {query: {item: {subtopic: grade}}}, a table or tuples. `classes`: a dictionary, a table or a file. `columns`,
    `map_qrels` and `map_runs`: {"query": NAME, "item": NAME}, also grade, score, rank and, in JSON, results. `roll_up`:
    a regular expression with one group, a file, a table or {chunk: document}.
    """

    junk: Annotated[
        Any,
        Option(
            "Items neither relevant nor irrelevant (query 0 item 0), removed first.",
            metavar="FILE",
            kind=Reads(),
            panel=INPUT,
        ),
    ]
    subtopics: Annotated[
        Any,
        Option(
            "Judgements of subtopics (query subtopic item grade) for measures of diversity: alpha_nDCG@10, ERR_IA@10, "
            "StRecall@10, ... Not needed where the judgements name subtopics themselves.",
            metavar="FILE",
            kind=Reads(),
            panel=INPUT,
        ),
    ]
    classes: Annotated[
        Any,
        Option(
            "Class of each query (columns query, class): values and verdicts by class.",
            "--by",
            metavar="CSV",
            kind=Reads(),
        ),
    ]
    format: Annotated[
        str | None,
        Option(
            "Format of the input files, where it cannot be recognised: trec, csv, ...",
            "--input-format",
            metavar="NAME",
            panel=INPUT,
        ),
    ]
    encoding: Annotated[str, Option("Encoding of text files.", panel=INPUT)]
    max_ratio: Annotated[
        float,
        Option(
            "Refuse a packed file that becomes more than 1 GB and more than N times its size.",
            metavar="N",
            panel=INPUT,
        ),
    ]
    columns: Annotated[
        Any,
        Option(
            "Which column is which, where names do not tell: query=NAME,item=NAME and grade=, score= or rank=. Dots "
            "lead into objects of JSON (item=_source.sku), results= names a list of hits, numbers count columns of a "
            "text without a header. For all files.",
            "--map",
            metavar=MAPPING,
            many="once",
            panel=INPUT,
        ),
    ]
    map_qrels: Annotated[
        Any,
        Option(
            "The same for judgements alone, which wins over that for all files.",
            metavar=MAPPING,
            many="once",
            panel=INPUT,
        ),
    ]
    map_runs: Annotated[
        Any,
        Option(
            "The same for runs alone, which wins over that for all files.", metavar=MAPPING, many="once", panel=INPUT
        ),
    ]
    roll_up: Annotated[
        Any,
        Option(
            "Evaluate documents where items are their chunks: a regular expression whose one group is the document's "
            "id, as '^(.*)#\\d+$', or a file with two columns, chunk and document. The best chunk counts.",
            metavar="REGEX|FILE",
            kind=Reads(),
            panel=INPUT,
        ),
    ]
    compat: Annotated[
        str | None,
        Option(
            f"Count as this peer does: {', '.join(COMPAT)}. Choices made by hand win.", metavar="PEER", panel=CHOICES
        ),
    ]


DEFAULTS_OF_INPUT = {"encoding": "utf-8", "max_ratio": MAX_RATIO}
declare_defaults(InputChoices, **DEFAULTS_OF_INPUT)


def input_parameters() -> dict[str, Parameter]:
    """What says how inputs are read, as options; the settings stand in their own table."""
    return option_fields(InputChoices, DEFAULTS_OF_INPUT, globals())


@dataclass(frozen=True, init=False)
class Settings:
    """One value for each row of `SETTINGS`, the peer that was asked for, and which values were chosen by hand.

    What cannot be is refused here, all of it at once. None means not chosen.
    >>> Settings(compat="trec_eval-9").score_width, Settings(compat="trec_eval-9", score_width=64).score_width
    (32, 64)
    >>> Settings(ties="gvien")
    Traceback (most recent call last):
    rankscope.core.errors.SettingError: ties='gvien': must be one of trec_eval, ascending, given, rank, hash, \
expected (did you mean 'given'?)
    """

    rel: float
    depth: int | None
    judged_only: bool
    ties: str
    scores: str
    queries: str
    no_relevant: str
    duplicates: str
    score_width: int
    collection_size: int | None
    query_item: str
    mean: str
    comments: bool
    seed: int
    compat: str | None
    given: frozenset[str] = field(init=False, compare=False)

    def __init__(self, *, compat: str | None = None, **choices: Unpack[Choices]) -> None:
        chosen = {name: value for name, value in choices.items() if value is not None}
        spelled, problems = plain_values({"compat": Optional(PEER)}, {"compat": compat})
        name = spelled.get("compat")
        habits = {} if name is None else peer(name).settings
        self._fill({**DEFAULTS, **habits, **chosen}, name, frozenset(chosen), problems)

    def _fill(self, values: Mapping[str, Any], compat: str | None, given: frozenset[str], problems: list[str]) -> None:
        """Set every field, or raise everything that is wrong."""
        plain, wrong = plain_values(RULES, values)
        problems = [*problems, *(unknown_name("setting", name, RULES) for name in values if name not in RULES), *wrong]
        if problems:
            raise SettingError.of(problems)
        for name, value in {**plain, "compat": compat, "given": given}.items():
            object.__setattr__(self, name, value)

    def changed(self, **choices: Unpack[Choices]) -> Settings:
        """The same settings with some values replaced, which then count as chosen by hand."""
        other: Settings = object.__new__(Settings)
        kept = {name: getattr(self, name) for name in RULES}
        other._fill({**kept, **choices}, self.compat, self.given | choices.keys(), [])
        return other

    @property
    def trec_eval(self) -> bool:
        """Whether trec_eval's own way of counting and printing is asked for."""
        return self.compat in ("trec_eval-9", "trec_eval-10")

    def record(self) -> dict[str, object]:
        """The values as plain data, for provenance."""
        return {name: value for name, value in asdict(self).items() if name != "given"}

    def __repr__(self) -> str:
        """As it is written, with what differs from the defaults.

        >>> Settings(ties="given"), Settings(compat="ranx", depth=10)
        (Settings(ties='given'), Settings(compat='ranx', depth=10))
        """
        shown = [f"compat={self.compat!r}"] if self.compat else []
        shown += [f"{name}={getattr(self, name)!r}" for name in RULES if name in self.given]
        return f"Settings({', '.join(shown)})"


RULES: dict[str, Rule] = {setting.name: setting.rule for setting in SETTINGS}
DEFAULTS: dict[str, object] = {setting.name: setting.default for setting in SETTINGS}


DEFAULT_SETTINGS = Settings()
settings_of: Callable[..., Settings] = checked_once(Settings)  # for calls that come again and again


def default(name: str) -> object:
    """The default of a setting, for `--help`."""
    return DEFAULTS[name]


assert RULES.keys() == {each.name for each in fields(Settings)} - {"compat", "given"} == Choices.__annotations__.keys()
