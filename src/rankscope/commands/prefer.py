"""Which of two systems do people prefer? Answers side by side, or clicks in one list of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankscope.core.display import Display, ShownRows, Tabular
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.rendering import Rows
from rankscope.core.settings import LEVEL, MAX_RATIO
from rankscope.core.validation import COUNT, SEED, OneOf, check

if TYPE_CHECKING:
    from rankscope.analysis.assessors.bradley_terry import Strengths
    from rankscope.analysis.assessors.preferences import Interleaved, Preference
    from rankscope.analysis.assessors.win_rates import PositionBias, WinRate
    from rankscope.inputs.problems import Problems


# Which of two systems do people prefer? Answers, or clicks in one list of both, to win rates and a verdict.

ANSWER_COLUMNS = {
    "query": ("query", "query_id", "qid", "topic"),
    "left": ("left", "first", "system_a", "a"),
    "right": ("right", "second", "system_b", "b"),
    "choice": ("choice", "answer", "preferred", "winner"),
}
MORE_ANSWER_COLUMNS = {"assessor": ("assessor", "user", "judge", "annotator"), "mode": ("mode",)}
CHOICE_WORDS = {
    "left": "left",
    "right": "right",
    "equal": "equal",
    "tie": "equal",
    "same": "equal",
    "both bad": "both bad",
}


@dataclass(frozen=True, eq=False, repr=False)
class Preferred(Tabular):
    """Win rates of every two systems that were compared, strengths of three or more, and how far the side decides."""

    rates: tuple[WinRate, ...]
    bias: PositionBias
    answers: int
    level: float = LEVEL
    strengths: Strengths | None = None  # of three systems or more

    def records(self) -> Rows:
        from rankscope.analysis.assessors.win_rates import rate_rows

        return rate_rows(self.rates)

    def display(self) -> Display:
        from rankscope.analysis.assessors.win_rates import bias_lines, strength_lines, verdict_lines

        bias = (line.removeprefix("! ") for line in bias_lines(self.bias))
        return Display.of(
            [*verdict_lines(self.rates), *strength_lines(self.strengths), *bias], self.records(), ".rates"
        )


@strict_keywords
def prefer(
    preferences: str | Path | Iterable[Preference],
    *,
    classes: Any = None,
    systems: Sequence[str] = (),
    level: float = LEVEL,
    seed: int = 0,
) -> Preferred:
    """Win rates with limits over queries, verdicts, and position bias, from answers or from a file of them.

    A file has the columns query, left, right and choice (left, right, equal, both bad, or the name of a system) and may
    have assessor. `systems` says which of two is the first. `strengths` of the result puts three systems or more on one
    scale (Bradley & Terry).
    >>> from rankscope.analysis.assessors.preferences import Preference
    >>> said = [Preference(f"q{n}", "ann", "old", "new", "right") for n in range(12)]
    >>> found, = prefer(said, systems=["old", "new"]).rates
    >>> found.second, found.rate, found.better
    ('new', 1.0, 'new')
    """
    from rankscope.analysis.assessors.bradley_terry import bradley_terry
    from rankscope.analysis.assessors.win_rates import position_bias, win_rates
    from rankscope.inputs.side_tables import read_classes

    answers = read_preferences(preferences) if isinstance(preferences, str | Path) else list(preferences)
    kinds = None if classes is None else read_classes(classes)
    rates = win_rates(answers, kinds, systems=systems, level=level, seed=seed)
    several = len({name for each in rates for name in (each.first, each.second)}) > 2
    strengths = bradley_terry(answers, level) if several else None
    return Preferred(rates, position_bias(answers, level=level), len(answers), level=level, strengths=strengths)


def read_preferences(path: str | Path) -> list[Preference]:
    """Answers from a CSV, TSV, JSON lines or Parquet file; an `InputError` with all problems."""
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.side_tables import read_record_table, text_rows
    from rankscope.inputs.sources import Source

    problems = Problems(Source.of(path).name, ["A row reads: query, left, right, choice."])
    expected = ",".join(word for words in ANSWER_COLUMNS.values() for word in words)
    table = read_record_table(path, problems, expected)
    rows = text_rows(table, problems, ANSWER_COLUMNS, MORE_ANSWER_COLUMNS)
    found = [_preference_of_row(row, f"{table.word} {line}", line, problems) for line, row in rows]
    problems.raise_if_any()
    if not found:
        raise InputError.of(problems.source, ["holds no preferences"])
    return [each for each in found if each is not None]


def _preference_of_row(row: dict[str, str], place: str, line: int, problems: Problems) -> Preference | None:
    from rankscope.analysis.assessors.preferences import SIDE_BY_SIDE, Preference

    query, left, right, said = (row[name] for name in ANSWER_COLUMNS)
    wrong = [f"{name} is empty" for name in ("query", "left", "right") if not row[name]]
    if left and left == right:
        wrong.append(f"left and right are both '{left}'")
    choice = {left: "left", right: "right"}.get(said) or CHOICE_WORDS.get(said.lower().replace("_", " "))
    if choice is None:
        wrong.append(f"choice must be left, right, equal, both bad, '{left}' or '{right}', got '{said}'")
    if wrong:
        problems.add(place, "; ".join(wrong), order=line)
        return None
    mode = row.get("mode") or SIDE_BY_SIDE
    return Preference(query, row.get("assessor") or "somebody", left, right, choice=choice, mode=mode)  # type: ignore[arg-type]


# Two runs as one list for people to click in, and what the clicks say of the runs.

LIST_COLUMNS: Final = ("query", "impression", "rank", "item", "team", "first", "second")
LIST_NAMES: Final = {name: (name,) for name in (*LIST_COLUMNS, "first_system", "second_system", "method")}
LONGEST_LIST: Final = 1_000_000  # ranks of a list
CLICK_COLUMNS: Final = {
    "query": ("query", "query_id", "qid", "topic"),
    "item": ("item", "item_id", "doc_id", "docid", "doc"),
}
MORE_CLICK_COLUMNS: Final = {"impression": ("impression",), "assessor": ("assessor", "user")}
Impression = tuple[str, str]  # query and number


@strict_keywords
def interleave_runs(
    first: Any,
    second: Any,
    *,
    method: str = "team-draft",
    depth: int = 10,
    impressions: int = 1,
    seed: int = 0,
    columns: Any = None,
) -> ShownRows:
    """Lists of two runs for every query that both answer, `impressions` of each, a row for each item.

    `team` is the run that brought the item, `first` and `second` its ranks in the runs (None: not among the first
    `depth`). The coins follow from seed, query and impression: the same files give the same lists. `columns` as in
    `evaluate`.
    >>> runs = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "c": 1.0}}
    >>> rows = interleave_runs(*runs, depth=3)
    >>> sorted(row["item"] for row in rows), [row["rank"] for row in rows]
    (['a', 'b', 'c'], [1, 2, 3])
    """
    from rankscope.analysis.assessors.preferences import INTERLEAVING_METHODS
    from rankscope.commands.scores import read_runs
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems

    rules = {"method": OneOf(INTERLEAVING_METHODS), "depth": COUNT, "impressions": COUNT, "seed": SEED}
    chosen = check({name: value for name, value in locals().items() if name in rules}, **rules)
    reading = reading_with(columns, None, None, "utf-8", True, MAX_RATIO)
    runs = read_runs([first, second], reading)
    with all_problems(runs):
        heads = [_heads(run, chosen["depth"]) for run in runs]
    shared = [query for query in heads[0] if query in heads[1]]
    if not shared:
        raise SettingError("the runs have no query in common, so there is nothing to interleave")
    return ShownRows(
        row
        for query in shared
        for number in range(1, chosen["impressions"] + 1)
        for row in _rows_of_list(query, number, [each[query] for each in heads], [run.name for run in runs], chosen)
    )


def _heads(run: Any, depth: int) -> dict[str, list[str]]:
    import polars as pl

    ordered = run.table().sort(["query", "score", "item"], descending=[False, True, True], maintain_order=True)
    table = ordered.filter(pl.int_range(pl.len()).over("query") < depth)
    return dict(table.group_by("query", maintain_order=True).agg("item").iter_rows())


def _rows_of_list(
    query: str, impression: int, lists: list[list[str]], names: list[str], chosen: Mapping[str, Any]
) -> list[dict[str, object]]:
    from rankscope.analysis.assessors.preferences import coins_of, interleave
    from rankscope.core.digests import stable_random

    coins = coins_of(lambda place: stable_random(chosen["seed"], "interleave", query, impression, place))
    made = interleave(lists[0], lists[1], coins, method=chosen["method"], depth=chosen["depth"])
    return [
        {
            "query": query,
            "impression": impression,
            "rank": rank,
            "item": item,
            "team": names[team],
            "first": _rank_in(lists[0], item),
            "second": _rank_in(lists[1], item),
            "first_system": names[0],
            "second_system": names[1],
            "method": made.method,
        }
        for rank, (item, team) in enumerate(zip(made.items, made.teams, strict=True), 1)
    ]


def _rank_in(ranking: Sequence[str], item: str) -> int | None:
    return ranking.index(item) + 1 if item in ranking else None


def preferences_of_clicks(lists: str | Path, clicks: str | Path) -> list[Preference]:
    """An answer for every impression with a click, from the lists that `interleave_runs` gave and a file of clicks.

    Clicks have the columns query and item, and may have impression (1 unless given) and assessor. An impression without
    a click says nothing and is left out; one in which both runs get as many is a tie.
    """
    from rankscope.analysis.assessors.preferences import INTERLEAVED, Preference
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.sources import Source

    problems = Problems(Source.of(clicks).name, ["A row reads: query, item, and impression where there are several."])
    shown, names = read_lists(lists)
    clicked = _clicks(clicks, shown, problems)
    problems.raise_if_any()
    answers = []
    for (impression, who), items in clicked.items():
        first, second = shown[impression].credit(items)
        choice: Any = "left" if first > second else "right" if second > first else "equal"
        answers.append(Preference(impression[0], who, *names, choice=choice, mode=INTERLEAVED))
    return answers


def _clicks(
    path: str | Path, shown: Mapping[Impression, Interleaved], problems: Problems
) -> dict[tuple[Impression, str], list[str]]:
    from rankscope.inputs.side_tables import read_record_table, text_rows

    table = read_record_table(path, problems, "query,qid,topic,item,doc")
    found: dict[tuple[Impression, str], list[str]] = {}
    for line, row in text_rows(table, problems, CLICK_COLUMNS, MORE_CLICK_COLUMNS):
        impression = (row["query"], row.get("impression") or "1")
        made = shown.get(impression)
        if made is None or row["item"] not in made.items:
            what = f"item '{row['item']}' was not shown for query '{row['query']}', impression {impression[1]}"
            problems.add(f"{table.word} {line}", what, order=line)
            continue
        found.setdefault((impression, row.get("assessor") or "somebody"), []).append(row["item"])
    return found


def read_lists(path: str | Path) -> tuple[dict[Impression, Interleaved], tuple[str, str]]:
    """The lists by query and impression, and the names of the two runs, the first one first."""
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.side_tables import read_record_table, text_rows
    from rankscope.inputs.sources import Source

    problems = Problems(Source.of(path).name, ["Lists are what `rankscope prefer interleave` writes."])
    table = read_record_table(path, problems, ",".join(LIST_NAMES))
    grouped: dict[Impression, list[dict[str, str]]] = {}
    for line, row in text_rows(table, problems, LIST_NAMES):
        if wrong := [name for name in ("rank", "first", "second") if not _is_rank(row[name], name == "rank")]:
            problems.add(f"{table.word} {line}", f"{', '.join(wrong)} must be a whole number from 1 on", order=line)
        grouped.setdefault((row["query"], row["impression"]), []).append(row)
    problems.raise_if_any()
    names = {(row["first_system"], row["second_system"]) for rows in grouped.values() for row in rows}
    if len(names) != 1:
        raise InputError.of(problems.source, [f"is of {len(names)} pairs of runs, and one is compared"])
    (both,) = names
    return {key: _list_of(rows, both) for key, rows in grouped.items()}, both


def _is_rank(text: str, is_needed: bool) -> bool:
    return (text.isdecimal() and 0 < int(text) < LONGEST_LIST) or (not text and not is_needed)


def _list_of(rows: list[dict[str, str]], names: Sequence[str]) -> Interleaved:
    from rankscope.analysis.assessors.preferences import Interleaved

    rows = sorted(rows, key=lambda row: int(row["rank"]))
    return Interleaved(
        items=tuple(row["item"] for row in rows),
        teams=tuple(int(row["team"] != names[0]) for row in rows),
        method=rows[0]["method"],
        first=_ranking(rows, "first"),
        second=_ranking(rows, "second"),
    )


def _ranking(rows: Sequence[Mapping[str, str]], side: str) -> tuple[str, ...]:
    """A ranking as far as the list holds it; nothing stands where an item is not in the list."""
    placed = {int(row[side]): row["item"] for row in rows if row[side]}
    return tuple(placed.get(rank, "") for rank in range(1, max(placed, default=0) + 1))


def write_lists(rows: Sequence[Mapping[str, object]], path: str | Path) -> None:
    """The lists as CSV, or as JSON lines where the name ends in .jsonl; equal lists give equal bytes."""
    import csv
    import json

    from rankscope.core.files import atomic

    if not str(path).endswith((".csv", ".jsonl")):
        raise SettingError(f"{path}: lists are written as .csv or .jsonl, name the file so")
    with atomic(path) as file:
        if str(path).endswith(".jsonl"):
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            return
        writer = csv.DictWriter(file, list(LIST_NAMES), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
