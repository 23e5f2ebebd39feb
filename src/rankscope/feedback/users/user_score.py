"""How well a simulated user stands for people: errors, partial relevance and consistency, against people's marks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.analysis.statistics.proportions import ClusteredShare, clustered_share
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import InputError, SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import decimal_text as short
from rankscope.core.wording import how_many
from rankscope.feedback.users.users import Displays, Said, User, seed_of, uniform

FORMAT, VERSION = "rankscope.user-score", 1
DISPLAY_SCOPE = 20  # items of a display
RATES = ("miss", "alarm", "silent_relevant", "silent_irrelevant")


@dataclass(frozen=True, eq=False, repr=False)
class UserScore(Tabular):
    """What a user says, against what people agree on.

    `miss`: relevant items that are rejected, and `alarm`: irrelevant ones that are picked, of those of which something
    is said; `silent_...`: of which nothing is said. `picked`: the share picked of each grade, where there are more than
    two. `same`: answers that a second look gives again; `people_same` and `people_agree` are the same of people: asked
    twice, and two of them. Of somebody who has marked himself, people are all others, so that nobody is measured by a
    bar he is part of; `differing` are the pairs he marked on which the others differ.
    """

    user: str
    pairs: int
    queries: int
    differing: int
    rel: float
    miss: ClusteredShare
    alarm: ClusteredShare
    silent_relevant: ClusteredShare
    silent_irrelevant: ClusteredShare
    picked: tuple[tuple[float, ClusteredShare], ...]
    same: ClusteredShare | None
    people_same: ClusteredShare | None
    people_agree: ClusteredShare | None
    people: str = "people"  # "others" where the scored one is somebody who marked

    @property
    def as_user(self) -> str:
        """The simulated user with these error rates.

        >>> from rankscope.feedback.users.users import USERS
        >>> score_user(USERS.parse("consistent"), PeopleMarks.of([PersonMark("q", "a", "ann", 1)])).as_user
        'noisy(0,0)'
        """
        rates = [0.0 if np.isnan(each.share) else round(each.share, 4) for each in (self.miss, self.alarm)]
        return f"noisy({rates[0]:g},{rates[1]:g})"

    def json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("user", "people", "pairs", "queries", "differing", "rel")}
        rates = {name: getattr(self, name).row() for name in RATES}
        more = {name: getattr(self, name) for name in ("same", "people_same", "people_agree")}
        looks = {name: None if each is None else each.row() for name, each in more.items()}
        grades = [{"grade": grade, **each.row()} for grade, each in self.picked]
        return {"format": FORMAT, "version": VERSION, **plain, **rates, **looks, "picked": grades}

    def records(self) -> Rows:
        return [*error_rows(self), *look_rows(self)]

    def display(self) -> Display:
        return Display.of([user_line(self), f"as a simulated user: {self.as_user}"], self.records())


@dataclass(frozen=True)
class ErrorRates:
    """Shares of error and silence with how many independent cases they rest on, as a score file tells them."""

    user: str
    shares: Mapping[str, tuple[float, float]]  # share, effective number of cases

    @classmethod
    def of(cls, score: UserScore) -> ErrorRates:
        rates = {name: getattr(score, name) for name in RATES}
        return cls(score.user, {name: (each.share, each.effective) for name, each in rates.items()})

    def draw(self, chance: np.random.Generator) -> dict[str, float]:
        """Rates that could be the true ones: from beta distributions (Jeffreys) of the effective numbers of cases.

        >>> some = ErrorRates("u", {"miss": (0.2, 1e9), "alarm": (float("nan"), 0.0)})
        >>> drawn = some.draw(np.random.default_rng(0))
        >>> round(drawn["miss"], 3), drawn["alarm"]
        (0.2, 0.0)
        """
        return {
            name: 0.0 if count <= 0 else float(chance.beta(share * count + 0.5, (1 - share) * count + 0.5))
            for name, (share, count) in self.shares.items()
        }


def read_rates(path: str | Path) -> ErrorRates:
    """The error rates of a file that `rankscope users score -o` wrote; anything else is an `InputError`."""
    name = Path(path).name
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError
        told = {each: (content[each]["share"], float(content[each]["effective"])) for each in RATES}
        shares = {each: (np.nan if share is None else float(share), count) for each, (share, count) in told.items()}
    except OSError as error:
        raise InputError.of(name, [f"cannot be read: {error.strerror}"]) from None
    except (ValueError, KeyError, TypeError):
        raise InputError.of(
            name, ["this is no score of a user"], "`rankscope users score ... -o NAME.json` writes one."
        ) from None
    return ErrorRates(str(content["user"]), shares)


def score_user(user: User, people: PeopleMarks, *, scope: int = DISPLAY_SCOPE, seed: int = 0) -> UserScore:
    """Show the user what people judged, in displays of one query each, twice, and compare what is said with them.

    Users who go by gains are told those of the people; others see topic and ids alone.
    """
    agreed = people.agreed()
    if not len(agreed):
        raise SettingError("people agree on nothing, so that there is nothing to compare a user with")
    first = _said(user, people, agreed, scope, seed, "look")
    second = _said(user, people, agreed, scope, seed, "look again")
    both = (first != 0) & (second != 0)
    same = clustered_share(first[both] == second[both], agreed.query[both])
    return _score(str(user), people, agreed, first, same)


def score_assessor(people: PeopleMarks, assessor: str) -> UserScore:
    """The same of somebody who has marked: what he says against what all others agree on."""
    agreed, number = people.agreed(without=assessor), people.number_of(assessor)
    pair = agreed.query * len(people.items) + agreed.item
    own = np.flatnonzero((people.assessor == number) & ~people.again & np.isin(people.pair, pair))
    if not own.size:
        raise SettingError(f"nothing that '{assessor}' has marked was marked by somebody else")
    place = np.searchsorted(pair, people.pair[own])
    grade = people.grade[own]
    said = np.where(np.isnan(grade), 0, np.where(grade >= people.rel, 1, -1)).astype(np.int8)
    met = AgreedMarks(
        query=agreed.query[place], item=agreed.item[place], grade=agreed.grade[place], relevant=agreed.relevant[place]
    )
    same = clustered_share(*people.repeated(of=assessor))
    return _score(assessor, people, met, said, same, without=assessor)


def _score(
    name: str, people: PeopleMarks, agreed: AgreedMarks, said: Said, same: ClusteredShare, without: str | None = None
) -> UserScore:
    answered, right = said != 0, agreed.relevant
    grades = np.unique(agreed.grade)
    return UserScore(
        user=name,
        pairs=len(agreed),
        queries=int(np.unique(agreed.query).size),
        differing=people.differing(without),
        rel=people.rel,
        miss=_share(said < 0, answered & right, agreed),
        alarm=_share(said > 0, answered & ~right, agreed),
        silent_relevant=_share(~answered, right, agreed),
        silent_irrelevant=_share(~answered, ~right, agreed),
        picked=tuple((float(grade), _share(said > 0, agreed.grade == grade, agreed)) for grade in grades)
        if grades.size > 2
        else (),
        same=same if same.count else None,
        people_same=_known(*people.repeated(without=without)),
        people_agree=_known(*people.mutual(without)),
        people="people" if without is None else "others",
    )


def _share(hit: Any, among: Any, agreed: AgreedMarks) -> ClusteredShare:
    return clustered_share(hit[among], agreed.query[among])


def _known(same: Any, query: IntArray) -> ClusteredShare | None:
    return clustered_share(same, query) if same.size else None


def _said(user: User, people: PeopleMarks, agreed: AgreedMarks, scope: int, seed: int, purpose: str) -> Said:
    """What the user says of each pair, seen in displays of at most so many items of one query in random order."""
    key = uniform(np.full(len(agreed), seed_of("score", seed)), agreed.query * len(people.items) + agreed.item, "order")
    order = np.lexsort((key, agreed.query))
    query = agreed.query[order]
    place = np.arange(query.size) - np.searchsorted(query, query)
    new = np.append(True, (query[1:] != query[:-1]) | (place[1:] % scope == 0))
    row, column = np.cumsum(new) - 1, place % scope
    shape = (int(row[-1]) + 1, scope)
    items, gains, there = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape, np.bool_)
    items[row, column], there[row, column] = agreed.item[order], True
    worth = np.where(agreed.relevant, 1.0, np.clip(agreed.grade / people.rel, 0.0, 1 - 1e-9))
    gains[row, column] = worth[order]
    asked = query[new].tolist()
    look = Displays(
        gains=gains,
        seeds=np.array([seed_of("score", people.queries[each], seed) for each in asked], dtype=np.int64),
        items=items,
        there=there,
        purpose=purpose,
        topics=[people.texts[each] for each in asked],
        ids=people.items,
    )
    said = np.zeros(len(agreed), np.int8)
    said[order] = user.says(look)[row, column]
    return said


@dataclass(frozen=True)
class PersonMark:
    """One grade of one person; `again` where the same was asked a second time; None: the person would not say."""

    query: str
    item: str
    assessor: str
    grade: float | None
    again: bool = False


@dataclass(frozen=True, eq=False)
class AgreedMarks:
    """Pairs of query and item of which all people say the same, each with their mean grade."""

    query: IntArray
    item: IntArray
    grade: FloatArray
    relevant: BoolArray

    def __len__(self) -> int:
        return self.query.size


@dataclass(frozen=True, eq=False)
class PeopleMarks:
    """All marks; a grade of `rel` or more is relevant. `texts` are the queries in words, where they are known.

    >>> some = [PersonMark("q", "a", "ann", 1), PersonMark("q", "a", "ben", 0), PersonMark("q", "b", "ann", 0)]
    >>> people = PeopleMarks.of(some)
    >>> len(people.agreed()), people.differing(), [people.items[each] for each in people.agreed().item]
    (1, 1, ['b'])
    """

    queries: tuple[str, ...]
    items: tuple[str, ...]
    assessors: tuple[str, ...]
    query: IntArray
    item: IntArray
    assessor: IntArray
    grade: FloatArray  # NaN: would not say
    again: BoolArray
    rel: float = 1.0
    texts: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()  # whose marks are nobody's opinion, though they may be scored themselves

    @classmethod
    def of(
        cls,
        marks: Iterable[PersonMark],
        rel: float = 1.0,
        texts: Mapping[str, str] | None = None,
        machines: Iterable[str] = (),
    ) -> PeopleMarks:
        listed = list(marks)
        if not listed:
            raise SettingError("there are no marks to compare a user with")
        names = [dict.fromkeys(getattr(each, of) for each in listed) for of in ("query", "item", "assessor")]
        numbers = [{name: number for number, name in enumerate(own)} for own in names]
        columns = [
            np.array([of[getattr(each, name)] for each in listed], dtype=np.int64)
            for of, name in zip(numbers, ("query", "item", "assessor"), strict=True)
        ]
        known = texts or {}
        return cls(
            queries=tuple(names[0]),
            items=tuple(names[1]),
            assessors=tuple(names[2]),
            query=columns[0],
            item=columns[1],
            assessor=columns[2],
            grade=np.array([np.nan if each.grade is None else each.grade for each in listed], dtype=np.float64),
            again=np.array([each.again for each in listed], dtype=np.bool_),
            rel=rel,
            texts=tuple(known.get(name) or name for name in names[0]),
            machines=tuple(machines),
        )

    @cached_property
    def pair(self) -> IntArray:
        """Query and item as one number."""
        return self.query * len(self.items) + self.item

    @cached_property
    def counted(self) -> BoolArray:
        """Marks that are people's opinions: first looks with a grade, of no machine."""
        machines = [place for place, name in enumerate(self.assessors) if name in self.machines]
        return ~self.again & ~np.isnan(self.grade) & ~np.isin(self.assessor, machines)

    def _others(self, without: str | None) -> BoolArray:
        """Marks that count, leaving out those of somebody who is scored himself."""
        return self.counted if without is None else self.counted & (self.assessor != self.number_of(without))

    def agreed(self, without: str | None = None) -> AgreedMarks:
        """The pairs on whose relevance all people agree, leaving one of them out where he is scored himself."""
        chosen = self._others(without)
        pair, place = np.unique(self.pair[chosen], return_inverse=True)
        grade = self.grade[chosen]
        count = np.bincount(place, minlength=pair.size)
        picked = np.bincount(place, weights=grade >= self.rel, minlength=pair.size)
        mean = np.bincount(place, weights=grade, minlength=pair.size) / np.maximum(count, 1)
        same = (picked == 0) | (picked == count)
        query, item = np.divmod(pair[same], len(self.items))
        return AgreedMarks(query=query, item=item, grade=mean[same], relevant=picked[same] > 0)

    def differing(self, without: str | None = None) -> int:
        """Pairs that people do not agree on: where one of them is scored himself, those he marked and others differ on.

        >>> marks = [("a", "ann", 1), ("a", "ben", 0), ("b", "ann", 1), ("b", "ben", 1), ("b", "cy", 0)]
        >>> people = PeopleMarks.of([PersonMark("q", item, who, grade) for item, who, grade in marks])
        >>> people.differing(), people.differing("ann"), people.differing("cy")
        (2, 1, 0)
        """
        pairs = np.unique(self.pair[self._others(without)])
        agreed = self.agreed(without)
        open_pairs = np.setdiff1d(pairs, agreed.query * len(self.items) + agreed.item)
        if without is not None:
            open_pairs = np.intersect1d(open_pairs, self.pair[(self.assessor == self.number_of(without)) & ~self.again])
        return open_pairs.size

    def number_of(self, assessor: str) -> int:
        """An assessor by name; one who is not there is a `SettingError`."""
        if assessor not in self.assessors:
            near, there = did_you_mean(assessor, self.assessors), ", ".join(self.assessors)
            raise SettingError(f"nobody called '{assessor}' has marked anything{near} There are: {there}")
        return self.assessors.index(assessor)

    def repeated(self, of: str | None = None, without: str | None = None) -> tuple[BoolArray, IntArray]:
        """Of what people were asked twice: whether both answers say the same, and the query of each.

        `of` is one who is asked alone, a machine perhaps; `without` one who is left out, as machines are.
        """
        key = self.pair * len(self.assessors) + self.assessor
        left_out = [*self.machines, without] if of is None else [name for name in self.assessors if name != of]
        numbers = [place for place, name in enumerate(self.assessors) if name in left_out]
        known = ~np.isnan(self.grade) & ~np.isin(self.assessor, numbers)
        first, second = (np.flatnonzero(known & each) for each in (~self.again, self.again))
        _, mine, theirs = np.intersect1d(key[first], key[second], return_indices=True)
        one, other = first[mine], second[theirs]
        return (self.grade[one] >= self.rel) == (self.grade[other] >= self.rel), self.query[one]

    def mutual(self, without: str | None = None) -> tuple[BoolArray, IntArray]:
        """Of every two people who marked the same: whether they say the same, and the query of each case.

        Where one of them is scored himself: of every two others.
        """
        chosen = np.flatnonzero(self._others(without))
        chosen = chosen[np.argsort(self.pair[chosen], kind="stable")]
        same, query = [], []
        for apart in range(1, len(self.assessors)):
            one, other = chosen[:-apart], chosen[apart:]
            both = self.pair[one] == self.pair[other]
            same.append((self.grade[one] >= self.rel)[both] == (self.grade[other] >= self.rel)[both])
            query.append(self.query[one][both])
        return np.concatenate([np.empty(0, np.bool_), *same]), np.concatenate([np.empty(0, np.int64), *query])


