"""`rankscope rank`: vectors with class labels to the exact ranks of all relevant items."""

from __future__ import annotations

import os
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.options import JUNK, label_options, on_option
from rankscope.commands.line.output import progress_line, say
from rankscope.core.errors import SettingError
from rankscope.core.machine import THREADS_OF_MATRICES, THREADS_OF_TABLES, limit_threads, memory_of
from rankscope.core.names import RANKS_SUFFIX, one_line
from rankscope.core.wording import how_many

OF_FEATURES = ("labels", "separator", "label_column", "id_column", "queries", "junk_labels")


@click.command("rank", cls=GuardedCommand, short_help="Vectors with labels: exact ranks of all relevant items.")
@click.argument("features", type=Input(), nargs=-1, required=True, metavar="FEATURES...")
@click.option(
    "--metric",
    metavar="NAME",
    help="Metric that ranks items: cosine, ip, l2, l1, chi2, intersection, jeffrey, js, d1, tanimoto, hamming, "
    "hamming_bits, or a mixture:"
    " '0.7*l1[0:64] + 0.3*cosine[64:]'. Default: the one that the file names, else cosine.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile("saved ranks", makes_folder=True),
    metavar=f"NAME{RANKS_SUFFIX}",
    help="Write the ranks here; every other command reads them.",
)
@label_options
@click.option(
    "--queries", type=Input(), metavar="FILE", help="Names of the items that are queries, one per line. Default: all."
)
@JUNK
@click.option("--junk-label", "junk_labels", multiple=True, metavar="LABEL", help="Leave out items with this label.")
@click.option(
    "--query-item",
    type=click.Choice(["removed", "kept", "kept_ignored"]),
    default="removed",
    show_default=True,
    help="The query in its own collection: taken out; left in as relevant; or left in without a rank.",
)
@click.option(
    "--distractors",
    metavar="CHOICE",
    help="Rank each class among so many other items alone, the same for all its queries: 'nearest(M)', the M of least "
    "mean distance to the members of the class (a narrow domain), or 'random(M)', 'random(M,seed=N)' (a wide one). "
    "Default: all.",
)
@click.option("--memory", metavar="SIZE", help="Work within this much memory, as 2GB. Default: half of what is free.")
@on_option("home")
@click.option(
    "--work",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Keep finished parts here until the work has ended well. Default: next to the result.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Number of threads. Default: one for each core."
)
@click.option(
    "--keep-scores/--no-keep-scores",
    default=True,
    show_default=True,
    help="Keep the scores, which the growth forecast needs.",
)
@click.option(
    "--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True, help="Where scores are computed."
)
@click.option("--system", metavar="NAME", help="Name in tables and graphs. Default: that of the result's file.")
@click.option("--quiet", is_flag=True, help="No progress and no messages.")
def rank_command(
    features: tuple[str, ...], output: str, memory: str | None, threads: int | None, quiet: bool, **given: Any
) -> None:
    """Every labelled item is a query in turn, the items that share its label are relevant: exact ranks of all of them.

    FEATURES is .npy (with --labels), .npz (arrays features, labels, ids, split), Parquet or Arrow. Several files, a
    folder or a quoted pattern are one collection, in byte order of the names. Work that was stopped continues when the
    same command is run again.

    \b
    rankscope rank features.npz -o cosine.ranks.parquet
    rankscope rank clip.npy --labels labels.txt --metric l2 -o clip.ranks.parquet
    rankscope rank features.npz --distractors 'nearest(500)' -o narrow.ranks.parquet
    rankscope rank 'parts/*.npy' --labels labels.txt --on processes:4 -o all.ranks.parquet
    rankscope evaluate cosine.ranks.parquet -m AP -m P@10
    """
    if not output.endswith(RANKS_SUFFIX):
        raise SettingError(f"the result must be called NAME{RANKS_SUFFIX}, got '{output}'")
    if threads is not None:
        limit_threads(threads, *THREADS_OF_MATRICES, *THREADS_OF_TABLES)
    from rankscope.commands.rank import Ranking, distractors_text
    from rankscope.engines.nearest.metrics import metric_name, metric_named
    from rankscope.measures.evaluation.coverage import few_distractors, own_distractors

    size = memory_of(memory)
    metric = metric_named(given["metric"]) if given["metric"] else None  # before a large file is read
    how = {name: given[name] for name in OF_FEATURES}
    name = one_line(given["system"] or os.path.basename(output).removesuffix(RANKS_SUFFIX))
    choices = {"query_item": given["query_item"], "keep_scores": given["keep_scores"], "memory": size}
    choices |= {"distractors": distractors_text(given["distractors"])}
    with progress_line(quiet) as progress:
        shown = None if progress is None else lambda done, whole: progress(name, done / whole)
        free = {"threads": threads, "device": given["device"], "progress": shown}
        ranking = Ranking(metric=metric, junk=given["junk"], system=name, output=output, choices=choices, free=free)
        told = (lambda _: None) if quiet else say
        paths: Any = features[0] if len(features) == 1 else list(features)
        ranks, items, reused = ranking.of(paths, how, given["on"], given["work"], told)
    if not quiet:
        again = f", {reused} parts from before" if reused else ""
        cautions = [*own_distractors(ranks), *few_distractors(ranks)]
        for line in filter(None, [items.taken, *(f"! {each.text}" for each in cautions)]):
            say(line)
        say(
            f"{output}: {how_many(len(ranks), 'queries')}, {how_many(len(items), 'items')}, "
            f"{metric_name(ranking.metric_of(items))}{again}"
        )
