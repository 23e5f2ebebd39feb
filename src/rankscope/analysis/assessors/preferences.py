"""Preferences: what people answer when they see two systems side by side or as one interleaved list.

Two rankings as one list: team draft (Radlinski et al. 2008) and balanced (Joachims 2002), and who gets the clicks. Team
draft is the one to use: whoever clicks at random credits both alike. Balanced interleaving gives a random clicker a
preference where one ranking is the other moved by a place, and is here for comparison with what others did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

Choice = Literal["left", "right", "equal", "both bad"]
CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)
SIDES: Final = ("left", "right")
SIDE_BY_SIDE: Final = "side by side"
INTERLEAVED: Final = "interleaved"


@dataclass(frozen=True)
class Preference:
    """One answer: for a query somebody saw two systems side by side, or one list made of both.

    `choice` of one list says which system got more clicks, as if the system named `left` had stood on the left.
    """

    query: str
    assessor: str
    left: str
    right: str
    choice: Choice
    mode: str = SIDE_BY_SIDE

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, sorted by name."""
        first, second = sorted((self.left, self.right))
        return first, second

    @property
    def winner(self) -> str:
        """The system that is preferred; nothing where neither is.

        >>> Preference("q1", "ann", left="old", right="new", choice="right").winner
        'new'
        """
        if self.choice == "left":
            return self.left
        return self.right if self.choice == "right" else ""

    def gain(self, system: str) -> float:
        """1 where this system wins, 0 where the other does, else 0.5."""
        return 0.5 if not self.winner else float(self.winner == system)


INTERLEAVING_METHODS: Final = ("team-draft", "balanced")
FIRST, SECOND = 0, 1


@dataclass(frozen=True)
class Interleaved:
    """One list of two: `teams` says of each item who brought it, 0 the first ranking and 1 the second."""

    items: tuple[str, ...]
    teams: tuple[int, ...]
    method: str
    first: tuple[str, ...]  # the rankings themselves, as deep as the list reaches
    second: tuple[str, ...]

    def credit(self, clicked: Collection[str]) -> tuple[int, int]:
        """How many clicks each ranking gets; clicks on what is not in the list count for nobody."""
        own = [item for item in self.items if item in set(clicked)]
        if self.method == "team-draft":
            teams = [self.teams[self.items.index(item)] for item in own]
            return teams.count(FIRST), teams.count(SECOND)
        if not own:
            return 0, 0
        # the first k of each ranking, k as deep as one of them must be read to reach the last click
        reach = min(ranking.index(own[-1]) + 1 for ranking in (self.first, self.second) if own[-1] in ranking)
        heads = (set(self.first[:reach]), set(self.second[:reach]))
        return sum(item in heads[0] for item in own), sum(item in heads[1] for item in own)


def interleave(
    first: Sequence[str], second: Sequence[str], coins: Iterator[int], *, method: str = "team-draft", depth: int = 10
) -> Interleaved:
    """One list of two rankings; `coins` are 0 where the first ranking picks first, 1 where the second does.

    Team draft asks for a coin in each round, balanced interleaving for one in all.
    >>> made = interleave("abcd", "beaf", iter([0, 1]), depth=4)
    >>> "".join(made.items), made.teams, made.credit("bc")
    ('abec', (0, 1, 1, 0), (1, 1))
    """
    build = _team_draft if method == "team-draft" else _balanced
    items, teams = build(first, second, coins, depth)
    return Interleaved(
        items=tuple(items), teams=tuple(teams), method=method, first=tuple(first[:depth]), second=tuple(second[:depth])
    )


def _team_draft(
    first: Sequence[str], second: Sequence[str], coins: Iterator[int], depth: int
) -> tuple[list[str], list[int]]:
    """Round by round a coin says who picks first, then the other; each takes its best item that is not in the list."""
    items: list[str] = []
    teams: list[int] = []
    left = [iter(first), iter(second)]
    while len(items) < depth:
        before = len(items)
        coin = next(coins)
        for team in (coin, 1 - coin):
            best = next((item for item in left[team] if item not in items), None)
            if best is not None and len(items) < depth:
                items.append(best)
                teams.append(team)
        if len(items) == before:
            break
    return items, teams


def _balanced(
    first: Sequence[str], second: Sequence[str], coins: Iterator[int], depth: int
) -> tuple[list[str], list[int]]:
    """The list always holds the heads of both rankings, of lengths that differ by one at most."""
    items: list[str] = []
    teams: list[int] = []
    lists, taken, coin = (first, second), [0, 0], next(coins)
    while len(items) < depth and (taken[0] < len(first) or taken[1] < len(second)):
        team = coin if taken[0] == taken[1] else int(taken[1] < taken[0])
        if taken[team] >= len(lists[team]):
            team = 1 - team
        item = lists[team][taken[team]]
        taken[team] += 1
        if item not in items:
            items.append(item)
            teams.append(team)
    return items, teams


def coins_of(lot: Callable[[int], float]) -> Iterator[int]:
    """Coins without end from numbers between 0 and 1 by their place.

    >>> made = coins_of(lambda place: [0.2, 0.7][place])
    >>> next(made), next(made)
    (0, 1)
    """
    place = 0
    while True:
        yield int(lot(place) >= 0.5)
        place += 1
