"""What feedback is studied on: items with features in groups, topics from labels or judgements, how sessions begin."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from rankscope.errors import InputError, SettingError
from rankscope.facade.ranking import items_of
from rankscope.notation import split_list

if TYPE_CHECKING:
    from rankscope.arrays import BoolArray
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.users.starts import Start
    from rankscope.feedback.users.topics import Topics
    from rankscope.inputs.features import Features

Scaling = Literal["none", "standardise", "l2"]
UNLABELLED = "item"  # what all items are where judgements say what is relevant


class ProblemChoices(TypedDict, total=False):
    """What users look for, and among what.

    `topics`: labels, expressions over labels, or names of judged topics. `judgements`: a file of judgements (topic,
    item, grade), or one for each assessor, in a list or by name; `rel` is the lowest grade that is fully relevant, one
    below is worth grade / rel. `also`: further features of the same items, each file a group. `groups`: how many
    features each group has. `scaling`: how features are scaled before methods see them.
    """

    topics: str | Sequence[str]
    judgements: Any
    rel: float
    also: Sequence[Any]
    groups: Sequence[int] | None
    scaling: Scaling
    separator: str | None
    label_column: str | None
    id_column: str | None


class LabelledProblem(ProblemChoices, total=False):
    """The same with the label of each item, or the file of labels."""

    labels: Any


@dataclass(frozen=True, eq=False)
class Problem:
    """Items and topics, with what both were made from."""

    items: Items
    topics: Topics
    ids: tuple[str, ...]
    labelled: Features

    def elementary(self, topic: str) -> BoolArray:
        """Items x labels: the labels that a topic is made of, in order."""
        from rankscope.feedback.users.expressions import HasLabel, parse_expression
        from rankscope.feedback.users.topics import properties

        have = properties(self.labelled)
        meant = HasLabel(topic) if topic in have else parse_expression(topic)
        return np.stack([HasLabel(label).of(have) for label in meant.labels], axis=1)


def problem_of(features: Any, labels: Any = None, **choices: Unpack[ProblemChoices]) -> Problem:
    """The problem that people describe."""
    from rankscope.feedback.examples.items import Items, slices_of

    how = {name: choices.get(name) for name in ("separator", "label_column", "id_column")}
    labelled = labelled_items(features, labels=labels, optional=choices.get("judgements") is not None, **how)
    tables = [labelled.matrix, *(_further(each, labelled, how) for each in choices.get("also") or ())]
    matrix = np.hstack(tables) if len(tables) > 1 else labelled.matrix
    sizes = _group_sizes(choices.get("groups"), [table.shape[1] for table in tables])
    return Problem(
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

    named = isinstance(source, str) and source in COLLECTIONS.own_names() and not os.path.exists(source)
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


def start_of(given: Any, problem: Problem) -> Start:
    """How sessions begin: as people write it, or by somebody else's ranking, a run or its file."""
    from rankscope.feedback.users.starts import STARTS, ExternalRanking

    if isinstance(given, str):
        is_file = os.path.exists(given) or bool(os.path.splitext(given)[1])
        if given.partition("(")[0].strip() in STARTS or not is_file:
            return STARTS.parse(given)
    return ExternalRanking.from_run(given, problem.topics, problem.ids)


def parts_of(texts: str | Sequence[str]) -> list[str]:
    """What stands between commas, of one text or several."""
    return [part for text in ([texts] if isinstance(texts, str) else texts) for part in split_list(text)]


def _topics(labelled: Features, choices: ProblemChoices) -> Topics:
    from rankscope.feedback.users.topics import FEWEST, Topics

    wanted, judgements = parts_of(choices.get("topics") or ()), choices.get("judgements")
    if judgements is None:
        return Topics.from_labels(labelled, wanted or None)
    rel = choices.get("rel")
    topics = Topics.from_assessors(_by_assessor(judgements), labelled.ids, 1 if rel is None else rel, FEWEST)
    return topics.named(wanted) if wanted else topics


def _by_assessor(judgements: Any) -> dict[str, Any]:
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
