"""A benchmark pack in words and tables: what it is, what every case shows, and what methods reach of the possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.core.rendering import text_table
from rankscope.core.wording import how_many
from rankscope.feedback.packs.pack import Case, pack_names, read_pack
from rankscope.feedback.packs.run import PackResult, relative_efficiencies, reproduced
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.sensitivity import mean_overlap, shared_topics
from rankscope.feedback.study.summary import Summary
from rankscope.reports.texts.comparison_words import join_names
from rankscope.reports.texts.feedback import (
    further_findings,
    study_verdicts,
    study_warnings,
    truth_caveat,
    unjudged_parts,
)
from rankscope.reports.texts.feedback_answers import CORRECTED_NOTE
from rankscope.reports.texts.feedback_answers import efficiency_by_topic as by_topic

Rows = list[dict[str, object]]
RELATIVE = (
    "MAE: what a method reaches of the best that can be learnt from these features, from examples that are all marked "
    "rightly; stored: the same where the pack was made. Both have one scale, so that collections can be compared; low "
    "and high: 95 % interval of their ratio, topics of both drawn anew."
)
ADAPTATION_NOTE = (
    "own: AP with feedback and score of the same assessor; others: scored by the target of another one; adaptation is "
    "the difference."
)


def pack_list() -> str:
    """Name, version and title of every pack that comes with rankscope."""
    packs = [read_pack(name) for name in pack_names()]
    return text_table([{"pack": each.name, "version": each.version, "about": each.title} for each in packs])


def pack_text(result: PackResult) -> str:
    parts = [
        f"{result.title}\n{pack_facts(result)}\n",
        "".join(f"! {line}\n" for line in pack_caveats(result)),
        "Topics\n",
        text_table(topic_rows(result)),
    ]
    for case, results in result.cases:
        parts += [f"Case {case.name}: {case_words(case)}\n", text_table(last_round_rows(results))]
        parts += [f"{Summary(results, results.measures[0]).intervals.told}\n", *unjudged_parts(results)]
        caveat = truth_caveat("labels")  # stands above all cases
        own = [line for line in study_warnings(results) if line not in caveat]
        parts.append("\n".join([*study_verdicts(results), *further_findings(results), *own]) + "\n")
    parts += ["Efficiency\n", text_table(efficiency_rows(result)), f"{efficiency_words(result)}\n"]
    parts += ["Efficiency by topic, corrected for chance\n", text_table(corrected_rows(result)), f"{CORRECTED_NOTE}\n"]
    if result.adaptations:
        parts += ["Adaptation to assessors\n", text_table(adaptation_rows(result)), f"{ADAPTATION_NOTE}\n"]
    return "\n".join([*parts, f"Cite: {result.citation}\n"])


def pack_facts(result: PackResult) -> str:
    """What was run, in a line."""
    items, topics = len(result.problem.items), dict.fromkeys(result.problem.reference.names)
    study = result.pack.study
    return (
        f"pack {result.pack.name} {result.pack.version}: {how_many(items, 'items')}, "
        f"{how_many(len(topics), 'topics')}, {len(result.cases)} cases, "
        f"{how_many(len(result.learnt.methods), 'methods')}, {how_many(study['starts'], 'sessions')} of a topic, "
        f"{how_many(study['rounds'], 'rounds')} of {study['scope']} items, seed {study['seed']}"
    )


def pack_caveats(result: PackResult) -> list[str]:
    """What must be read before the numbers: of the truth, and of the collection."""
    own = list(result.pack.tables["pack"].get("caveats", ())) if not result.problem.other else []
    truth = [line.removeprefix("! ") for line in truth_caveat(result.problem.reference.truth)]
    lost = [f"case {case.name} is left out: {reason}" for case, reason in result.left_out]
    return [*own, *truth, *result.problem.differs, *lost]


def case_words(case: Case) -> str:
    """A case in a line."""
    pool = "" if case.pool is None else f", pool of depth {case.pool}"
    return f"{case.about or case.name} (user {case.user}, start {case.start}{pool})"


def topic_rows(result: PackResult) -> Rows:
    """Relevant items by assessor, how far their targets overlap, and whether the topic can be learnt."""
    topics = result.problem.topics
    feasible = {each.topic: each.feasibility.feasible for each in result.learnt.baselines}
    shared = set(shared_topics(topics))
    rows: Rows = []
    for name in dict.fromkeys(topics.names):
        own = [row for row, other in enumerate(topics.names) if other == name]
        counts = ", ".join(str(topics.relevant[row]) for row in own)
        kind = "composite" if name in shared else "elementary"
        overlap = mean_overlap(topics.take(own)) if len(own) > 1 else None
        learnt = "yes" if feasible.get(name) else "no"
        rows.append({"topic": name, "kind": kind, "relevant": counts, "overlap": overlap, "feasible": learnt})
    return rows


def last_round_rows(results: Results) -> Rows:
    """AP of the first and the last round, and what was seen of the relevant items."""
    main, seen = Summary(results, results.measures[0]), Summary(results, "cumulative recall")
    rows: Rows = []
    for name in [*main.ordered, *main.controls]:
        mean, low, high = main.means(name)
        rows.append(
            {
                "method": name,
                f"{main.quantity} round 0": float(mean[0]),
                f"round {results.last}": float(mean[-1]),
                "low": float(low[-1]),
                "high": float(high[-1]),
                "recall seen": float(seen.means(name)[0][-1]),
            }
        )
    return rows


def efficiency_rows(result: PackResult) -> Rows:
    """Next to the stored reference where there is one."""
    found = relative_efficiencies(result)
    known = {each.method for each in found}
    means = [row for row in result.learnt.mean_rows() if not row.get("from")]
    fair = {row["method"]: row["corrected for chance"] for row in means}
    plain = [{"method": row["method"], "MAE": row["MAE"]} for row in means if row["method"] not in known]
    return [row | {"corrected": fair[row["method"]]} for row in (*(each.row() for each in found), *plain)]


def corrected_rows(result: PackResult) -> Rows:
    """What of the efficiency of each method on each topic is not chance."""
    return by_topic(result.learnt, corrected=True)


def efficiency_words(result: PackResult) -> str:
    """How to read the ratios, and whether the stored reference came out again."""
    if result.stored is None:
        return "MAE from examples that are all marked rightly. The pack has no stored reference."
    infeasible = [each.topic for each in result.learnt.baselines if not each.feasibility.feasible]
    lost = f" Not in the means, because they cannot be learnt from these features: {join_names(infeasible)}."
    left = lost if infeasible else ""
    if not result.reused:
        return f"{RELATIVE}{left} Baselines were made anew for these features."
    again = "Every" if reproduced(result) else "NOT every"
    return f"{RELATIVE}{left} Features and baselines are those of the pack. {again} stored efficiency came out again."


def adaptation_rows(result: PackResult) -> Rows:
    """Means over topics, one row a method."""
    rows: Rows = []
    for name in dict.fromkeys(each.method for each in result.adaptations):
        own = [each for each in result.adaptations if each.method == name]
        rows.append(
            {
                "method": name,
                "own": _mean([each.own for each in own]),
                "others": _mean([each.others for each in own]),
                "adaptation": _mean([each.value for each in own]),
                "overlap": _mean([each.overlap for each in own]),
                "topics": len(own),
            }
        )
    return rows


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
