"""The System Usability Scale: ten statements, each agreed with from 1 to 5, as one number from 0 to 100.

Brooke (1996), SUS: a quick and dirty usability scale. Statements praise and blame in turn, so that nobody
can say yes to all of them without a thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rankscope.errors import SettingError

STATEMENTS: Final = (
    "I think that I would like to use this system frequently.",
    "I found the system unnecessarily complex.",
    "I thought the system was easy to use.",
    "I think that I would need the support of a technical person to be able to use this system.",
    "I found the various functions in this system were well integrated.",
    "I thought there was too much inconsistency in this system.",
    "I would imagine that most people would learn to use this system very quickly.",
    "I found the system very cumbersome to use.",
    "I felt very confident using the system.",
    "I needed to learn a lot of things before I could get going with this system.",
)
LEAST, MOST = 1, 5  # strongly disagree, strongly agree
WORTH: Final = 2.5  # of one step of one statement


def sus_score(answers: Sequence[int]) -> float:
    """0 to 100, more is better: praise counts from 1 up, blame from 5 down.

    >>> sus_score([5, 4, 2, 1, 2, 3, 2, 4, 5, 2])  # the example of Brooke 1996
    55.0
    """
    check_answers(answers)
    return WORTH * sum(item_contribution(place, answer) for place, answer in enumerate(answers))


def item_contribution(place: int, answer: int) -> int:
    """What one answer adds, 0 to 4; statements are counted from 0, and those at odd places blame.

    >>> item_contribution(0, 5), item_contribution(1, 5)
    (4, 0)
    """
    return MOST - answer if place % 2 else answer - LEAST


def check_answers(answers: Sequence[int]) -> None:
    """A `SettingError` where these are not ten whole numbers from 1 to 5."""
    whole = [type(each) is int and LEAST <= each <= MOST for each in answers]
    if len(whole) != len(STATEMENTS) or not all(whole):
        raise SettingError(
            f"the questionnaire has {len(STATEMENTS)} answers from {LEAST} to {MOST}, got {list(answers)!r}: where "
            "somebody cannot answer, they choose the middle, 3"
        )
