"""Kinds of graph: what each is called, takes and needs, and where its function stands; loaded when it is used.

The function of a kind says everything in its signature: `way: Annotated[Literal["thinned", "bins"], Option("how
generality varies")] = "thinned"` is all that command line, checks and documentation need. A new kind adds its address
to `KINDS`, where people want to see it.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from rankscope.core.catalogue import Catalogue, later
from rankscope.core.errors import SettingError
from rankscope.core.keywords import refuse_unknown
from rankscope.core.validation import Former, Optional, Rule, alternatives_of, check, element_of, rule_of

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


# An option of a kind of graph: its help stands in the signature of the kind's function, with its type and default.

VALUES = (str, float, int)  # what a text can mean; of several the first


@dataclass(frozen=True)
class GraphOption:
    """What the type and the default of a parameter do not say of it.

    `spelled` is how it is written on the command line, where that is not its name: "-n", or "-m --measure".
    """

    help: str
    spelled: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()  # where its type does not say them
    least: float | None = None
    above: float | None = None  # as `least`, without the limit itself
    below: float | None = None
    former: Former = ()  # words that were choices once, and what to do instead
    deciding: bool = False  # a report fills in the measure that decides


Option = GraphOption  # as kinds of other packages name it


@dataclass(frozen=True)
class KindOption:
    """An option with all that is known of it."""

    name: str
    declared: Option
    type: type
    default: Any
    rule: Rule  # of all values together where there may be several
    choices: tuple[str, ...] = ()
    many: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """How it is written on the command line, the one for messages last."""
        usual = f"--{'no-' if self.default is True else ''}{self.name.replace('_', '-')}"
        return tuple(self.declared.spelled.split()) or (usual,)

    @property
    def is_flag(self) -> bool:
        return self.type is bool

    @property
    def default_words(self) -> str:
        """The default as one writes it; nothing where there is none, or where it is a flag."""
        if self.default is None or self.default == () or self.is_flag:
            return ""
        if self.many:
            return ", ".join(map(str, self.default))
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    @property
    def metavar(self) -> str:
        return self.declared.metavar or ("NAME" if self.type is str else "N")

    def read(self, text: str) -> object:
        """What a text on the command line means: some of the values where there may be several numbers, as 4,8."""
        if self.type is str:
            return text
        if self.many:
            return tuple(rule_of(self.type).read(part.strip()) for part in text.split(","))
        return self.rule.read(text)


def options_of(make: Callable[..., Any]) -> tuple[KindOption, ...]:
    """The options in a function's signature, in its order.

    >>> def bars(
    ...     systems: object, bins: Annotated[int, Option("how many bins", least=1)] = 10, seed: int = 0
    ... ) -> None: ...
    >>> [(each.name, each.type, each.default, each.spellings) for each in options_of(bars)]
    [('bins', <class 'int'>, 10, ('--bins',))]
    """
    found = []
    for name, parameter in inspect.signature(make).parameters.items():
        known = types.SimpleNamespace(__annotations__={"it": parameter.annotation})
        try:
            hint = get_type_hints(known, globalns=getattr(make, "__globals__", {}), include_extras=True)["it"]
        except NameError:  # a name that is imported for types only
            continue
        if get_origin(hint) is not Annotated:
            continue
        declared = next((each for each in hint.__metadata__ if isinstance(each, Option)), None)
        if declared is not None:
            value, choices, many = _shape(hint.__origin__)
            rule = _rule(hint.__origin__, declared, parameter.default)
            choices = declared.choices or choices
            found.append(
                KindOption(
                    name=name,
                    declared=declared,
                    type=value,
                    default=parameter.default,
                    rule=rule,
                    choices=choices,
                    many=many,
                )
            )
    return tuple(found)


def _shape(hint: Any) -> tuple[type, tuple[str, ...], bool]:
    """The type of one value, its choices, and whether there may be several.

    >>> _shape(float | None), _shape(list[str]), _shape(Literal["a", "b"] | None)
    ((<class 'float'>, (), False), (<class 'str'>, (), True), (<class 'str'>, ('a', 'b'), False))
    """
    there = _without_none(hint)
    if get_origin(there[0]) is Literal:
        return str, get_args(there[0]), False
    if (element := element_of(there[0])) is not None:
        value, choices, _ = _shape(element)
        return value, choices, True
    value = bool if bool in there else next((each for each in VALUES if each in there), str)
    return value, (), False


def _rule(hint: Any, declared: Option, default: object) -> Rule:
    """What the value may be; where None is the default, it says that nothing was chosen.

    >>> _rule(list[float] | None, Option("an effect", above=0), None)
    Optional(rule=Several(rule=Number(least=-inf, most=inf, above=0, below=inf, finite=True)))
    """
    rule = rule_of(
        reduce(or_, _without_none(hint)) if default is None else hint,
        choices=declared.choices,
        least=declared.least,
        above=declared.above,
        below=declared.below,
        finite=True,
        former=declared.former,
    )
    return Optional(rule) if default is None else rule


def _without_none(hint: Any) -> list[Any]:
    return [each for each in alternatives_of(hint) if each is not types.NoneType]


# How many systems a kind of graph shows at once, and how a report shares its systems out among graphs of it.

T = TypeVar("T")
_choosing: ContextVar[bool] = ContextVar("choosing", default=False)


@contextmanager
def reader_chooses() -> Iterator[None]:
    """Inside, what shows several systems may describe any number: a reader chooses which of them are drawn."""
    before = _choosing.set(True)
    try:
        yield
    finally:
        _choosing.reset(before)


@dataclass(frozen=True)
class SystemCount:
    """From `least` to `most` systems; below `worth` of them a report leaves the graph out.

    >>> str(ONE), str(TWO), str(SEVERAL)
    ('one system', 'two systems', '1 to 12 systems')
    """

    least: int = 1
    most: int = 12
    worth: int = 1

    def __str__(self) -> str:
        if self.least == self.most:
            return {1: "one system", 2: "two systems"}.get(self.most, f"{self.most} systems")
        return f"{self.least} to {self.most} systems"

    def check(self, count: int, what: str) -> None:
        """Refuse another number of systems; `what` is the graph in words.

        >>> ONE.check(2, "the score distribution")
        Traceback (most recent call last):
        rankscope.core.errors.SettingError: the score distribution shows one system, got 2
        >>> with reader_chooses():
        ...     SEVERAL.check(100, "the precision-recall graph")
        """
        most = max(count, self.most) if self == SEVERAL and _choosing.get() else self.most
        if not self.least <= count <= most:
            raise SettingError(f"{what} shows {self}, got {count}")

    def shares(self, systems: Sequence[T]) -> list[list[T]]:
        """The systems of each graph of a report: one by one, the first against each other one, or all on one graph.

        Too few systems for a graph are a share all the same: the graph itself says what it lacks.
        >>> ONE.shares("abc"), TWO.shares("abc"), SEVERAL.shares("abc"), SystemCount(2, 60, worth=3).shares("ab")
        ([['a'], ['b'], ['c']], [['a', 'b'], ['a', 'c']], [['a', 'b', 'c']], [])
        """
        if self.most == 1:
            return [[each] for each in systems]
        if self.least == self.most == 2:
            return [[systems[0], other] for other in systems[1:]] or [list(systems)]
        return [] if self.least <= len(systems) < self.worth else [list(systems)]


def left_out_words(names: Sequence[str]) -> list[str]:
    """What a subtitle says of systems that a graph of the best leaves out: all their names.

    >>> left_out_words(["mars", "random"]), left_out_words([])
    (['not drawn: mars, random'], [])
    """
    return [f"not drawn: {', '.join(names)}"] if names else []


ONE = SystemCount(1, 1)
TWO = SystemCount(2, 2)
SEVERAL = SystemCount()


# A kind of graph: the function that makes it, with all that command line, reports and documentation ask of it.

P = ParamSpec("P")
SYSTEMS = "systems"  # what the functions of kinds that show runs call them
Need: TypeAlias = Literal["collection size", "scores", "classes", "feedback"]
Width: TypeAlias = Literal["column", "full"]
StudyGraphs: TypeAlias = Iterable[tuple[str, "Callable[[], Graph]"]]


def no_variants(systems: Any) -> None:
    """Of most kinds a page shows one graph."""


def no_study_graphs(results: Any, normalised: Any) -> StudyGraphs:
    """Most kinds show no feedback study."""
    return ()


@dataclass(frozen=True)
class GraphKind(Generic[P]):
    """Call it with systems and options to get a graph, not yet drawn.

    A kind that needs "feedback" takes feedback results in the place of systems.
    """

    name: str
    about: str  # one line, for a list of kinds
    make: Callable[P, Graph]
    systems: SystemCount = SEVERAL
    needs: tuple[Need, ...] = ()  # without it there is no graph
    uses: tuple[Need, ...] = ()  # without it the graph tells less
    compares: bool = False  # it shows what a comparison of systems rests on
    width: Width = "column"  # among the graphs of a comparison
    paper_width: Width = "column"  # in a paper of two columns
    enough: int | None = None  # so many queries look the same as more, which would take seconds
    costly: bool = False  # a system takes so long that a report of very many systems shows the best alone
    against_baseline: tuple[tuple[str, Any], ...] | None = None  # how a report pairs each system with the baseline
    variants: Callable[..., Variants | None] = no_variants  # what else a page may show of these systems
    study_graphs: Callable[..., StudyGraphs] = no_study_graphs  # what the page of a feedback study shows, and how

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Graph:
        """The graph; an option with a value that it cannot have is a `SettingError`."""
        make: Callable[..., Graph] = self.make
        by_place: dict[str, Any] = dict(zip(self.parameters, args, strict=False))
        by_name: dict[str, Any] = dict(kwargs)
        refuse_unknown(self.name, by_name, self.parameters)
        if self.parameters[:1] == (SYSTEMS,):
            from rankscope.reports.graphs.systems import ranks_of_systems

            for given in (by_place, by_name):
                given |= {name: ranks_of_systems(given[name], self.name) for name in given if name == SYSTEMS}
        plain = self.plain_options({**by_place, **by_name})
        in_order = [plain.get(name, value) for name, value in by_place.items()]
        return make(*in_order, *args[len(by_place) :], **{name: plain.get(name, by_name[name]) for name in by_name})

    def __post_init__(self) -> None:
        object.__setattr__(self, "__signature__", inspect.signature(self.make))  # of a call, for `help` and editors
        object.__setattr__(self, "__doc__", self.text)

    def __repr__(self) -> str:
        """As it is called.

        >>> from rankscope.reports.graphs.scope_curves import precision_scope_graph
        >>> precision_scope_graph
        precision_scope_graph(systems): share of the first s items that is relevant
        """
        given = inspect.signature(self.make).parameters.values()
        names = [each.name if each.default is each.empty else f"{each.name}=..." for each in given]
        return f"{self.make.__name__}({', '.join(names)}): {self.about}"

    def plain_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Of what is given, the options in plain Python; one `SettingError` for all values that they cannot have."""
        return check(given, **{option.name: option.rule for option in self.options if option.name in given})

    def wants(self, what: Need) -> bool:
        """Whether it needs this, or uses it where it is there."""
        return what in (*self.needs, *self.uses)

    def accepted(self, measure: str | None = None, **offered: Any) -> dict[str, Any]:
        """Of what a command can fill in, that which this kind takes: `measure` where the one that decides is meant."""
        taken = {name: value for name, value in offered.items() if name in self.parameters}
        deciding = any(option.declared.deciding for option in self.options)
        return taken | ({"measure": measure} if deciding and measure is not None else {})

    @property
    def text(self) -> str:
        """What it shows."""
        return inspect.cleandoc(self.make.__doc__ or "")

    @property
    def sentence(self) -> str:
        """The first sentence of it."""
        return " ".join(self.text.split()).partition(". ")[0].rstrip(".") + "."

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of all that its function takes."""
        return tuple(inspect.signature(self.make).parameters)

    @cached_property
    def options(self) -> tuple[KindOption, ...]:
        """What may be chosen on the command line too."""
        return options_of(self.make)


def kind(
    name: str,
    about: str = "",
    *,
    systems: SystemCount = SEVERAL,
    needs: tuple[Need, ...] = (),
    uses: tuple[Need, ...] = (),
    compares: bool = False,
    width: Width = "column",
    paper_width: Width = "column",
    enough: int | None = None,
    costly: bool = False,
    against_baseline: tuple[tuple[str, Any], ...] | None = None,
    variants: Callable[..., Variants | None] = no_variants,
    study_graphs: Callable[..., StudyGraphs] = no_study_graphs,
) -> Callable[[Callable[P, Graph]], GraphKind[P]]:
    """Make a kind of graph of a function; `GraphKind` says what each fact means.

    >>> @kind("empty", "nothing at all", systems=SystemCount(1, 1))
    ... def empty_graph(systems: object) -> Graph: ...
    >>> empty_graph.name, str(empty_graph.systems)
    ('empty', 'one system')
    """
    return lambda make: GraphKind(
        name=name,
        about=about or (inspect.getdoc(make) or "").partition("\n")[0].rstrip("."),
        make=make,
        systems=systems,
        needs=needs,
        uses=uses,
        compares=compares,
        width=width,
        paper_width=paper_width,
        enough=enough,
        costly=costly,
        against_baseline=against_baseline,
        variants=variants,
        study_graphs=study_graphs,
    )


# Kinds of graph, loaded when they are asked for.

ELSEWHERE = {  # what others call such graphs
    "prc": "precision-recall",
    "pr_curve": "precision-recall",
    "p_r_curve": "precision-recall",
    "recall_precision": "precision-recall",
    "rp": "precision-recall",
    "precision_at_k": "precision-scope",
    "recall_at_k": "recall-scope",
    "recall": "recall-scope",
    "precision": "precision-scope",
    "per_topic": "per-query-differences",
    "per_query": "per-query-differences",
    "differences": "per-query-differences",
    "forest": "comparison-intervals",
    "intervals": "comparison-intervals",
    "confusion": "class-matrix",
    "confusion_matrix": "class-matrix",
    "leaderboard": "rank-intervals",
    "critical_difference": "rank-intervals",
    "power": "power-curve",
    "histogram": "score-distribution",
    "scores": "score-distribution",
    "funnel": "ledger",
    "waterfall": "ledger",
}


class KindCatalogue(Catalogue[GraphKind[Any]]):
    """Kinds that show runs, or kinds that show feedback results; packages add both to one group.

    The runs of `staged` kinds are the stages of one pipeline; those of all others are rivals.
    """

    def __init__(
        self, what: str, files: Mapping[str, str], *, staged: tuple[str, ...] = (), feedback: bool = False
    ) -> None:
        places = {name: f"{file}:{name.replace('-', '_')}_graph" for name, file in files.items()}
        self.entries = later("rankscope.reports.graphs", places)
        super().__init__(what, self.entries, "rankscope.graphs", elsewhere=ELSEWHERE)
        self.staged, self.feedback = staged, feedback

    def of_rivals(self) -> Iterator[GraphKind[Any]]:
        """The kinds that a report of several systems may show; the others are not even loaded."""
        yield from (self.find(name) for name in self.own_names() if name not in self.staged)
        yield from self.added()

    def added(self) -> tuple[GraphKind[Any], ...]:
        """Kinds of other packages that show the same."""
        kinds = [each for each in super().added() if isinstance(each, GraphKind)]
        return tuple(each for each in kinds if ("feedback" in each.needs) == self.feedback)


KINDS = KindCatalogue(
    "kind of graph",
    {
        "precision-recall": "precision_recall",
        "precision-scope": "scope_curves",
        "recall-scope": "scope_curves",
        "band": "generality",
        "grip": "generality",
        "grnp": "generality",
        "grep": "generality",
        "precision-window": "scope_curves",
        "even-growth": "collection_growth",
        "forecast": "collection_growth",
        "per-query-differences": "differences",
        "comparison-intervals": "classes",
        "class-matrix": "classes",
        "rank-intervals": "differences",
        "power-curve": "differences",
        "score-distribution": "scope_curves",
        "ledger": "waterfall",
    },
    staged=("ledger",),
)
FEEDBACK_KINDS = KindCatalogue(
    "kind of graph of feedback",
    {"rounds": "feedback", "efficiency": "feedback", "growth": "feedback", "consistency": "feedback"},
    feedback=True,
)
ENTRIES = {**KINDS.entries, **FEEDBACK_KINDS.entries}


# Graphs of one kind that differ in one option, among which the reader of a page may choose.


@dataclass(frozen=True)
class Variant:
    """One value of an option, in words for a reader; `chosen` is the one that a page shows first."""

    value: str | None
    text: str
    chosen: bool = False
    heading: str = ""  # variants of one heading stand together


@dataclass(frozen=True)
class Variants:
    """What a page lets its reader choose among."""

    option: str
    label: str
    values: tuple[Variant, ...]


# Which page of the documentation explains what a kind of graph shows.

FOLDER = "docs/explanation"
PAGES = {
    "precision-recall": "radial-averaging.md",
    "precision-window": "g.md",
    "grip": "grip.md",
    "grnp": "grip.md",
    "grep": "grep.md",
    "forecast": "forecast.md",
    "efficiency": "normalization.md",
    "growth": "normalization.md",
    "consistency": "normalization.md",
}


def explanation_of(kind: str) -> str:
    """The page in the documentation; nothing for a kind that explains itself.

    >>> explanation_of("grip"), explanation_of("power-curve")
    ('docs/explanation/grip.md', '')
    """
    return f"{FOLDER}/{PAGES[kind]}" if kind in PAGES else ""
