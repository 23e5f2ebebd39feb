"""How well a simulated user stands for people, in words and tables."""

from __future__ import annotations

from rankscope.feedback.users.user_score import UserScore
from rankscope.number_texts import decimal_text, how_many
from rankscope.reports.formats.rows import table
from rankscope.statistics.intervals.clustered_share import ClusteredShare

AGAINST = "Rates are against what {people} said, who err too: two of them differ as shown under {people}."


def user_score_text(score: UserScore) -> str:
    """Errors, partial relevance, consistency; what people do next to it; and the simulated user with these rates."""
    parts = [f"{user_line(score)}\n", "Errors\n", table(error_rows(score))]
    if score.picked:
        parts += ["Partial relevance: what is picked of each grade\n", table([_graded(*each) for each in score.picked])]
    known = look_rows(score)
    if known:
        parts += ["Consistency\n", table(known)]
    return "\n".join([*parts, *_words(score)]) + "\n"


def user_line(score: UserScore) -> str:
    """Who, and on what."""
    who = "people" if score.people == "people" else "the others"
    left_out = f"; left out: {how_many(score.differing, 'pairs')} on which {who} differ" if score.differing else ""
    return (
        f"{score.user}: {how_many(score.pairs, 'pairs')} of {how_many(score.queries, 'queries')}, relevant from "
        f"grade {score.rel:g} on"
        f"{left_out}"
    )


def error_rows(score: UserScore) -> list[dict[str, object]]:
    """One row for each kind of error."""
    return [
        _row("relevant, but rejected", score.miss),
        _row("irrelevant, but picked", score.alarm),
        _row("relevant, nothing said", score.silent_relevant),
        _row("irrelevant, nothing said", score.silent_irrelevant),
    ]


def look_rows(score: UserScore) -> list[dict[str, object]]:
    """What a second look gives, and what people do, as far as it is known."""
    rows = [
        _row(f"{'user' if score.people == 'people' else score.user}: the same at a second look", score.same),
        _row(f"{score.people}: the same when asked again", score.people_same),
        _row(f"{score.people}: two say the same", score.people_agree),
    ]
    return [row for row in rows if row["of"]]


def _row(what: str, share: ClusteredShare | None) -> dict[str, object]:
    if share is None or not share.count:
        return {"": what, "share": None, "low": None, "high": None, "found": 0, "of": 0}
    return {"": what, **_numbers(share)}


def _graded(grade: float, share: ClusteredShare) -> dict[str, object]:
    return {"grade": f"{grade:g}", **_numbers(share)}


def _numbers(share: ClusteredShare) -> dict[str, object]:
    return {"share": share.share, "low": share.low, "high": share.high, "found": share.found, "of": share.count}


def _words(score: UserScore) -> list[str]:
    clusters = max(score.miss.clusters, score.alarm.clusters)
    lines = [
        "low and high: 95 % interval, queries drawn anew (Korn & Graubard)."
        if clusters > 1
        else "low and high: 95 % interval that takes the marks of one query for independent ones: have more queries."
    ]
    lines += [AGAINST.format(people=score.people)] if score.people_agree is not None else []
    if not score.miss.count or not score.alarm.count:
        side = "relevant" if not score.miss.count else "irrelevant"
        lines.append(f"! nothing is said of any {side} item, so that its errors cannot be known")
    told = f"Errors {decimal_text(score.miss.share)} and {decimal_text(score.alarm.share)}"
    return [*lines, f"{told}; a simulated user with them: --user '{score.as_user}'"]