# How well a simulated user stands for people, in words and tables.

AGAINST = "Rates are against what {people} said, who err too: two of them differ as shown under {people}."


def user_score_text(score: UserScore) -> str:
    """Errors, partial relevance, consistency; what people do next to it; and the simulated user with these rates."""
    tables = [HeadedTable("Errors", error_rows(score))]
    if score.picked:
        rows = [{"grade": f"{grade:g}", **_numbers(share)} for grade, share in score.picked]
        tables.append(HeadedTable("Partial relevance: what is picked of each grade", rows))
    if known := look_rows(score):
        tables.append(HeadedTable("Consistency", known))
    return Presentation([user_line(score)], tables, _words(score), spaced=True).text()


def user_line(score: UserScore) -> str:
    who = "people" if score.people == "people" else "the others"
    left_out = f"; left out: {how_many(score.differing, 'pairs')} on which {who} differ" if score.differing else ""
    return (
        f"{score.user}: {how_many(score.pairs, 'pairs')} of {how_many(score.queries, 'queries')}, relevant from "
        f"grade {score.rel:g} on{left_out}"
    )


def error_rows(score: UserScore) -> list[dict[str, object]]:
    """One row for each kind of error."""
    return [
        _row("relevant, but rejected", score.miss),
        _row("irrelevant, but picked", score.alarm),
        _row("relevant, nothing said", score.silent_relevant),
        _row("irrelevant, nothing said", score.silent_irrelevant),
    ]


