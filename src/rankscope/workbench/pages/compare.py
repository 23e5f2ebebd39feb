"""Two systems side by side without names, or one list of both: which is better and why; whom people prefer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from rankscope.analysis.assessors.bradley_terry import bradley_terry
from rankscope.analysis.assessors.preferences import CHOICES, INTERLEAVED, SIDE_BY_SIDE
from rankscope.analysis.assessors.win_rates import bias_lines, position_bias, strength_lines, verdict_lines, win_rates
from rankscope.core.errors import SettingError
from rankscope.core.validation import OneOf, Optional, Several, WholeNumber
from rankscope.workbench.pages.addresses import Changed, Visit, Words, address
from rankscope.workbench.pages.agreement import undo_last
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import open_queries, refuse_judged_query
from rankscope.workbench.pages.items import ItemView, QueryView, item_view, query_view
from rankscope.workbench.pages.judge import KEY
from rankscope.workbench.preferences import LONGEST_WHY, MODES, Comparing, ShownPair, mark_of_choice, mark_of_clicks
from rankscope.workbench.project import new_key
from rankscope.workbench.service.application import Refusal
from rankscope.workbench.sources import run_names
from rankscope.workbench.store.events import LONGEST_LOOK, MarkEvent

MODE = OneOf(MODES, exactly=True)
MOST_PLACES = 1_000_000


class CompareView(TypedDict):
    """What is to be compared now: `left` and `right` side by side, or `items`; `why_not` says why there is nothing."""

    mode: Literal["side by side", "interleaved"]
    task: str
    query: QueryView | None
    left: list[ItemView]
    right: list[ItemView]
    items: list[ItemView]
    place: int
    open: int
    held_back: int
    answered: int
    why_not: str
    key: str


class CompareAsked(NamedTuple):
    mode: Annotated[str, MODE, "two lists side by side, or one made of both"] = SIDE_BY_SIDE
    place: Annotated[int, WholeNumber(1, MOST_PLACES), "the how manyth of those that are open"] = 1


class PreferAsked(NamedTuple):
    task: Annotated[str, Words(40, least=1), "what was shown"]
    key: Annotated[str, KEY, "a name that nobody else gives to a mark; the same again is the same mark"]
    mode: Annotated[str, MODE, "how it was shown"] = SIDE_BY_SIDE
    choice: Annotated[str | None, Optional(OneOf(CHOICES, exactly=True)), "which of two lists is better"] = None
    clicked: Annotated[tuple[int, ...], Several(WholeNumber(0)), "numbers of the items of one list that are good"] = ()
    why: Annotated[str, Words(LONGEST_WHY), "a reason"] = ""
    ms: Annotated[int | None, Optional(WholeNumber(0)), f"how long it was visible; at most {LONGEST_LOOK} count"] = None


class UndoPreferAsked(NamedTuple):
    mode: Annotated[str, MODE, "how lists are shown"] = SIDE_BY_SIDE


class ComparisonPlans:
    def __init__(self, bench: Workbench) -> None:
        self.project, self.room = bench.project, Comparing.of(bench.project)
        self._plans: dict[tuple[int, str], dict[str, ShownPair]] = {}

    def plan(self, assessor: int, mode: str) -> dict[str, ShownPair]:
        """What somebody compares, in order, by names that tell nothing."""
        if (assessor, mode) not in self._plans:
            planned = self.room.plan(assessor, mode)
            self._plans[assessor, mode] = {each.key(self.project.secret, assessor): each for each in planned}
        return self._plans[assessor, mode]

    def answered(self, assessor: int) -> set[ShownPair]:
        events = (each for said in self.project.state.preferences.values() for each in said)
        return {
            ShownPair(each.query or "", each.details["left"], each.details["right"], each.details["mode"])
            for each in events
            if each.assessor == assessor
        }


def _comparisons(visit: Visit) -> ComparisonPlans:
    """Runs are read at the first look, and again when a query was added."""
    return visit.bench.keep(ComparisonPlans, as_of=len(visit.project.queries))


@address("GET", "/compare", title="Compare", template="compare.html")
def compare(visit: Visit, asked: CompareAsked) -> CompareView:
    """The next two lists to compare; nothing says which systems they are of."""
    try:
        comparisons = _comparisons(visit)
        plan = comparisons.plan(visit.person.id, asked.mode)
    except SettingError as error:
        return _view(asked, why_not=str(error))
    with visit.project.lock:
        answered = comparisons.answered(visit.person.id)
        judging = open_queries(visit)
    left = {task: shown for task, shown in plan.items() if shown not in answered}
    mine = {task: shown for task, shown in left.items() if shown.query not in judging}
    counts = {"open": len(mine), "held_back": len(left) - len(mine)}
    counts["answered"] = sum(shown.mode == asked.mode for shown in answered)
    if not mine:
        return _view(asked, **counts)
    place = min(asked.place, len(mine))
    task = list(mine)[place - 1]
    return _view(asked, **counts, **_shown_view(visit, mine[task]), task=task, place=place)


def _view(asked: CompareAsked, **known: Any) -> CompareView:
    mode: Any = asked.mode
    found: CompareView = {
        "mode": mode,
        "task": "",
        "query": None,
        "left": [],
        "right": [],
        "items": [],
        "place": 1,
        "open": 0,
        "held_back": 0,
        "answered": 0,
        "why_not": "",
        "key": new_key(),
    }
    found.update(known)  # type: ignore[typeddict-item]
    return found


def _shown_view(visit: Visit, shown: ShownPair) -> dict[str, Any]:
    room = _comparisons(visit).room
    found: dict[str, Any] = {"query": query_view(visit.bench, shown.query)}
    if shown.mode == INTERLEAVED:
        made = room.interleaved(visit.person.id, shown)
        return found | {"items": [item_view(visit.bench, item) for item in made.items]}
    for side, system in (("left", shown.left), ("right", shown.right)):
        found[side] = [item_view(visit.bench, item) for item in room.heads[system][shown.query]]
    return found


@address("POST", "/compare", statuses=(403, 404))
async def prefer(visit: Visit, asked: PreferAsked) -> Changed:
    """Say which of two lists is better, or what is good in one made of both; answered when it is on the disk."""
    shown = _comparisons(visit).plan(visit.person.id, asked.mode).get(asked.task)
    if shown is None:
        raise Refusal(404, "there is nothing of this name to compare: the runs may have changed")
    refuse_judged_query(visit, shown.query)
    await visit.save(_mark_of(visit, asked, shown))
    return Changed(f"/compare?mode={asked.mode.replace(' ', '+')}")


def _mark_of(visit: Visit, asked: PreferAsked, shown: ShownPair) -> MarkEvent:
    who, why = visit.person.id, asked.why.strip()
    if asked.mode == SIDE_BY_SIDE:
        if asked.choice is None:
            raise Refusal(400, f"choice: is missing: one of {', '.join(CHOICES)}")
        choice: Any = asked.choice
        return mark_of_choice(who, asked.key, shown, choice, why, asked.ms)
    made = _comparisons(visit).room.interleaved(who, shown)
    numbers = {visit.bench.number_of(item): item for item in made.items}
    if foreign := [number for number in asked.clicked if number not in numbers]:
        raise Refusal(400, f"clicked: item {foreign[0]} is not in this list")
    clicked = [item for number, item in numbers.items() if number in asked.clicked]
    return mark_of_clicks(who, asked.key, shown, made, clicked, why=why, ms=asked.ms)


@address("POST", "/compare/undo")
def undo_preference(visit: Visit, asked: UndoPreferAsked) -> Changed:
    """Take back one's own last answer; again goes further back."""
    undo_last(visit, "prefer", "there is no answer of yours to take back")
    return Changed(f"/compare?mode={asked.mode.replace(' ', '+')}")


