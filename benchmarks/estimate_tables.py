"""The coverage of estimates from few judgements, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from benchmarks.estimate import Held, class_size_coverage, over_queries, recall_coverage
from benchmarks.estimate_data import DESIGNS, Source, truth_of
from benchmarks.estimate_only import GRIP_SAMPLES, SAMPLES, biased, grip_held
from benchmarks.machine_judges import (
    LABELLINGS,
    MACHINE_SAMPLES,
    SIZES,
    MachineHeld,
    Pool,
    machines,
    people_held,
    widths_by_queries,
)
from rankscope.analysis.sampling.machine_judge import CORRECT_FROM
from rankscope.core.arrays import FloatArray
from rankscope.core.rendering import markdown_table

Rows = list[dict[str, object]]
TRUTHS = {False: "these", True: "population"}


def estimate_tables(known: list[Source], samples: int) -> str:
    """What is drawn, then a table for each promise."""
    runs = "; ".join(f"{each.name}: {each.runs[0]}, {each.runs[1]}" for each in known)
    tables = [markdown_table(rows, places=3).rstrip() for rows in _all_rows(known, samples)]
    parts = [
        f"Pools of real runs ({runs}), all of whose judgements are known; what nobody judged counts as irrelevant. "
        f"Samples are drawn by three designs, {samples:,} times each; all intervals are of 95 %.",
        "One query (class size: every outcome with its chance, so exact; recall: simulated). Width is the mean.",
        tables[0],
        "Over queries: the share of samples whose interval holds the truth, and its mean width. These: the same "
        "queries each time, whose truth is their own mean; with everything judged the width would be 0. Population: as "
        "many queries drawn with replacement, and the truth of all; next to it the width with everything judged.",
        tables[1],
        f"Without an interval: the bias of two means of ratios for the same 30 queries, {SAMPLES} samples; held: "
        "within 1.96 deviations over samples, which no interval from one sample knows. Where the bias is as large as "
        "the deviation, no interval around the estimate can hold.",
        tables[2],
        f"GRiP as a ratio of totals, 30 queries drawn with replacement, {GRIP_SAMPLES} samples; next to it the bias of "
        "the mean of the queries' own values, which has no interval.",
        tables[3],
        f"Machine judges: queries drawn with replacement, people judge n, the machine these and N others; "
        f"{MACHINE_SAMPLES:,} samples ({samples:,} of people's), AP, nDCG@10 and P@10 of two runs and their "
        f"differences ({LABELLINGS} labellings of each query). The mean and the lowest of these nine; machine alone: "
        "the interval of its own mean. People: the interval of every mean over queries, from queries drawn anew. "
        f"`estimate` tells the corrected means from {CORRECT_FROM} queries of people on, and before that people alone; "
        "here both are measured.",
        tables[4],
        "From how many queries of people on means are corrected: over both collections and three kinds of errors, the "
        "mean width over that of Student's t of people alone (of the nine, and of the one that fares worst), and the "
        "largest share of samples in which the corrected interval is the wider one.",
        tables[5],
    ]
    return "\n\n".join(parts)


def _all_rows(known: list[Source], samples: int) -> list[Rows]:
    """The rows of each table, in processes of their own: polars forbids to fork."""
    parts = (partial(_one_query, samples=samples), partial(_over_queries, samples=samples), _biased, _grip)
    makers = (*parts, partial(_machines, samples=samples), _widths)
    with ProcessPoolExecutor(len(makers) * len(known), get_context("spawn")) as pool:
        waiting = [[pool.submit(make, [source]) for source in known] for make in makers]
        made = [[row for each in some for row in each.result()] for some in waiting]
    return [*made[:-1], _worst_widths(made[-1])]


def _one_query(known: Iterable[Source], samples: int) -> Rows:
    rows: Rows = []
    for source in known:
        for name, design in DESIGNS.items():
            truth = truth_of(source, design)
            size, width = class_size_coverage(truth)
            recall, recall_width = recall_coverage(truth, samples, seed=1)
            rows.append(
                {
                    "collection": source.name,
                    "design": name,
                    "class size": float(size.mean()),
                    "worst query": float(size.min()),
                    "width": float(width.mean()),
                    "recall@100": float(recall.mean()),
                    "worst query for recall": float(recall.min()),
                    "width of recall": float(recall_width.mean()),
                }
            )
    return rows


def _over_queries(known: list[Source], samples: int) -> Rows:
    found = over_queries(known, samples)
    return [
        {
            "collection": setting.source,
            "queries": setting.queries,
            "design": setting.design,
            "truth": TRUTHS[setting.is_population],
            **{name: _cell(each, setting.is_population) for name, each in held.items()},
        }
        for setting, held in found.items()
    ]


def _cell(held: Held, is_population: bool) -> str:
    complete = f"; {held.complete:.3g}" if is_population else ""
    return f"{held.coverage:.3f} ({held.width:.3g}{complete})"


def _biased(known: Iterable[Source]) -> Rows:
    return [
        {
            "collection": each.source,
            "design": each.design,
            "estimate": each.quantity,
            "bias": each.bias,
            "deviation": each.deviation,
            "held": each.held,
        }
        for source in known
        for design in DESIGNS
        for each in biased(source, design)
    ]


def _grip(known: Iterable[Source]) -> Rows:
    return [
        {
            "collection": each.source,
            "design": each.design,
            "G": "whole collection" if each.level is None else str(each.level),
            "held": each.coverage,
            "bias": each.bias,
            "width": each.width,
            "bias of the plain mean": each.mean_bias,
        }
        for source in known
        for design in DESIGNS
        for each in grip_held(source, design)
    ]


def _machines(known: list[Source], samples: int) -> Rows:
    alone = {(one.name, n): people_held(Pool.of(one), n, samples) for one in known for n, _ in SIZES}
    return [_machine(each, *alone[each.source, each.people]) for each in machines(known, MACHINE_SAMPLES)]


def _widths(known: list[Source]) -> Rows:
    """Of each machine the mean, the widest, and the share that is wider."""
    return [
        {
            "n": n,
            "kappa": kappa,
            "mean": float((each.width / each.of_t).mean()),
            "worst": float((each.width / each.of_t).max()),
            "wider": float(each.wider.mean()),
        }
        for n, kappa, each in widths_by_queries(known, MACHINE_SAMPLES)
    ]


def _worst_widths(rows: Rows) -> Rows:
    """The machine that fares worst at each kappa and number of queries."""
    grouped: dict[tuple[object, object], Rows] = {}
    for row in rows:
        grouped.setdefault((row["kappa"], row["n"]), []).append(row)
    return [
        {"kappa": kappa, "n": n}
        | {name: max(float(str(each[name])) for each in some) for name in ("mean", "worst", "wider")}
        for (kappa, n), some in sorted(grouped.items(), key=str)
    ]


def _machine(each: MachineHeld, held: FloatArray, width: FloatArray) -> dict[str, object]:
    return {
        "collection": each.source,
        "kappa": each.kappa,
        "errors": each.errors,
        "n": each.people,
        "N": each.others,
        "corrected": float(each.corrected.mean()),
        "lowest": float(each.corrected.min()),
        "people": float(held.mean()),
        "lowest of people": float(held.min()),
        "machine alone": f"{each.machine.min():.3f} to {each.machine.max():.3f}",
        "width over people's": float(np.mean(each.width / width)),
        "worth queries": round(float(np.nanmean(each.worth))),
    }
