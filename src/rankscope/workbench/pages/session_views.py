"""A feedback session as pages and programs see it."""

from __future__ import annotations

import threading
from typing import TypedDict

from rankscope.feedback.methods import ALL, METHODS
from rankscope.notation import usage
from rankscope.workbench.browsing.session_graphs import AFTER, BEFORE, KINDS, SessionGraph, SessionLists, table_of
from rankscope.workbench.browsing.session_ranking import SessionRanker
from rankscope.workbench.browsing.session_truth import SessionTruth, whole_list
from rankscope.workbench.browsing.sessions import FeedbackSession, SessionLog
from rankscope.workbench.pages.addresses import Visit
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.gallery import CardView, Neighbourhoods, card
from rankscope.workbench.pages.item_views import QueryView, query_view
from rankscope.workbench.service.refusals import Refusal

USUAL_METHOD = "rocchio"


class OpinionView(CardView):
    """An item, and what was said of it: relevant, not, or open."""

    opinion: str


class MethodView(TypedDict):
    """A method, how it is written with its parameters, and why it cannot be used, if so."""

    name: str
    written: str
    about: str
    why_not: str


class SeriesView(TypedDict):
    """The numbers of one curve."""

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
    """What is known of a session, and from whom."""

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
        """Those of everybody, with all that has come in."""
        with self._lock:
            self._log.read(self.project.state.events)
            return list(self._log.sessions)

    def find(self, visit: Visit, number: int) -> FeedbackSession:
        """One's own session of a number."""
        there = self.sessions()
        if not 0 < number <= len(there) or there[number - 1].assessor != visit.person.id:
            raise Refusal(404, f"there is no session {number} of yours")
        return there[number - 1]


def opinion_card(bench: Workbench, session: FeedbackSession, place: int, rank: int, blind: bool) -> OpinionView:
    """An item of a display."""
    return {**card(bench, place, rank, blind=blind), "opinion": session.opinions.get(place, "open")}


def session_view(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> SessionView:
    """All of a session."""
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
        "shown": [opinion_card(bench, session, place, rank, blind) for rank, place in enumerate(last.shown, 1)],
        "relevant": [card(bench, place, rank, blind=blind) for rank, place in enumerate(session.relevant, 1)],
        "not_relevant": [card(bench, place, rank, blind=blind) for rank, place in enumerate(session.not_relevant, 1)],
        "methods": method_views(bench, session),
    }


def graphs_view(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> GraphsView:
    """What is known, as graphs and numbers."""
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
        "graphs": [graph_view(session, make(drawn), known) for make in KINDS.values()],
    }


def truth_of(bench: Workbench, session: FeedbackSession, truth: str | None, blind: bool) -> SessionTruth:
    """The class where there is one and nothing else is asked for; who judges gets no classes."""
    by_class = None if blind or truth == "marks" else SessionTruth.by_class(bench.project, session)
    return by_class or SessionTruth.by_marks(bench.project, session)


def drawn_lists(bench: Workbench, session: FeedbackSession, truth: SessionTruth) -> SessionLists:
    """The ranking before feedback, and the session as it went where there was any."""
    feedback = bench.keep(Feedback)
    lists = {BEFORE: feedback.ranker.start(session)}
    if session.last.number:
        order = feedback.ranker.order_of(session, session.last, feedback.sessions())
        lists[AFTER] = whole_list(session, order)
    return SessionLists(session, truth, lists)


def graph_view(session: FeedbackSession, made: SessionGraph, truth: SessionTruth) -> GraphView:
    """A graph in words and numbers; its picture has an address of its own."""
    graph = made.graph
    place = f"/session/{session.number}/graph/{made.kind}"
    version = f"{session.last.number}.{len(session.opinions)}.{truth.judged}.{truth.count}"
    return {
        "kind": made.kind,
        "title": made.title,
        "picture": "" if graph is None else f"{place}?truth={truth.name}&v={version}",
        "text": "" if graph is None else _sentence(graph.summary, graph.subtitle),
        "x": "" if graph is None else graph.x.title,
        "y": "" if graph is None else graph.y.title,
        "series": [] if graph is None else [{"name": name, "x": x, "y": y} for name, x, y in table_of(graph)],
        "reason": made.reason,
    }


def _sentence(summary: str, subtitle: str) -> str:
    return f"{summary} {subtitle[:1].upper()}{subtitle[1:]}." if subtitle else summary


def method_views(bench: Workbench, session: FeedbackSession) -> list[MethodView]:
    """All methods, with those that cannot be used here."""
    found: list[MethodView] = []
    for name in ALL:
        kind = METHODS.find(name)
        about = " ".join((kind.__doc__ or "").split()).partition(". ")[0].rstrip(".")
        found.append(
            {
                "name": name,
                "written": usage(kind),
                "about": about,
                "why_not": bench.keep(Feedback).ranker.why_not(session, kind),
            }
        )
    return found
