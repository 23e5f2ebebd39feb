"""How much a method's result depends on where users begin, on their errors, and on who of several assessors judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.design import never_below_zero
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import mean_or_nan
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.loop import simulate_rounds
from rankscope.feedback.users.starts import Start
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Noisy, Sessions
from rankscope.measures import AP, Measure


@dataclass(frozen=True)
class Stability:
    """Over the starts of each topic: standard deviation and 10 % quantile, as means over topics; and variances.

    `start` is the variance among starts of one topic, `topic` that among topics, by one-way random effects; `note` says
    where that among topics came out below 0 and counts as 0.
    """

    sd: float
    p10: float
    start: float
    topic: float
    note: str = ""

    @property
    def share_of_start(self) -> float:
        """How much of the variance is due to the start; NaN where nothing varies."""
        total = self.start + self.topic
        return self.start / total if total > 0 else float("nan")


def stability(values: ArrayLike, topics: Sequence[str]) -> Stability:
    """From one value per session, and its topic; NaN values are left out.

    >>> made = stability([0.1, 0.3, 0.6, 0.8], ["a", "a", "b", "b"])
    >>> round(made.sd, 4), round(made.p10, 2), round(made.share_of_start, 4)
    (0.1414, 0.37, 0.1481)
    """
    given = np.asarray(values, dtype=np.float64)
    label = np.array(topics, dtype=str)[~np.isnan(given)]
    given = given[~np.isnan(given)]
    groups = [given[label == each] for each in np.unique(label)]
    several = [each for each in groups if each.size > 1]
    sd = [float(each.std(ddof=1)) for each in several]
    p10 = [float(np.quantile(each, 0.1)) for each in groups]
    start, topic = variance_components(groups)
    parts, note = never_below_zero({"topics": topic})
    return Stability(sd=mean_or_nan(sd), p10=mean_or_nan(p10), start=start, topic=parts["topics"], note=note)


def variance_components(groups: Sequence[FloatArray]) -> tuple[float, float]:
    """Variance within and among groups, by the analysis of variance of one-way random effects.

    The one among groups may come out below 0; it is NaN where there is one group. Both are NaN where no group has two
    values.
    """
    sizes = np.array([each.size for each in groups])
    total, count = int(sizes.sum()), len(groups)
    if total <= count:
        return float("nan"), float("nan")
    means = np.array([each.mean() for each in groups])
    within = float(sum(((each - mean) ** 2).sum() for each, mean in zip(groups, means, strict=True))) / (total - count)
    if count < 2:
        return within, float("nan")
    among = float((sizes * (means - (sizes * means).sum() / total) ** 2).sum()) / (count - 1)
    usual = (total - float((sizes**2).sum()) / total) / (count - 1)
    return within, (among - within) / usual


@dataclass(frozen=True)
class MethodStability:
    """One method in the last round: its mean over sessions, and how far starts of one topic differ."""

    method: str
    mean: float
    sessions: int
    steady: Stability

    def row(self) -> dict[str, object]:
        return {
            "method": self.method,
            "mean": self.mean,
            "sd over starts": self.steady.sd,
            "p10 of starts": self.steady.p10,
            "share of start": self.steady.share_of_start,
            "sessions": self.sessions,
        }


def stability_of(
    methods: Sequence[Method], setting: Experiment, *, starts: int = 20, measure: Measure | None = None, seed: int = 0
) -> list[MethodStability]:
    """Every method in the same sessions, so many starts of each topic."""
    how, sessions = AP() if measure is None else measure, setting.sessions(starts, seed)
    topics = [setting.topics.labels[row] for row in sessions.topic.tolist()]
    results = []
    for method in methods:
        values = _last_scores(method, setting, sessions, how)
        count = int((~np.isnan(values)).sum())
        results.append(MethodStability(str(method), mean_or_nan(values), count, stability(values, topics)))
    return results


def _last_scores(method: Method, setting: Experiment, sessions: Sessions, measure: Measure) -> FloatArray:
    """One value per session, of its last round."""
    return measure.of(simulate_rounds(method, setting, sessions).rounds[-1].ranks)


ERROR_RATES = (0.0, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Resilience:
    """Mean scores of the last round at each rate of errors, the rate without errors first."""

    method: str
    rates: tuple[float, ...]
    means: tuple[float, ...]
    worst: float = 0.0  # the value of a method that finds nothing: above 0 where lower is better

    @property
    def ratios(self) -> tuple[float, ...]:
        """AP(eps) / AP(0), each counted from the worst value; NaN where a method finds nothing even without errors.

        >>> [Resilience("svm", (0.0, 0.2), each, end).ratios for each, end in (((0.8, 0.4), 0.0), ((0.2, 0.6), 1.0))]
        [(1.0, 0.5), (1.0, 0.5)]
        """
        found = [self.worst - each if self.worst else each for each in self.means]
        return tuple(each / found[0] if found[0] > 0 else float("nan") for each in found)

    def row(self) -> dict[str, object]:
        shown = zip(self.rates[1:], self.ratios[1:], strict=True)
        return {"method": self.method, "without errors": self.means[0]} | {f"eps {r:g}": value for r, value in shown}


def resilience(
    methods: Sequence[Method],
    items: Items,
    topics: Topics,
    *,
    rates: Sequence[float] = ERROR_RATES,
    start: Start | None = None,
    protocol: Protocol | None = None,
    starts: int = 10,
    measure: Measure | None = None,
    seed: int = 0,
) -> list[Resilience]:
    """Every method with users who take relevant for irrelevant, and the other way, at each rate; same sessions."""
    how = AP() if measure is None else measure
    levels = tuple(sorted({0.0, *rates}))
    settings = [Experiment.of(items, topics, Noisy(rate), start, protocol, seed=seed) for rate in levels]
    sessions = settings[0].sessions(starts, seed)
    worst = how.bounds()[1] if how.lower_is_better else 0.0
    results = []
    for method in methods:
        values = [_last_scores(method, each, sessions, how) for each in settings]
        results.append(Resilience(str(method), levels, tuple(map(mean_or_nan, values)), worst))
    return results


@dataclass(frozen=True, eq=False)
class Adaptation:
    """M(i, j): the mean score with feedback from assessor i, by the target of j; and how far targets overlap."""

    topic: str
    assessors: tuple[str, ...]
    matrix: FloatArray
    overlap: float
    method: str = ""

    @property
    def own(self) -> float:
        """Mean of M(i, i): feedback and score from the same assessor."""
        return float(np.diag(self.matrix).mean())

    @property
    def others(self) -> float:
        """Mean of M(i, j): the score by the target of another one."""
        return float(self.matrix[~np.eye(len(self.matrix), dtype=np.bool_)].mean())

    @property
    def value(self) -> float:
        """Mean of M(i, i) minus mean of M(i, j): what feedback does for its giver and not for others.

        >>> Adaptation("fun", ("ann", "ben"), np.array([[0.8, 0.5], [0.4, 0.6]]), 0.3).value.__round__(6)
        0.25
        """
        return self.own - self.others


def mean_overlap(topics: Topics) -> float:
    """Mean over pairs of rows of the Jaccard overlap: what both hold over what either holds.

    >>> mean_overlap(Topics.judged_by({"fun": {"ann": [True, True, False], "ben": [False, True, False]}}))
    0.5
    """
    first, second = np.triu_indices(len(topics), 1)
    both = topics.targets[first] & topics.targets[second]
    either = topics.targets[first] | topics.targets[second]
    return float((both.sum(axis=1) / either.sum(axis=1)).mean())


def adaptation(
    method: Method, setting: Experiment, topic: str, *, starts: int = 10, seed: int = 0, measure: Measure | None = None
) -> Adaptation:
    """Feedback from each assessor of a topic, scored by the target of each, in the last round."""
    rows = [row for row, name in enumerate(setting.topics.names) if name == topic]
    if len(rows) < 2:
        raise SettingError(f"adaptation needs two assessors of '{topic}', there is {'one' if rows else 'none'}")
    how = AP() if measure is None else measure
    every = setting.sessions(starts, seed)
    matrix = np.empty((len(rows), len(rows)))
    for (one, giver), (other, judge) in product(enumerate(rows), repeat=2):
        own = every.take(np.flatnonzero(every.topic == giver))
        scored: IntArray = np.full(len(own), judge)
        matrix[one, other] = mean_or_nan(_last_scores(method, setting, replace(own, scored=scored), how))
    who = tuple(setting.topics.assessors[row] for row in rows)
    overlap = mean_overlap(setting.topics.take(rows))
    return Adaptation(topic=topic, assessors=who, matrix=matrix, overlap=overlap, method=str(method))


def shared_topics(topics: Topics) -> tuple[str, ...]:
    """The topics that several assessors have judged.

    >>> shared_topics(Topics.judged_by({"fun": {"ann": [True, False], "ben": [False, True]}}))
    ('fun',)
    """
    return tuple(name for name in dict.fromkeys(topics.names) if topics.names.count(name) > 1)
