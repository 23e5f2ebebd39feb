"""Relevance feedback: mark what fits, let a method learn from it, and see how far it came."""

from __future__ import annotations

import threading
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from rankscope.core.notation import usage
from rankscope.core.validation import FLAG, OneOf, Optional, WholeNumber
from rankscope.feedback.methods import ALL, METHODS
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.workbench.browsing.session_ranking import (
    AFTER,
    BEFORE,
    GRAPH_KINDS,
    SessionGraph,
    SessionLists,
    SessionRanker,
    SessionTruth,
    table_of,
)
from rankscope.workbench.browsing.sessions import (
    OPINIONS,
    FeedbackSession,
    SessionLog,
    begin_mark,
    opinion_mark,
    round_mark,
)
from rankscope.workbench.pages.addresses import Changed, Visit, Words, address
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import is_judging, open_queries, refuse_open_example, refuse_open_query
from rankscope.workbench.pages.items import (
    CardView,
    ChoiceView,
    Neighbourhoods,
    QueryView,
    card,
    feature_choices,
    place_of,
    query_view,
)
from rankscope.workbench.project import new_key
from rankscope.workbench.service.application import Refusal
from rankscope.workbench.store.events import LONGEST_KEY, MarkEvent

KEY = Optional(Words(LONGEST_KEY, least=1))
TRUTH = Optional(OneOf(("class", "marks"), exactly=True))
SESSION, TOLD = "the number of a session", "what tells relevance: the class of the example, or marks alone"


class SessionLine(TypedDict):
    session: int
    query: QueryView | None
    example: CardView | None
    rounds: int
    relevant: int
    at_us: int


class SessionsView(TypedDict):
    sessions: list[SessionLine]
    queries: list[QueryView]
    choices: list[ChoiceView]
    judging: bool


class BegunView(TypedDict):
    session: int


class BeginAsked(NamedTuple):
    """What a session begins with: an item, a query of the project, or nothing but chance."""

    item: Annotated[int | None, Optional(WholeNumber(0)), "the number of an item, as example"] = None
    query: Annotated[int | None, Optional(WholeNumber(0)), "the number of a query of the project"] = None
    features: Annotated[str, Words(200), "the feature file that methods learn from; the first unless named"] = ""
    metric: Annotated[str, Words(300), "of the ranking before feedback"] = ""
    key: Annotated[str | None, KEY, "a name of the beginning: the same again is the same session"] = None


class SessionAsked(NamedTuple):
    number: Annotated[int, WholeNumber(1), SESSION]
    truth: Annotated[str | None, TRUTH, TOLD] = None


class OpinionAsked(NamedTuple):
    """What somebody says of an item; or of all items of the display of which nothing was said."""

    number: Annotated[int, WholeNumber(1), SESSION]
    opinion: Annotated[str, OneOf(OPINIONS, exactly=True), "relevant, not, or open: nothing is said any more"]
    item: Annotated[int | None, Optional(WholeNumber(0)), "the number of an item"] = None
    rest: Annotated[bool, FLAG, "of all items of the display of which nothing was said"] = False
    key: Annotated[str | None, KEY, "a name of this mark: the same again is the same mark"] = None


class RoundAsked(NamedTuple):
    number: Annotated[int, WholeNumber(1), SESSION]
    method: Annotated[str, Words(300, least=1), "a feedback method, as rocchio or rocchio(gamma=0.25)"]
    parameters: Annotated[str, Words(300), "of a method that is named alone, as gamma=0.25"] = ""
    key: Annotated[str | None, KEY, "a name of this round: the same again is the same round"] = None


class GraphAsked(NamedTuple):
    number: Annotated[int, WholeNumber(1), SESSION]
    kind: Annotated[str, OneOf(tuple(GRAPH_KINDS), exactly=True), "the kind of graph"]
    truth: Annotated[str | None, TRUTH, TOLD] = None
    theme: Annotated[str, OneOf(("light", "dark"), exactly=True), "the colours"] = "light"
    v: Annotated[str, Words(60), "changes when the graph does"] = ""


