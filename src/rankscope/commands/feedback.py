"""Which feedback method learns fastest, with simulated users? And benchmark packs, which anybody can run and cite.

What feedback is studied on: items with features in groups, topics from labels or judgements, how sessions begin; or
the documents of a text index, with topics and judgements.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from rankscope.commands import defaults
from rankscope.commands.rank import items_of
from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import declare_defaults, strict_keywords
from rankscope.core.names import distinct_names
from rankscope.core.notation import split_list
from rankscope.core.wording import setting_usage, value_text

if TYPE_CHECKING:
    from rankscope.core.arrays import BoolArray
    from rankscope.core.parts import Runner
    from rankscope.engines.text import Index
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.packs.pack import Pack, PackProblem
    from rankscope.feedback.packs.run import PackResult
    from rankscope.feedback.study.experiment import Choice, DisplayName, ListName, Remember, Unjudged
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.study.study import StudyPlan
    from rankscope.feedback.users.starts import Start
    from rankscope.feedback.users.topics import Topics
    from rankscope.inputs.features import Features


Scaling = Literal["none", "standardise", "l2"]
DEFAULT_START = "one_query"  # where nothing is said
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


_PROBLEM_DEFAULTS = {"rel": 1, "similarity": "bm25", "also": (), "scaling": "none"}
declare_defaults(ProblemChoices, **_PROBLEM_DEFAULTS)
declare_defaults(LabelledProblem, **_PROBLEM_DEFAULTS)
OPTIONS_OF_VECTORS = ("labels", "separator", "label_column", "id_column", "also", "groups")
OPTIONS_OF_TEXTS = {"similarity": "bm25", "field": None, "parts": None}


@dataclass(frozen=True, eq=False)
class FeedbackProblem:
    """Items and topics, with what both were made from."""

    items: Items
    topics: Topics
    ids: tuple[str, ...]
    labelled: Features | None = None  # None: documents of an index

    def methods(self, texts: str | Sequence[str] | None) -> list[Method]:
        """The methods asked for, or those that are compared where nobody says what."""
        return methods_of(texts or (defaults.TEXT_METHODS if self.labelled is None else defaults.METHODS))

    def with_log(self, log: Any) -> FeedbackProblem:
        """The same problem with what was marked in earlier sessions."""
        from rankscope.inputs.feedback_logs import FeedbackLog

        return replace(self, items=self.items.with_log(FeedbackLog.of(log, self.ids).marks))

    def elementary(self, topic: str) -> BoolArray:
        """Items x labels: the labels that a topic is made of, in order."""
        from rankscope.feedback.users.topics import HasLabel, parse_expression, properties

        if self.labelled is None:
            raise SettingError("documents of an index have no labels that a topic could be composed of")
        have = properties(self.labelled)
        meant = HasLabel(topic) if topic in have else parse_expression(topic)
        return np.stack([HasLabel(label).of(have) for label in meant.labels], axis=1)


def problem_of(features: Any, labels: Any = None, **choices: Unpack[ProblemChoices]) -> FeedbackProblem:
    """The problem that people describe: vectors with labels or judgements, or the documents of an index."""
    log = choices.pop("log", None)
    given: dict[str, Any] = {"labels": labels, **choices}
    if is_text_index(features):
        _refuse_foreign(
            [name for name in OPTIONS_OF_VECTORS if given.get(name)], "vectors with labels, not an index of texts"
        )
        problem = text_problem_of(features, **{name: given[name] for name in given if name not in OPTIONS_OF_VECTORS})
    else:
        foreign = [name for name, usually in OPTIONS_OF_TEXTS.items() if given.get(name) not in (None, usually)]
        _refuse_foreign(foreign, f"an index of texts, which {value_text(features)} is not")
        problem = _vector_problem(features, labels, choices)
    return problem if log is None else problem.with_log(log)


def _refuse_foreign(given: Sequence[str], belongs: str) -> None:
    if given:
        raise SettingError(f"{', '.join(map(setting_usage, given))}: belongs to {belongs}")


def _vector_problem(features: Any, labels: Any, choices: ProblemChoices) -> FeedbackProblem:
    from rankscope.feedback.examples.items import Items, slices_of

    how = {name: choices.get(name) for name in ("separator", "label_column", "id_column")}
    labelled = labelled_items(features, labels=labels, optional=choices.get("qrels") is not None, **how)
    tables = [labelled.matrix, *(_further(each, labelled, how) for each in choices.get("also") or ())]
    matrix = np.hstack(tables) if len(tables) > 1 else labelled.matrix
    columns = [table.shape[1] for table in tables]
    sizes = choices.get("groups") or columns
    if sizes is not columns and (min(sizes) < 1 or sum(sizes) != sum(columns)):
        raise SettingError(
            f"groups are how many features each has, and add up to all {sum(columns)}; got {', '.join(map(str, sizes))}"
            f" ({sum(sizes)})"
        )
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
    from rankscope.inputs.collections.collection import COLLECTIONS
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
    from rankscope.feedback.methods.text import TextItems
    from rankscope.feedback.users.starts import STARTS, ExternalRanking

    if isinstance(problem.items, TextItems) and given in (None, START_WITH_WORDS):
        return ExternalRanking.by_words(problem.items, problem.topics)
    if given is None:
        return STARTS.parse(DEFAULT_START)
    is_file = isinstance(given, str) and (os.path.exists(given) or bool(os.path.splitext(given)[1]))
    if isinstance(given, str) and (given.partition("(")[0].strip() in STARTS or not is_file):
        try:
            return STARTS.parse(given)
        except SettingError as error:
            raise SettingError(f"{error}, a run file, or of an index {START_WITH_WORDS}") from None
    return ExternalRanking.from_run(given, problem.topics, problem.ids)


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

    paths = [str(each) for each in judgements]
    return dict(zip(distinct_names([Path(each).name.partition(".")[0] for each in paths], paths), paths, strict=True))


def _further(source: Any, labelled: Features, how: Mapping[str, Any]) -> Any:
    """The matrix of further features; they must be of the same items in the same order."""
    more = labelled_items(source, optional=True, labels=None, separator=None, id_column=how["id_column"])
    if more.ids != labelled.ids:
        name = source if isinstance(source, str | Path) else "further features"
        raise InputError.of(str(name), [f"these are not the {len(labelled):,} items of the first features, in order"])
    return more.matrix


SESSIONS_OF_A_TOPIC = 10  # of a topic, where nothing is said


@strict_keywords
def simulate_feedback(
    features: Any,
    labels: Any = None,
    *,
    output: str | Path | None = None,
    methods: str | Sequence[str] | None = None,
    starts: int | None = None,
    rounds: int = 5,
    scope: int = 20,
    start: Any = None,
    user: str = "consistent",
    scored: ListName = "frozen",
    measures: Sequence[str] | None = None,
    k_pos: int | None = None,
    k_neg: int | None = None,
    choice: Choice = "top_ranked",
    display: DisplayName = "best",
    show_seen: bool = False,
    remember: Remember = "accumulate",
    unjudged: Unjudged = "silent",
    on: str | Runner | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    keep_sessions: str | Path | None = None,
    replay: str | Path | None = None,
    **problem: Unpack[ProblemChoices],
) -> Results:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    `features` is a file, the name of a collection that comes with vectors ("digits"), an array with `labels`, or
    `Features`; `problem` says what users look for (`topics`, or `qrels` of one or several assessors) and how features
    are grouped. Or it is an index of texts, or its folder: then `topics` are questions, in a file or a dictionary,
    `qrels` says which documents have at least the grade `rel`, and sessions begin with the ranking of the engine
    (`similarity`, `field`); methods on words share it, all others see vectors of latent semantic indexing. `start` may
    be a run, or its file: a keyword search whose queries are the topics. `output` writes the result as NAME.parquet,
    and interrupted work continues. `on` says where sessions are simulated, which changes only times: "home",
    "processes:4", "dask://HOST:PORT", "tls://HOST:PORT", "spark"; None: as many processes as there are cores, once
    there is enough to do. `keep_sessions` writes what each session began with, every display and every mark into
    NAME.parquet; `replay` takes starts and marks from such a file, and stops where a method shows another display.
    """
    from rankscope.feedback.study.study import load_sessions, study

    if methods is not None:
        methods_of(methods)  # before a large file is read
    plan = plan_of(
        problem_of(features, labels=labels, **problem),
        methods,
        start,
        user,
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
        unjudged=unjudged,
    )
    if replay is not None:
        plan = plan.replaying(load_sessions(replay))
    return study(plan, result=output, on=on, progress=progress, keep_sessions=keep_sessions)


