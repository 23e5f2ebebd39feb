"""Can a simulated user stand for people? Compared with a journal of the workbench, or with judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import name_of

if TYPE_CHECKING:
    from rankscope.feedback.users.user_score import PeopleMarks, UserScore
    from rankscope.workbench.store.events import Event, State


@strict_keywords
def score_user(
    reference: Any,
    user: str | None = None,
    *,
    assessor: str | None = None,
    rel: float | None = None,
    scope: int = 20,
    seed: int = 0,
) -> UserScore:
    """Error rates, partial relevance and consistency of a simulated user, each with a 95 % interval.

    `reference`: a journal that `rankscope project export --journal` wrote, the folder of a project, or judgements.
    `user` as for `simulate_feedback`; or `assessor`: somebody in the journal, against what all others agree on. `rel`
    is the lowest grade that is relevant; None: as the project has it, else 1.
    """
    from rankscope.feedback.users.user_score import score_assessor
    from rankscope.feedback.users.user_score import score_user as score
    from rankscope.feedback.users.users import USERS

    if (user is None) == (assessor is None):
        raise SettingError("name a user to score, or an assessor of the journal: one of the two")
    marker = None if user is None else USERS.parse(user)  # before a large file is read
    people = read_people(reference, rel)
    if marker is not None:
        return score(marker, people, scope=scope, seed=seed)
    return score_assessor(people, str(assessor))


def read_people(reference: Any, rel: float | None = None) -> PeopleMarks:
    """The marks of a journal, of a project in a folder, or of judgements."""
    from rankscope.feedback.users.user_score import PeopleMarks, PersonMark

    path = Path(reference) if isinstance(reference, str | Path) else None
    if path is not None and path.is_dir():
        from rankscope.workbench.project import Project

        with Project.open(path, readonly=True) as project:
            names = {number: each.name for number, each in project.assessors.items()}
            kinds = {each.name: each.kind for each in project.assessors.values()}
            texts = {each.id: each.text for each in project.queries.values()}
            return _people(path.name, project.state, names, kinds, texts, rel or project.file.relevant)
    if path is not None:
        from rankscope.workbench.journal_files import is_journal

        if is_journal(path):
            return _of_journal(path, rel)
    from rankscope.inputs.qrels import Qrels

    rows = Qrels.of(reference).table.select("query", "item", "grade").iter_rows()
    marks = (PersonMark(query, item, "", float(grade)) for query, item, grade in rows if grade >= 0)
    return PeopleMarks.of(marks, rel or 1.0)


def _of_journal(path: Path, rel: float | None) -> PeopleMarks:
    """Events are applied in their order: what was undone does not count, and the last answer does."""
    from rankscope.inputs.problems import Problems
    from rankscope.workbench.journal_files import JournalLines
    from rankscope.workbench.store.events import State

    problems = Problems(name_of(path))
    lines = JournalLines.read(path, problems)
    problems.raise_if_any()
    kinds = {str(each["name"]): str(each["kind"]) for _, each in lines.assessors}
    texts = {str(each["id"]): str(each["text"] or "") for _, each in lines.queries}
    events = [each for _, each in lines.events]
    names = dict.fromkeys([*kinds, *(str(each["assessor"]) for each in events)])
    number = {name: place for place, name in enumerate(names, 1)}
    try:
        state = State.of(_events(events, number))
    except (KeyError, IndexError, ValueError):
        raise InputError.of(name_of(path), ["an event undoes one that is not in it: was it cut?"]) from None
    return _people(name_of(path), state, {place: name for name, place in number.items()}, kinds, texts, rel or 1.0)


def _events(lines: list[Mapping[str, Any]], number: Mapping[str, int]) -> Iterator[Event]:
    """Lines as events of a journal, numbered anew."""
    from rankscope.workbench.store.events import Event, json_text

    place = {(each["assessor"], each["key"]): row for row, each in enumerate(lines, 1)}
    for row, each in enumerate(lines, 1):
        of = None if each["of"] is None else place[each["assessor"], each["of"]]
        detail = json_text(each["detail"]) if each["detail"] else None
        plain = {name: each[name] for name in ("at_us", "key", "kind", "query", "item", "grade", "ms")}
        yield Event(id=row, assessor=number[each["assessor"]], of=of, detail=detail, pool=None, guideline=None, **plain)


def _people(
    source: str, state: State, names: Mapping[int, str], kinds: Mapping[str, str], texts: Mapping[str, str], rel: float
) -> PeopleMarks:
    from rankscope.feedback.users.user_score import PeopleMarks, PersonMark
    from rankscope.workbench.agreement import NEVER_ENTER

    marks = [
        PersonMark(
            query=pair[0],
            item=pair[1],
            assessor=names[who],
            grade=None if event.grade is None else float(event.grade),
            again=again,
        )
        for table, again in ((state.answers, False), (state.repeats, True))
        for pair, said in table.items()
        for who, event in said.items()
    ]
    if not marks:
        raise InputError.of(source, ["nobody has marked anything in it"])
    return PeopleMarks.of(marks, rel, texts, [name for name, kind in kinds.items() if kind in NEVER_ENTER])
