"""The end of a reduction in parts: the ranks of all parts as one, in the same order every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.inputs.checks import Problems
from rankscope.inputs.part_files import digest_of_files
from rankscope.inputs.part_runs import AlikeParts, run_of_files
from rankscope.ranks.found import Found
from rankscope.ranks.provenance import reduction_provenance
from rankscope.ranks.reduce import check_common
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.scale.part_ranks import PartFacts, PartRanks
from rankscope.scale.plan import ReductionPlan


@dataclass
class WholeRun:
    """A run of which all parts have been read, as the reduction speaks of it."""

    name: str
    place: str
    tag: str
    gives_scores: bool
    digest: str


def put_together(plan: ReductionPlan, parts: list[PartRanks], read: Sequence[PartFacts]) -> RelevantRanks:
    """One reduction from those of the parts, and the facts of all that was read; raises everything that is wrong.

    The list of parts is emptied, so that nothing is held twice for longer than it must.
    """
    facts, whole = _joined(plan, read)
    there = [part.ranks for part in parts if part.ranks is not None and len(part.ranks)]
    end = plan.found()
    end.problems.take_over(facts.problems)
    end.not_judged = [query for part in parts if part.ranks is not None for query in part.ranks.not_judged]
    end.returned = facts.rows
    row_of = plan.nothing.judged.row_of
    rows = np.array([row_of[query] for ranks in there for query in ranks.queries], dtype=np.int64)
    end.rows_of_query = dict.fromkeys(rows.tolist(), 0)
    if not facts.rows and not end.problems.any:
        end.problems.add("", "holds no rankings")
    check_common(end, plan.qrels)
    end.rows_of_query = {}
    missing = np.setdiff1d(np.arange(len(plan.nothing.judged.queries)), rows)
    rest = end.assembled(whole, plan.qrels, missing)
    parts.clear()
    joined = _join_alike([*there, rest], there, whole.gives_scores)
    end.occur = facts.occur
    joined = replace(
        joined.take(np.argsort(np.concatenate([rows, missing]))),
        system=whole.name,
        tag=whole.tag,
        not_judged=tuple(sorted(end.not_judged)),
        provenance=reduction_provenance(whole, plan.qrels, plan.nothing.settings, facts.rows),
    )
    return end.with_doubts(joined, run_of_files(plan.files, plan.reading))


def put_together_counts(plan: ReductionPlan, found: Found, read: Sequence[PartFacts]) -> RelevantRanks:
    """The same where ranks were counted, not joined: all is found, the facts are those of all that was read."""
    facts, whole = _joined(plan, read)
    found.problems.take_over(facts.problems)
    found.returned, found.occur = facts.rows, facts.occur
    if not facts.rows and not found.problems.any:
        found.problems.add("", "holds no rankings")
    check_common(found, plan.qrels)
    return found.with_doubts(found.assembled(whole, plan.qrels), run_of_files(plan.files, plan.reading))


def _joined(plan: ReductionPlan, read: Sequence[PartFacts]) -> tuple[PartFacts, WholeRun]:
    facts = PartFacts.join(read, plan.place)
    _refuse_mixed_scores(read, facts)
    return facts, WholeRun(
        name=plan.name, place=plan.place, tag=facts.tag, gives_scores=facts.gives_scores, digest=_digest(plan, facts)
    )


def _refuse_mixed_scores(read: Sequence[PartFacts], whole: PartFacts) -> None:
    """Files with scores and files with an order only cannot be compared."""
    alike = AlikeParts()
    for part in read:
        if part.file is not None and part.rows:
            number, name = part.file
            own = Problems(name)
            alike.refuse("has", "scores" if part.gives_scores else "an order only", own)
            whole.problems.take_over(own, name, number)


def _join_alike(ranks: list[RelevantRanks], held: list[RelevantRanks], gives_scores: bool) -> RelevantRanks:
    """All as one; those that are held elsewhere are let go."""
    held.clear()
    return RelevantRanks.join([_alike(each, gives_scores) for each in ranks])


def _alike(ranks: RelevantRanks, gives_scores: bool) -> RelevantRanks:
    """With the columns that the whole has: a part without rows cannot tell whether there are scores."""
    if gives_scores or ranks.distractors is None:
        return ranks
    lists = {name: getattr(ranks, name).without("score") for name in ("judged", "pooled", "distractors")}
    return replace(ranks, **lists)


def _digest(plan: ReductionPlan, facts: PartFacts) -> str:
    if not plan.with_digest:
        return ""
    if plan.files.alone:
        return next(iter(facts.digests.values()))[1] if facts.digests else plan.files.parts[0].digest
    read = [(name, size, digest) for name, (size, digest) in facts.digests.items()]
    files = zip(plan.files.names, plan.files.parts, strict=True)
    return digest_of_files([*read, *((name, 0, source.digest) for name, source in files if not source.size)])


def has_torn_queries(parts: Sequence[PartRanks]) -> bool:
    """Whether a query lies in several parts, so that none of them has all its rows."""
    seen: set[str] = set()
    for part in parts:
        if part.ranks is None:
            return True
        own = {*part.ranks.queries, *part.ranks.not_judged}
        if not seen.isdisjoint(own):
            return True
        seen |= own
    return False
