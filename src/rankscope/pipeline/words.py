"""What a ledger says in sentences, made from its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.number_texts import decimal_text, how_many, join_words
from rankscope.pipeline.statement import StageEntry, Statement

NOTHING = decimal_text(0.0)


def ledger_sentences(statement: Statement) -> tuple[str, ...]:
    """Where the loss is, how sure the largest one is, and what the first stage lacks already."""
    return tuple(filter(None, (loss_sentence(statement), largest_sentence(statement), first_sentence(statement))))


def loss_sentence(statement: Statement) -> str:
    """How much is lost from the first stage to the last, and which stages took it and gave back.

    Stages that move less than is printed are not named.
    """
    first, *later, whole = statement.entries
    took, gave = ([each for each in later if _told(each) and (each.loss > 0) is wanted] for wanted in (True, False))
    name, last = statement.name, (later or [first])[-1]
    ends = f"from {first.stage} ({decimal_text(first.value)}) to {last.stage} ({decimal_text(last.value)})"
    if not took and not gave:
        return f"No stage changes {name}: {ends}."
    if took and not gave:
        shares = [f"{_loss(each)} {'is lost ' if each is took[0] else ''}at {each.stage}" for each in took]
        return f"Of {_loss(whole)} lost in {name} {ends}, {join_words(shares)}."
    parts = [_moved(took, "takes"), _moved(gave, "adds")]
    return f"{name} {_change(whole)} {ends}: {'; '.join(filter(None, parts))}."


def largest_sentence(statement: Statement) -> str:
    """The stage that takes most, with its interval, where there is a choice of stages and an interval."""
    later = statement.entries[1:-1]
    worst = max(later, key=lambda each: each.loss, default=None)
    if worst is None or len(later) < 2 or worst.loss <= 0 or not _told(worst) or math.isnan(worst.loss_low):
        return ""
    level = f"{100 * statement.of_losses.level:.3g}%"
    ends = f"{decimal_text(worst.loss_low)} to {decimal_text(worst.loss_high)}"
    return f"The largest loss is that of {worst.stage}: {_loss(worst)}, {level} interval {ends}."


def first_sentence(statement: Statement) -> str:
    """What the first stage lacks of a perfect list, which no later stage is charged with."""
    account = statement.account
    lacking = decimal_text(float(account.never_found))
    if lacking == NOTHING:
        return ""
    reachable = "" if account.reachable == 1 else f" of the {decimal_text(float(account.reachable))} within reach"
    return f"Never found: {lacking}{reachable} is missing at {account.stages[0]} already; no later stage pays for it."


def coverage_notes(
    *,
    stages: Sequence[str],
    missing: Sequence[int],
    missed_items: Sequence[int],
    not_judged: Sequence[int],
    no_relevant: int,
    too_large: int,
    scope: int | None,
    queries: int,
) -> tuple[str, ...]:
    """What was left out, and what counts as lost because a stage does not answer a query at all."""
    notes = [
        f"{stage} does not answer {how_many(count)}: all their relevant items ({items:,}) count as absent there"
        for stage, count, items in zip(stages, missing, missed_items, strict=True)
        if count
    ]
    notes += [
        f"{stage} has {how_many(count)} without judgements, left out"
        for stage, count in zip(stages, not_judged, strict=True)
        if count
    ]
    if no_relevant:
        notes.append(f"{how_many(no_relevant)} without a relevant item left out: there is nothing to follow")
    if too_large:
        more = (
            f"{too_large:,} of {how_many(queries)} {'has' if too_large == 1 else 'have'} more relevant items than the"
        )
        notes.append(f"{more} scope of {scope:,}: no list can hold all of them within it")
    return tuple(notes)


def _told(entry: StageEntry) -> bool:
    """Whether what a stage changes is more than 0 as it is printed."""
    return decimal_text(abs(entry.loss)) != NOTHING


def _loss(entry: StageEntry) -> str:
    return decimal_text(entry.loss)


def _moved(entries: Sequence[StageEntry], verb: str) -> str:
    return join_words([f"{each.stage} {verb} {decimal_text(abs(each.loss))}" for each in entries])


def _change(whole: StageEntry) -> str:
    if not _told(whole):
        return "is the same"
    return f"{'falls' if whole.loss > 0 else 'rises'} by {decimal_text(abs(whole.loss))}"