@address("GET", "/session", role="admin", title="Feedback", template="sessions.html")
def sessions(visit: Visit) -> SessionsView:
    """One's own feedback sessions, and what to begin another with."""
    project, closed = visit.project, open_queries(visit)
    examples = {project.queries[name].example for name in closed}
    mine = [each for each in visit.bench.keep(Feedback).sessions() if each.assessor == visit.person.id]
    others = [each for each in mine if each.query not in closed]
    shown = [each for each in others if each.example is None or project.items[each.example].id not in examples]
    visit.bench.keep(warm_up)
    return {
        "sessions": [_line(visit, each) for each in reversed(shown)],
        "queries": [query_view(visit.bench, name) for name in project.queries if name not in closed],
        "choices": visit.bench.keep(feature_choices),
        "judging": bool(closed),
    }


def _line(visit: Visit, session: FeedbackSession) -> SessionLine:
    blind = is_judging(visit)
    return {
        "session": session.number,
        "query": None if session.query is None else query_view(visit.bench, session.query),
        "example": None if session.example is None else card(visit.bench, session.example, 0, blind=blind),
        "rounds": session.last.number,
        "relevant": len(session.relevant),
        "at_us": session.last.at_us,
    }


@address("POST", "/session", role="admin", statuses=(403, 404))
async def begin_session(visit: Visit, asked: BeginAsked) -> Changed | BegunView:
    """Begin a session with an item, a query, or chance."""
    mark = await run_in_threadpool(_beginning, visit, asked)
    await visit.save(mark)
    feedback = visit.bench.keep(Feedback)
    number = next(each.number for each in feedback.sessions() if (each.assessor, each.key) == (mark.assessor, mark.key))
    return Changed(f"/session/{number}", {"session": number})


def _beginning(visit: Visit, asked: BeginAsked) -> MarkEvent:
    query, example = None, None if asked.item is None else place_of(visit.bench, asked.item)
    if asked.query is not None:
        try:
            query = visit.bench.query_of(asked.query)
        except IndexError:
            raise Refusal(404, f"there is no query {asked.query}") from None
        item = visit.project.queries[query].example
        example = visit.project.places[item] if item is not None else example
    features, metric = "", ""
    if visit.project.access.feature_names:
        features, metric = visit.bench.keep(Neighbourhoods).chosen(asked.features, asked.metric)
    session = FeedbackSession(
        number=0,
        key=asked.key or new_key(),
        assessor=visit.person.id,
        query=query,
        example=example,
        features=features,
        metric=metric,
    )
    _refuse_open(visit, session)
    shown = visit.bench.keep(Feedback).ranker.first_shown(session).tolist()
    return begin_mark(session, shown)


def _refuse_open(visit: Visit, session: FeedbackSession) -> None:
    if session.query is not None:
        refuse_open_query(visit, session.query, "a feedback session on it")
    if session.example is not None:
        refuse_open_example(visit, visit.project.items[session.example].id, "a feedback session on its example")


def _session(visit: Visit, number: int) -> FeedbackSession:
    there = visit.bench.keep(Feedback).sessions()
    if not 0 < number <= len(there) or there[number - 1].assessor != visit.person.id:
        raise Refusal(404, f"there is no session {number} of yours")
    _refuse_open(visit, there[number - 1])
    return there[number - 1]


@address("GET", "/session/{number:int}", role="admin", template="session.html", statuses=(403, 404))
def session(visit: Visit, asked: SessionAsked) -> SessionView:
    """A session: what is shown now, both example sets, the methods, and graphs of what is known."""
    return session_view(visit.bench, _session(visit, asked.number), asked.truth, is_judging(visit))


@address("GET", "/session/{number:int}/graphs", role="admin", template="session_graphs.html", statuses=(403, 404))
def session_graphs(visit: Visit, asked: SessionAsked) -> GraphsView:
    """The graphs of a session in words and numbers, and where their pictures are."""
    return graphs_view(visit.bench, _session(visit, asked.number), asked.truth, is_judging(visit))


@address("POST", "/session/{number:int}/marks", role="admin", statuses=(403, 404))
async def session_mark(visit: Visit, asked: OpinionAsked) -> Changed | None:
    """Say that an item is relevant or not, or nothing any more; the answer comes when it is on the disk."""
    found = await run_in_threadpool(_session, visit, asked.number)
    if (asked.item is None) != asked.rest:
        raise Refusal(400, "say of which item, or of the rest of the display: one of them")
    if asked.item is not None:
        places = [place_of(visit.bench, asked.item)]
    else:
        places = [place for place in found.last.shown if place not in found.opinions]
    opinion: Any = asked.opinion
    if places:
        await visit.save(opinion_mark(found, asked.key or new_key(), places, opinion))
    return Changed(f"/session/{asked.number}#shown")


