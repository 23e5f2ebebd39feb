"""A feedback study as text: a table of methods by round, and what may be said of them."""

from __future__ import annotations

import math

from rankscope.feedback.results import Results
from rankscope.feedback.summary import NO_FEEDBACK, Summary, session_notes, session_rows
from rankscope.reports.comparison_words import listed, short
from rankscope.reports.rows import table

SEEN = "cumulative recall"


def text_of(results: Results) -> str:
    """The whole summary."""
    main, seen, how = Summary(results, results.measures[0]), Summary(results, SEEN), results.about["protocol"]
    parts = [
        f"{facts(results)}\n",
        f"{main.quantity} of the {how['scored']} list, mean over topics, {main.level:.0%} interval of the last round\n",
        table(main.round_rows()),
        f"Relevant items seen so far ({SEEN})\n",
        table(seen.round_rows()),
        table(session_rows(results)),
        "\n".join([*verdict(main), *verdict(seen), *warnings(results)]) + "\n",
    ]
    return "\n".join(parts)


def facts(results: Results) -> str:
    """What was tried, in a line."""
    about, how = results.about, results.about["protocol"]
    sessions = results.frame.filter(results.frame["method"] == results.methods[0]).height // (results.last + 1)
    return (
        f"{len(results.topics)} topics, {sessions} sessions of each method, {how['rounds']} rounds of {how['scope']} "
        f"items, user {about['user']}, start {about['start']}, {about['items']:,} items, seed {about['seed']}"
    )


def verdict(summary: Summary) -> list[str]:
    """Sentences, none of which goes beyond what a test supports."""
    if not summary.methods:
        return []
    return [line for line in (_best(summary), *_feedback(summary), _harmed(summary)) if line]


def _best(summary: Summary) -> str:
    rows = summary.round_rows()
    name, last = str(rows[0]["method"]), f"round {summary.results.last}"
    value, low, high = (float(str(rows[0][each])) for each in (last, "low", "high"))
    between = "" if math.isnan(low) else f" ({summary.level:.0%} interval {short(low)} to {short(high)})"
    lead = f"{summary.quantity}: {name} is highest in the last round, {short(value)}{between}"
    tests = summary.compared
    if tests is None:
        return f"{lead}."
    if not summary.possible(tests):
        return f"{lead}. {len(summary.tables[-1])} topics are too few to show more in a {tests.family}."
    others = [each for each in summary.methods if each != name]
    beaten = {
        pair.first if pair.second == name else pair.second
        for pair in tests.comparisons
        if pair.better == name and name in (pair.first, pair.second)
    }
    open_to = [each for each in others if each not in beaten]
    if not open_to:
        return f"{lead}, and better than every other method ({tests.family})."
    better = f", better than {listed(sorted(beaten))}" if beaten else ""
    return f"{lead}{better}; no difference from {listed(open_to)} is shown ({tests.family})."


def _feedback(summary: Summary) -> list[str]:
    """Whether feedback helps, method by method, in as few sentences as it takes."""
    tests = summary.against_none
    if tests is None:
        return []
    lead = f"{summary.quantity}, against no feedback ({tests.family})"
    if not summary.possible(tests):
        return [f"{lead}: {len(summary.tables[-1])} topics are too few to show anything."]
    better = {pair.second: pair.better for pair in tests.comparisons}
    lost = {pair.second: short(pair.difference) for pair in tests.comparisons}
    helps = [name for name, winner in better.items() if winner == name]
    hurts = [f"{name} ({lost[name]})" for name, winner in better.items() if winner == NO_FEEDBACK]
    rest = [name for name, winner in better.items() if not winner]
    lines = []
    if helps:
        lines.append(f"{lead}: feedback helps with {listed(helps, len(helps))}.")
    if hurts:
        lines.append(f"{lead}: feedback hurts with {listed(hurts, len(hurts))}.")
    if rest:
        lines.append(f"{lead}: no difference is shown for {listed(rest, len(rest))}.")
    return lines


def _harmed(summary: Summary) -> str:
    """On which topics each method is below no feedback."""
    if NO_FEEDBACK not in summary.results.methods:
        return ""
    told = []
    for name in summary.methods:
        lost = summary.harmed_topics(name)
        if lost:
            told.append(f"{name} on {len(lost)} of {len(summary.tables[-1])} ({listed(list(lost), 4)})")
    return f"{summary.quantity}: topics on which feedback is worse than none: {'; '.join(told)}." if told else ""


def warnings(results: Results) -> list[str]:
    """What must be read beside the numbers."""
    lines = [f"! {row['method']}: {row['sessions']} sessions failed: {row['failed']}" for row in results.failures()]
    lines += [f"! {row['method']}: {row['rounds']} rounds: {row['flag']}" for row in results.flagged()]
    measure = results.measures[0]
    nothing = results.frame.filter((results.frame["relevant"] == 0) & (results.frame["round"] == results.last))
    if nothing.height:
        lines.append(
            f"! in {nothing.height} sessions all relevant items were seen before the last round: {measure} is "
            f"undefined there and left out; {SEEN} counts them"
        )
    return [*lines, *(f"! {note}" for note in session_notes(results))]
