"""What feedback is studied on: items with features in groups, topics from labels or judgements, how sessions begin."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from rankscope.calling import declare_defaults
from rankscope.catalogue import unknown_name
from rankscope.errors import InputError, SettingError
from rankscope.facade import usual
from rankscope.facade.ranking import items_of
from rankscope.notation import split_list
from rankscope.wording import setting_usage, value_text

if TYPE_CHECKING:
    from rankscope.arrays import BoolArray
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.users.starts import Start
    from rankscope.feedback.users.topics import Topics
    from rankscope.inputs.features import Features

Scaling = Literal["none", "standardise", "l2"]
START = "one_query"  # where nothing is said
UNLABELLED = "item"  # what all items are where judgements say what is relevant


class ProblemChoices(TypedDict, total=False):
    """What users look for, and among what.

    `topics`: labels, expressions over labels, or names of judged topics; of an index questions, in a file or a
    dictionary. `qrels`: judgements in place of labels (topic, item, grade), or those of each assessor, in a list or by
    name; an index needs them. `rel` is the lowest grade that is fully relevant, one below is worth grade / rel. Of an
    index: `similarity`, `field` and `parts` of the topics, as of `search`. Of vectors: `also`, further features of the
    same items, each a group; `groups`, how many features each group has; and where labels and names stand. `scaling`:
    how features are scaled before methods see them. `log`: marks of earlier sessions (session, item, mark) in a file or
    a table, by session and item, or sessions x items, for methods that learn from a log.
    """

    topics: Any
    qrels: Any
    rel: float
    similarity: str
    field: str | None
    parts: str | None
    also: Sequence[Any]
    groups: Sequence[int] | None
    scaling: Scaling
    log: Any
    separator: str | None
    label_column: str | None
    id_column: str | None


class LabelledProblem(ProblemChoices, total=False):
    """The same with the label of each item, or the file of labels."""

    labels: Any


_USUAL = {"rel": 1, "similarity": "bm25", "also": (), "scaling": "none"}
declare_defaults(ProblemChoices, **_USUAL)
declare_defaults(LabelledProblem, **_USUAL)
OF_VECTORS = ("labels", "separator", "label_column", "id_column", "also", "groups")
OF_TEXTS = {"similarity": "bm25", "field": None, "parts": None}


@dataclass(frozen=True, eq=False)
class FeedbackProblem:
    """Items and topics, with what both were made from."""

    items: Items
    topics: Topics
    ids: tuple[str, ...]
    labelled: Features | None = None  # None: documents of an index

    @property
    def usual_methods(self) -> tuple[str, ...]:
        """What is compared where nobody says what."""
        return usual.TEXT_METHODS if self.labelled is None else usual.METHODS

    def methods(self, texts: str | Sequence[str] | None) -> list[Method]:
        """The methods asked for, or the usual ones."""
        return methods_of(texts or self.usual_methods)

    def with_log(self, log: Any) -> FeedbackProblem:
        """The same problem with what was marked in earlier sessions."""
        from rankscope.inputs.feedback_logs import FeedbackLog

        return replace(self, items=self.items.with_log(FeedbackLog.of(log, self.ids).marks))

    def elementary(self, topic: str) -> BoolArray:
        """Items x labels: the labels that a topic is made of, in order."""
        from rankscope.feedback.users.expressions import HasLabel, parse_expression
        from rankscope.feedback.users.topics import properties

        if self.labelled is None:
            raise SettingError("documents of an index have no labels that a topic could be composed of")
        have = properties(self.labelled)
        meant = HasLabel(topic) if topic in have else parse_expression(topic)
        return np.stack([HasLabel(label).of(have) for label in meant.labels], axis=1)


def problem_of(features: Any, labels: Any = None, **choices: Unpack[ProblemChoices]) -> FeedbackProblem:
    """The problem that people describe: vectors with labels or judgements, or the documents of an index."""
    log = choices.pop("log", None)
    problem = _problem_without_log(features, labels, choices)
    return problem if log is None else problem.with_log(log)


def _problem_without_log(features: Any, labels: Any, choices: ProblemChoices) -> FeedbackProblem:
    from rankscope.facade.simulating_on_texts import is_text_index, text_problem_of

    given: dict[str, Any] = {"labels": labels, **choices}
    if is_text_index(features):
        _refuse([name for name in OF_VECTORS if given.get(name)], "vectors with labels, not an index of texts")
        return text_problem_of(features, **{name: given[name] for name in given if name not in OF_VECTORS})
    foreign = [name for name, usually in OF_TEXTS.items() if given.get(name) not in (None, usually)]
    _refuse(foreign, f"an index of texts, which {value_text(features)} is not")
    return _vector_problem(features, labels, choices)


def _refuse(given: Sequence[str], belongs: str) -> None:
    if given:
        raise SettingError(f"{', '.join(map(setting_usage, given))}: belongs to {belongs}")


def _vector_problem(features: Any, labels: Any, choices: ProblemChoices) -> FeedbackProblem:
    from rankscope.feedback.examples.items import Items, slices_of

    how = {name: choices.get(name) for name in ("separator", "label_column", "id_column")}
    labelled = labelled_items(features, labels=labels, optional=choices.get("qrels") is not None, **how)
    tables = [labelled.matrix, *(_further(each, labelled, how) for each in choices.get("also") or ())]
    matrix = np.hstack(tables) if len(tables) > 1 else labelled.matrix
    sizes = _group_sizes(choices.get("groups"), [table.shape[1] for table in tables])
    return FeedbackProblem(
        items=Items.of(matrix, scaling=choices.get("scaling") or "none", groups=slices_of(sizes)),
        topics=_topics(labelled, choices),
        ids=labelled.ids,
        labelled=labelled,
    )


def labelled_items(source: Any, *, optional: bool = False, **how: Any) -> Features:
    """Features with labels: of a collection that comes with vectors, of a file, or as they are.

    Labels are `optional` where judgements say what is relevant.
    """
    from rankscope.collections import COLLECTIONS
    from rankscope.inputs.features import Features

    is_word = isinstance(source, str) and not os.path.splitext(source)[1] and not os.path.exists(source)
    named = is_word and source in COLLECTIONS.own_names()
    if is_word and not named:
        raise SettingError(f"no file '{source}', and {unknown_name('collection', source, COLLECTIONS.own_names())}")
    if named and not COLLECTIONS.find(source).layout:
        collection = COLLECTIONS.find(source).load(None)
        if collection.features is None:
            raise SettingError(f"{source} has no vectors: make some with rankscope describe")
        return Features.of(collection.features, collection.labels, collection.ids)
    if optional and how.get("labels") is None and isinstance(source, str | Path):
        from rankscope.inputs.feature_files import read_contents

        found = read_contents(Path(source), how.get("label_column"), how.get("id_column"))
        if found.labels is None:
            return Features.of(found.matrix, [UNLABELLED] * len(found.matrix), found.ids)
    if optional and how.get("labels") is None and not isinstance(source, str | Path | Features):
        how["labels"] = [UNLABELLED] * len(source)
    return items_of(source, **how)


def methods_of(texts: str | Sequence[str]) -> list[Method]:
    """Methods as people write them; `all` are all."""
    from rankscope.feedback.methods import METHODS

    names = parts_of(texts)
    if [*map(str.lower, names)] == ["all"]:
        return [kind() for kind in METHODS.own()]
    return [METHODS.parse(name) for name in names]


def start_of(given: Any, problem: FeedbackProblem) -> Start:
    """How sessions begin: as people write it, or by somebody else's ranking, a run or its file.

    Unless it is said, with one query, and on an index with the engine's own ranking.
    """
    from rankscope.facade.simulating_on_texts import WORDS
    from rankscope.feedback.examples.text_items import TextItems
    from rankscope.feedback.users.starts import STARTS, ExternalRanking

    if isinstance(problem.items, TextItems) and given in (None, WORDS):
        return ExternalRanking.by_words(problem.items, problem.topics)
    if given is None:
        return STARTS.parse(START)
    if isinstance(given, str) and (given.partition("(")[0].strip() in STARTS or not _is_file(given)):
        try:
            return STARTS.parse(given)
        except SettingError as error:
            raise SettingError(f"{error}, a run file, or of an index {WORDS}") from None
    return ExternalRanking.from_run(given, problem.topics, problem.ids)


def _is_file(text: str) -> bool:
    return os.path.exists(text) or bool(os.path.splitext(text)[1])


def parts_of(texts: str | Sequence[str]) -> list[str]:
    """What stands between commas, of one text or several."""
    return [part for text in ([texts] if isinstance(texts, str) else texts) for part in split_list(text)]


def _topics(labelled: Features, choices: ProblemChoices) -> Topics:
    from rankscope.feedback.users.topics import FEWEST, Topics

    wanted, qrels = parts_of(choices.get("topics") or ()), choices.get("qrels")
    if qrels is None:
        return Topics.from_labels(labelled, wanted or None)
    topics = Topics.from_assessors(by_assessor(qrels), labelled.ids, choices.get("rel") or 1, FEWEST)
    return topics.named(wanted) if wanted else topics


def by_assessor(judgements: Any) -> dict[str, Any]:
    """Judgements by the name of who made them, which is empty where there is one: files are called by their names."""
    if isinstance(judgements, Mapping):
        first = next(iter(judgements.values()), None)
        deepest = next(iter(first.values()), None) if isinstance(first, Mapping) else None
        by_name = isinstance(first, str | Path) or isinstance(deepest, Mapping)
        return {str(name): each for name, each in judgements.items()} if by_name else {"": judgements}
    if not isinstance(judgements, list | tuple):
        return {"": judgements}
    if len(judgements) == 1:
        return {"": judgements[0]}
    from rankscope.names import distinct_names

    paths = [str(each) for each in judgements]
    return dict(zip(distinct_names([Path(each).name.partition(".")[0] for each in paths], paths), paths, strict=True))


def _further(source: Any, labelled: Features, how: Mapping[str, Any]) -> Any:
    """The matrix of further features; they must be of the same items in the same order."""
    more = labelled_items(source, optional=True, labels=None, separator=None, id_column=how["id_column"])
    if more.ids != labelled.ids:
        name = source if isinstance(source, str | Path) else "further features"
        raise InputError.of(str(name), [f"these are not the {len(labelled):,} items of the first features, in order"])
    return more.matrix


def _group_sizes(asked: Sequence[int] | None, columns: Sequence[int]) -> Sequence[int]:
    if not asked:
        return columns
    if min(asked) < 1 or sum(asked) != sum(columns):
        raise SettingError(
            f"groups are how many features each has, and add up to all {sum(columns)}; got {', '.join(map(str, asked))}"
            f" ({sum(asked)})"
        )
    return asked