@address("POST", "/session/{number:int}/round", role="admin", statuses=(403, 404))
async def next_round(visit: Visit, asked: RoundAsked) -> Changed | SessionView:
    """Let a method learn from both example sets, and show what it wants to be told next."""
    found = await run_in_threadpool(_session, visit, asked.number)
    if asked.key is None or visit.project.state.known(visit.person.id, asked.key) is None:
        await visit.save(await run_in_threadpool(_learnt, visit, found, asked))
    again = await run_in_threadpool(_session, visit, asked.number)
    view = await run_in_threadpool(session_view, visit.bench, again, None, is_judging(visit))
    return Changed(f"/session/{asked.number}#shown", view)


def _learnt(visit: Visit, found: FeedbackSession, asked: RoundAsked) -> MarkEvent:
    method = METHODS.parse(f"{asked.method}({asked.parameters})" if asked.parameters.strip() else asked.method)
    feedback = visit.bench.keep(Feedback)
    ranked = feedback.ranker.rank(found, method, feedback.sessions())
    return round_mark(found, asked.key or new_key(), str(method), ranked.shown.tolist(), ranked.note)


@address("GET", "/session/{number:int}/graph/{kind}", role="admin", media="image/svg+xml", statuses=(403, 404))
def session_graph(visit: Visit, asked: GraphAsked) -> Response:
    """The picture of a graph."""
    found = _session(visit, asked.number)
    truth = truth_of(visit.bench, found, asked.truth, is_judging(visit))
    made = GRAPH_KINDS[asked.kind](drawn_lists(visit.bench, found, truth))
    if made.graph is None:
        raise Refusal(404, f"this graph cannot be drawn: {made.reason}")
    picture = draw(made.graph, asked.theme)
    headers = {"cache-control": "private, max-age=3600", "content-security-policy": SVG_POLICY}
    return Response(picture, headers=headers, media_type="image/svg+xml")


SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
DRAWING = threading.Lock()  # graphs are drawn one at a time


def draw(graph: Any, theme: str) -> bytes:
    from rankscope.reports.graphs.saving import render_graph

    with DRAWING:
        return render_graph(graph, "svg", theme=theme, width=110)


def warm_up(bench: Workbench) -> threading.Thread:
    """Draw something in the background, since the first graph takes a second."""
    empty = Graph("", Axis("x"), Axis("y", domain=(0, 1)))
    thread = threading.Thread(target=draw, args=(empty, "light"), daemon=True)
    thread.start()
    return thread


# A feedback session as pages and programs see it.

USUAL_METHOD = "rocchio"


class OpinionView(CardView):
    opinion: str


class MethodView(TypedDict):
    name: str
    written: str
    about: str
    why_not: str


class SeriesView(TypedDict):
    name: str
    x: list[float]
    y: list[float]


class GraphView(TypedDict):
    """A graph: where its picture is, the same in words and numbers; or the reason why there is none."""

    kind: str
    title: str
    picture: str
    text: str
    x: str
    y: str
    series: list[SeriesView]
    reason: str


class RoundView(TypedDict):
    """What a round learnt from, and the share of relevant items in what it showed, where that is known."""

    round: int
    method: str
    relevant: int
    not_relevant: int
    shown: int
    precision: float | None


class GraphsView(TypedDict):
    session: int
    truth: str
    truths: list[str]
    label: str
    known_relevant: int
    found: int  # of them among what was shown
    seen: int
    judged: int
    others: int
    rounds: list[RoundView]
    graphs: list[GraphView]


class SessionView(GraphsView):
    """A session: what is looked for, what is shown, both example sets, methods, and graphs."""

    query: QueryView | None
    example: CardView | None
    features: str
    metric: str
    round: int
    method: str
    note: str
    shown: list[OpinionView]
    relevant: list[CardView]
    not_relevant: list[CardView]
    methods: list[MethodView]