# Which systems people prefer: win rates with their limits, verdicts, and what the side on the page does.


class RateView(TypedDict):
    """How the second of two systems fares against the first; `label` is a class of queries, empty for all."""

    first: str
    second: str
    label: str
    answers: int
    queries: int
    wins: int
    losses: int
    ties: int
    rate: float
    low: float | None
    high: float | None
    p: float | None
    better: str


class SidesView(TypedDict):
    """How far the side decides, from lists that were answered twice with the sides swapped."""

    twice: int
    follows: float | None
    lean: float | None
    lean_low: float | None
    lean_high: float | None
    sided: int
    left_share: float | None


class PreferredView(TypedDict):
    answers: int
    rates: list[RateView]
    sides: SidesView | None
    words: list[str]
    side_words: list[str]


@address("GET", "/compare/results", role="admin", template="preferred.html")
def preferred(visit: Visit) -> PreferredView:
    """Win rates of every two systems that people compared, by name, with verdicts."""
    project = visit.project
    answers = project.preferences()
    if not answers:
        return {"answers": 0, "rates": [], "sides": None, "words": [], "side_words": []}
    classes = {each.id: each.class_ for each in project.queries.values() if each.class_}
    rates = win_rates(answers, classes or None, systems=run_names(project.sources.runs))
    bias = position_bias(answers)
    strengths = bradley_terry(answers) if len({name for each in answers for name in each.pair}) > 2 else None
    return {
        "answers": len(answers),
        "rates": [view_of(each, RateView) for each in rates],
        "sides": view_of(bias, SidesView),
        "words": [*verdict_lines(rates), *strength_lines(strengths)],
        "side_words": [line.removeprefix("! ") for line in bias_lines(bias)] if bias.sided else [],
    }
