"""Choices that change numbers, in one table: `--help`, every result's provenance and every report read it.

A peer's habits are a row of `COMPAT`: they replace the defaults, and an option given by hand wins over both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from rankscope.errors import SettingError

LARGEST = 2**63  # what fits into the whole numbers of arrays


@dataclass(frozen=True)
class Setting:
    """One choice: its name, default, meaning and, where there are few, its possible values."""

    name: str
    default: object
    meaning: str
    choices: tuple[object, ...] = ()

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return "--" + self.name.replace("_", "-")


SETTINGS: tuple[Setting, ...] = (
    Setting("rel", 1, "Lowest grade that counts as relevant, for measures that do not say it themselves"),
    Setting("depth", None, "Look only at the first K items of each ranking"),
    Setting("judged_only", False, "Remove items without a judgement before ranks are counted"),
    Setting(
        "ties",
        "trec_eval",
        "Order of equal scores: trec_eval (item id descending, as bytes), ascending (item id ascending), given "
        "(order of the lines), rank (the rank column decides everything), hash (seeded, the same on every machine), "
        "expected (mean over all orders, with worst and best; simulated where there is no closed form, and then said "
        "with its standard error)",
        ("trec_eval", "ascending", "given", "rank", "hash", "expected"),
    ),
    Setting(
        "queries",
        "judged",
        "Queries in the mean: every judged one (a missing answer scores 0), or only those the system answered",
        ("judged", "answered"),
    ),
    Setting(
        "no_relevant",
        "skip",
        "Queries without a relevant item: left out of the mean, or counted as 0",
        ("skip", "zero"),
    ),
    Setting(
        "duplicates",
        "error",
        "An item that occurs twice in a ranking or in the judgements: an error, or keep the best (higher score, "
        "higher grade), first or last",
        ("error", "best", "first", "last"),
    ),
    Setting("score_width", 64, "Bits of a score when scores are compared", (64, 32)),
    Setting("collection_size", None, "How many items the collection holds (d)"),
    Setting(
        "query_item",
        "kept",
        "An item whose id is the query's: kept as it is, removed from list and judgements, kept_ignored (stays, but "
        "no rank is counted for it), or counted as relevant",
        ("kept", "removed", "kept_ignored", "counted"),
    ),
    Setting(
        "mean",
        "macro",
        "Summary: macro (mean over queries), micro (pooled counts; AP of all lists merged by score), geometric "
        "(floor 1e-5), class (mean within each class first)",
        ("macro", "micro", "geometric", "class"),
    ),
    Setting("comments", True, "Lines of a TREC file that begin with # are comments"),
    Setting("seed", 0, "Seed of every random choice"),
)


@dataclass(frozen=True)
class Settings:
    """One value for each row of `SETTINGS`, the peer that was asked for, and which values were given by hand.

    >>> Settings.make(compat="trec_eval-9").score_width
    32
    >>> Settings.make(compat="trec_eval-9", score_width=64).score_width
    64
    """

    rel: float = 1
    depth: int | None = None
    judged_only: bool = False
    ties: str = "trec_eval"
    queries: str = "judged"
    no_relevant: str = "skip"
    duplicates: str = "error"
    score_width: int = 64
    collection_size: int | None = None
    query_item: str = "kept"
    mean: str = "macro"
    comments: bool = True
    seed: int = 0
    compat: str | None = None
    given: frozenset[str] = field(default=frozenset(), compare=False)

    @classmethod
    def make(cls, compat: str | None = None, **given: Any) -> Settings:
        """Defaults, then the peer's habits, then what was given by hand; `None` means not given."""
        chosen = {name: value for name, value in given.items() if value is not None}
        unknown = sorted(chosen.keys() - {setting.name for setting in SETTINGS})
        if unknown:
            names = ", ".join(setting.name for setting in SETTINGS)
            raise SettingError(f"no such setting: {', '.join(unknown)}. There are: {names}")
        habits = peer(str(compat)).settings if compat else {}
        made = cls(**{**habits, **chosen}, compat=compat, given=frozenset(chosen))
        made._check()
        return made

    def _check(self) -> None:
        for setting in SETTINGS:
            value = getattr(self, setting.name)
            if setting.choices and value not in setting.choices:
                choices = ", ".join(map(str, setting.choices))
                raise SettingError(f"{setting.option} must be one of {choices}, got {value!r}")
        for name, least in (("depth", 1), ("collection_size", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or not least <= int(value) < LARGEST):
                raise SettingError(
                    f"--{name.replace('_', '-')} must be a whole number of at least {least} and below 2^63, "
                    f"got {value!r}"
                )
        if not isinstance(self.rel, Real) or not abs(self.rel) < LARGEST:
            raise SettingError(f"--rel must be a number within -2^63 and 2^63, got {self.rel!r}")

    def changed(self, **values: Any) -> Settings:
        """The same settings with some values replaced."""
        return replace(self, **values)

    @property
    def trec_eval(self) -> bool:
        """Whether trec_eval's own way of counting and printing is asked for."""
        return self.compat in ("trec_eval-9", "trec_eval-10")

    def record(self) -> dict[str, object]:
        """The values as plain data, for provenance."""
        return {name: value for name, value in asdict(self).items() if name != "given"}


NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Apart:
    """A measure that a peer computes apart from its others, with settings of its own.

    `cut`: only with a cut-off; `where`: only with these parameters.
    """

    measure: str
    settings: Mapping[str, Any]
    cut: bool = False
    where: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def is_about(self, measure: Any) -> bool:
        """Whether it speaks of a measure."""
        return (
            measure.name == self.measure
            and (not self.cut or getattr(measure, "scope", None) is not None)
            and all(getattr(measure, name) == value for name, value in self.where.items())
        )


@dataclass(frozen=True)
class Peer:
    """A peer's habits: settings, parameters of measures that differ, and measures that it computes apart."""

    name: str
    settings: Mapping[str, Any]
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING)
    apart: tuple[Apart, ...] = ()
    run_in_tests: bool = False
    note: str = ""

    def settings_of(self, measure: Any) -> Mapping[str, Any]:
        """What a measure's settings differ in from the peer's others."""
        return next((each.settings for each in self.apart if each.is_about(measure)), NOTHING)


