"""How asking goes: which topics failed, whether it makes sense to go on, and what is said in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rankscope.engines.live.answer import TopicAnswer, TopicFailure
from rankscope.errors import InputError, Problem
from rankscope.number_texts import how_many

IN_A_ROW = 8  # topics that fail for a passing reason before it is taken for one that does not pass
NAMED = 5  # topics that are named with one reason


@dataclass
class Course:
    """The topics that failed so far, and how many of them in a row for a reason that should have passed."""

    failures: list[TopicFailure] = field(default_factory=list)
    in_a_row: int = 0

    def note(self, arrived: Iterable[TopicAnswer | TopicFailure]) -> None:
        """What came of some more topics."""
        for each in arrived:
            if isinstance(each, TopicAnswer):
                self.in_a_row = 0
            else:
                self.failures.append(each)
                self.in_a_row += each.again

    @property
    def is_hopeless(self) -> bool:
        """Whether the others would fail too."""
        return self.in_a_row >= IN_A_ROW or any(each.for_all for each in self.failures)

    def error(self, engine: str, answered: int, topics: int, resumable: bool) -> InputError:
        """All failures, those of one reason together, and what to do."""
        by_reason: dict[tuple[str, bool], list[str]] = {}
        for each in self.failures:
            by_reason.setdefault((each.reason, each.for_all), []).append(each.topic)
        problems = [Problem("" if all else _named(names), reason) for (reason, all), names in by_reason.items()]
        left = topics - answered - len(self.failures)
        given_up = f" {how_many(left, 'more topic was', 'more topics were')} not asked for." if left else ""
        kept = f" The {how_many(answered, 'answer is', 'answers are')} kept: the same command asks for the others."
        kept = kept if resumable and answered else ""
        return InputError.of(engine, problems, f"No run was written.{given_up}{kept}")


def _named(topics: list[str]) -> str:
    more = f" and {len(topics) - NAMED:,} more" if len(topics) > NAMED else ""
    return f"topic{'' if len(topics) == 1 else 's'} {', '.join(topics[:NAMED])}{more}"
