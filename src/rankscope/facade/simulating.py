"""Which feedback method learns fastest, with simulated users?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.errors import SettingError
from rankscope.facade import usual
from rankscope.facade.ranking import items_of
from rankscope.notation import split_list
from rankscope.wording import setting_usage, value_text

if TYPE_CHECKING:
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.study.protocol import Choice, DisplayName, ListName, Remember
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.study.study import Plan
    from rankscope.inputs.features import Features
    from rankscope.running.runner import Runner

START, SESSIONS = "one_query", 10  # of a topic, where nothing is said


def simulate_feedback(
    features: Any,
    labels: Any = None,
    *,
    output: str | Path | None = None,
    methods: str | Sequence[str] | None = None,
    topics: Any = (),
    qrels: Any = None,
    similarity: str = "bm25",
    field: str | None = None,
    parts: str | None = None,
    rel: float = 1,
    starts: int | None = None,
    rounds: int = 5,
    scope: int = 20,
    start: str | None = None,
    user: str = "consistent",
    scored: ListName = "frozen",
    measures: Sequence[str] | None = None,
    k_pos: int | None = None,
    k_neg: int | None = None,
    choice: Choice = "top_ranked",
    display: DisplayName = "best",
    show_seen: bool = False,
    remember: Remember = "accumulate",
    scaling: Literal["none", "standardise", "l2"] = "none",
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    on: str | Runner | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Results:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    `features` is a file, the name of a collection that comes with vectors ("digits"), an array with `labels`, or
    `Features`; `topics` are labels or expressions of them. Or it is an index of texts, or its folder: then `topics` are
    questions, in a file or a dictionary, `qrels` says which documents have at least the grade `rel`, and sessions begin
    with the ranking of the engine (`similarity`, `field`); methods on words share it, all others see vectors of latent
    semantic indexing. `output` writes the result as NAME.parquet, and interrupted work continues. `on` says where
    sessions are simulated, which changes only times: "home", "processes:4", "dask://HOST:PORT", "tls://HOST:PORT",
    "spark"; None: as many processes as there are cores, once there is enough to do.
    """
    from rankscope.feedback.study.study import study

    plan = plan_of_either(
        features,
        {"labels": labels, "separator": separator, "label_column": label_column, "id_column": id_column},
        {"qrels": qrels, "similarity": similarity, "field": field, "parts": parts, "rel": rel},
        methods=methods,
        topics=topics,
        start=start,
        user=user,
        scaling=scaling,
        starts=starts,
        measures=measures,
        seed=seed,
        rounds=rounds,
        scope=scope,
        scored=scored,
        k_pos=k_pos,
        k_neg=k_neg,
        choice=choice,
        display=display,
        show_seen=show_seen,
        remember=remember,
    )
    return study(plan, result=output, on=on, progress=progress)


def plan_of_either(features: Any, of_vectors: Mapping[str, Any], of_texts: Mapping[str, Any], **shared: Any) -> Plan:
    """What is simulated on vectors with labels, or on the documents of an index; what belongs to the other is refused.

    `of_vectors` and `of_texts` are the settings that only one of them has, `shared` are those of both.
    """
    from rankscope.facade.simulating_on_texts import is_text_index, text_plan_of

    if is_text_index(features):
        _refuse(of_vectors, "vectors with labels, not an index of texts")
        return text_plan_of(features, **of_texts, **shared)
    _refuse(of_texts, f"an index of texts, which {value_text(features)} is not")
    methods_of(shared["methods"] or usual.METHODS)  # before a large file is read
    return plan_of(labelled_items(features, **of_vectors), **shared)


def _refuse(settings: Mapping[str, Any], belongs: str) -> None:
    usually = signature(simulate_feedback).parameters
    given = [name for name, value in settings.items() if value is not None and value != usually[name].default]
    if given:
        raise SettingError(f"{', '.join(map(setting_usage, given))}: belongs to {belongs}")


def plan_of(
    labelled: Features,
    methods: str | Sequence[str] | None,
    topics: str | Sequence[str],
    start: str | None,
    user: str,
    scaling: Literal["none", "standardise", "l2"],
    *,
    starts: int | None,
    measures: Sequence[str] | None,
    seed: int,
    **protocol: Any,
) -> Plan:
    """What is simulated, from what people write; `protocol` holds the fields of `Protocol`."""
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.study.study import Plan
    from rankscope.feedback.users.starts import STARTS
    from rankscope.feedback.users.topics import Topics
    from rankscope.feedback.users.users import USERS

    chosen, begins, marks = methods_of(methods or usual.METHODS), STARTS.parse(start or START), USERS.parse(user)
    wanted = _parts(topics)
    experiment = Experiment.of(
        Items.of(labelled.matrix, scaling=scaling),
        Topics.from_labels(labelled, wanted or None),
        marks,
        begins,
        Protocol(**protocol),
        seed=seed,
    )
    return Plan.of(experiment, chosen, starts=starts or SESSIONS, measures=measures or None, seed=seed)


def methods_of(texts: str | Sequence[str]) -> list[Method]:
    """Methods as people write them; `all` are all."""
    from rankscope.feedback.methods import METHODS

    names = _parts(texts)
    if [*map(str.lower, names)] == ["all"]:
        return [kind() for kind in METHODS.own()]
    return [METHODS.parse(name) for name in names]


def labelled_items(source: Any, **how: Any) -> Features:
    """Features with labels: of a collection that comes with vectors, of a file, or as they are."""
    from rankscope.collections import COLLECTIONS
    from rankscope.inputs.features import Features

    named = isinstance(source, str) and source in COLLECTIONS.own_names() and not os.path.exists(source)
    if not named or COLLECTIONS.find(source).layout:
        return items_of(source, **how)
    collection = COLLECTIONS.find(source).load(None)
    if collection.features is None:
        raise SettingError(f"{source} has no vectors: make some with rankscope describe")
    return Features.of(collection.features, collection.labels, collection.ids)


def _parts(texts: str | Iterable[str]) -> list[str]:
    return [part for text in ([texts] if isinstance(texts, str) else texts) for part in split_list(text)]
