"""Who may look at what while a pool is being judged: nobody sees beforehand what they are asked."""

from __future__ import annotations

from rankscope.workbench.pages.addresses import Visit
from rankscope.workbench.pages.own_progress import OwnProgress
from rankscope.workbench.pages.words import count_of
from rankscope.workbench.service.refusals import Refusal


def open_queries(visit: Visit) -> frozenset[str]:
    """The queries that somebody is judging: all that have something left for who has begun with the pool."""
    progress = visit.bench.keep(OwnProgress)
    marks, left = progress.totals(visit.person)
    if not marks or not left:
        return frozenset()
    return frozenset(each.query for each in progress.by_query(visit.person) if each.left)


def is_judging(visit: Visit) -> bool:
    """Whether somebody has begun with the pool and not ended."""
    return bool(open_queries(visit))


def refuse_while_judging(visit: Visit, what: str) -> None:
    """Refuse what would tell an assessor what to answer."""
    if is_judging(visit):
        left = visit.bench.keep(OwnProgress).totals(visit.person)[1]
        raise Refusal(403, f"you are judging a pool, and {what} would tell what to answer: {_first(left)}")


def refuse_open_query(visit: Visit, query: str, what: str) -> None:
    """Refuse what shows a ranking for a query that somebody is still judging."""
    if query in open_queries(visit):
        left = next(each.left for each in visit.bench.keep(OwnProgress).by_query(visit.person) if each.query == query)
        raise Refusal(403, f"you are judging this query, and {what} would tell what to answer: {_first(left)}")


def refuse_open_example(visit: Visit, item: str, what: str) -> None:
    """The same for an item that is the example of such a query."""
    for query in open_queries(visit):
        if visit.project.queries[query].example == item:
            refuse_open_query(visit, query, what)


def _first(left: int) -> str:
    return f"{count_of(left, 'item is', 'items are')} left for you; judge them first"