_TREC: dict[str, Any] = {"no_relevant": "zero", "queries": "judged", "ties": "trec_eval", "duplicates": "error"}
_NINE: dict[str, dict[str, Any]] = {"IPrec": {"levels": "trec_eval-9"}, "IPrec11": {"levels": "trec_eval-9"}}
_TEN: dict[str, dict[str, Any]] = {
    "IPrec": {"levels": "trec_eval-10"},
    "IPrec11": {"levels": "trec_eval-10"},
    "RBPResidual": {"judged": "zero"},
}

PEERS: tuple[Peer, ...] = (
    Peer(
        "trec_eval-9",
        {**_TREC, "score_width": 32, "comments": False},
        _NINE,
        run_in_tests=True,
        note="release 9.0.8 with -c; its printed output is in the golden cases",
    ),
    Peer(
        "trec_eval-10",
        dict(_TREC),
        _TEN,
        run_in_tests=True,
        note="release 10.0 with -c; its printed output is in the golden cases",
    ),
    Peer(
        "pytrec_eval",
        {**_TREC, "queries": "answered", "score_width": 32, "comments": False},
        _NINE,
        run_in_tests=True,
        note="pytrec-eval-terrier: trec_eval 9 on the queries that the run answers",
    ),
    Peer(
        "ir_measures",
        {**_TREC, "score_width": 32, "duplicates": "last", "comments": False},
        {
            **_NINE,
            "ERR": {"top": 4.0},
            "Judged": {"divisor": "returned", "negative": "judged"},
            "RBP": {"horizon": 1000},
        },
        apart=(
            Apart("RR", {"ties": "ascending", "score_width": 64}, cut=True),
            Apart("Judged", {"ties": "ascending", "score_width": 64}),
            Apart("ERR", {"score_width": 64}),
            Apart("nDCG", {"score_width": 64}, cut=True, where={"gain": "exp"}),
            Apart("RBP", {"ties": "given", "score_width": 64}),
            Apart("num_q", {"queries": "answered"}),
            Apart("num_rel", {"queries": "answered"}),
        ),
        run_in_tests=True,
        note="pytrec_eval, but for RR@k and Judged@k (ties by ascending id), for ERR@k and nDCG(gain=exp)@k (gdeval, "
        "printed to five places) and for RBP (cwl_eval: ties in the order given, the first 1,000 items), all five on "
        "64-bit scores",
    ),
    Peer(
        "ranx",
        {**_TREC, "ties": "given", "duplicates": "last", "comments": False},
        {"bpref": {"negative": "nonrelevant"}, "RBP": {"gain": "raw"}},
        run_in_tests=True,
        note="its sort is unstable in lists of more than 16 items: the stable reading is reproduced",
    ),
    Peer(
        "beir",
        {**_TREC, "queries": "answered", "score_width": 32, "duplicates": "last", "query_item": "removed"},
        _NINE,
        apart=(
            Apart("RR", {"ties": "given", "score_width": 64, "queries": "judged"}, cut=True),
            Apart("CappedRecall", {"ties": "given", "score_width": 64}),
        ),
        note="pytrec_eval on lists from which the query itself is removed; its hole@k takes an item as judged if any "
        "query judged it, ours if this query did",
    ),
    Peer(
        "torchmetrics",
        {**_TREC, "ties": "given", "score_width": 32},
        {"AP": {"divisor": "found"}, "nDCG": {"negative": "both"}},
        apart=(Apart("nDCG", {"ties": "expected"}),),
        note="empty_target_action is neg (0) by default",
    ),
    Peer(
        "pytorch-metric-learning",
        {"ties": "given", "score_width": 32, "no_relevant": "skip"},
        {"AP": {"divisor": "found"}},
        note="lone labels are dropped; its MAP@R is AP(within=R), and MAP@R is understood",
    ),
    Peer(
        "open-metric-learning",
        {**_TREC, "ties": "given", "score_width": 32},
        {"AP": {"divisor": "found"}, "P": {"divisor": "min"}},
        note="a query with nothing relevant and nothing returned scores 1 there, 0 here",
    ),
    Peer(
        "revisitop",
        {"ties": "rank", "no_relevant": "skip", "query_item": "removed"},
        {"AP": {"area": "oxford"}, "P": {"divisor": "deepest"}},
        note="ranks are given; pass the junk items with --junk",
    ),
    Peer(
        "LIRE",
        {"ties": "rank", "no_relevant": "zero", "query_item": "counted"},
        note="the query counts as a hit, and R as one more",
    ),
)
COMPAT: tuple[str, ...] = tuple(each.name for each in PEERS)


def peer(name: str) -> Peer:
    """The habits of a peer.

    >>> peer("ranx").settings["ties"]
    'given'
    """
    for each in PEERS:
        if each.name == name:
            return each
    from rankscope.catalogue import did_you_mean

    raise SettingError(f"--compat knows no '{name}'{did_you_mean(name, COMPAT)} There are: {', '.join(COMPAT)}")


def default(name: str) -> object:
    """The default of a setting, for `--help`."""
    return next(setting.default for setting in SETTINGS if setting.name == name)


assert {setting.name for setting in SETTINGS} == {each.name for each in fields(Settings)} - {"compat", "given"}
