"""ndeval (through pyndeval) next to our measures of subtopics."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.measures.evaluation.evaluate import evaluate
from tests.conformance.peers import Answer, Pair, differences

NDEVAL_PAIRS = tuple(
    Pair(*each)
    for each in (
        ("alpha-nDCG@5", "alpha_nDCG@5"),
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("ERR-IA@5", "ERR_IA@5"),
        ("nERR-IA@10", "nERR_IA@10"),
        ("P-IA@5", "P_IA@5"),
        ("strec@5", "StRecall@5"),
        ("NRBP", "NRBP"),
        ("nNRBP", "nNRBP"),
        ("MAP-IA", "AP_IA"),
    )
)
AT_ONE = tuple(
    Pair(*each)
    for each in (
        ("alpha-nDCG@1", "alpha_nDCG@1"),
        ("nERR-IA@1", "nERR_IA@1"),
        ("P-IA@1", "P_IA@1"),
        ("strec@1", "StRecall@1"),
        ("alpha-DCG@1", "alpha_DCG@1"),
        ("ERR-IA@1", "ERR_IA@1"),
    )
)
UNDIVIDED = AT_ONE[-2:]  # ndeval divides from rank 2 on
ITEMS = [f"d{number}" for number in range(14)]


@dataclass(frozen=True)
class DividedCase:
    """Judgements (query, subtopic, item, grade) and a run; every query has an item for a subtopic."""

    judged: list[tuple[str, str, str, int]]
    run: dict[str, dict[str, float]]


def divided_case(seed: int, ties: bool, queries: int = 5) -> DividedCase:
    """Some subtopics of each query, some items for several of them; equal scores if asked for."""
    chance = random.Random(seed)
    judged, run = [], {}
    for query in map(str, range(1, queries + 1)):
        for item in chance.sample(ITEMS, 9):
            for subtopic in chance.sample(range(1, 6), chance.randint(1, 4)):
                judged.append((query, str(subtopic), item, chance.choice([0, 1, 1, 2])))
        judged.append((query, "6", ITEMS[0], 2))
        scores = [float(chance.randint(1, 3)) if ties else float(12 - place) for place in range(12)]
        run[query] = dict(zip(chance.sample(ITEMS, 12), scores, strict=True))
    return DividedCase(judged, run)


def ask_ndeval(case: DividedCase, rel: int = 1, pairs: Sequence[Pair] = NDEVAL_PAIRS) -> dict[str, Answer]:
    """Each query's values; the caller's mean."""
    import pyndeval

    names = [pair.theirs for pair in pairs]
    rows = [(query, item, score) for query, items in case.run.items() for item, score in items.items()]
    result = pyndeval.RelevanceEvaluator(case.judged, names, relevance_level=rel).evaluate(rows)
    return {
        name: Answer(
            sum(values[name] for values in result.values()) / len(result),
            {query: values[name] for query, values in result.items()},
        )
        for name in names
    }


def our_answers(
    case: DividedCase, rel: int = 1, ties: str = "trec_eval", pairs: Sequence[Pair] = NDEVAL_PAIRS
) -> dict[str, Answer]:
    """What rankscope says of the same."""
    names = [pair.ours for pair in pairs]
    system = evaluate(case.judged, case.run, names, rel=rel, ties=ties).systems[0]
    return {
        name: Answer(column.summary, dict(zip(system.ranks.queries, column.values.tolist(), strict=True)))
        for name, column in zip(names, system.columns, strict=True)
    }


def divided_differences(case: DividedCase, rel: int, ties: str) -> dict[Pair, list[str]]:
    """Where the two differ, measure by measure."""
    pairs = (*NDEVAL_PAIRS, *AT_ONE)
    theirs, mine = ask_ndeval(case, rel, pairs), our_answers(case, rel, ties, pairs)
    return {pair: differences(pair, theirs[pair.theirs], mine[pair.ours]) for pair in pairs}


def times_subtopics(case: DividedCase, rel: int, value: dict[str, float]) -> dict[str, float]:
    """Our values without the division: times the most that a query's first item could gain, one for each subtopic."""
    served = {(query, subtopic) for query, subtopic, _, grade in case.judged if grade >= rel}
    return {query: each * sum(own == query for own, _ in served) for query, each in value.items()}