class Feedback:
    """The sessions of a project, and what ranks for them."""

    def __init__(self, bench: Workbench) -> None:
        self.project, self._log, self._lock = bench.project, SessionLog(), threading.Lock()
        self.ranker = SessionRanker(bench.project, bench.keep(Neighbourhoods).of)

    def sessions(self) -> list[FeedbackSession]:
        with self._lock:
            self._log.read(self.project.state.events)
            return list(self._log.sessions)


def session_view(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> SessionView:
    last = session.last
    return {
        **graphs_view(bench, session, truth, blind),
        "query": None if session.query is None else query_view(bench, session.query),
        "example": None if session.example is None else card(bench, session.example, 0, blind=blind),
        "features": session.features,
        "metric": session.metric,
        "round": last.number,
        "method": last.method or USUAL_METHOD,
        "note": last.note,
        "shown": [
            {**card(bench, place, rank, blind=blind), "opinion": session.opinions.get(place, "open")}
            for rank, place in enumerate(last.shown, 1)
        ],
        "relevant": [card(bench, place, rank, blind=blind) for rank, place in enumerate(session.relevant, 1)],
        "not_relevant": [card(bench, place, rank, blind=blind) for rank, place in enumerate(session.not_relevant, 1)],
        "methods": method_views(bench, session),
    }


def graphs_view(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> GraphsView:
    known = truth_of(bench, session, truth, blind)
    drawn = drawn_lists(bench, session, known)
    by_class = None if blind else SessionTruth.by_class(bench.project, session)
    return {
        "session": session.number,
        "truth": known.name,
        "truths": ["marks"] if by_class is None else ["class", "marks"],
        "label": "" if by_class is None else by_class.label,
        "known_relevant": known.count,
        "found": int(known.relevant[session.shown].sum()),
        "seen": len(session.shown),
        "judged": known.judged,
        "others": known.items,
        "rounds": [
            {
                "round": each.number,
                "method": each.method,
                "relevant": len(each.relevant),
                "not_relevant": len(each.not_relevant),
                "shown": len(each.shown),
                "precision": known.share(each.shown),
            }
            for each in session.rounds
        ],
        "graphs": [graph_view(session, make(drawn), known) for make in GRAPH_KINDS.values()],
    }


def truth_of(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> SessionTruth:
    """The class where there is one and nothing else is asked for; who judges gets no classes."""
    by_class = None if blind or truth == "marks" else SessionTruth.by_class(bench.project, session)
    return by_class or SessionTruth.by_marks(bench.project, session)


def drawn_lists(bench: Workbench, session: FeedbackSession, truth: SessionTruth) -> SessionLists:
    feedback = bench.keep(Feedback)
    lists = {BEFORE: feedback.ranker.start(session)}
    if session.last.number:
        order = feedback.ranker.order_of(session, session.last, feedback.sessions())
        # What was shown keeps its place, so a method gains nothing by ranking its own examples first.
        shown = np.array(session.shown, dtype=np.int64)
        lists[AFTER] = np.concatenate([shown, order[~np.isin(order, shown)]])
    return SessionLists(session, truth, lists)


def graph_view(session: FeedbackSession, made: SessionGraph, truth: SessionTruth) -> GraphView:
    graph, text = made.graph, ""
    if graph is not None:
        subtitle = graph.subtitle
        text = f"{graph.summary} {subtitle[:1].upper()}{subtitle[1:]}." if subtitle else graph.summary
    place = f"/session/{session.number}/graph/{made.kind}"
    version = f"{session.last.number}.{len(session.opinions)}.{truth.judged}.{truth.count}"
    return {
        "kind": made.kind,
        "title": made.title,
        "picture": "" if graph is None else f"{place}?truth={truth.name}&v={version}",
        "text": text,
        "x": "" if graph is None else graph.x.title,
        "y": "" if graph is None else graph.y.title,
        "series": [] if graph is None else [{"name": name, "x": x, "y": y} for name, x, y in table_of(graph)],
        "reason": made.reason,
    }


def method_views(bench: Workbench, session: FeedbackSession) -> list[MethodView]:
    ranker = bench.keep(Feedback).ranker
    found: list[MethodView] = []
    for name in ALL:
        kind = METHODS.find(name)
        about = " ".join((kind.__doc__ or "").split()).partition(". ")[0].rstrip(".")
        why_not = ranker.why_not(session, kind)
        found.append({"name": name, "written": usage(kind), "about": about, "why_not": why_not})
    return found
