"""Would the order be another one with other queries, assessors or items, why, and what should be judged next?

The three questions take the same: judgements of one or several assessors, runs of one or several seeds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from rankscope.commands.line.questions import LEVEL_OPTION, Argument, Request, command
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.options import CHOICES, DECIDES, OUTPUT, NumberRange, Option, Reads
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.core.validation import COUNT, SHARE, Number, OneOf, Optional, WholeNumber, check
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.analysis.comparison.leaderboard import LeaderboardStability
    from rankscope.analysis.sampling.judging_plan import Costs, JudgingPlans
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.analysis.statistics.variance_components import Components
    from rankscope.measures.evaluation.scores import Scores


HALF = 0.5
MEASURE = Option("Measure of the systems.", "-m --measure", metavar="NAME")
ASSESSORS = Option(
    "Judgements of one of several people, in place of QRELS; once for each.",
    "--assessor",
    metavar="FILE",
    kind=Reads(),
    many=True,
)
BASELINE = Option("The system that the others are compared with.", metavar="NAME", default="the first")
FORMAT = Option("Format of the result.", "--format", panel=OUTPUT)


# How stable is a leaderboard: with other queries, other assessors and other items?

LEFT_OUT = 0.1
MOST_LINES = 2_000_000  # of all runs together, for which a report draws collections
DRAWS_OF_REPORT = 20


@strict_keywords
def stability(
    qrels: Any = None,
    runs: Any = None,
    measure: Annotated[str, MEASURE] = "AP",
    *,
    assessors: Annotated[Mapping[str, Any] | Sequence[Any] | None, ASSESSORS] = None,
    left_out: Annotated[
        float,
        Option(
            "The share of the collection's items that is left out in each draw; relevant ones stay.",
            metavar="SHARE",
            kind=NumberRange(0, 1, low_open=True, high_open=True),
            panel=DECIDES,
        ),
    ] = LEFT_OUT,
    draws: Annotated[int, Option("How many collections are drawn; 0: none.", kind=NumberRange(0), panel=DECIDES)] = 50,
    resamples: Annotated[
        int | None,
        Option("How often queries are drawn.", kind=NumberRange(1), default="2,000 to 10,000", panel=CHOICES),
    ] = None,
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    **given: Unpack[InputChoices],
) -> LeaderboardStability:
    """How stable is a leaderboard? How often systems change their order with other queries, assessors or collections.

    Takes what `evaluate` takes, or scores that it gave. `assessors`: judgements of each of several people, in place of
    `qrels`; the leaderboard is that of their means. `draws` collections are made by leaving out such a share of the
    items that are not relevant; none where `draws` is 0, or only scores are given.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(8)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "y": 1.5, "a": 1.0} for query in qrels}
    >>> found = stability(qrels, {"bad": bad, "good": good}, draws=2)
    >>> found.top, [(each.source, each.same_order) for each in found.changes]
    (('good',), [('queries', 1.0), ('collection', 1.0)])
    """
    from rankscope.analysis.comparison.leaderboard import stability as stability_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.commands.varied_inputs import VariedInputs, mean_table
    from rankscope.measures.evaluation.scores import Scores

    check(locals(), level=SHARE, left_out=SHARE, draws=WholeNumber(least=0), resamples=Optional(COUNT))
    seed = given.get("seed") or 0
    if isinstance(qrels, ScoreTable):
        return stability_of(qrels, level=level, resamples=resamples, seed=seed)
    if isinstance(qrels, Scores):
        table, by_unit = ScoreTable.of(qrels, measure), classes_are_targets(qrels)
        return stability_of(table, by_unit=by_unit, level=level, resamples=resamples, seed=seed)
    inputs = VariedInputs.of(qrels, runs, measure, assessors, given)
    tables = list(inputs.by_assessor().values())
    others = inputs.on_collections(left_out, draws, seed) if draws else []
    return stability_of(
        mean_table(tables),
        assessors=tables if len(tables) > 1 else (),
        collections=[tables[0], *others] if others else (),
        level=level,
        resamples=resamples,
        seed=seed,
    )


def stability_of_report(
    scores: Scores, runs: Any, assessors: Any, given: Mapping[str, Any]
) -> LeaderboardStability | None:
    """The same for a page: by the judgements that it shows, and those of assessors next to them; None of one query.

    Collections are drawn where the runs are so few and small that it takes no more than a moment.
    """
    from rankscope.analysis.comparison.leaderboard import stability as stability_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.commands.varied_inputs import VariedInputs, tables_of_draws

    seed, table = scores.settings.seed, ScoreTable.of(scores)
    if len(table.complete()) < 2:
        return None
    known = {name: each for name, each in given.items() if each is not None}
    others: list[ScoreTable] = []
    if sum(int(each.ranks.depth.sum()) for each in scores.systems) <= MOST_LINES:
        inputs = VariedInputs({"": None}, runs, "", known)
        others = _if_possible(lambda: tables_of_draws(scores, inputs.named_runs(), LEFT_OUT, DRAWS_OF_REPORT, seed))
    people = _if_possible(lambda: _by_assessor(runs, scores.measures[0], assessors, given, table))
    return stability_of(
        table,
        assessors=people,
        collections=[table, *others] if others else (),
        by_unit=classes_are_targets(scores),
        seed=seed,
    )


def _if_possible(make: Callable[[], list[ScoreTable]]) -> list[ScoreTable]:
    """Nothing where lists were shortened, runs can be read once only, or assessors share no query."""
    try:
        return make()
    except RankscopeError:
        return []


def _by_assessor(
    runs: Any, measure: str, assessors: Any, given: Mapping[str, Any], table: ScoreTable
) -> list[ScoreTable]:
    """The values under each assessor, as far as some queries are measured by all of them."""
    if assessors is None:
        return []
    from rankscope.commands.varied_inputs import VariedInputs, mean_table

    found = list(VariedInputs.of(None, runs, measure, assessors, given).by_assessor().values())
    mean_table([each.select(*table.systems).complete() for each in found])
    return found


# Where does uncertainty come from?


@strict_keywords
def variance_components(
    qrels: Any = None,
    runs: Any = None,
    measure: Annotated[str, MEASURE] = "AP",
    *,
    assessors: Annotated[Mapping[str, Any] | Sequence[Any] | None, ASSESSORS] = None,
    baseline: Annotated[str | None, BASELINE] = None,
    collection: Annotated[
        Literal["none", "random", "exact"],
        Option(
            "Also what other items would do: from random halves of the collection, or exactly (P, R and Rprec, of each "
            "system; needs the size of the collection).",
            panel=DECIDES,
        ),
    ] = "none",
    draws: Annotated[int, Option("Random halves of the collection.", kind=NumberRange(2), panel=DECIDES)] = 20,
    covariates: Annotated[
        Sequence[str],
        Option(
            "Numbers of each query whose effect is taken out first: class-size, generality. Repeat it.",
            "--covariate",
            metavar="NAME",
            many=True,
        ),
    ] = (),
    explain_by: Annotated[
        Any,
        Option(
            "More of them, such as the length of a query (columns query, and one of numbers for each).",
            metavar="CSV",
            kind=Reads(),
        ),
    ] = None,
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    **given: Unpack[InputChoices],
) -> tuple[Components, ...]:
    """How much of the variance is that of queries, classes, assessors, collections and seeds: of each system, and of
    its difference from the baseline, which is the first unless named.

    Takes what `evaluate` takes. `assessors`: judgements of each of several people, in place of `qrels`. `runs` of one
    system with several seeds: {system: [run, run, ...]}. Or one table of values alone (a CSV file or a frame) with
    columns query and value, and any of system, measure, class, assessor, seed and collection. `collection`: also by how
    much other items would change values, from `draws` random halves of the collection, or exactly, of P, R and Rprec
    of one system. `covariates`: class-size, generality; `explain_by`: more of them, a file or {name: {query: number}}.
    >>> ann = {f"q{n}": {"a": 1, "b": n % 2} for n in range(6)}
    >>> bob = {f"q{n}": {"a": n % 3 == 0, "b": 1} for n in range(6)}
    >>> run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in ann}
    >>> variance_components(runs={"mine": run}, assessors={"ann": ann, "bob": bob})
    (Components(AP of mine: query 0%, assessor 68%, query x assessor 32%; standard error of the mean 0.2083),)
    """
    from rankscope.analysis.statistics.variance_components import components
    from rankscope.commands.varied_inputs import values_of, with_exact_collection, with_random_collection

    check(locals(), level=SHARE, draws=COUNT, collection=OneOf(("none", "random", "exact")))
    inputs, values = values_of(qrels, runs, measure, assessors, covariates, explain_by, given)
    seed = given.get("seed") or 0
    found = [components(each, level) for each in values.contrasts(baseline)]
    if collection == "none":
        return tuple(found)
    if inputs is None:
        raise SettingError(f"{setting_usage('collection')}: a table of values has no items; add a column collection")
    if collection == "exact":
        return tuple(with_exact_collection(found, inputs))
    return tuple(with_random_collection(found, inputs.on_collections(HALF, draws, seed), baseline, level))


@strict_keywords
def plan_judging(
    qrels: Any = None,
    runs: Any = None,
    measure: Annotated[str, MEASURE] = "AP",
    *,
    budget: Annotated[
        float,
        Option(
            "What may be spent beyond what is judged already, in the unit of the costs.",
            kind=NumberRange(0, low_open=True),
        ),
    ],
    cost: Annotated[
        str | Costs,
        Option(
            "What one of each costs: query, judgement, assessor, seed; as query=5,judgement=1. What is not named is "
            "free, but for judgements, which cost 1.",
            metavar="COSTS",
        ),
    ] = "judgement=1",
    judgements: Annotated[
        float | None,
        Option(
            "Judgements that a query takes of one assessor; pools get no deeper with it.",
            kind=NumberRange(0, low_open=True),
            default="as many as there are",
            panel=DECIDES,
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        Option(
            "How many items of each run are judged.",
            metavar="K",
            kind=NumberRange(4),
            default="the deepest of 5, 10, 20, ... of whose pool 90 % is",
            panel=DECIDES,
        ),
    ] = None,
    assessors: Annotated[Mapping[str, Any] | Sequence[Any] | None, ASSESSORS] = None,
    baseline: Annotated[str | None, BASELINE] = None,
    of: Annotated[
        str | None,
        Option(
            "The system whose difference from the baseline is to be known; the baseline's name: that system alone.",
            metavar="NAME",
            default="the second",
        ),
    ] = None,
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    **given: Unpack[InputChoices],
) -> JudgingPlans:
    """What should be judged next? More queries, more assessors, deeper pools or more seeds, by the width they promise.

    Takes what `variance_components` takes. `budget`: what may be spent more, in the unit of `cost`, as
    'query=5,judgement=1,assessor=100,seed=20'. With several systems it is about the difference of the second, or of
    `of`, from the baseline; with `of` the baseline's name, about that system alone. `judgements` of a query by one
    assessor: as many as there are, unless given. `pool_depth` to which the runs were judged: else the deepest of 5, 10,
    20, ... of whose pool 90 % is judged.
    >>> qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(8)}
    >>> run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in qrels}
    >>> plan_judging(qrels, {"mine": run}, budget=40).best.design.queries
    28
    """
    from rankscope.analysis.sampling.judging_plan import Costs, JudgingPlans, WidthForecast
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.analysis.statistics.variance_components import QUERY, components
    from rankscope.commands.varied_inputs import contrast_names, judgements_of_a_query, pools_of, values_of

    check(
        locals(), level=SHARE, budget=Number(above=0), judgements=Optional(Number(above=0)), pool_depth=Optional(COUNT)
    )
    inputs, values = values_of(qrels, runs, measure, assessors, (), None, given)
    costs = cost if isinstance(cost, Costs) else Costs.parse(cost)
    base, other = contrast_names(values.systems, baseline, of)
    table = values.of_system(base) if base == other else values.difference(base, other)
    apart = None if base == other else table.means_by(QUERY)
    bounds = ScoreTable.make({"": values.values}, measure=values.measure).bounds
    if inputs is None:
        if judgements is None:
            raise SettingError(f"a table of values has no judgements to count: give {setting_usage('judgements', 'N')}")
        forecast = WidthForecast(
            components(table, level), costs, judgements, level=level, differences=apart, bounds=bounds
        )
        return JudgingPlans(forecast, budget)

    mean = judgements_of_a_query(inputs) if judgements is None else judgements
    pools = pools_of(inputs, values.systems, baseline, of, pool_depth) if judgements is None else None
    forecast = WidthForecast(
        components(table, level), costs, mean, pools, level=level, differences=apart, bounds=bounds
    )
    return JudgingPlans(forecast, budget)


# `rankscope stability`, `rankscope components` and `rankscope plan`.


def _keywords(request: Request) -> dict[str, Any]:
    """What the question takes: judgements, runs, and all that was chosen."""
    files, keywords = request.files, request.keywords
    if keywords["assessors"]:
        return keywords | {"assessors": list(keywords["assessors"]), "runs": named_seeds(files)}
    runs = named_seeds(files[1:]) if files[1:] else None
    return keywords | {"qrels": files[0] if files else None, "runs": runs}


def named_seeds(files: tuple[str, ...]) -> list[str] | dict[str, list[str]]:
    """Runs as they came, or by system where they are written as SYSTEM=RUN; the same system again is another seed.

    >>> named_seeds(("a.run", "b.run")), named_seeds(("new=1.run", "new=2.run", "old=3.run"))
    (['a.run', 'b.run'], {'new': ['1.run', '2.run'], 'old': ['3.run']})
    """
    parts = [each.partition("=") if "=" in each and not os.path.exists(each) else None for each in files]
    if not any(parts):
        return list(files)
    if not all(parts) or not all(part[0] and part[2] for part in parts if part):
        raise SettingError("write every run as SYSTEM=RUN, or none of them")
    found: dict[str, list[str]] = {}
    for system, _, path in filter(None, parts):
        found.setdefault(system, []).append(path)
    return found


@command(
    stability,
    Argument("files", "QRELS RUN RUN... | RUN RUN... --assessor FILE...", many=True, required=False),
    short="Would the leaderboard look the same again?",
    without=("systems",),
)
def stability_command(
    request: Request, *, output_format: Annotated[Literal["table", "markdown", "json"], FORMAT] = "table"
) -> None:
    """Would the leaderboard look the same again? How often systems change their order when queries, assessors or a
    tenth of the collection are others, and which systems may be the best.

    \b
    rankscope stability qrels.txt runs/*.run -m nDCG@10
    rankscope stability --assessor ann.txt --assessor bob.txt --assessor eve.txt runs/*.run
    """
    from rankscope.commands.line.output import print_result

    print_result(stability(**_keywords(request)).render(output_format))


@command(
    variance_components,
    Argument("files", "QRELS RUN... | RUN... --assessor FILE... | VALUES.csv", many=True, required=False),
    short="Where does the uncertainty come from?",
    without=("systems",),
)
def components_command(
    request: Request, *, output_format: Annotated[Literal["table", "markdown", "json"], FORMAT] = "table"
) -> None:
    """Where does the uncertainty come from? The variance of a measure, shared out over queries, classes, assessors,
    collections and seeds: of every system, and of its difference from the baseline.

    Several assessors: --assessor FILE once for each, in place of QRELS. Several seeds: SYSTEM=RUN, once for each run.
    Or a table of values made elsewhere, with columns query and value, and any of system, measure, class, assessor, seed
    and collection. Then ask rankscope plan what to judge next.

    \b
    rankscope components qrels.txt bm25.run dense.run -m nDCG@10 --by kinds.csv
    rankscope components --assessor ann.txt --assessor bob.txt bm25.run dense.run
    rankscope components qrels.txt old=old.run new=seed1.run new=seed2.run new=seed3.run
    rankscope components values.csv -m AP
    """
    from rankscope.analysis.statistics.variance_components import components_text
    from rankscope.commands.line.output import print_result

    print_result(components_text(variance_components(**_keywords(request)), output_format))


@command(
    plan_judging,
    Argument("files", "QRELS RUN... | RUN... --assessor FILE... | VALUES.csv", many=True, required=False),
    short="What should I judge next?",
    without=("systems",),
)
def plan_command(
    request: Request, *, output_format: Annotated[Literal["table", "markdown", "json"], FORMAT] = "table"
) -> None:
    """What should I judge next? More queries, more assessors, deeper pools or more seeds: the width of the interval
    that each promises for the same money, from the variance components of what is judged already.

    More assessors are planned where some queries were judged by two at least, more seeds where a system has two runs,
    deeper pools where the first 20 items of all runs were judged.

    \b
    rankscope plan qrels.txt bm25.run dense.run --budget 2000
    rankscope plan --assessor ann.txt --assessor bob.txt bm25.run dense.run --budget 500 --cost query=10,judgement=1
    rankscope plan values.csv --budget 500 --judgements 100
    """
    from rankscope.analysis.sampling.judging_plan import plans_text
    from rankscope.commands.line.output import print_result

    print_result(plans_text(plan_judging(**_keywords(request)), output_format))
