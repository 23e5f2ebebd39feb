"""A pack run: every case a study, what methods reach of the stored baselines, and how they adapt to assessors.

Everything that was finished lies in the folder and is not done again, so a run that was stopped can be continued.
Efficiency here over efficiency where the pack was made: both are shares of the best that can be learnt from the
features, each of its own collection. Topics of both are drawn anew: log(a/b) has the variance
var(a)/a^2 + var(b)/b^2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.comparison.verdict_sentences import join_names
from rankscope.core.errors import InputError, Problem
from rankscope.core.parts import Runner
from rankscope.core.rendering import HeadedTable, Presentation, text_table
from rankscope.core.wording import how_many
from rankscope.feedback.answers import CORRECTED_NOTE
from rankscope.feedback.answers import efficiency_by_topic as by_topic
from rankscope.feedback.examples.items import features_digest
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import Baseline, BaselineRules, baselines_of, stored_under
from rankscope.feedback.normalization.efficiency import Efficiency, variance_of_mean
from rankscope.feedback.normalization.generalisation import Generalisation, generalise
from rankscope.feedback.normalization.stored_baselines import BaselineStore, load_store, save_baselines
from rankscope.feedback.packs.pack import Case, Pack, PackProblem, Progress, pack_names, read_pack
from rankscope.feedback.study.experiment import Experiment
from rankscope.feedback.study.findings import (
    further_findings,
    study_verdicts,
    study_warnings,
    truth_caveat,
    unjudged_tables,
)
from rankscope.feedback.study.results import Results, load_results
from rankscope.feedback.study.sensitivity import Adaptation, adaptation, mean_overlap, shared_topics
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.study.summary import Summary
from rankscope.feedback.users.starts import STARTS
from rankscope.feedback.users.topics import sampling_units
from rankscope.feedback.users.users import USERS

BASELINES = "baselines.json"


@dataclass(frozen=True, eq=False)
class PackResult:
    """All cases with their results, what methods reach of the baselines, and the stored reference where there is one.

    `reused`: the stored baselines are those of these very features, so that efficiencies must come out as stored.
    `left_out`: cases that cannot be made of these topics, with the reason.
    """

    pack: Pack
    problem: PackProblem
    cases: tuple[tuple[Case, Results], ...]
    learnt: Generalisation
    adaptations: tuple[Adaptation, ...]
    stored: BaselineStore | None
    reused: bool
    left_out: tuple[tuple[Case, str], ...] = ()

    @property
    def title(self) -> str:
        """In a line; that of the pack is of its own collection."""
        pack, other = self.pack, self.problem.other
        return f"The study of pack {pack.name} on another collection: {other}" if other else pack.title

    @property
    def added(self) -> tuple[str, ...]:
        """The methods that are not those of the pack."""
        own = {str(METHODS.parse(each)) for each in self.pack.study["methods"]}
        return tuple(each for each in self.learnt.methods if each not in own)

    @property
    def citation(self) -> str:
        """What was run, so that others can run the same: the pack, and whatever is not as its file has it."""
        problem, left_out = self.problem, [case.name for case, _ in self.left_out]
        digests = f"features SHA-256 {features_digest(problem.items)[:16]}, topics SHA-256 {problem.topics.digest[:16]}"
        parts = {
            f"run on another collection, {problem.other} ({digests})": bool(problem.other),
            f"run with what differs: {', '.join(problem.differs)} ({digests})": not problem.other and problem.differs,
            f"without {'case' if len(left_out) == 1 else 'cases'} {', '.join(left_out)}": bool(left_out),
            f"methods added: {', '.join(self.added)}": bool(self.added),
        }
        return "; ".join([self.pack.citation, *(words for words, there in parts.items() if there)])


def run_cases(
    pack: Pack,
    problem: PackProblem,
    folder: Path,
    methods: Sequence[str] = (),
    on: str | Runner | None = None,
    progress: Progress | None = None,
    keep_sessions: bool = False,
) -> PackResult:
    """Run the pack in a folder; `methods` are compared with those of the pack.

    `keep_sessions` writes what the sessions of each case began with, displays and marks into CASE.sessions.parquet.
    """
    chosen = [METHODS.parse(each) for each in dict.fromkeys([*pack.study["methods"], *methods])]
    folder.mkdir(parents=True, exist_ok=True)
    lacking = {case: problem.lacks(case, pack.study["seed"]) for case in pack.cases}
    if all(lacking.values()):
        problems = [Problem(f"case {case.name}", reason) for case, reason in lacking.items()]
        raise InputError.of(pack.name, problems, "None of its cases can be made of these topics.")
    cases = []
    for case in (each for each in pack.cases if not lacking[each]):
        plan, path = case_plan(pack, problem, case, chosen), folder / f"{case.name}.parquet"
        kept = folder / f"{case.name}.sessions.parquet" if keep_sessions else None
        results = finished(path, plan)
        if results is None or (kept is not None and not kept.exists()):
            shown = None if progress is None else partial(progress, f"case {case.name}")
            results = study(plan, result=path, on=on, progress=shown, keep_sessions=kept)
        cases.append((case, results))
    stored = stored_reference(pack)
    reused = stored is not None and all(each.features == features_digest(problem.items) for each in stored.baselines)
    earlier = _baselines(pack, problem, stored if reused else None, folder / BASELINES, progress)
    told = None if progress is None else partial(progress, "efficiency")
    how = {"examples": pack.study["examples"], "repeats": pack.study["repeats"]}
    rules = BaselineRules(seed=pack.study["seed"])
    learnt = generalise(problem.items, problem.reference, chosen, rules, earlier=earlier, progress=told, **how)
    save_baselines(learnt.store.baselines, folder / BASELINES, learnt.results)
    return PackResult(
        pack=pack,
        problem=problem,
        cases=tuple(cases),
        learnt=learnt,
        adaptations=tuple(_adaptations(pack, problem, chosen, progress)),
        stored=stored,
        reused=reused,
        left_out=tuple((case, reason) for case, reason in lacking.items() if reason),
    )


def stored_reference(pack: Pack) -> BaselineStore | None:
    """The baselines and results that come with a pack; a file that is not the one the pack names is an error."""
    told = pack.tables.get("baselines")
    if told is None or pack.place is None:
        return None
    path = pack.place.parent / str(told["file"])
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError.of(path.name, [f"cannot be read: {error.strerror}"], "It belongs to the pack.") from None
    if digest != told["digest"]:
        what = f"is not the file that pack {pack.name} names (digest {digest[:12]})"
        raise InputError.of(path.name, [what], "Bring back the file that came with the pack.")
    return load_store(path)


def case_plan(pack: Pack, problem: PackProblem, case: Case, methods: Sequence[Method]) -> StudyPlan:
    """The study of one case."""
    told = pack.study
    setting = Experiment.of(
        problem.items,
        problem.of_case(case, told["seed"]),
        USERS.parse(case.user),
        STARTS.parse(case.start),
        pack.protocol(),
        ids=problem.ids,
        seed=told["seed"],
    )
    return StudyPlan.of(setting, methods, starts=told["starts"], measures=told["measures"], seed=told["seed"])


def finished(path: Path, plan: StudyPlan) -> Results | None:
    """The results in a file, where they are those of this plan; None where there are none, or of another one."""
    if not path.exists():
        return None
    try:
        found = load_results(path)
    except InputError:
        return None
    names = [str(each) for each in plan.methods]
    wanted = json.loads(json.dumps(plan.about))  # as a file holds it
    same = all(found.about.get(key) == value for key, value in wanted.items())
    return found if same and list(found.methods) == names else None


def _baselines(
    pack: Pack, problem: PackProblem, stored: BaselineStore | None, path: Path, progress: Progress | None
) -> BaselineStore:
    """The baseline of every topic: as stored, as an earlier run left it, or made now and kept at once."""
    left: tuple[Baseline, ...] = ()
    if path.exists():
        with suppress(InputError):
            left = load_store(path).baselines
    left = tuple(each for each in left if each.features == features_digest(problem.items))
    known = stored_under((*left, *(() if stored is None else stored.baselines)))
    rules = BaselineRules(seed=pack.study["seed"])
    topics = problem.reference
    for row, label in enumerate(topics.labels):
        if (label, "") not in known:
            made = baselines_of(problem.items, topics.targets[row], label, [], rules)
            known |= {(label, ""): made[""]}
            save_baselines(known.values(), path)
        if progress is not None:
            progress("baselines", (row + 1) / len(topics))
    wanted = [known[label, ""] for label in topics.labels]
    return BaselineStore(tuple(wanted), () if stored is None else stored.results)


def _adaptations(
    pack: Pack, problem: PackProblem, methods: Sequence[Method], progress: Progress | None
) -> list[Adaptation]:
    """Of each method on each topic that several assessors see differently."""
    setting = Experiment.of(problem.items, problem.topics, protocol=pack.protocol(), seed=pack.study["seed"])
    pairs = [(method, topic) for method in methods for topic in shared_topics(problem.topics)]
    done = []
    for number, (method, topic) in enumerate(pairs, start=1):
        done.append(adaptation(method, setting, topic, starts=pack.study["starts"], seed=pack.study["seed"]))
        if progress is not None:
            progress("assessors", number / len(pairs))
    return done


SAME_EFFICIENCY = 1e-9


@dataclass(frozen=True)
class Relative:
    """MAE here and stored, their ratio with its 95 % interval, and how many topics each has."""

    method: str
    here: float
    stored: float
    ratio: float
    low: float
    high: float
    topics: tuple[int, int]

    def row(self) -> dict[str, object]:
        return {
            "method": self.method,
            "MAE": self.here,
            "stored": self.stored,
            "relative": self.ratio,
            "low": self.low,
            "high": self.high,
            "topics": self.topics[0],
            "stored topics": self.topics[1],
        }


def relative_efficiencies(result: PackResult) -> list[Relative]:
    """Of every method that the stored reference has too; none where nothing is stored."""
    if result.stored is None:
        return []
    now, then = _mae_by_method(result.learnt.results), _mae_by_method(result.stored.results)
    here = result.learnt.units
    there = sampling_units({name: result.pack.classes_of(name) for name in result.pack.topics})
    found = []
    for name in (each for each in now if each in then):
        units = [here.get(topic, topic) for topic in now[name]], [there.get(topic, topic) for topic in then[name]]
        found.append(ratio_of(name, [*now[name].values()], [*then[name].values()], units=units))
    return found


def reproduced(result: PackResult) -> bool:
    """Whether every efficiency came out as it is stored, where it must."""
    return all(abs(each.here - each.stored) <= SAME_EFFICIENCY for each in relative_efficiencies(result))


def ratio_of(
    method: str,
    here: ArrayLike,
    stored: ArrayLike,
    level: float = 0.95,
    units: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Relative:
    """The ratio of two means, its logarithm taken for normal; equal values on equal topics have the ratio 1.

    `units`: the sampling unit of each value, where topics share classes.

    >>> made = ratio_of("svm", [0.4, 0.6], [0.9, 1.1])
    >>> round(made.ratio, 6), round(made.low, 6), round(made.high, 6)
    (0.5, 0.125324, 1.994827)
    """
    from scipy.special import stdtrit

    a, b = (np.asarray(each, dtype=np.float64) for each in (here, stored))
    means = float(a.mean()), float(b.mean())
    same = a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=SAME_EFFICIENCY))
    own = ([*map(str, range(a.size))], [*map(str, range(b.size))]) if units is None else units
    parts = [
        0.0 if same else variance_of_mean(each, of) / each.mean() ** 2 for each, of in zip((a, b), own, strict=True)
    ]
    total = sum(parts)
    freedom = (
        total**2 / sum(part**2 / (len({*of}) - 1) for part, of in zip(parts, own, strict=True)) if total > 0 else 1.0
    )
    half = float(stdtrit(freedom, (1 + level) / 2)) * total**0.5 if total else 0.0
    ratio = means[0] / means[1]
    return Relative(
        method=method,
        here=means[0],
        stored=means[1],
        ratio=ratio,
        low=ratio * float(np.exp(-half)),
        high=ratio * float(np.exp(half)),
        topics=(a.size, b.size),
    )


def _mae_by_method(results: Sequence[Efficiency]) -> dict[str, dict[str, float]]:
    """MAE of feasible topics by method, in the order of the topics; the size of example sets is part of the name."""
    found: dict[str, dict[str, float]] = {}
    for each in sorted(results, key=lambda one: one.topic):
        if each.feasible and not np.isnan(each.mae):
            found.setdefault(each.method, {})[each.topic] = each.mae
    return found


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
    caveats = "\n".join(f"! {line}" for line in pack_caveats(result))
    parts: list[HeadedTable | str] = [*([caveats] if caveats else []), HeadedTable("Topics", topic_rows(result))]
    for case, results in result.cases:
        parts.append(HeadedTable(f"Case {case.name}: {case_words(case)}", last_round_rows(results)))
        parts += [Summary(results, results.measures[0]).intervals.told, *unjudged_tables(results)]
        caveat = truth_caveat("labels")  # stands above all cases
        own = [line for line in study_warnings(results) if line not in caveat]
        parts.append("\n".join([*study_verdicts(results), *further_findings(results), *own]))
    parts += [HeadedTable("Efficiency", efficiency_rows(result)), efficiency_words(result)]
    parts += [HeadedTable("Efficiency by topic, corrected for chance", corrected_rows(result)), CORRECTED_NOTE]
    if result.adaptations:
        parts += [HeadedTable("Adaptation to assessors", adaptation_rows(result)), ADAPTATION_NOTE]
    said = [result.title, pack_facts(result)]
    return Presentation(said, parts, [f"Cite: {result.citation}"], spaced=True).text()


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