def plan_of(
    problem: FeedbackProblem,
    methods: str | Sequence[str] | None,
    start: Any,
    user: str,
    *,
    starts: int | None,
    measures: Sequence[str] | None,
    seed: int,
    **protocol: Any,
) -> StudyPlan:
    """What is simulated, from what people write; `protocol` holds the fields of `Protocol`.

    Unless it is said there are ten sessions of a topic, and one where all would be alike.
    """
    from rankscope.feedback.study.experiment import ByUser, Experiment, Protocol
    from rankscope.feedback.study.study import StudyPlan
    from rankscope.feedback.users.starts import ExternalRanking
    from rankscope.feedback.users.users import USERS, Consistent

    chosen, marks, how = problem.methods(methods), USERS.parse(user), Protocol(**protocol)
    first = start_of(start, problem)
    experiment = Experiment.of(problem.items, problem.topics, marks, first, how, ids=problem.ids, seed=seed)
    # chance decides nothing with one ranking to begin with, a user without errors, and marks from the top
    marker = experiment.marker
    steady = isinstance(marker, ByUser) and isinstance(marker.user, Consistent)
    alike = steady and isinstance(experiment.start, ExternalRanking) and how.choice == "top_ranked"
    sessions = starts or (1 if alike else SESSIONS_OF_A_TOPIC)
    return StudyPlan.of(experiment, chosen, starts=sessions, measures=measures or None, seed=seed)


