"""Feedback on the documents of a text index, with topics and judgements."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.errors import SettingError
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.engines.text import Index
    from rankscope.facade.problems import FeedbackProblem

WORDS = "words"  # the start that is the engine's own ranking


def is_text_index(source: Any) -> bool:
    """Whether what a study is to be about is an index of texts, or the folder of one.

    >>> from rankscope.engines.text import Index
    >>> is_text_index(Index.build([{"id": "a", "body": "fox"}])), is_text_index("digits")
    (True, False)
    """
    if isinstance(source, str | Path):
        from rankscope.engines.text.index.storage import RECORD

        return os.path.isfile(os.path.join(source, RECORD))
    from rankscope.engines.text.text_index import Index

    return isinstance(source, Index)


def text_problem_of(
    index: Index | str | Path,
    topics: Any = (),
    qrels: Any = None,
    *,
    rel: float = 1,
    similarity: str = "bm25",
    field: str | None = None,
    parts: str | None = None,
    scaling: Literal["none", "standardise", "l2"] = "none",
) -> FeedbackProblem:
    """Documents with the words of the topics, and which of them are relevant by judgements of one assessor or several.

    Methods on words share the ranking of the engine, all others see vectors of latent semantic indexing.
    """
    from rankscope.facade.problems import FeedbackProblem, by_assessor
    from rankscope.facade.searching import opened_index, texts_of
    from rankscope.feedback.examples.text_items import TextItems
    from rankscope.feedback.users.topics import Topics

    items = TextItems.in_index(
        opened_index(index),
        texts_of(_only_topics(topics, qrels), parts),
        field=field,
        similarity=similarity,
        scaling=scaling,
    )
    wanted = Topics.from_assessors(by_assessor(qrels), items.ids, rel)
    _check_words(wanted.names, items.texts.words)
    return FeedbackProblem(items=items, topics=wanted, ids=tuple(items.ids))


def _only_topics(topics: Any, qrels: Any) -> Any:
    """The one file or dictionary of topics; what an index lacks for a study is said."""
    several = topics if isinstance(topics, list | tuple) else [topics] if topics else []
    if qrels is None or len(several) != 1:
        needed = f"{setting_usage('topics', 'FILE')} and {setting_usage('qrels', 'FILE')}"
        raise SettingError(f"an index of texts needs {needed}: what users ask for, and which documents answer it")
    return several[0]


def _check_words(names: Sequence[str], words: Any) -> None:
    lacking = [name for name in names if name not in words]
    if lacking:
        shown = ", ".join(lacking[:10]) + (f" and {len(lacking) - 10:,} more" if len(lacking) > 10 else "")
        raise SettingError(f"{setting_usage('topics')} has no text of topics that the judgements speak of: {shown}")
