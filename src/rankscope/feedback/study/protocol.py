"""Every choice of a feedback experiment but topics, starts and methods, as the result file records it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from rankscope.validation import COUNT, FLAG, OneOf, Optional, WholeNumber, check_fields

ListName = Literal["full", "residual", "frozen", "split"]
Choice = Literal["top_ranked", "random"]
DisplayName = Literal["best", "informative"]
Remember = Literal["accumulate", "latest", "deletions"]
Unjudged = Literal["silent", "irrelevant"]


@dataclass(frozen=True)
class Protocol:
    """How far the user looks, how often, what he marks of it, and which list is scored.

    `frozen`, the usual list, is the whole session: what was shown keeps its place. `residual` is for one method against
    its own past; it differs by method, so that two are compared only on what neither has shown, and more not at all.

    Round 0 is the ranking before feedback; round t the one after t displays have been marked. `k_pos` and `k_neg` are
    the most a user marks of a display, None all of them; `choice` says which. `informative`: the method chooses what it
    wants to be told, which is no measure of quality. `latest` forgets all displays but the last, not what was given at
    the start. With `deletions` the user looks again at all examples after each round, and takes back those of another
    mind. Of items that nobody has judged the user says nothing (`silent`), or takes them for irrelevant; measures count
    them as irrelevant in either case.
    """

    scope: int = 20
    rounds: int = 5
    k_pos: int | None = None
    k_neg: int | None = None
    choice: Choice = "top_ranked"
    display: DisplayName = "best"
    show_seen: bool = False
    remember: Remember = "accumulate"
    scored: ListName = "frozen"
    unjudged: Unjudged = "silent"

    def __post_init__(self) -> None:
        marks = Optional(WholeNumber(least=0))
        words = {"choice": Choice, "display": DisplayName, "remember": Remember, "scored": ListName}
        words |= {"unjudged": Unjudged}
        check_fields(
            self,
            scope=COUNT,
            rounds=WholeNumber(least=0),
            k_pos=marks,
            k_neg=marks,
            show_seen=FLAG,
            **{name: OneOf(get_args(kind)) for name, kind in words.items()},
        )

    @property
    def examples_only_grow(self) -> bool:
        """Whether no round takes back an example, or shows an item that was judged before."""
        return self.remember == "accumulate" and not self.show_seen

    def settings(self) -> dict[str, Any]:
        """All choices by name."""
        return asdict(self)
