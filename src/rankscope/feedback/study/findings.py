"""A feedback study as text: methods by round and what may be said of them; how well a user stands for people."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from rankscope.analysis.comparison.compare import Compared, MeasureCompared, comparison_notes, few_notes
from rankscope.analysis.comparison.verdict_sentences import join_names, verdict_sentences
from rankscope.core.rendering import HeadedTable, Presentation
from rankscope.core.wording import decimal_text as short
from rankscope.core.wording import how_many, span_text
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import (
    NO_FEEDBACK,
    SEEN,
    Summary,
    against_none,
    compare_methods,
    compared_methods,
    session_notes,
    session_rows,
    shares_list,
    unmoved_measures,
)

LISTS = {
    "frozen": "the frozen list: what was shown keeps its place, the rest follows as ranked last",
    "full": "the full list, which has the items the user has marked in it",
    "split": "the half of the collection that no feedback came from",
    "residual": "the list without what the method has shown: a reading of each method against its own past",
}
LABELS = (
    "category labels serve as truth: an item that belongs to a topic but lacks its label counts as irrelevant, and "
    "users and measures are wrong alike (Müller et al. 2002; Huiskes & Lew 2008). What the labels may have missed: "
    "rankscope labels FEATURES"
)


def truth_caveat(truth: object) -> list[str]:
    """What must be said of the truth that users and measures go by; nothing where somebody has judged."""
    return [f"! {LABELS}"] if truth == "labels" else []


def study_text(results: Results) -> str:
    main, seen, how = Summary(results, results.measures[0]), Summary(results, SEEN), results.about["protocol"]
    own = " (each method against its own past)" if how["scored"] == "residual" else ""
    tables: list[HeadedTable | str] = [
        HeadedTable(
            f"{main.quantity} of the {how['scored']} list{own}, mean over sessions; low and high are of the last round",
            main.round_rows(),
        ),
        main.intervals.told,
        HeadedTable(f"Relevant items seen so far ({SEEN})", seen.round_rows()),
        HeadedTable("", session_rows(results)),
        *unjudged_tables(results),
    ]
    said = [*study_verdicts(results), *further_findings(results), *study_warnings(results)]
    return Presentation([study_facts(results)], tables, said, spaced=True).text()


def unjudged_tables(results: Results) -> list[HeadedTable]:
    """How much of what was shown nobody has judged, round by round; nothing where judgements are complete."""
    rows = results.unjudged_rows()
    if not rows:
        return []
    said = {"silent": "users said nothing of them", "irrelevant": "users took them for irrelevant"}
    how = said[results.about["protocol"].get("unjudged", "irrelevant")]
    heading = f"Share of the items shown that nobody has judged: {how}, and measures count them as irrelevant"
    return [HeadedTable(heading, rows)]


def study_facts(results: Results) -> str:
    """What was tried, in a line."""
    about, how = results.about, results.about["protocol"]
    return (
        f"{how_many(len(results.topics), 'topics')}, {how_many(len(results.sessions), 'sessions')} of each method, "
        f"{how_many(how['rounds'], 'rounds')} of {how_many(how['scope'], 'items')}, user {about['user']}, "
        f"start {about['start']}, {how_many(about['items'], 'items')}, "
        f"seed {about['seed']}"
    )


def decision_basis(results: Results) -> str:
    """What decides, said before it is looked at."""
    how, measure = results.about["protocol"]["scored"], results.measures[0]
    if how != "residual":
        return f"{measure} of {LISTS[how]}. It decides alone; {SEEN} is secondary."
    if shares_list(results):
        first, second = compared_methods(results)
        return (
            f"{measure} of what neither {first} nor {second} had shown before the last round. It decides alone; {SEEN} "
            "is secondary, and decides whether feedback helps."
        )
    return (
        f"{SEEN} alone: residual lists differ by method and favour the one that found less, so {measure} of them is "
        "for each method against its own past. To compare rankings use --list frozen or --list split, or two methods."
    )


def study_verdicts(results: Results) -> list[str]:
    """What decides, and what it says of the methods: none goes beyond what a test supports."""
    if not results.asked:
        return []
    comparison = compare_methods(results)
    if comparison is None:
        return [f"Decided by {decision_basis(results)}", *_single(results)]
    notes = [*_could_be_shown(results, comparison)]
    if shares_list(results) and comparison.main.left_out:
        notes.append(
            f"{comparison.main.left_out:,} of {how_many(len(results.sessions), 'sessions')} are left out for both, "
            "because nothing relevant is left there that neither had shown."
        )
    notes += _too_few(results, comparison)
    # of methods with equal values, regardless of their rankings; those with equal rankings are not even compared
    notes += [f"{_of_sessions(line, results)}." for line in comparison_notes(comparison) if "compared once" in line]
    groups: dict[str, list[str]] = {}
    for name, unit in results.units.items():
        groups.setdefault(unit, []).append(name)
    together = [join_names(own, len(own)) for own in groups.values() if len(own) > 1]
    if together:
        words = how_many(len(groups), *results.unit_words)
        notes.append(f"Topics that share a label are one sampling unit ({words}): {'; '.join(together)}.")
    first, *others = [_of_sessions(line, results) for line in verdict_sentences(comparison)]
    return [f"Decided by {decision_basis(results)}", f"{first}{_not_judged(results)}", *others, *notes]


def _not_judged(results: Results) -> str:
    """How much of what was shown nobody has judged, where some is not: it goes with the headline.

    Measures count it as irrelevant: a method that leads to where the pool is empty looks worse than it may be.
    """
    names = compared_methods(results)
    last = f"round {results.last}"
    shares = {str(row["method"]): float(str(row[last])) for row in results.unjudged_rows() if row["method"] in names}
    if not shares:
        return ""
    least, most = (choose(shares, key=lambda name: shares[name]) for choose in (min, max))
    told = f"{short(shares[least])} ({least}) to {short(shares[most])} ({most})"
    return f" Of the items shown in the last round, {told} are not judged and count as irrelevant."


def _single(results: Results) -> list[str]:
    summary = Summary(results, results.measures[0])
    told = []
    for name in compared_methods(results):
        mean, low, high = (float(each[-1]) for each in summary.means(name))
        told.append(f"{name}: {short(mean)} {summary.quantity}{span_text(low, high)} in the last round.")
    return told


def _could_be_shown(results: Results, comparison: Compared) -> list[str]:
    """Of three methods or more, what so many topics show of those without a significant difference from the best."""
    main = comparison.main
    if len(comparison.systems) < 3:
        return []
    best = main.order[0]
    open_to = [pair for pair in main.pairs if best in (pair.first, pair.second) and not pair.better]
    least = sorted(filter(math.isfinite, map(main.detectable, open_to)))
    if not least:
        return []
    sizes = short(least[0]) if len(least) == 1 else f"{short(least[0])} to {short(least[-1])}, pair by pair,"
    return [
        f"{how_many(len(main.units), *results.unit_words)} show a true difference of {sizes} between {best} and such "
        "methods in 80 % of such experiments."
    ]


def _too_few(results: Results, comparison: Compared) -> list[str]:
    """What so few topics cannot show, or may lack."""
    return [f"{_of_sessions(line, results)}." for line in few_notes(comparison)]


def _of_sessions(line: str, results: Results) -> str:
    """The words of `compare` about kept rankings in those of a study: a query is a session, its class the topic."""
    one, many = results.unit_words
    return _in_words(line, {"query": "session", "queries": "sessions", "class": one, "classes": many})


def of_topics(line: str) -> str:
    """The words of `compare` where a query is a topic, as in tables of efficiency.

    >>> of_topics("if 1 in 20 queries gains or loses much"), of_topics("3 queries of 2 classes")
    ('if 1 in 20 topics gains or loses much', '3 topics of 2 groups of topics')
    """
    words = {"query": "topic", "queries": "topics", "class": "group of topics", "classes": "groups of topics"}
    return _in_words(line, words)


def _in_words(line: str, words: Mapping[str, str]) -> str:
    return re.sub(rf"(?<![\w-])({'|'.join(words)})(?![\w-])", lambda found: words[found[0]], line)


def further_findings(results: Results) -> list[str]:
    """The secondary quantity, whether feedback helps, and where it does harm."""
    result, none = compare_methods(results), against_none(results)
    equal = [] if none is None else [name for name, other in none.same.items() if other == NO_FEEDBACK]
    lines = [] if result is None or len(result.systems) < 3 else [_secondary(one) for one in result.measures[1:]]
    if none is not None:
        for number, one in enumerate(none.measures):
            lines += _helps(one, secondary=number > 0)
        lines += _too_few(results, none) if result is None else []
    if equal:
        lines.append(f"Every value of {join_names(equal, len(equal))} is that of no feedback.")
    for measure in [one.measure for one in none.measures] if none is not None else []:
        told, topics = [], len(results.topics)
        for name in compared_methods(results):
            lost = Summary(results, measure).harmed_topics(name)
            if lost:
                told.append(f"{name} on {len(lost)} of {topics} ({join_names(list(lost), 4)})")
        if told:
            lines.append(f"{measure}: topics on which feedback is worse than none: {'; '.join(told)}.")
    return lines


def _secondary(one: MeasureCompared) -> str:
    """The best mean, and which methods it is significantly better than."""
    rows = one.system_rows()
    best = str(rows[0]["system"])
    mean, low, high = (float(str(rows[0][key])) for key in ("mean", "low", "high"))
    pairs = [pair for pair in one.pairs if best in (pair.first, pair.second)]
    open_to = [pair.second if pair.first == best else pair.first for pair in pairs if not pair.better]
    beaten = len(pairs) - len(open_to)
    told = (
        f"no significant difference from {join_names(open_to)}"
        if open_to
        else "significantly better than every other method"
    )
    told += f", significantly better than the other {beaten}" if open_to and beaten else ""
    return f"By {one.measure} (secondary): {best} is highest, {short(mean)}{span_text(low, high)}, {told}."


def _helps(one: MeasureCompared, secondary: bool) -> list[str]:
    """Whether feedback helps, method by method, in as few sentences as it takes."""
    lead = f"Against no feedback, by {one.measure}{' (secondary)' if secondary else ''}"
    sides: dict[str, list[str]] = {
        "feedback helps with": [],
        "feedback hurts with": [],
        "no significant difference for": [],
    }
    for pair in one.pairs:
        side = {pair.second: "feedback helps with", NO_FEEDBACK: "feedback hurts with"}.get(pair.better)
        told = f"{pair.second} ({short(pair.difference)})" if side == "feedback hurts with" else pair.second
        sides[side or "no significant difference for"].append(told)
    return [f"{lead}: {words} {join_names(names, len(names))}." for words, names in sides.items() if names]


def study_warnings(results: Results) -> list[str]:
    """What must be read next to the numbers."""
    lines = [
        f"! {', '.join(group[1:])} ranked as {group[0]} did in every round of all "
        f"{how_many(len(results.sessions), 'sessions')}: "
        f"compared once, as {group[0]}"
        for group in results.alike()
    ]
    lost = results.failed_throughout()
    for row in results.failures():
        told = "it is not compared" if row["method"] in lost else "they count with what was shown until then"
        lines.append(f"! {row['method']}: {row['sessions']} sessions failed: {row['failed']}; {told}")
    again = {name for group in results.alike() for name in group[1:]}
    lines += _flags([row for row in results.flagged() if row["method"] not in again])
    tied = [f"{row['method']} in {row['sessions']}" for row in results.tied() if row["method"] not in again]
    if tied:
        lines.append(
            "! equal scores of relevant and irrelevant items, which then stand in the order of the items, in sessions "
            f"of the last round: {join_names(tied, len(tied))} of {len(results.sessions):,}"
        )
    lines += [
        f"! {name} of the frozen list is that of the first display in every round" for name in unmoved_measures(results)
    ]
    truth = truth_caveat(results.about.get("truth"))
    return [*lines, *_nothing_left(results), *(f"! {note}" for note in session_notes(results)), *truth]


def _flags(rows: list[dict[str, object]]) -> list[str]:
    """Which methods went another way, and in how many rounds; those that did so equally often in one line."""
    groups: dict[tuple[object, object], list[str]] = {}
    for row in rows:
        groups.setdefault((row["flag"], row["rounds"]), []).append(str(row["method"]))
    return [
        f"! {flag}, in {rounds} {'round' if rounds == 1 else 'rounds'}{' each' if len(names) > 1 else ''}: "
        f"{join_names(names, len(names))}"
        for (flag, rounds), names in groups.items()
    ]


def _nothing_left(results: Results) -> list[str]:
    nothing = results.frame.filter((results.frame["relevant"] == 0) & (results.frame["round"] == results.last))
    if not nothing.height:
        return []
    counts = nothing.group_by("method", maintain_order=True).len().iter_rows()
    told = join_names([f"{name} in {count}" for name, count in counts], len(results.methods))
    return [
        f"! no relevant item is left in the last round, in sessions: {told}; they are left out of the means of "
        f"{results.measures[0]}, and {SEEN} counts them"
    ]