START_WITH_WORDS = "words"  # the start that is the engine's own ranking


def is_text_index(source: Any) -> bool:
    """Whether what a study is to be about is an index of texts, or the folder of one.

    >>> from rankscope.engines.text import Index
    >>> is_text_index(Index.build([{"id": "a", "body": "fox"}])), is_text_index("digits")
    (True, False)
    """
    if isinstance(source, str | Path):
        from rankscope.engines.text.index_files import INDEX_RECORD

        return os.path.isfile(os.path.join(source, INDEX_RECORD))
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
    from rankscope.commands.search import opened_index, texts_of
    from rankscope.feedback.methods.text import TextItems
    from rankscope.feedback.users.topics import Topics

    several = topics if isinstance(topics, list | tuple) else [topics] if topics else []
    if qrels is None or len(several) != 1:
        needed = f"{setting_usage('topics', 'FILE')} and {setting_usage('qrels', 'FILE')}"
        raise SettingError(f"an index of texts needs {needed}: what users ask for, and which documents answer it")
    texts = texts_of(several[0], parts)
    items = TextItems.in_index(opened_index(index), texts, field=field, similarity=similarity, scaling=scaling)
    wanted = Topics.from_assessors(by_assessor(qrels), items.ids, rel)
    if lacking := [name for name in wanted.names if name not in items.texts.words]:
        shown = ", ".join(lacking[:10]) + (f" and {len(lacking) - 10:,} more" if len(lacking) > 10 else "")
        raise SettingError(f"{setting_usage('topics')} has no text of topics that the judgements speak of: {shown}")
    return FeedbackProblem(items=items, topics=wanted, ids=tuple(items.ids))


# Benchmark packs: run one, on its own collection or on yours.

PackProgress = Callable[[str, float], None]
VECTOR_SUFFIXES = (".npz", ".npy", ".parquet")


def run_pack(
    pack: str | Path,
    source: Any = None,
    *,
    output: str | Path | None = None,
    methods: Sequence[str] = (),
    on: str | Runner | None = None,
    progress: PackProgress | None = None,
    keep_sessions: bool = False,
    **problem: Any,
) -> PackResult:
    """Run a benchmark pack; what is finished lies in the folder `output` and is not done again.

    `pack`: a name, or a file NAME.toml. `source`: the folder of the pack's pictures, where they do not ship with
    rankscope (else the folder of its name in $RANKSCOPE_DATA); or features of another collection, as for
    `simulate_feedback`, with its own labels as topics: then efficiencies are shown with the stored ones. `methods` are
    compared with those of the pack. `keep_sessions` writes CASE.sessions.parquet too: starts, displays and marks.
    """
    from rankscope.feedback.packs.pack import read_pack
    from rankscope.feedback.packs.run import run_cases

    chosen = read_pack(pack)
    given = _problem_of_pack(chosen, source, problem, progress)
    return run_cases(chosen, given, Path(output or chosen.name), methods, on, progress, keep_sessions)


def _problem_of_pack(pack: Pack, source: Any, choices: dict[str, Any], progress: PackProgress | None) -> PackProblem:
    from rankscope.feedback.packs.pack import PackProblem, pack_problem

    is_path = isinstance(source, str | Path)
    if source is None or (is_path and not str(source).endswith(VECTOR_SUFFIXES) and Path(source).is_dir()):
        if choices:
            raise SettingError(
                f"{', '.join(choices)}: goes with features of another collection; a pack has its own topics"
            )
        return pack_problem(pack, source if source is not None else _default_place(pack), progress)

    other = problem_of(source, **{"scaling": pack.tables["features"].get("scaling", "none"), **choices})
    return PackProblem(
        items=other.items,
        ids=other.ids,
        topics=other.topics,
        reference=other.topics,
        differs=("another collection", "topics are its own labels"),
        other=Path(source).name if is_path else "features from memory",
    )


def _default_place(pack: Pack) -> Path | None:
    """Where the collection lies: nowhere for one that ships, else below $RANKSCOPE_DATA."""
    from rankscope.inputs.collections.collection import COLLECTIONS

    name = str(pack.tables["collection"]["name"])
    if not COLLECTIONS.find(name).layout:
        return None
    place = os.environ.get("RANKSCOPE_DATA")
    if place is None or not (Path(place) / name).is_dir():
        raise SettingError(
            f"pack {pack.name} needs the pictures of {name}: rankscope feedback FOLDER --pack {pack.name}, or put them "
            f"into $RANKSCOPE_DATA/{name}. `--pack icons-composite` runs without any file."
        )
    return Path(place) / name
