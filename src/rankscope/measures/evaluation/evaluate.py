"""Judgements and runs to scores: the main entry of the library; chunks and documents in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.core.errors import InputError, SettingError, SwappedInputs
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import distinct_names
from rankscope.core.peers import peer
from rankscope.core.settings import DEFAULT_SETTINGS, Choices, Settings, default, settings_of
from rankscope.core.wording import setting_usage, setting_value
from rankscope.inputs.mix_ups import looks_swapped, refuse_swapped
from rankscope.inputs.problems import raise_all
from rankscope.inputs.qrels import Qrels, read_junk
from rankscope.inputs.reading import DEFAULT_READING, Reading, reading_with
from rankscope.inputs.run import Run, named_runs
from rankscope.inputs.sources import MAX_RATIO
from rankscope.measures.evaluation.columns import column_of, with_micro_mean
from rankscope.measures.evaluation.scores import Column, Scores, SystemScores
from rankscope.measures.measure import Measure
from rankscope.measures.notation import Asked, parse_measures
from rankscope.ranks.reduction import Progress, check_run, reduce
from rankscope.ranks.relevant_ranks import FIXED_BY_REDUCTION, RelevantRanks, with_subtopics

if TYPE_CHECKING:
    from rankscope.inputs.subtopics import Subtopics
    from rankscope.ranks.parts.resources import Where


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Asked,
    *,
    junk: Any = None,
    classes: Any = None,
    subtopics: Any = None,
    format: str | None = None,
    encoding: str = "utf-8",
    progress: Progress | None = None,
    keep_scores: bool = False,
    compat: str | None = None,
    max_ratio: float = MAX_RATIO,
    where: Where | None = None,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    roll_up: Any = None,
    **settings: Unpack[Choices],
) -> Scores:
    """Evaluate one run or several (a list, or a dictionary by name) against judgements.

    `qrels` and each run: a path, a nested dictionary, a polars or pandas frame, or three arrays. `measures`: names as
    people write them. `compat` and the other settings: `rankscope.core.settings.SETTINGS`. `keep_scores` leaves the
    scores of hits and best distractors in the ranks of the result, for graphs and forecasts that read them.
    `max_ratio` is how many times its own size a packed file may become, beyond 1 GB. `where` says where the work is
    done, and in how much memory. `subtopics` are the judgements that measures of diversity read; without them `qrels`
    name a subtopic for each judgement, and an item is as relevant as to the subtopic it serves best; {query:
    {subtopic: {item: grade}}} and {query: {item: {subtopic: grade}}} are distinguished by the items that runs return.
    `columns` says which column is which where names do not tell, {"query": NAME, "item": NAME}; `map_qrels` and
    `map_runs` say it of judgements and of runs alone. `roll_up` says which document a chunk belongs to, and documents
    are evaluated then; `evaluate_both_levels` has chunks and documents in one table.
    >>> scores = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, ["AP", "P@2"])
    >>> scores["AP"], scores["P@2"]
    (0.5, 0.5)
    """
    chosen = settings_of(compat=compat, **settings) if settings or compat is not None else DEFAULT_SETTINGS
    kinds = parse_measures(measures, chosen.rel, chosen.compat)
    errors: list[InputError] = []
    reading = DEFAULT_READING
    maps = (columns, roll_up, map_qrels, map_runs)
    usual = chosen is DEFAULT_SETTINGS and (format, encoding, max_ratio) == (None, "utf-8", MAX_RATIO)
    if not usual or any(each is not None for each in maps):
        comments, scores = chosen.comments, chosen.scores
        reading = reading_with(columns, roll_up, format, encoding, comments, max_ratio, map_qrels, map_runs, scores)
    of_runs: list[InputError] = []
    named = named_runs(runs, reading, of_runs)
    reductions = [_reduction_of(run, reading, where) for run in named]
    # Judgements of subtopics, in addition to plain ones or in their place, where given or needed by a measure.
    added = subtopics is not None and not (isinstance(subtopics, str | Path) and str(subtopics) == str(qrels))
    parts = None
    if subtopics is not None or any("subtopics" in each.needs for each in kinds):
        other = subtopics if added else None
        parts = _attempt(errors, lambda: read_subtopics(other, qrels, kinds, reading, chosen, reductions))
    plain = qrels if parts is None or added else parts.flat()
    judgements: Any = None if errors else _attempt(errors, lambda: Qrels.of(plain, reading, keep=False))
    if judgements is not None and compat is not None:
        _attempt(errors, partial(judgements.need_whole_grades, compat))
    class_of = _attempt(errors, lambda: _classes_of(classes)) if classes is not None else None
    unwanted = _attempt(errors, lambda: read_junk(junk, reading)) if junk is not None else ()
    systems: list[SystemScores] = []
    errors += of_runs
    for run, bare in zip(named, reductions, strict=True):
        if judgements is None:
            _attempt(errors, partial(check_run, run, chosen))
            continue
        reduction = partial(bare, junk=unwanted or ())
        whole = partial(reduction, judgements)
        divided = None if parts is None else reduced_by_subtopic(parts, reduction)
        given = (judgements, run, kinds, chosen, unwanted or (), class_of, progress, keep_scores, whole, divided)
        scored = _attempt(errors, partial(_evaluated, *given))
        if scored is not None:
            systems.append(scored)
    caution = ""
    if judgements is not None and not judgements.has_whole_grades:
        caution = looks_swapped(plain, judgements, named, reading)
    if errors and parts is None:
        refuse_swapped(qrels, runs, reading)
        if caution:
            raise SwappedInputs(judgements.name, named[0].place)
    if errors:
        raise_all(errors)
    notes = (*((caution,) if caution else ()), *input_notes(judgements, named, reading))
    return Scores(tuple(systems), chosen, classes is not None, notes)


def input_notes(judgements: Qrels, runs: Sequence[Run], reading: Reading) -> list[str]:
    """What must be said of how the inputs were read, each file by its name; a map that no file needs is refused."""
    by_file = {run.name if run.source is None else run.source.address: run for run in reversed(runs)}  # each file once
    noted = [(judgements.name, [*judgements.notes]), *((run.name, [*run.notes]) for run in reversed(by_file.values()))]
    if reading.maps:
        from rankscope.inputs.column_map import refuse_unused_maps, shown_notes

        refuse_unused_maps(reading, judgements.notes, [run.notes for run in runs])
        noted = [(name, shown_notes(notes)) for name, notes in noted]
    return [f"{name}: {note}" for name, notes in noted for note in notes]


@strict_keywords
def evaluate_ranks(ranks: Sequence[RelevantRanks], measures: Asked, settings: Settings, classes: Any = None) -> Scores:
    """The same from reductions that were made before; what the reduction fixed must not be asked for again.

    Systems of equal names get a number behind all but the first.
    """
    fixed = [line for each in ranks for line in (*_fixed_otherwise(each, settings), *_cut_too_late(each, settings))]
    if fixed:
        raise SettingError.of(fixed)
    kinds = parse_measures(measures, settings.rel, settings.compat)
    class_of = _classes_of(classes) if classes is not None else None
    for own, group in _apart(kinds, settings).items():
        if _needs_reduction(own):
            differs = ", ".join(f"{name} = {value}" for name, value in own)
            raise SettingError(
                f"{settings.compat} computes {group[0]} with {differs}; give the run file, not saved ranks"
            )
    names = distinct_names([each.system for each in ranks], [None] * len(ranks))
    named = [replace(each, system=name) for each, name in zip(ranks, names, strict=True)]
    systems = [_scored(each, kinds, _as_reduced(each, settings), class_of) for each in named]
    return Scores(tuple(systems), settings, classes is not None)


def _classes_of(classes: Any) -> dict[str, str]:
    from rankscope.inputs.side_tables import read_classes

    return read_classes(classes)


def _reduction_of(run: Run, reading: Reading, where: Where | None) -> Callable[..., RelevantRanks]:
    """At once, or wherever and in as many parts as it takes."""
    if where is None and run.is_small:
        return partial(reduce, run=run, reading=reading)
    from rankscope.ranks.parts.resources import reduce_where

    return partial(reduce_where, run=run, reading=reading, where=where)


def _attempt(errors: list[InputError], make: Callable[[], Any]) -> Any:
    """The result, or None and one more error: a bad file must not hide the problems of the others."""
    try:
        return make()
    except InputError as error:
        errors.append(error)
        return None


def _evaluated(
    qrels: Qrels,
    run: Run,
    kinds: list[Measure],
    settings: Settings,
    junk: Iterable[tuple[str, str]],
    class_of: Mapping[str, str] | None,
    progress: Progress | None,
    keep_scores: bool,
    reduction: Callable[..., RelevantRanks],
    divided: Callable[..., RelevantRanks] | None = None,
) -> SystemScores:
    ranks = reduction(settings=settings, keep_scores=keep_scores, progress=progress)
    plain = [each for each in kinds if divided is None or "subtopics" not in each.needs]
    scored = _scored(ranks, plain, settings, class_of, qrels, run, junk)
    if settings.compat is None and divided is None:
        return scored
    columns = {column.asked: column for column in scored.columns}
    columns |= _columns_apart(plain, settings, class_of, reduction, ranks)
    if divided is not None:
        columns |= _columns_by_subtopic(kinds, settings, class_of, divided, ranks)
    return SystemScores(scored.ranks, tuple(columns[str(each)] for each in kinds))


def _columns_apart(
    kinds: list[Measure],
    settings: Settings,
    class_of: Mapping[str, str] | None,
    reduction: Callable[..., RelevantRanks],
    ranks: RelevantRanks,
) -> dict[str, Column]:
    """The measures that a peer computes with settings of their own."""
    columns: dict[str, Column] = {}
    for own, group in _apart(kinds, settings).items():
        changed = settings.changed(**dict(own))
        again = reduction(settings=changed) if _needs_reduction(own) else ranks
        columns.update({column.asked: column for column in _scored(again, group, changed, class_of).columns})
    return columns


def _columns_by_subtopic(
    kinds: list[Measure],
    settings: Settings,
    class_of: Mapping[str, str] | None,
    divided: Callable[..., RelevantRanks],
    plain: RelevantRanks,
) -> dict[str, Column]:
    """The measures of diversity, from a reduction of their own."""
    group = [each for each in kinds if "subtopics" in each.needs]
    ranks = divided(settings)
    refuse_other_queries(ranks, plain)
    columns = {column.asked: column for column in _scored(ranks, group, settings, class_of).columns}
    return columns | _columns_apart(group, settings, class_of, divided, ranks)


def _apart(kinds: Iterable[Measure], settings: Settings) -> dict[tuple[tuple[str, Any], ...], list[Measure]]:
    """The measures that a peer computes apart, by the settings they differ in; what was given explicitly stays."""
    groups: dict[tuple[tuple[str, Any], ...], list[Measure]] = {}
    for each in kinds if settings.compat else ():
        own = peer(settings.compat or "").settings_of(each)
        differs = tuple((name, value) for name, value in sorted(own.items()) if name not in settings.given)
        if differs:
            groups.setdefault(differs, []).append(each)
    return groups


def _needs_reduction(own: Iterable[tuple[str, Any]]) -> bool:
    return any(name in FIXED_BY_REDUCTION for name, _ in own)


def _scored(
    ranks: RelevantRanks,
    kinds: list[Measure],
    settings: Settings,
    class_of: Mapping[str, str] | None,
    qrels: Qrels | None = None,
    run: Run | None = None,
    junk: Iterable[tuple[str, str]] = (),
) -> SystemScores:
    whole = ranks if settings.collection_size is None else ranks.with_collection(settings.collection_size)
    whole = whole if class_of is None else whole.with_classes(class_of)
    if settings.mean == "class" and whole.classes is None:
        wanted = setting_value("mean", settings.mean)
        raise SettingError(f"{wanted} needs the class of each query: give {setting_usage('classes', 'CLASSES.csv')}")
    seen = whole.seen(settings)
    columns = [column_of(each, whole, seen, settings) for each in kinds]
    if settings.mean == "micro":
        columns = [with_micro_mean(column, seen, settings, qrels, run, junk) for column in columns]
    return SystemScores(seen.at(rel=settings.rel), tuple(columns))


def _fixed_otherwise(ranks: RelevantRanks, settings: Settings) -> list[str]:
    """Settings asked for that the ranks were not made with; the mean over all orders can be had from any order.

    Ranks of earlier versions say nothing of comments.
    """
    result: dict[str, object] = dict(ranks.provenance.get("settings", {}))
    asked = [name for name in FIXED_BY_REDUCTION if name in settings.given or (settings.compat and name in result)]
    free = {"seed": result.get("ties") != "hash", "ties": settings.ties == "expected"}
    wrong = [
        name
        for name in (asked if result else ())
        if not free.get(name) and getattr(settings, name) != result.get(name, default(name))
    ]
    made = {name: f"was ranked with {setting_value(name, result.get(name, default(name)))}" for name in wrong}
    if "comments" not in result:
        made["comments"] = "does not say how lines with # were read"
    return [
        f"{setting_value(name, getattr(settings, name))}: {ranks.system} {made[name]}; reduce again from the run file"
        for name in wrong
    ]


def _as_reduced(ranks: RelevantRanks, settings: Settings) -> Settings:
    """The settings with what the reduction decided before, but is carried out only now."""
    judged_only = ranks.provenance.get("settings", {}).get("judged_only", settings.judged_only)
    return settings if judged_only == settings.judged_only else settings.changed(judged_only=judged_only)


def _cut_too_late(ranks: RelevantRanks, settings: Settings) -> list[str]:
    if settings.depth is None or not ranks.provenance.get("condensed"):
        return []
    cut = setting_value("depth", settings.depth)
    return [f"{cut}: {ranks.system} must be cut before unjudged items are removed; reduce again from the run file"]


# Chunks and documents in one table: every system twice.


def evaluate_both_levels(qrels: Any, runs: Any, measures: Asked, *, roll_up: Any = None, **given: Any) -> Scores:
    """The scores of chunks and of the documents they roll up to; judgements must be of chunks.

    >>> judged, run = {"q": {"d1#0": 1, "d1#4": 1}}, {"q": ["d2#0", "d1#4", "d1#0"]}
    >>> scores = evaluate_both_levels(judged, {"mine": run}, ["R@2"], roll_up="^(.*)#")
    >>> [(each.name, scores[each.name, "R@2"]) for each in scores.systems]
    [('mine (chunks)', 0.5), ('mine (documents)', 1.0)]
    """
    if roll_up is None:
        raise SettingError(f"{setting_usage('both_levels')} needs {setting_usage('roll_up', 'REGEX')}")
    reading = _reading_of_levels(roll_up, given)
    judged = Qrels.of(qrels, replace(reading, roll_up=None))
    from rankscope.inputs.roll_up import has_chunks

    if not has_chunks(judged, reading.roll_up):
        what = "no judged item is a chunk of the roll-up: only documents can be evaluated with these judgements"
        raise InputError.of(judged.name, [what], f"Leave out {setting_usage('both_levels')}, or judge chunks.")
    chunks = evaluate(judged, runs, measures, **given)
    documents = evaluate(judged, runs, measures, roll_up=reading.roll_up, **given)
    systems = []
    for pair in zip(chunks.systems, documents.systems, strict=True):
        for each, level in zip(pair, ("chunks", "documents"), strict=True):
            systems.append(replace(each, ranks=replace(each.ranks, system=f"{each.ranks.system} ({level})")))
    notes = tuple(dict.fromkeys((*chunks.notes, *documents.notes)))
    return replace(documents, systems=tuple(systems), notes=notes)


def _reading_of_levels(roll_up: Any, given: dict[str, Any]) -> Reading:
    return reading_with(
        given.get("columns"),
        roll_up,
        given.get("format"),
        given.get("encoding", "utf-8"),
        bool(given.get("comments", default("comments"))),
        given.get("max_ratio", MAX_RATIO),
        given.get("map_qrels"),
        given.get("map_runs"),
    )


# Measures of diversity next to the plain ones: which judgements they read, and the reduction they need.

SHOWN = 5


def read_subtopics(
    subtopics: Any,
    qrels: Any,
    kinds: Iterable[Measure],
    reading: Any,
    settings: Settings,
    reductions: Sequence[Callable[..., RelevantRanks]] = (),
) -> Subtopics:
    """The judgements of subtopics that measures of diversity are computed from; of their own, or the only ones.

    `reductions` of the runs, which take judgements and settings, tell the items of three nested dictionaries.
    """
    needing = [each for each in kinds if "subtopics" in each.needs]
    if not needing:
        raise SettingError(
            f"{setting_usage('subtopics', '...')}: only measures of diversity read subtopics; ask for one, as "
            "alpha_nDCG@10, ERR_IA@10 or StRecall@10"
        )
    from rankscope.inputs.subtopics import Subtopics, swap_subtopics_and_items

    data = qrels if subtopics is None else subtopics
    read = Subtopics.of(data, reading, settings.duplicates)
    turned = swap_subtopics_and_items(data)
    if turned is not None and reductions:
        read = _with_the_items_of_runs(read, Subtopics.of(turned, reading, settings.duplicates), reductions, settings)
    if subtopics is None and read.count < 2:
        given = setting_usage("subtopics", "FILE")
        raise InputError.of(
            read.name,
            [f"{needing[0]} needs judgements of subtopics, but no query has more than one subtopic here"],
            f"The second column of a diversity file names the subtopic; give one with {given}.",
        )
    return read


def _with_the_items_of_runs(
    read: Subtopics, turned: Subtopics, reductions: Sequence[Callable[..., RelevantRanks]], settings: Settings
) -> Subtopics:
    """Of two readings the one of which the runs return an item; an error where that is so of both, or of none."""
    found = [any(_finds_some(each, judged, settings) for each in reductions) for judged in (read, turned)]
    if found[0] != found[1]:
        return read if found[0] else turned
    which = "both" if found[0] else "neither"
    raise InputError.of(
        read.name,
        [
            "may mean {query: {subtopic: {item: grade}}} or {query: {item: {subtopic: grade}}}: runs return items of "
            f"{which} of these readings"
        ],
        f"Say which is which: a list of tuples (query, subtopic, item, grade), or a table with these columns, as "
        f"{setting_usage('subtopics', '...')} or in the place of qrels.",
    )


def _finds_some(reduction: Callable[..., RelevantRanks], judged: Subtopics, settings: Settings) -> bool:
    """Whether a run returns a judged item; what is wrong with the run is told where it is evaluated."""
    try:
        return reduction(judged.numbered(), settings=settings).judged.size > 0
    except InputError:
        return False


def reduced_by_subtopic(judged: Subtopics, reduction: Callable[..., RelevantRanks]) -> Callable[..., RelevantRanks]:
    """The reduction of a run to where the items of subtopics stand; `reduction` takes judgements and settings."""
    numbered = judged.numbered()

    def reduced(settings: Settings, **more: Any) -> RelevantRanks:
        return with_subtopics(reduction(numbered, settings=settings, **more), judged)

    return reduced


def refuse_other_queries(divided: RelevantRanks, plain: RelevantRanks) -> None:
    """Both sorts of judgements must be about the same queries: a mean over some of them would be another mean."""
    problems = []
    for one, other, words in (
        (divided, plain, "has judgements of subtopics, but no plain ones"),
        (plain, divided, "has plain judgements, but none of subtopics"),
    ):
        lacking = sorted(set(one.queries) - set(other.queries))
        problems += [f"query {query} {words}" for query in lacking[:SHOWN]]
        problems += [f"and {len(lacking) - SHOWN} more queries"] if len(lacking) > SHOWN else []
    if problems:
        raise InputError.of("subtopics", problems, "Give the file of subtopics alone, as QRELS, or judge both alike.")
