"""A kind of graph: the function that makes it, with all that command line, reports and documentation ask of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeAlias

from rankscope.calling import refuse_unknown
from rankscope.graphs.option import KindOption, options_of
from rankscope.graphs.system_count import SEVERAL, SystemCount
from rankscope.validation import check

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph
    from rankscope.graphs.variants import Variants

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
        named = dict(zip(self.parameters, args, strict=False))
        refuse_unknown(self.name, kwargs, self.parameters)
        if self.parameters[:1] == (SYSTEMS,):
            named, kwargs = ({**each, **self._ranks(each)} for each in (named, kwargs))  # type: ignore[assignment]
        plain = self.plain_options({**named, **kwargs})
        in_order = [plain.get(name, value) for name, value in named.items()]
        return make(*in_order, *args[len(named) :], **{name: plain.get(name, kwargs[name]) for name in kwargs})

    def _ranks(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The ranks of the systems that are given, if they are given here."""
        from rankscope.graphs.kinds.shared.describing import ranks_of_systems

        return {SYSTEMS: ranks_of_systems(given[SYSTEMS], self.name)} if SYSTEMS in given else {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "__signature__", inspect.signature(self.make))  # of a call, for `help` and editors
        object.__setattr__(self, "__doc__", self.text)

    def __repr__(self) -> str:
        """As it is called.

        >>> from rankscope.graphs.kinds.precision_scope import precision_scope_graph
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
