"""A question's problem: items, topics and methods, and the answer's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.facade.problems import FeedbackProblem, LabelledProblem, methods_of, problem_of

if TYPE_CHECKING:
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.users.topics import Topics
    from rankscope.reports.texts.answers import Answer, AnswerTable

Progress = Callable[[float], None]
Texts = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class AskedProblem:
    """What a question is asked of."""

    given: FeedbackProblem
    methods: list[Method]

    @classmethod
    def of(cls, features: Any, methods: Texts | None, choices: LabelledProblem) -> AskedProblem:
        """A name that is none is told before a large file is read."""
        if methods is not None:
            methods_of(methods)
        given = problem_of(features, **choices)
        return cls(given, given.methods(methods))

    @property
    def items(self) -> Items:
        """What is ranked."""
        return self.given.items

    @property
    def topics(self) -> Topics:
        """What is looked for."""
        return self.given.topics

    def answer(
        self,
        question: str,
        how: str,
        *,
        tables: Sequence[AnswerTable],
        result: Any,
        topics: Sequence[str] | None = None,
        warnings: Sequence[str] = (),
    ) -> Answer:
        """An answer that begins with the sizes of the problem, and how the question was put to it."""
        from rankscope.reports.texts.answers import Answer, sizes_of
        from rankscope.reports.texts.feedback import truth_caveat

        asked_of = self.topics.labels if topics is None else topics
        return Answer(
            question=question,
            facts=sizes_of(len(self.items), asked_of, [*map(str, self.methods)], how),
            tables=tuple(tables),
            result=result,
            warnings=(*warnings, *(line.removeprefix("! ") for line in truth_caveat(self.topics.truth))),
        )