def look_rows(score: UserScore) -> list[dict[str, object]]:
    """What a second look gives, and what people do, as far as it is known."""
    rows = [
        _row(f"{'user' if score.people == 'people' else score.user}: the same at a second look", score.same),
        _row(f"{score.people}: the same when asked again", score.people_same),
        _row(f"{score.people}: two say the same", score.people_agree),
    ]
    return [row for row in rows if row["of"]]


def _row(what: str, share: ClusteredShare | None) -> dict[str, object]:
    if share is None or not share.count:
        return {"": what, "share": None, "low": None, "high": None, "found": 0, "of": 0}
    return {"": what, **_numbers(share)}


def _numbers(share: ClusteredShare) -> dict[str, object]:
    return {"share": share.share, "low": share.low, "high": share.high, "found": share.found, "of": share.count}


def _words(score: UserScore) -> list[str]:
    clusters = max(score.miss.clusters, score.alarm.clusters)
    lines = [
        "low and high: 95 % interval, queries drawn anew (Korn & Graubard)."
        if clusters > 1
        else "low and high: 95 % interval that takes the marks of one query for independent ones: have more queries."
    ]
    lines += [AGAINST.format(people=score.people)] if score.people_agree is not None else []
    if not score.miss.count or not score.alarm.count:
        side = "relevant" if not score.miss.count else "irrelevant"
        lines.append(f"! nothing is said of any {side} item, so that its errors cannot be known")
    told = f"Errors {short(score.miss.share)} and {short(score.alarm.share)}"
    return [*lines, f"{told}; a simulated user with them: --user '{score.as_user}'"]
